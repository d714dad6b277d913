//! `awk`: its programs open files and run commands.

use super::super::super::own;
use super::super::super::target::{Access, Why};
use super::super::field::{Field, Meaning};
use super::super::folders::Folders;
use super::super::habits::Habit;
use super::super::program::named;
use super::super::run::{Input, Run};

/// `awk [options] program [files]`.
pub(in super::super) fn awk(
    run: &mut Run<'_, '_, '_>,
    rest: &[Field],
    folders: &Folders,
    input: &Input,
) {
    let mut files = Vec::new();
    let mut program = None;
    let mut given = false;
    let mut kept = false;
    let mut expects = false;
    for field in rest {
        let word = field.literal().unwrap_or("");
        if std::mem::take(&mut kept) {
            continue;
        }
        if std::mem::take(&mut expects) {
            program = Some(field);
        } else if matches!(word, "-v" | "--assign" | "-F" | "--field-separator") {
            kept = true;
        } else if matches!(word, "-e" | "--source") {
            given = true;
            expects = true;
        } else if word.starts_with("-f") || word.starts_with("--file") {
            given = true;
            files.push(field.clone());
        } else if word.len() > 1 && word.starts_with('-') {
            files.push(field.clone());
        } else if !given && program.is_none() {
            program = Some(field);
        } else {
            files.push(field.clone());
        }
    }
    run.operands(Habit::NAMES, "awk", &files, folders, input);
    match program.map(|program| program.meaning()) {
        Some(Meaning::Text(text)) => follow(run, text, folders),
        // A star in a program is a star.
        Some(Meaning::Wild(_, text)) => follow(run, text, folders),
        Some(Meaning::Open(why, text)) => run.judge.unknown(*why, text),
        Some(Meaning::Stream) => run.judge.unknown(Why::Program, "awk"),
        None => {}
    }
}

fn follow(run: &mut Run<'_, '_, '_>, program: &str, folders: &Folders) {
    let read = read(program);
    for file in &read.files {
        run.file(file, named(Access::Write), folders);
    }
    if read.is_open {
        run.judge.own |= own::mentions_program(program);
        run.judge.unknown(Why::Program, program);
    }
}

#[derive(Debug, Default, Eq, PartialEq)]
struct Program {
    /// Files that are printed to by name.
    files: Vec<String>,
    /// Whether anything else may be opened or run.
    is_open: bool,
}

/// Reads a program as far as it opens files: statements, strings, regular expressions and signs are told apart, no more.
fn read(program: &str) -> Program {
    let mut read = Program::default();
    let mut rest = program;
    let mut statement = Statement::default();
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or("");
        rest = after;
        match c {
            '"' => {
                let (text, after) = string(after);
                rest = after;
                if statement.redirects {
                    statement.redirects = false;
                    let next = after.trim_start().chars().next();
                    if matches!(next, None | Some(';' | '}' | '\n')) {
                        read.files.push(text);
                    } else {
                        read.is_open = true;
                    }
                }
                statement.ends_value = true;
            }
            '/' if !statement.ends_value => rest = regex(after),
            '#' => {
                rest = after
                    .find('\n')
                    .and_then(|at| after.get(at..))
                    .unwrap_or("")
            }
            ';' | '{' | '}' | '\n' => statement = Statement::default(),
            '(' => {
                statement.open += 1;
                statement.ends_value = false;
            }
            ')' => {
                statement.open = statement.open.saturating_sub(1);
                statement.ends_value = true;
            }
            '>' if statement.prints && statement.open == 0 => {
                rest = after.trim_start_matches('>');
                read.is_open |= !rest.trim_start().starts_with('"');
                statement.redirects = true;
            }
            '|' if after.starts_with('|') => rest = after.get(1..).unwrap_or(""),
            '|' | '@' => read.is_open = true,
            c if c.is_alphabetic() || c == '_' => {
                let length = after
                    .find(|c: char| !c.is_alphanumeric() && c != '_')
                    .unwrap_or(after.len());
                let (tail, after) = after.split_at_checked(length).unwrap_or((after, ""));
                rest = after;
                let word = format!("{c}{tail}");
                statement.prints |= word == "print" || word == "printf";
                read.is_open |= matches!(
                    word.as_str(),
                    "getline" | "system" | "ARGV" | "ARGC" | "close"
                );
                statement.ends_value = !matches!(
                    word.as_str(),
                    "print" | "printf" | "return" | "in" | "else" | "do"
                );
            }
            c if c.is_whitespace() => {}
            c => statement.ends_value = c.is_alphanumeric() || matches!(c, ']' | '$'),
        }
    }
    read
}

#[derive(Default)]
struct Statement {
    prints: bool,
    open: usize,
    /// Whether a `/` now would divide.
    ends_value: bool,
    /// Whether the next string is a file.
    redirects: bool,
}

fn string(text: &str) -> (String, &str) {
    let mut value = String::new();
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '"' => break,
            '\\' => value.extend(characters.next()),
            c => value.push(c),
        }
    }
    (value, characters.as_str())
}

fn regex(text: &str) -> &str {
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '/' => break,
            '\\' => {
                characters.next();
            }
            _ => {}
        }
    }
    characters.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(program: &str, files: &[&str], is_open: bool) {
        let read = read(program);
        assert_eq!(read.files, files, "{program}");
        assert_eq!(read.is_open, is_open, "{program}");
    }

    #[test]
    fn programs_that_only_compute_open_nothing() {
        for program in [
            "{print $1}",
            "$1 > 5 {print \"a > b\"}",
            "/x|y/ {n++} END {print n/2}",
            "NR==1 || /a/",
            "{print ($1 > 2)}",
        ] {
            check(program, &[], false);
        }
    }

    #[test]
    fn redirections_pipes_and_calls_are_seen() {
        check("{print > \"docs/x\"}", &["docs/x"], false);
        check("{print $1 >> \"x\" $2}", &[], true);
        check("{print > f}", &[], true);
        check(
            "BEGIN{while((getline l < \"docs/a\")>0) print l}",
            &[],
            true,
        );
        check("{print | \"sort\"}", &[], true);
        check("{system(\"cat x\")}", &[], true);
    }
}
