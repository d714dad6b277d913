//! What a call reaches for.

use super::place::Holder;

/// Something governed that a call reaches for, or something that cannot be told.
///
/// A target exists only because an argument was read and normalised by this module.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Target {
    pub(super) kind: Kind,
    pub(super) text: String,
    pub(super) access: Access,
    pub(super) holders: Vec<Holder>,
}

/// What kind of thing a target is.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Kind {
    /// A file or folder.
    Path,
    /// Files and folders: those that a pattern stands for, or all that lie below a folder.
    Paths,
    /// A URL.
    Url,
    /// Anything at all.
    Unknown(Why),
}

/// Why a target cannot be told.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Why {
    /// A variable, whose value only the shell or the server knows.
    Variable,
    /// The output of a command.
    Substitution,
    /// Names read from data at run time.
    Data,
    /// A program in another language, or one that is put together at run time.
    Program,
    /// A working folder that nobody knows.
    Folder,
    /// A command that does not parse.
    Unparsable,
    /// A name that only the operating system can tell.
    Alias,
    /// Links that lead in a circle or cannot be read.
    Links,
    /// More than anyone writes.
    Excess,
}

impl Why {
    /// A few words for reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Variable => "a variable",
            Self::Substitution => "the output of a command",
            Self::Data => "names from data",
            Self::Program => "a program that may open anything",
            Self::Folder => "an unknown working folder",
            Self::Unparsable => "a command that does not parse",
            Self::Alias => "a name that only the system can tell",
            Self::Links => "links that cannot be followed",
            Self::Excess => "more than can be looked at",
        }
    }
}

/// What is done to a target.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Access {
    /// It is read, listed or described.
    Read,
    /// It is made, changed, moved or deleted.
    Write,
    /// Nobody knows.
    Unknown,
}

/// How far an access goes.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) enum Reach {
    /// To what is named.
    Named,
    /// To all that lies below it, too.
    Below,
}

impl Target {
    /// What kind of thing it is.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// A path: absolute, and with links resolved unless only its own name is governed. A URL: as a browser would write it.
    /// What cannot be told: as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What is done to it.
    #[must_use]
    pub const fn access(&self) -> Access {
        self.access
    }

    /// Who holds it.
    #[must_use]
    pub fn holders(&self) -> &[Holder] {
        &self.holders
    }
}
