//! `git`: global options, and what its commands do with folders.

use super::super::super::target::Access;
use super::super::field::{Field, Meaning};
use super::super::folders::Folders;
use super::super::habits::{Habit, Walk, Words};
use super::super::run::{Input, Run};

/// `git [options] command [words]`.
pub(in super::super) fn git(
    run: &mut Run<'_, '_, '_>,
    rest: &[Field],
    folders: &Folders,
    input: &Input,
) {
    let mut at = 0;
    let mut inside = folders.clone();
    while let Some(word) = rest
        .get(at)
        .and_then(Field::literal)
        .filter(|word| word.starts_with('-'))
    {
        let value = rest.get(at + 1).map(|field| field.meaning());
        match (word, value) {
            ("-C" | "--work-tree" | "--git-dir", Some(Meaning::Text(raw))) => {
                let entered = run.enter(raw, folders);
                let _fits = inside.join(&entered);
                at += 1;
            }
            (
                "-C" | "--work-tree" | "--git-dir" | "-c" | "--namespace" | "--exec-path"
                | "--super-prefix",
                _,
            ) => at += 1,
            _ => {}
        }
        at += 1;
    }
    let (options, words) = rest
        .split_at_checked(at.min(rest.len()))
        .unwrap_or((rest, &[]));
    run.operands(
        of(Access::Unknown, Walk::Never),
        "git-options",
        options,
        folders,
        input,
    );
    let Some((command, words)) = words.split_first() else {
        return;
    };
    let name = match command.meaning() {
        Meaning::Text(name) => name,
        Meaning::Open(why, text) => return run.judge.unknown(*why, text),
        Meaning::Wild(..) | Meaning::Stream => return,
    };
    let (base, habit) = match &**name {
        "grep" => ("grep", of(Access::Read, Walk::Here)),
        "add" | "stage" | "rm" | "mv" | "checkout" | "restore" | "clean" | "archive" => {
            ("git", of(Access::Write, Walk::Named))
        }
        "commit" | "tag" | "merge" | "notes" | "stash" | "revert" | "cherry-pick" => {
            ("git-commit", of(Access::Unknown, Walk::Never))
        }
        "apply" | "am" => {
            run.patch_from(words, &inside, input);
            ("git", of(Access::Write, Walk::Never))
        }
        "config" => ("git", Habit::UNKNOWN),
        _ => ("git", of(Access::Unknown, Walk::Never)),
    };
    run.operands(habit, base, words, &inside, input);
}

const fn of(access: Access, walk: Walk) -> Habit {
    Habit {
        access,
        walk,
        words: Words::Names,
    }
}
