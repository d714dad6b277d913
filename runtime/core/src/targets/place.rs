//! The places that a ruleset governs, as tables.
//!
//! Domains and approval rules speak of paths and URLs; both stand in one table, so that a call is looked up once for all.
//! Tools and skills are names, and stand with all other names in [`crate::ruleset::Ruleset::names`].
//!
//! Rows are for people and stand in order; slots are for the machine, so that one pass over a path finds every row that it
//! lies under, at the same price for ten rows and for ten thousand.

use crate::glob::Glob;

/// Who speaks of a path or URL.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Holder {
    /// A domain, by index.
    Domain(u32),
    /// An approval rule, by index.
    Approval(u32),
}

/// Where a governed path starts.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Anchor {
    /// The root of the file system, or a drive.
    Root,
    /// The home folder of the person.
    Home,
    /// The working folder of the call, or the folder so many levels above it.
    Folder {
        /// How many levels above.
        up: u8,
    },
}

/// A path or URL, and all that lies below it: one row of a table.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Prefix<'a> {
    /// Segments joined by `/`, from the anchor on; no `/` at either end.
    pub key: &'a str,
    /// If only some of what lies at or below `key` is meant: the whole pattern, from the anchor on.
    pub glob: Option<Glob<'a>>,
    /// Who speaks of it.
    pub holder: Holder,
}

impl<'a> Prefix<'a> {
    /// All that lies at or below `key`.
    #[must_use]
    pub const fn new(key: &'a str, holder: Holder) -> Self {
        Self {
            key,
            glob: None,
            holder,
        }
    }

    /// What of all that lies at or below `key` this path glob matches, case and all.
    #[must_use]
    pub const fn glob(key: &'a str, glob: &'a str, holder: Holder) -> Self {
        Self {
            key,
            glob: Some(Glob::path(glob)),
            holder,
        }
    }
}

/// Rows sorted by key, and where to find each.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Prefixes<'a> {
    /// Sorted by folded key, segment by segment.
    pub rows: &'a [Prefix<'a>],
    /// A hash table over the folded keys: a power of two of slots, see [`super::index`].
    pub slots: &'a [u32],
}

impl<'a> Prefixes<'a> {
    /// No rows.
    pub const NONE: Prefixes<'static> = Prefixes {
        rows: &[],
        slots: &[],
    };

    /// A table of rows that a [`super::building::Builder`] sorted and indexed.
    #[must_use]
    pub const fn new(rows: &'a [Prefix<'a>], slots: &'a [u32]) -> Self {
        Self { rows, slots }
    }
}

/// The governed paths that start in one place.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct PathTable<'a> {
    /// Where its rows start.
    pub anchor: Anchor,
    /// Its rows.
    pub prefixes: Prefixes<'a>,
}

impl<'a> PathTable<'a> {
    /// The paths that start at `anchor`.
    #[must_use]
    pub const fn new(anchor: Anchor, prefixes: Prefixes<'a>) -> Self {
        Self { anchor, prefixes }
    }
}

/// Every path and URL that a ruleset speaks of.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Places<'a> {
    /// The paths, one table an anchor.
    pub paths: &'a [PathTable<'a>],
    /// The URLs; keys are `host/path`, `host:port/path`, or `scheme:/host/path` for schemes that are not the web's.
    pub urls: Prefixes<'a>,
    /// All who hold a path or URL, in order: what cannot be known touches them all.
    pub holders: &'a [Holder],
}

impl Places<'_> {
    /// Nothing is governed.
    pub const NONE: Places<'static> = Places {
        paths: &[],
        urls: Prefixes::NONE,
        holders: &[],
    };
}
