//! Commands: which files and addresses do they reach for?
//!
//! A command is parsed by the grammar of its shell, and then followed without being run: word by word after quotes, braces,
//! tildes and patterns, in every working folder it could be in by then. What only the shell will know is unknown.
//!
//! ## Why a parser of our own
//!
//! `brush-parser` (MIT) is the maintained parser of bash for Rust whose licence fits; `yash-syntax` is under the GPL, `conch`
//! is unmaintained. Measured on this project's machine in a release build, `brush-parser` 0.4 took 360 to 530 µs for a
//! command of 4 KiB, with the words still to be taken apart, where the whole classification may take 150; it brings
//! 76 packages, among them a cache, a tracer and a snapshot tool; and 200,000 nested parentheses overflow its stack, which
//! for a guard means that a command can switch it off. What is needed here is smaller than a shell's grammar: which words
//! there are, what in them is fixed, in which order commands run. Depth, retries and length are bounded, and whatever does
//! not parse counts as unknown, so that a gap in the grammar is a false alarm and never a way through.
//!
//! Read `tree` for what a command says, `parse` for how it is read, `run` for how it is followed, `program` and `operand` for
//! what programs do with their words.

mod builtin;
mod field;
mod folders;
mod habits;
mod little;
mod messages;
mod operand;
mod parse;
mod program;
mod run;
mod script;
mod seek;
mod tree;
mod walking;
pub(super) mod windows;
mod wrapper;

use std::borrow::Cow;
use std::sync::Arc;

use super::judge::Judge;
use super::path::Folder;
use super::target::Why;
use field::Field;
use folders::Folders;
use run::{Input, Run};

/// Commands longer than this are not looked at.
const MAX_LENGTH: usize = 256 * 1024;

/// Judges a command for a shell.
pub(super) fn script(judge: &mut Judge<'_, '_>, text: &str, folders: &[Arc<Folder>]) {
    if text.len() > MAX_LENGTH {
        judge.own |= super::own::mentions_program(text);
        return judge.unknown(Why::Excess, text);
    }
    let folders = Folders::of(folders);
    let mut run = Run::new(judge);
    run.text(text, &folders, &Input::Inherited);
    run.end();
}

/// Judges an argument vector: words that no shell takes apart any more.
pub(super) fn vector(judge: &mut Judge<'_, '_>, words: &[Cow<'_, str>], folders: &[Arc<Folder>]) {
    let fields: Vec<_> = words.iter().map(|word| Field::text(word)).collect();
    let folders = Folders::of(folders);
    Run::new(judge).program(&fields, &folders, &Input::Inherited);
}

/// Whether an argument vector begins with a shell that is given a script.
pub(super) fn runs_script(words: &[Cow<'_, str>]) -> bool {
    let first = words
        .first()
        .is_some_and(|word| habits::is_shell(habits::base(word)));
    first && words.len() > 1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::surroundings::Surroundings;
    use crate::targets::building::Builder;
    use crate::targets::ground::Ground;
    use crate::targets::own::Own;
    use crate::targets::place::Holder;

    /// Whether a command touches `docs/`.
    fn touches(command: &str) -> bool {
        let mut builder = Builder::default();
        builder.path("docs/", Holder::Domain(0)).unwrap();
        builder.finish().lend(|places| {
            let around = Surroundings::NOWHERE;
            let ground = Ground::lay(places, &Own::NOTHING, &around);
            let mut judge = Judge::new(&ground, around.links);
            script(&mut judge, command, &[Arc::clone(&ground.folder)]);
            !judge.targets.is_empty()
        })
    }

    #[test]
    fn hostile_commands_end_and_are_unknown() {
        let nested = |open: &str, close: &str, times: usize| {
            format!("{}ls{}", open.repeat(times), close.repeat(times))
        };
        for command in [
            nested("( ", ")", 20_000),
            nested("$(", ")", 20_000),
            nested("{ ", "; }", 20_000),
            nested("$((", "))", 20_000),
            nested("`", "`", 20_001),
            nested("\"$(", ")\"", 10_000),
            nested("${a:-", "}", 20_000),
            nested("if ", "; then :; fi", 5_000),
            nested("f() { ", "; }", 5_000),
            nested("cat {a,", "}", 20_000),
            "[[ ( ".repeat(10_000),
            "cat <<A\n".repeat(10_000),
            "case x in ".repeat(10_000),
            "f() { f; f; }; f; ".repeat(100),
            "{a,b}".repeat(100),
            "cd a; cd b; cd ..; ".repeat(50),
            "x".repeat(MAX_LENGTH + 1),
        ] {
            let shown: String = command.chars().take(40).collect();
            let start = std::time::Instant::now();
            assert!(touches(&command), "{shown}");
            assert!(start.elapsed().as_secs() < 5, "{shown}");
        }
    }

    proptest! {
        #[test]
        fn any_text_ends_without_a_panic(command in "\\PC{0,200}") {
            touches(&command);
        }

        #[test]
        fn any_grammar_ends_without_a_panic(
            parts in prop::collection::vec(prop::sample::select(PARTS), 0..40),
        ) {
            touches(&parts.concat());
        }

        #[test]
        fn a_governed_word_is_found_behind_anything_that_parses(
            parts in prop::collection::vec(prop::sample::select(PARTS), 0..12),
        ) {
            let command = format!("{}\ncat docs/a", parts.concat());
            prop_assert!(touches(&command) || leaves(&command), "{command}");
        }
    }

    /// Whether the governed word may rightly not be reached: it is text, or the shell has left.
    fn leaves(command: &str) -> bool {
        ["#", "<<", "exit", "cd ", "'", "\"", "\\", "case", "exec"]
            .iter()
            .any(|sign| command.contains(sign))
    }

    const PARTS: &[&str] = &[
        " ",
        "\n",
        ";",
        "&",
        "&&",
        "|",
        "||",
        "(",
        ")",
        "{ ",
        "}",
        "<",
        ">",
        "<<A",
        "<<'A'",
        "A\n",
        "'",
        "\"",
        "`",
        "$(",
        "$((",
        "))",
        "${",
        "$x",
        "$'",
        "\\",
        "#",
        "cat",
        "cd ",
        "src",
        "docs",
        "/",
        "a",
        "*",
        "?",
        "[a",
        "]",
        "{a,b}",
        "~",
        "=",
        "if ",
        "then ",
        "fi",
        "for x in ",
        "do ",
        "done",
        "while ",
        "case ",
        " in ",
        "esac",
        ";;",
        "[[ ",
        " ]]",
        "f()",
        "eval ",
        "sh -c ",
        "exit",
        "sed ",
        "awk ",
        "find ",
        "-exec ",
        "xargs ",
        "git ",
        "exec ",
        "!",
        "@(",
        "-",
        "1",
        "\u{e9}",
        "\u{0}",
    ];
}
