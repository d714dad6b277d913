//! Answers that need no automaton.
//!
//! A glob of literal text and stars contains another exactly if it matches that other's spelling, a star being a character that
//! only a star matches: what the text between its own stars must be, the other must then say literally. With `?` and classes the
//! same comparison can say yes, but no longer no. Two globs with stars overlap exactly if what comes before their first stars
//! fits together, and what comes after their last.

use knotrust_core::glob::{Glob, Kind, Token};

/// A glob taken apart.
#[derive(Clone, Debug)]
pub(crate) struct Form<'a> {
    pub(crate) glob: Glob<'a>,
    tokens: Vec<Token<'a>>,
    /// The literal text it starts with.
    start: String,
    /// The one name it matches, if there is but one.
    literal: Option<String>,
}

impl<'a> Form<'a> {
    pub(crate) fn of(glob: Glob<'a>) -> Self {
        let tokens: Vec<_> = glob.tokens().collect();
        let literal = glob.literal().map(|name| name.into_owned());
        Self {
            glob,
            start: start(&tokens),
            tokens,
            literal,
        }
    }

    /// Whether it matches every name that `narrow` matches, if that is plain to see.
    pub(crate) fn contains(&self, narrow: &Form<'_>) -> Option<bool> {
        if let Some(name) = &narrow.literal {
            return Some(self.glob.matches(name));
        }
        if self.glob == narrow.glob {
            return Some(true);
        }
        if self.glob.kind() == Kind::Path {
            return None;
        }
        if !narrow.start.starts_with(&self.start) {
            // What else could stand there stands for several characters.
            return Some(false);
        }
        let text_and_star =
            self.literal.is_none() && self.tokens.len() == self.start.chars().count() + 1;
        if text_and_star && self.tokens.last() == Some(&Token::Deep) {
            return Some(true);
        }
        if covers(&self.tokens, &narrow.tokens) {
            return Some(true);
        }
        let plain = self
            .tokens
            .iter()
            .all(|token| matches!(token, Token::Char(_) | Token::Deep));
        let no_class = !narrow
            .tokens
            .iter()
            .any(|token| matches!(token, Token::Class(_)));
        (plain && no_class).then_some(false)
    }

    /// Whether some name is matched by both, if that is plain to see.
    pub(crate) fn overlaps(&self, other: &Form<'_>) -> Option<bool> {
        if let Some(name) = &self.literal {
            return Some(other.glob.matches(name));
        }
        if let Some(name) = &other.literal {
            return Some(self.glob.matches(name));
        }
        if self.glob.kind() == Kind::Path {
            return None;
        }
        let (one, two) = (&self.tokens, &other.tokens);
        let both_open = one.contains(&Token::Deep) && two.contains(&Token::Deep);
        let fit = fit(one.iter(), two.iter()) && fit(one.iter().rev(), two.iter().rev());
        // Without a star in each, what fits at both ends need not have the right length.
        if both_open || !fit { Some(fit) } else { None }
    }

    /// The literal text it starts with.
    pub(crate) fn start(&self) -> &str {
        &self.start
    }

    /// A name it matches, with a character that hardly any other glob asks for wherever it leaves a choice.
    pub(crate) fn witness(&self) -> String {
        const RARE: char = char::MAX;
        let characters = self.tokens.iter().map(|token| match token {
            Token::Char(c) => *c,
            Token::Class(class) if !class.contains(RARE) => {
                class.ranges().map(|(from, _)| from).next().unwrap_or(RARE)
            }
            Token::One | Token::Class(_) | Token::Star => RARE,
            Token::Deep | Token::Folders | Token::Below => RARE,
        });
        characters.collect()
    }
}

fn start(tokens: &[Token<'_>]) -> String {
    let characters = tokens.iter().map_while(|token| match token {
        Token::Char(c) => Some(*c),
        Token::One | Token::Class(_) | Token::Star => None,
        Token::Deep | Token::Folders | Token::Below => None,
    });
    characters.collect()
}

/// The usual matching with stars, of tokens instead of characters.
fn covers(wide: &[Token<'_>], narrow: &[Token<'_>]) -> bool {
    let (mut wide, mut narrow) = (wide, narrow);
    let mut retry: Option<(&[Token<'_>], &[Token<'_>])> = None;
    loop {
        match (wide.split_first(), narrow.split_first()) {
            (None, None) => return true,
            (Some((Token::Deep, rest)), _) => {
                retry = Some((rest, narrow));
                wide = rest;
                continue;
            }
            (Some((token, wide_rest)), Some((other, narrow_rest))) if takes(token, other) => {
                (wide, narrow) = (wide_rest, narrow_rest);
                continue;
            }
            _ => {}
        }
        let Some((after_star, [_, rest @ ..])) = retry else {
            return false;
        };
        retry = Some((after_star, rest));
        (wide, narrow) = (after_star, rest);
    }
}

/// Whether one token takes whatever stands for the other; a star takes nothing here.
fn takes(token: &Token<'_>, other: &Token<'_>) -> bool {
    match (token, other) {
        (Token::Char(one), Token::Char(two)) => one == two,
        (Token::One, Token::Char(_) | Token::One | Token::Class(_)) => true,
        (Token::Class(class), Token::Char(c)) => class.contains(*c),
        (Token::Class(one), Token::Class(two)) => one == two,
        _ => false,
    }
}

/// Whether the tokens before the first star on either side can stand for the same characters.
fn fit<'t>(
    one: impl Iterator<Item = &'t Token<'t>>,
    two: impl Iterator<Item = &'t Token<'t>>,
) -> bool {
    let mut pairs = one
        .zip(two)
        .take_while(|(one, two)| **one != Token::Deep && **two != Token::Deep);
    pairs.all(|(one, two)| meet(one, two))
}

fn meet(one: &Token<'_>, two: &Token<'_>) -> bool {
    match (one, two) {
        (Token::Char(one), Token::Char(two)) => one == two,
        (Token::Class(class), Token::Char(c)) | (Token::Char(c), Token::Class(class)) => {
            class.contains(*c)
        }
        (Token::Class(one), Token::Class(two)) => {
            let bounds = one
                .ranges()
                .chain(two.ranges())
                .flat_map(|(from, to)| [Some(from), (to..=char::MAX).nth(1)]);
            let mut tried = bounds.flatten().chain(['\0']);
            tried.any(|c| one.contains(c) && two.contains(c))
        }
        _ => true,
    }
}
