//! Paths of units, which must stay below the manifest's folder.

use thiserror::Error;

/// What is wrong with the path of a unit.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
pub enum PathFault {
    /// Nothing there.
    #[error("the path is empty")]
    Empty,
    /// A URL, or something that begins like one; drive letters do.
    #[error("the path is a URL")]
    Url,
    /// From the root of the file system.
    #[error("the path is absolute")]
    Absolute,
    /// A segment `..`.
    #[error("the path holds `..`")]
    Traverses,
}

impl PathFault {
    /// The first fault of a path, if it has one.
    #[must_use]
    pub fn of(path: &str) -> Option<Self> {
        let separators = ['/', '\\'];
        if path.is_empty() {
            Some(Self::Empty)
        } else if has_scheme(path) || path.starts_with("//") || path.starts_with("\\\\") {
            Some(Self::Url)
        } else if path.starts_with(separators) {
            Some(Self::Absolute)
        } else if path.split(separators).any(|segment| segment == "..") {
            Some(Self::Traverses)
        } else {
            None
        }
    }
}

/// Whether the path, folded, ends outside the folder it starts from.
pub(crate) fn escapes(path: &str) -> bool {
    let mut depth = 0_i64;
    for segment in path.split(['/', '\\']) {
        match segment {
            "" | "." => {}
            ".." => depth -= 1,
            _ => depth += 1,
        }
        if depth < 0 {
            return true;
        }
    }
    false
}

pub(crate) fn has_scheme(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once(':') else {
        return false;
    };
    let mut bytes = scheme.bytes();
    let rest = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-');
    bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic()) && bytes.all(rest)
}
