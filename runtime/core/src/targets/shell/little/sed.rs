//! `sed`: its scripts read and write files and run commands without any sign of the shell.

use super::super::super::target::{Access, Why};
use super::super::field::{Field, Meaning};
use super::super::folders::Folders;
use super::super::habits::Habit;
use super::super::program::named;
use super::super::run::{Input, Run};

/// `sed [options] script [files]`.
pub(in super::super) fn sed(
    run: &mut Run<'_, '_, '_>,
    rest: &[Field],
    folders: &Folders,
    input: &Input,
) {
    let mut scripts = Vec::new();
    let mut files = Vec::new();
    let mut given = false;
    let mut expects = false;
    for field in rest {
        let word = field.literal().unwrap_or("");
        if std::mem::take(&mut expects) {
            scripts.push(field.clone());
        } else if let Some(script) = word.strip_prefix("--expression=") {
            given = true;
            scripts.push(Field::text(script));
        } else if word == "--expression" || is_bundle(word, 'e') {
            given = true;
            expects = true;
        } else if word == "--file" || is_bundle(word, 'f') || word.starts_with("--file=") {
            given = true;
            files.push(field.clone());
        } else if word.len() > 1 && word.starts_with('-') {
            files.push(field.clone());
        } else if !given && scripts.is_empty() {
            scripts.push(field.clone());
        } else {
            files.push(field.clone());
        }
    }
    run.operands(Habit::WRITTEN, "sed", &files, folders, input);
    for script in scripts {
        match script.meaning() {
            Meaning::Text(text) => follow(run, text, folders),
            // A star in a script is a star.
            Meaning::Wild(_, text) => follow(run, text, folders),
            Meaning::Stream => run.judge.unknown(Why::Program, "sed"),
            Meaning::Open(why, text) => run.judge.unknown(*why, text),
        }
    }
}

fn is_bundle(word: &str, last: char) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.ends_with(last)
}

fn follow(run: &mut Run<'_, '_, '_>, script: &str, folders: &Folders) {
    for effect in effects(script) {
        match effect {
            Effect::File(file, access) => {
                run.file(&file, named(access), folders);
            }
            Effect::Command(command) => {
                run.text(&command, folders, &Input::Inherited);
            }
            Effect::Unknown => run.judge.unknown(Why::Program, script),
        }
    }
}

/// What a script does beside editing lines.
#[derive(Clone, Debug, Eq, PartialEq)]
enum Effect {
    File(String, Access),
    Command(String),
    Unknown,
}

fn effects(script: &str) -> Vec<Effect> {
    let mut reader = Reader { rest: script };
    let mut effects = Vec::new();
    loop {
        reader.skip(|c| c.is_whitespace() || matches!(c, ';' | '{' | '}' | '!'));
        if reader.rest.is_empty() {
            return effects;
        }
        if reader.command(&mut effects).is_none() {
            effects.push(Effect::Unknown);
            return effects;
        }
    }
}

struct Reader<'s> {
    rest: &'s str,
}

impl<'s> Reader<'s> {
    /// Reads one command with its addresses; `None` if it is not understood.
    fn command(&mut self, effects: &mut Vec<Effect>) -> Option<()> {
        self.addresses()?;
        let command = self.take()?;
        match command {
            '#' => {
                self.line();
            }
            's' => self.substitution(effects)?,
            'y' => {
                let delimiter = self.take()?;
                self.until(delimiter)?;
                self.until(delimiter)?;
            }
            'a' | 'i' | 'c' => self.text(),
            'r' | 'R' => effects.push(Effect::File(self.name(), Access::Read)),
            'w' | 'W' => effects.push(Effect::File(self.name(), Access::Write)),
            'e' => {
                let command = self.name();
                effects.push(if command.is_empty() {
                    Effect::Unknown
                } else {
                    Effect::Command(command)
                });
            }
            ':' | 'b' | 't' | 'T' => {
                self.skip(|c| c != ';' && c != '\n' && c != '}');
            }
            '{' | '}' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z'
            | '=' | 'F' => {}
            'l' | 'L' | 'q' | 'Q' => self.skip(|c| c == ' ' || c.is_ascii_digit()),
            _ => return None,
        }
        Some(())
    }

    fn addresses(&mut self) -> Option<()> {
        loop {
            match self.rest.chars().next() {
                Some('/') => {
                    self.take();
                    self.until('/')?;
                }
                Some('\\') => {
                    self.take();
                    let delimiter = self.take()?;
                    self.until(delimiter)?;
                }
                Some(c) if c.is_ascii_digit() || c.is_whitespace() || "$,~+!".contains(c) => {
                    self.take();
                    continue;
                }
                _ => return Some(()),
            }
            self.skip(|c| matches!(c, 'I' | 'M'));
        }
    }

    fn substitution(&mut self, effects: &mut Vec<Effect>) -> Option<()> {
        let delimiter = self.take()?;
        self.until(delimiter)?;
        self.until(delimiter)?;
        loop {
            match self.rest.chars().next() {
                Some('w') => {
                    self.take();
                    effects.push(Effect::File(self.name(), Access::Write));
                }
                Some('e') => {
                    self.take();
                    effects.push(Effect::Unknown);
                }
                Some(c) if c.is_ascii_digit() || "gpiImM".contains(c) => {
                    self.take();
                }
                _ => return Some(()),
            }
        }
    }

    fn text(&mut self) {
        loop {
            let line = self.line();
            if !line.ends_with('\\') {
                return;
            }
        }
    }

    fn name(&mut self) -> String {
        self.line().trim().to_owned()
    }

    fn line(&mut self) -> &'s str {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        line
    }

    fn until(&mut self, delimiter: char) -> Option<()> {
        let mut in_class = false;
        loop {
            match self.take()? {
                '\\' => {
                    self.take()?;
                }
                '[' => in_class = true,
                ']' => in_class = false,
                c if c == delimiter && !in_class => return Some(()),
                // A bracket need not be closed, and then it is none.
                c if c == delimiter && !self.rest.contains(']') => return Some(()),
                _ => {}
            }
        }
    }

    fn skip(&mut self, skips: impl Fn(char) -> bool) {
        self.rest = self.rest.trim_start_matches(skips);
    }

    fn take(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let c = characters.next()?;
        self.rest = characters.as_str();
        Some(c)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(script: &str, expected: &[Effect]) {
        assert_eq!(effects(script), expected, "{script}");
    }

    #[test]
    fn scripts_that_only_edit_have_no_effects() {
        for script in [
            "1,5p",
            "s/a/b/g",
            "s|w x|r y|2p",
            "/w/d;$!N",
            "s/[/]/e/",
            "a\\\nw x",
            "y/ab/cd/",
            "1~2{p;q}",
            ":a;N;ba",
        ] {
            check(script, &[]);
        }
    }

    #[test]
    fn files_and_commands_are_found() {
        let write = |file: &str| Effect::File(file.to_owned(), Access::Write);
        check("w x/y", &[write("x/y")]);
        check("s/a/b/gw x", &[write("x")]);
        check("/a/r x", &[Effect::File("x".to_owned(), Access::Read)]);
        check("1e cat x", &[Effect::Command("cat x".to_owned())]);
        check("s/a/b/e", &[Effect::Unknown]);
        check("s/a", &[Effect::Unknown]);
        check("@", &[Effect::Unknown]);
    }
}
