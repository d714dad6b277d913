//! The words of tools' names.

/// What a word in a tool's name says.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Sense(u16);

impl Sense {
    /// Runs something.
    pub(super) const RUN: Self = Self(1 << 0);
    /// A language, or a piece of one.
    pub(super) const LANGUAGE: Self = Self(1 << 1);
    /// A command of the system.
    pub(super) const COMMAND: Self = Self(1 << 2);
    /// A shell.
    pub(super) const SHELL: Self = Self(1 << 3);
    /// A shell of Windows.
    pub(super) const WINDOWS: Self = Self(1 << 4);
    /// What runs in a page reaches no file.
    pub(super) const PAGE: Self = Self(1 << 5);
    /// Moves or copies.
    pub(super) const TRANSFER: Self = Self(1 << 6);
    /// Writes or edits.
    pub(super) const EDIT: Self = Self(1 << 7);
    /// Changes something.
    pub(super) const CHANGE: Self = Self(1 << 8);
    /// Removes.
    pub(super) const REMOVE: Self = Self(1 << 9);
    /// Reads.
    pub(super) const READ: Self = Self(1 << 10);
    /// Is about files.
    pub(super) const FILE: Self = Self(1 << 11);
    /// Goes down into folders.
    pub(super) const WALK: Self = Self(1 << 12);

    /// Both senses.
    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether it has any of these.
    pub(super) const fn has(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }

    /// The sense of a word in small letters.
    pub(super) fn of(word: &str) -> Self {
        let found = WORDS.binary_search_by(|(known, _)| (*known).cmp(word)).ok();
        found
            .and_then(|at| WORDS.get(at))
            .map_or(Self(0), |(_, sense)| *sense)
    }
}

/// Sorted.
const WORDS: &[(&str, Sense)] = &[
    ("add", Sense::CHANGE),
    ("append", Sense::EDIT),
    ("applescript", Sense::LANGUAGE),
    ("archive", Sense::WALK),
    ("backup", Sense::WALK),
    ("bash", Sense::SHELL),
    ("browser", Sense::PAGE),
    ("bun", Sense::LANGUAGE),
    ("cat", Sense::READ),
    ("cell", Sense::LANGUAGE),
    ("clean", Sense::REMOVE),
    ("cmd", Sense::COMMAND),
    ("code", Sense::LANGUAGE),
    ("command", Sense::COMMAND),
    ("commands", Sense::COMMAND),
    ("compress", Sense::WALK),
    ("copy", Sense::TRANSFER),
    ("cp", Sense::TRANSFER),
    ("crawl", Sense::WALK),
    ("create", Sense::EDIT),
    ("delete", Sense::REMOVE.and(Sense::FILE).and(Sense::WALK)),
    ("deno", Sense::LANGUAGE),
    ("describe", Sense::READ),
    ("dir", Sense::FILE),
    ("directories", Sense::FILE),
    ("directory", Sense::FILE),
    ("edit", Sense::EDIT),
    ("erase", Sense::REMOVE),
    ("eval", Sense::RUN),
    ("evaluate", Sense::RUN),
    ("exec", Sense::RUN),
    ("execute", Sense::RUN),
    ("fetch", Sense::READ),
    ("file", Sense::FILE),
    ("files", Sense::FILE),
    ("find", Sense::READ.and(Sense::WALK)),
    ("folder", Sense::FILE),
    ("folders", Sense::FILE),
    ("get", Sense::READ),
    ("glob", Sense::FILE),
    ("grep", Sense::READ.and(Sense::WALK)),
    ("index", Sense::WALK),
    ("info", Sense::READ),
    ("insert", Sense::EDIT),
    ("ipython", Sense::LANGUAGE),
    ("javascript", Sense::LANGUAGE),
    ("js", Sense::LANGUAGE),
    ("julia", Sense::LANGUAGE),
    ("jupyter", Sense::LANGUAGE),
    ("launch", Sense::RUN),
    ("link", Sense::TRANSFER),
    ("list", Sense::READ.and(Sense::FILE)),
    ("load", Sense::READ),
    ("ls", Sense::READ.and(Sense::FILE)),
    ("lua", Sense::LANGUAGE),
    ("make", Sense::CHANGE),
    ("mkdir", Sense::CHANGE),
    ("modify", Sense::EDIT),
    ("move", Sense::TRANSFER),
    ("multiedit", Sense::EDIT),
    ("mv", Sense::TRANSFER),
    ("node", Sense::LANGUAGE),
    ("notebook", Sense::LANGUAGE),
    ("open", Sense::READ),
    ("osascript", Sense::LANGUAGE),
    ("overwrite", Sense::EDIT),
    ("page", Sense::PAGE),
    ("patch", Sense::CHANGE),
    ("path", Sense::FILE),
    ("paths", Sense::FILE),
    ("perl", Sense::LANGUAGE),
    ("php", Sense::LANGUAGE),
    ("post", Sense::CHANGE),
    ("powershell", Sense::WINDOWS),
    ("process", Sense::COMMAND),
    ("purge", Sense::REMOVE),
    ("put", Sense::CHANGE),
    ("pwsh", Sense::WINDOWS),
    ("py", Sense::LANGUAGE),
    ("python", Sense::LANGUAGE),
    ("query", Sense::READ),
    ("r", Sense::LANGUAGE),
    ("read", Sense::READ.and(Sense::FILE)),
    ("recurse", Sense::WALK),
    ("recursive", Sense::WALK),
    ("recursively", Sense::WALK),
    ("remove", Sense::REMOVE.and(Sense::FILE).and(Sense::WALK)),
    ("rename", Sense::TRANSFER),
    ("repl", Sense::LANGUAGE),
    ("replace", Sense::EDIT),
    ("rm", Sense::REMOVE.and(Sense::FILE).and(Sense::WALK)),
    ("rmdir", Sense::REMOVE.and(Sense::WALK)),
    ("ruby", Sense::LANGUAGE),
    ("run", Sense::RUN),
    ("save", Sense::EDIT),
    ("scan", Sense::WALK),
    ("search", Sense::READ.and(Sense::WALK)),
    ("set", Sense::CHANGE),
    ("shell", Sense::SHELL),
    ("show", Sense::READ),
    ("snippet", Sense::LANGUAGE),
    ("spawn", Sense::RUN),
    ("start", Sense::RUN),
    ("stat", Sense::READ),
    ("store", Sense::CHANGE),
    ("symlink", Sense::TRANSFER),
    ("sync", Sense::WALK),
    ("terminal", Sense::SHELL),
    ("touch", Sense::CHANGE),
    ("trash", Sense::REMOVE.and(Sense::WALK)),
    ("tree", Sense::READ.and(Sense::FILE).and(Sense::WALK)),
    ("typescript", Sense::LANGUAGE),
    ("unlink", Sense::REMOVE),
    ("update", Sense::EDIT),
    ("upload", Sense::CHANGE),
    ("view", Sense::READ),
    ("walk", Sense::WALK),
    ("write", Sense::EDIT),
    ("zip", Sense::WALK),
    ("zsh", Sense::SHELL),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_sorted() {
        assert!(WORDS.is_sorted_by(|one, other| one.0 < other.0));
    }
}
