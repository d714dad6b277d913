//! `find` and `fd`: folders to go through, tests, and programs to run on what is found.

use super::super::judge::Usage;
use super::super::target::{Access, Reach, Why};
use super::field::{Field, Meaning};
use super::folders::Folders;
use super::habits::Habit;
use super::run::{Input, Run};

/// `find [folders] [tests and actions]`.
pub(super) fn find(run: &mut Run<'_, '_, '_>, rest: &[Field], folders: &Folders) {
    let begins = |field: &Field| {
        field.literal().is_some_and(|word| {
            word.starts_with('-') && word.len() > 1 || matches!(word, "(" | "!" | ",")
        })
    };
    let options = rest
        .iter()
        .take_while(|field| field.literal().is_some_and(is_option))
        .count();
    let rest = rest.get(options..).unwrap_or(&[]);
    let starts = rest.iter().position(begins).unwrap_or(rest.len());
    let (starts, tests) = rest.split_at_checked(starts).unwrap_or((rest, &[]));
    let shallow = is_shallow(tests);
    let access = if deletes(tests) {
        Access::Write
    } else {
        Access::Read
    };
    let usage = Usage {
        access,
        reach: if shallow { Reach::Named } else { Reach::Below },
        by_server: false,
    };
    if starts.is_empty() {
        run.file("", usage, folders);
    }
    for start in starts {
        go_through(run, start, usage, folders);
    }
    let mut tests = tests;
    while let Some((test, after)) = tests.split_first() {
        let word = test.literal().unwrap_or("");
        tests = match word {
            "-exec" | "-execdir" | "-ok" | "-okdir" => action(run, after, folders),
            // Patterns over what is found, not names of files.
            "-name" | "-iname" | "-path" | "-ipath" | "-wholename" | "-iwholename" | "-regex"
            | "-iregex" | "-lname" | "-ilname" | "-type" | "-xtype" | "-size" | "-mtime"
            | "-mmin" | "-ctime" | "-cmin" | "-atime" | "-amin" | "-perm" | "-user" | "-group"
            | "-maxdepth" | "-mindepth" | "-printf" | "-regextype" | "-links" | "-inum"
            | "-uid" | "-gid" | "-used" => after.get(1..).unwrap_or(&[]),
            "-files0-from" => {
                run.judge.unknown(Why::Data, word);
                after
            }
            _ => {
                run.operands(
                    Habit::WRITTEN,
                    "find",
                    std::slice::from_ref(test),
                    folders,
                    &Input::Inherited,
                );
                after
            }
        };
    }
}

/// `fd [options] [pattern] [folders]`.
pub(super) fn fd(run: &mut Run<'_, '_, '_>, rest: &[Field], folders: &Folders) {
    let is_action = |field: &Field| {
        field
            .literal()
            .is_some_and(|word| matches!(word, "-x" | "-X" | "--exec" | "--exec-batch"))
    };
    let end = rest.iter().position(is_action).unwrap_or(rest.len());
    let (words, action) = rest.split_at_checked(end).unwrap_or((rest, &[]));
    let usage = Usage {
        access: Access::Read,
        reach: Reach::Below,
        by_server: false,
    };
    let mut operands = words
        .iter()
        .filter(|field| field.literal().is_none_or(|word| !word.starts_with('-')));
    let pattern = operands.next();
    let mut starts = operands.peekable();
    if starts.peek().is_none() {
        run.file("", usage, folders);
    }
    for start in starts.chain(pattern) {
        go_through(run, start, usage, folders);
    }
    run.operands(Habit::NAMES, "fd", words, folders, &Input::Inherited);
    run.program(action.get(1..).unwrap_or(&[]), folders, &Input::Inherited);
}

fn go_through(run: &mut Run<'_, '_, '_>, start: &Field, usage: Usage, folders: &Folders) {
    match start.meaning() {
        Meaning::Text(text) => {
            run.file(text, usage, folders);
        }
        Meaning::Wild(wild, text) => {
            run.files(wild, text, usage, folders);
        }
        Meaning::Stream => {}
        Meaning::Open(why, text) => run.judge.unknown(*why, text),
    }
}

/// The command of an action, up to `;` or `+`; `{}` is what was found, and that was judged.
fn action<'f>(run: &mut Run<'_, '_, '_>, words: &'f [Field], folders: &Folders) -> &'f [Field] {
    let ends = |field: &Field| {
        field
            .literal()
            .is_some_and(|word| word == ";" || word == "+")
    };
    let end = words.iter().position(ends).unwrap_or(words.len());
    let (command, rest) = words.split_at_checked(end).unwrap_or((words, &[]));
    run.program(command, folders, &Input::Inherited);
    rest.get(1..).unwrap_or(&[])
}

fn is_option(word: &str) -> bool {
    matches!(word, "-H" | "-L" | "-P") || word.starts_with("-O") || word.starts_with("-D")
}

/// Whether only the named folders and what lies in them directly is listed.
fn is_shallow(tests: &[Field]) -> bool {
    let words: Vec<_> = tests
        .iter()
        .map(|field| field.literal().unwrap_or(""))
        .collect();
    let depth = words
        .iter()
        .zip(words.iter().skip(1))
        .find(|(test, _)| **test == "-maxdepth");
    let acts = words
        .iter()
        .any(|word| word.starts_with("-exec") || word.starts_with("-ok") || *word == "-delete");
    depth.is_some_and(|(_, depth)| matches!(*depth, "0" | "1")) && !acts
}

fn deletes(tests: &[Field]) -> bool {
    tests
        .iter()
        .filter_map(Field::literal)
        .any(|word| word == "-delete")
}
