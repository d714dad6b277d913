//! What can be wrong with a pattern, and where.

use thiserror::Error;

/// Why a text is no pattern.
///
/// A shell would take some of these literally. A guard must not: a rule with a forgotten bracket would guard nothing, for ever,
/// without a word.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
pub enum GlobError {
    /// There is no character in it.
    #[error("the pattern is empty")]
    Empty,
    /// Braces with nothing in them, or with nothing but empty alternatives and nothing around them.
    #[error("the braces are empty")]
    EmptyBraces {
        /// Where the `{` stands.
        at: usize,
    },
    /// An alternative that leaves an empty path.
    #[error("this alternative is an empty path")]
    EmptyPath {
        /// Where the pattern or its first brace stands.
        at: usize,
    },
    /// `[` without `]`.
    #[error("`[` has no `]`")]
    UnclosedClass {
        /// Where the `[` stands.
        at: usize,
    },
    /// `{` without `}`.
    #[error("`{{` has no `}}`")]
    UnclosedBraces {
        /// Where the `{` stands.
        at: usize,
    },
    /// `]` without `[`.
    #[error("`]` has no `[`")]
    UnopenedClass {
        /// Where the `]` stands.
        at: usize,
    },
    /// `}` without `{`.
    #[error("`}}` has no `{{`")]
    UnopenedBraces {
        /// Where the `}` stands.
        at: usize,
    },
    /// A backslash with nothing after it.
    #[error("`\\` escapes nothing")]
    DanglingEscape {
        /// Where the backslash stands.
        at: usize,
    },
    /// A range whose end comes before its start.
    #[error("`{from}-{to}` runs backwards")]
    ReversedRange {
        /// Where the range starts.
        at: usize,
        /// The character it starts with.
        from: char,
        /// The character it ends with.
        to: char,
    },
    /// A class that no character is in, or in a path pattern none but `/`.
    #[error("no character is in this class")]
    EmptyClass {
        /// Where the `[` stands.
        at: usize,
    },
    /// `..` where the folder it leaves is not known.
    #[error("`..` follows a wildcard")]
    ParentOfWildcard {
        /// Where the `..` stands.
        at: usize,
    },
    /// Braces within braces within braces, and so on.
    #[error("the braces are nested more than {limit} deep")]
    TooDeep {
        /// Where the one `{` too many stands.
        at: usize,
        /// How deep they may be.
        limit: usize,
    },
    /// Braces that multiply out to more than anyone wants to match.
    #[error("the braces stand for {count} patterns, more than {limit}")]
    TooMany {
        /// Where the first `{` stands.
        at: usize,
        /// How many there are; at the largest number, that many or more.
        count: usize,
        /// How many there may be.
        limit: usize,
    },
    /// A text longer than any name or path.
    #[error("the pattern has {length} bytes, more than {limit}")]
    TooLong {
        /// How long it is.
        length: usize,
        /// How long it may be.
        limit: usize,
    },
}

impl GlobError {
    /// The byte of the pattern at which the faulty character starts.
    #[must_use]
    pub const fn at(&self) -> usize {
        match *self {
            Self::Empty | Self::TooLong { .. } => 0,
            Self::EmptyBraces { at }
            | Self::EmptyPath { at }
            | Self::UnclosedClass { at }
            | Self::UnclosedBraces { at }
            | Self::UnopenedClass { at }
            | Self::UnopenedBraces { at }
            | Self::DanglingEscape { at }
            | Self::ReversedRange { at, .. }
            | Self::EmptyClass { at }
            | Self::ParentOfWildcard { at }
            | Self::TooDeep { at, .. }
            | Self::TooMany { at, .. } => at,
        }
    }

    /// What to do about it, as one sentence for the author.
    #[must_use]
    pub const fn help(&self) -> &'static str {
        match self {
            Self::Empty => "write `*` for everything, or leave the pattern out",
            Self::EmptyBraces { .. } => {
                "write alternatives, as in `{get,list}`, or `\\{\\}` for the characters themselves"
            }
            Self::EmptyPath { .. } => "write `**` for everything, or leave the alternative out",
            Self::UnclosedClass { .. } => {
                "close the class with `]`, or write `\\[` for the character itself"
            }
            Self::UnclosedBraces { .. } => {
                "close the braces with `}`, or write `\\{` for the character itself"
            }
            Self::UnopenedClass { .. } => "write `\\]` for the character itself",
            Self::UnopenedBraces { .. } => "write `\\}` for the character itself",
            Self::DanglingEscape { .. } => "write `\\\\` for the character itself",
            Self::ReversedRange { .. } => "write the range from its lower to its higher character",
            Self::EmptyClass { .. } => "name at least one character that can occur",
            Self::ParentOfWildcard { .. } => "write the folder that is meant without `..`",
            Self::TooDeep { .. } | Self::TooMany { .. } | Self::TooLong { .. } => {
                "write several patterns instead"
            }
        }
    }
}
