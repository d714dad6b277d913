//! Governed knowledge: what belongs to one manifest.

use crate::tier::Tier;

/// Governed knowledge: what belongs to one manifest.
#[derive(Clone, Copy, Debug)]
pub struct Domain<'a> {
    /// The name by which people know it.
    pub name: &'a str,
    /// The least tier of a call that touches it.
    pub floor: Option<Tier>,
    /// What says who may use what.
    pub manifest: Manifest<'a>,
    /// Where the manifest's folder is served, too.
    pub urls: &'a [&'a str],
}

/// A manifest.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Manifest<'a> {
    /// Where it is: seen from the ruleset when this is built, and from the working folder when it runs.
    pub path: &'a str,
    /// Its text, if that was compiled in; else it is read at run time.
    pub pinned: Option<Pinned<'a>>,
}

/// A text that was compiled in.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Pinned<'a> {
    /// What it says.
    pub text: &'a str,
    /// Lower-case hex SHA-256 of it.
    pub digest: &'a str,
}

impl<'a> Manifest<'a> {
    /// A manifest that is compiled in.
    #[must_use]
    pub const fn pinned(path: &'a str, digest: &'a str, text: &'a str) -> Self {
        Self {
            path,
            pinned: Some(Pinned { text, digest }),
        }
    }

    /// A manifest that is read at run time.
    #[must_use]
    pub const fn live(path: &'a str) -> Self {
        Self { path, pinned: None }
    }
}
