//! A value and the place in a file where it was written.

use crate::source::FileId;

/// A stretch of a source text, in bytes.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Span {
    /// The text.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// The empty stretch at the beginning of this one.
    pub fn start(self) -> Self {
        Self {
            end: self.start,
            ..self
        }
    }

    /// True if nothing was written here: the reader stands for a value that is absent.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// A value with its place. Two are equal if their values are.
#[derive(Clone, Debug)]
pub struct Located<T> {
    /// What was written.
    pub value: T,
    /// Where it was written.
    pub span: Span,
    /// False if a part of it was at fault and left out, so that what is missing may not be missing.
    pub whole: bool,
}

impl<T> Located<T> {
    /// A value read at a place.
    pub fn new(value: T, span: Span) -> Self {
        Self {
            value,
            span,
            whole: true,
        }
    }
}

impl<T: PartialEq> PartialEq for Located<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Eq> Eq for Located<T> {}

impl<T: Ord> Ord for Located<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.value.cmp(&other.value)
    }
}

impl<T: PartialOrd> PartialOrd for Located<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        self.value.partial_cmp(&other.value)
    }
}
