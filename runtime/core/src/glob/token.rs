//! The canonical spelling of a glob, and its parts.
//!
//! | spelled | token | in | means |
//! |---|---|---|---|
//! | `?` | `One` | both | one character |
//! | `[…]` `[!…]` | `Class` | both | one character inside or outside the class |
//! | `*` | `Deep` | names | any characters, also none |
//! | `*` | `Star` | paths | any characters but `/`, also none |
//! | `**/` at the start or after `/` | `Folders` | paths | nothing, or anything that ends with `/` |
//! | `/**` at the end, unless it is all | `Below` | paths | nothing, or `/` and anything |
//! | `**` elsewhere | `Deep` | paths | any characters, also none |
//! | `\x`, or a plain `x` | `Char` | both | the character |
//!
//! In paths `One` and `Class` stand for no `/`. Inside a class, `\` escapes as well.

use std::iter::FusedIterator;

use super::Kind;

/// One part of a glob.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Token<'a> {
    /// This character.
    Char(char),
    /// One character.
    One,
    /// One character of these.
    Class(Class<'a>),
    /// Any characters within a path segment.
    Star,
    /// Any characters.
    Deep,
    /// Any number of whole folders, each with its `/`.
    Folders,
    /// The end, or anything below. Always the last token.
    Below,
}

/// A set of characters as a class spells it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Class<'a> {
    negated: bool,
    body: &'a str,
}

impl Class<'_> {
    /// Whether the class names what is outside it.
    pub const fn negated(self) -> bool {
        self.negated
    }

    /// The ranges it spells, both ends included, in ascending order and apart from each other.
    pub fn ranges(self) -> impl Iterator<Item = (char, char)> {
        let mut body = self.body.chars();
        std::iter::from_fn(move || {
            let from = member(&mut body)?;
            let mut ahead = body.clone();
            if ahead.next() != Some('-') {
                return Some((from, from));
            }
            let to = member(&mut ahead)?;
            body = ahead;
            Some((from, to))
        })
    }

    /// Whether `c` is meant.
    #[must_use]
    pub fn contains(self, c: char) -> bool {
        self.ranges().any(|(from, to)| (from..=to).contains(&c)) != self.negated
    }
}

fn member(body: &mut std::str::Chars<'_>) -> Option<char> {
    match body.next()? {
        '\\' => body.next(),
        c => Some(c),
    }
}

/// The tokens of a glob, read from its spelling as they are asked for.
#[derive(Clone, Copy, Debug)]
pub struct Tokens<'a> {
    kind: Kind,
    before: Before,
    rest: &'a str,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Before {
    Nothing,
    Slash,
    Other,
}

impl<'a> Tokens<'a> {
    pub(super) const fn of(kind: Kind, text: &'a str) -> Self {
        Self {
            kind,
            before: Before::Nothing,
            rest: text,
        }
    }

    /// Whether no token is left.
    pub(super) const fn is_empty(self) -> bool {
        self.rest.is_empty()
    }

    /// Takes the characters up to the next token that is none, as far as they stand for themselves.
    pub(super) fn take_plain(&mut self) -> &'a str {
        let special = |byte: &u8| matches!(byte, b'*' | b'?' | b'[' | b'\\');
        let end = self.rest.as_bytes().iter().position(special);
        let (mut plain, mut rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        let all = plain.len() == 1 && self.before == Before::Nothing;
        if self.kind == Kind::Path && rest == "**" && plain.ends_with('/') && !all {
            (plain, rest) = self.rest.split_at(plain.len() - 1);
        }
        if !plain.is_empty() {
            self.rest = rest;
            self.before = if plain.ends_with('/') {
                Before::Slash
            } else {
                Before::Other
            };
        }
        plain
    }

    fn take(&mut self, token: Token<'a>, rest: &'a str) -> Option<Token<'a>> {
        self.rest = rest;
        self.before = match token {
            Token::Char('/') | Token::Folders => Before::Slash,
            Token::Char(_) | Token::One | Token::Class(_) => Before::Other,
            Token::Star | Token::Deep | Token::Below => Before::Other,
        };
        Some(token)
    }

    fn star(&mut self, after: &'a str) -> Option<Token<'a>> {
        if self.kind == Kind::Name {
            return self.take(Token::Deep, after.trim_start_matches('*'));
        }
        let Some(deep) = after.strip_prefix('*') else {
            return self.take(Token::Star, after);
        };
        match deep.strip_prefix('/') {
            Some(rest) if self.before != Before::Other => self.take(Token::Folders, rest),
            _ => self.take(Token::Deep, deep),
        }
    }

    fn class(&mut self, after: &'a str) -> Option<Token<'a>> {
        let negated = after.starts_with('!');
        let body = after.strip_prefix('!').unwrap_or(after);
        let (body, rest) = split_class(body);
        self.take(Token::Class(Class { negated, body }), rest)
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let mut characters = self.rest.chars();
        let first = characters.next()?;
        let after = characters.as_str();
        match first {
            '?' => self.take(Token::One, after),
            '*' => self.star(after),
            '[' => self.class(after),
            '\\' => {
                let escaped = characters.next().unwrap_or('\\');
                self.take(Token::Char(escaped), characters.as_str())
            }
            '/' if self.kind == Kind::Path && after == "**" && self.before != Before::Nothing => {
                self.take(Token::Below, "")
            }
            c => self.take(Token::Char(c), after),
        }
    }
}

impl FusedIterator for Tokens<'_> {}

/// Splits at the first `]` that no backslash escapes. Where there is none the class is all there is.
fn split_class(text: &str) -> (&str, &str) {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ']' => {
                let (body, rest) = text.split_at(at);
                return (body, rest.strip_prefix(']').unwrap_or(rest));
            }
            _ => {}
        }
    }
    (text, "")
}

pub(super) const fn is_canonical(mut bytes: &[u8]) -> bool {
    let mut in_class = false;
    while let Some((&first, rest)) = bytes.split_first() {
        bytes = rest;
        match first {
            b'\\' => match bytes.split_first() {
                Some((_, rest)) => bytes = rest,
                None => return false,
            },
            b'[' if in_class => return false,
            b'[' => in_class = true,
            b']' if !in_class => return false,
            b']' => in_class = false,
            b'{' | b'}' if !in_class => return false,
            _ => {}
        }
    }
    !in_class
}
