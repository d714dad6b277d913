//! When two names are the same file.

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::glob::Casing;

/// Whether composed and decomposed letters are the same.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Forms {
    /// They differ.
    Exact,
    /// They are the same.
    Folded,
}

/// How the file system compares names.
///
/// A real file system is seldom known for certain, and folding the normal forms costs nothing: unless somebody states what
/// the disk does, letters' forms are [`Forms::Folded`].
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Naming {
    /// Whether case counts.
    pub casing: Casing,
    /// Whether the form of letters counts.
    pub forms: Forms,
}

impl Naming {
    /// Byte for byte.
    pub const EXACT: Self = Self {
        casing: Casing::Exact,
        forms: Forms::Exact,
    };

    /// By letters, with their case: what is presumed where case counts.
    pub const CASED: Self = Self {
        casing: Casing::Exact,
        forms: Forms::Folded,
    };

    /// By letters, without their case.
    pub const FOLDED: Self = Self {
        casing: Casing::Folded,
        forms: Forms::Folded,
    };

    /// Whether two paths are spelled alike.
    pub(crate) fn same(self, one: &str, other: &str) -> bool {
        if one.is_ascii() && other.is_ascii() {
            return match self.casing {
                Casing::Exact => one == other,
                Casing::Folded => one.eq_ignore_ascii_case(other),
            };
        }
        match (self.casing, self.forms) {
            (Casing::Folded, _) => fold(one) == fold(other),
            (Casing::Exact, Forms::Folded) => composed(one) == composed(other),
            (Casing::Exact, Forms::Exact) => one == other,
        }
    }

    /// What of `path` lies below `folder`, if it does; `""` is the folder itself.
    #[must_use]
    pub fn below<'p>(self, path: &'p str, folder: &str) -> Option<&'p str> {
        if folder.is_empty() {
            return Some(path.strip_prefix('/').unwrap_or(path));
        }
        if let Some(rest) = path.strip_prefix(folder) {
            if rest.is_empty() {
                return Some("");
            }
            if rest.starts_with('/') {
                return rest.get(1..);
            }
        }
        if self.casing == Casing::Exact && path.is_ascii() {
            return None;
        }
        let (head, rest) = match path.split_at_checked(folder.len()) {
            Some(halves) if path.is_ascii() && folder.is_ascii() => halves,
            None if path.is_ascii() && folder.is_ascii() => return None,
            _ => split_segments(path, segments(folder))?,
        };
        let at_border = rest.is_empty() || rest.starts_with('/');
        (at_border && self.same(head, folder)).then(|| rest.strip_prefix('/').unwrap_or(rest))
    }
}

/// The path in normalisation form C: paths are compared with patterns in that form.
pub(crate) fn composed(path: &str) -> Cow<'_, str> {
    if path.is_ascii() || is_nfc(path) {
        Cow::Borrowed(path)
    } else {
        Cow::Owned(path.nfc().collect())
    }
}

/// The path without case, form and invisible letters; the same in every locale.
///
/// Capitals first, small letters then: the long s, the Kelvin sign and the dotless i have no other way to their plain twins.
/// HFS+ leaves invisible letters out of names, so that a name with one is another spelling.
pub(crate) fn fold(path: &str) -> Cow<'_, str> {
    if path.is_ascii() {
        return if path.bytes().any(|byte| byte.is_ascii_uppercase()) {
            Cow::Owned(path.to_ascii_lowercase())
        } else {
            Cow::Borrowed(path)
        };
    }
    let visible = path.nfd().filter(|c| !is_invisible(*c));
    let capital = visible.flat_map(char::to_uppercase);
    Cow::Owned(capital.flat_map(char::to_lowercase).nfc().collect())
}

const fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// How many segments a path has; the empty one of a leading `/` counts.
pub(crate) fn segments(path: &str) -> usize {
    path.bytes().filter(|byte| *byte == b'/').count() + 1
}

/// Splits a path after so many segments; the rest keeps its `/`.
pub(crate) fn split_segments(path: &str, count: usize) -> Option<(&str, &str)> {
    let mut slashes = path.match_indices('/').map(|(at, _)| at);
    match slashes.nth(count.checked_sub(1)?) {
        Some(at) => path.split_at_checked(at),
        None if segments(path) == count => Some((path, "")),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_ends_at_a_slash() {
        let below = |path, folder| Naming::CASED.below(path, folder);
        assert_eq!(below("/a/b/c", "/a/b"), Some("c"));
        assert_eq!(below("/a/b", "/a/b"), Some(""));
        assert_eq!(below("/a/bc", "/a/b"), None);
        assert_eq!(below("/a", "/a/b"), None);
        assert_eq!(below("/a/b", ""), Some("a/b"));
        assert_eq!(below("/e\u{301}/b", "/\u{e9}"), Some("b"));
        assert_eq!(Naming::EXACT.below("/e\u{301}/b", "/\u{e9}"), None);
        assert_eq!(Naming::FOLDED.below("/HOME/Dev/x", "/home/dev"), Some("x"));
    }

    #[test]
    fn folding_knows_no_locale() {
        assert_eq!(fold("doc\u{17f}"), "docs");
        assert_eq!(fold("R\u{c9}SUM\u{c9}S"), "r\u{e9}sum\u{e9}s");
        assert_eq!(fold("DOC\u{200d}S"), "docs");
        assert_eq!(fold("d\u{f6}cs"), "d\u{f6}cs");
    }
}
