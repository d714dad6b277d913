//! Patterns over action names and over paths.
//!
//! What an author writes is a [`Pattern`]; it is parsed once, its braces are multiplied out, and what is left is a handful of
//! [`Glob`]s: brace-free patterns in one canonical spelling. A glob *is* its spelling, a borrowed string, so a generated table
//! of them is a table of string literals, and matching starts without any compilation.
//!
//! | written | in a name pattern | in a path pattern |
//! |---|---|---|
//! | `*` | any characters, also none | the same, but no `/` |
//! | `**` | the same as `*` | any characters; as a whole segment, any folders, also none |
//! | `?` | one character | one character, but no `/` |
//! | `[a-z]` `[!a]` `[^a]` | one character of the class, or outside it | the same, but no `/` |
//! | `{a,b}` | either; alternatives may be empty, and may hold braces | the same |
//! | `\x` | `x` itself | the same |
//!
//! A path pattern without wildcards, or with a `/` at its end, means the file or folder and all below it; `docs/**` includes
//! `docs` itself; a leading `./` says nothing. Nothing is special about names that begin with a dot. A character is a Unicode
//! scalar value, never a byte. Case counts in names; paths can be compared either way, since file systems differ.
//!
//! Read [`pattern`] for what is accepted, [`token`] for the canonical spelling.

pub mod error;
mod matching;
mod path;
pub mod pattern;
mod syntax;
pub mod token;

use std::borrow::Cow;

pub use error::GlobError;
use matching::{Goal, Search};
pub use pattern::Pattern;
pub use token::{Class, Token, Tokens};

/// What the matched texts are, and so what `*` and `?` may cross.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Kind {
    /// Action names, `server.tool`: nothing in them is a border.
    Name,
    /// Paths: `/` is a border that only `**` crosses.
    Path,
}

/// Whether letters that differ by case alone are the same.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Casing {
    /// They differ.
    Exact,
    /// They are the same, by simple case folding and whatever the locale.
    Folded,
}

/// A pattern without braces, in canonical spelling.
///
/// Globs come from [`Pattern::globs`], or from tables that were generated from there. The constructors check nothing, so that
/// tables are literals; [`Glob::is_canonical`] does.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Glob<'a> {
    kind: Kind,
    text: &'a str,
}

impl<'a> Glob<'a> {
    /// A glob over action names, spelled canonically.
    pub const fn name(text: &'a str) -> Self {
        Self {
            kind: Kind::Name,
            text,
        }
    }

    /// A glob over paths, spelled canonically.
    pub const fn path(text: &'a str) -> Self {
        Self {
            kind: Kind::Path,
            text,
        }
    }

    /// The canonical spelling.
    pub const fn text(self) -> &'a str {
        self.text
    }

    /// What it matches.
    pub const fn kind(self) -> Kind {
        self.kind
    }

    /// The parts of the pattern, in order.
    pub const fn tokens(self) -> Tokens<'a> {
        Tokens::of(self.kind, self.text)
    }

    /// Whether the whole of `text` matches, case and all.
    ///
    /// Time is bounded by the product of the two lengths for names. For paths a second factor of the length of `text` can
    /// occur if `**` stands inside a segment.
    #[must_use]
    pub fn matches(self, text: &str) -> bool {
        self.matches_with(text, Casing::Exact)
    }

    /// Whether the whole of `text` matches.
    #[must_use]
    pub fn matches_with(self, text: &str, casing: Casing) -> bool {
        Search::new(self, text, casing, Goal::Whole).run()
    }

    /// Whether some path below `folder` matches, or `folder` with a slash after it.
    ///
    /// A tool that walks down a tree touches what a pattern guards if it can meet it there.
    #[must_use]
    pub fn matches_below(self, folder: &str, casing: Casing) -> bool {
        let folder = folder.strip_suffix('/').unwrap_or(folder);
        if folder.is_empty() {
            return true;
        }
        let start = format!("{folder}/");
        Search::new(self, &start, casing, Goal::Start).run()
    }

    /// The one text that matches, if there is exactly one.
    #[must_use]
    pub fn literal(self) -> Option<Cow<'a, str>> {
        let special = |c: char| matches!(c, '*' | '?' | '[' | '\\');
        if !self.text.contains(special) {
            return Some(Cow::Borrowed(self.text));
        }
        let characters = self.tokens().map(|token| match token {
            Token::Char(c) => Some(c),
            Token::One | Token::Class(_) | Token::Star => None,
            Token::Deep | Token::Folders | Token::Below => None,
        });
        characters.collect::<Option<String>>().map(Cow::Owned)
    }

    /// Whether every class is closed, every escape escapes something and no brace is left: what the constructors presume.
    #[must_use]
    pub const fn is_canonical(self) -> bool {
        token::is_canonical(self.text.as_bytes())
    }
}

#[cfg(test)]
mod tests;
