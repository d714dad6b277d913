//! Matching one text against one glob.
//!
//! Two places to return to are enough. After a token that takes any number of characters, whatever an *earlier* one of its kind
//! could do by taking more, the later one can do as well: it starts no later, and can take all the earlier one would have.
//! `**` outdoes `*` in the same way. So of each kind only the last place is kept, and the work stays polynomial where a naive
//! matcher, trying every split for every star, is exponential.

use memchr::memmem;

use super::{Casing, Glob, Kind, Token, Tokens};

/// Which part of the text must be used up.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Goal {
    /// The text matches the whole glob.
    Whole,
    /// The text can be continued so that it does.
    Start,
}

pub(super) struct Search<'g, 't> {
    kind: Kind,
    casing: Casing,
    goal: Goal,
    tokens: Tokens<'g>,
    rest: &'t str,
    star: Option<Place<'g, 't>>,
    deep: Option<Place<'g, 't>>,
}

/// Where to go on when a star must take more.
#[derive(Clone, Copy)]
struct Place<'g, 't> {
    tokens: Tokens<'g>,
    rest: &'t str,
    /// Whether more is whole folders.
    folders: bool,
}

enum Step<'g, 't> {
    Done,
    On(Tokens<'g>, &'t str),
    Stuck,
}

impl<'g, 't> Search<'g, 't> {
    pub(super) fn new(glob: Glob<'g>, text: &'t str, casing: Casing, goal: Goal) -> Self {
        let tokens = glob.tokens();
        Self {
            kind: glob.kind(),
            casing,
            goal,
            tokens,
            rest: text,
            star: None,
            deep: None,
        }
    }

    pub(super) fn run(mut self) -> bool {
        loop {
            match self.step() {
                Step::Done => return true,
                Step::On(tokens, rest) => {
                    self.tokens = tokens;
                    self.rest = rest;
                }
                Step::Stuck => match self.retry() {
                    Some(place) => {
                        self.tokens = place.tokens;
                        self.rest = place.rest;
                    }
                    None => return false,
                },
            }
        }
    }

    fn step(&mut self) -> Step<'g, 't> {
        if self.goal == Goal::Start && self.rest.is_empty() {
            return Step::Done;
        }
        let mut ahead = self.tokens;
        let plain = self.take_plain(&mut ahead);
        if !plain.is_empty() {
            return self.plain(plain, ahead);
        }
        let Some(token) = ahead.next() else {
            return if self.rest.is_empty() {
                Step::Done
            } else {
                Step::Stuck
            };
        };
        match token {
            Token::Char(_) | Token::One | Token::Class(_) => self.one(token, ahead),
            Token::Star => {
                self.star = Some(Place {
                    tokens: ahead,
                    rest: self.rest,
                    folders: false,
                });
                Step::On(ahead, self.rest)
            }
            // What is left of a start can be passed over: a start of folders ends with a slash.
            Token::Deep | Token::Folders if self.goal == Goal::Start => Step::Done,
            Token::Deep if ahead.is_empty() => Step::Done,
            Token::Deep => self.deep(ahead),
            Token::Folders => {
                self.star = None;
                self.deep = Some(Place {
                    tokens: ahead,
                    rest: self.rest,
                    folders: true,
                });
                Step::On(ahead, self.rest)
            }
            Token::Below if self.rest.is_empty() || self.rest.starts_with('/') => Step::Done,
            Token::Below => Step::Stuck,
        }
    }

    /// Plain text can be compared as a whole, if letters count as they are.
    fn take_plain(&self, tokens: &mut Tokens<'g>) -> &'g str {
        match self.casing {
            Casing::Exact => tokens.take_plain(),
            Casing::Folded => "",
        }
    }

    fn plain(&self, plain: &'g str, ahead: Tokens<'g>) -> Step<'g, 't> {
        match self.rest.strip_prefix(plain) {
            Some(rest) => Step::On(ahead, rest),
            None if self.goal == Goal::Start && plain.starts_with(self.rest) => Step::Done,
            None => Step::Stuck,
        }
    }

    /// Passes over what can't be meant: with plain text next it is the next place where that stands, and with nothing after
    /// it, the end.
    fn deep(&mut self, ahead: Tokens<'g>) -> Step<'g, 't> {
        (self.star, self.deep) = (None, None);
        let mut after = ahead;
        let plain = self.take_plain(&mut after);
        let rest = if plain.is_empty() {
            Some(self.rest)
        } else if after.is_empty() {
            return if self.rest.ends_with(plain) {
                Step::Done
            } else {
                Step::Stuck
            };
        } else {
            let found = memmem::find(self.rest.as_bytes(), plain.as_bytes());
            found.and_then(|at| self.rest.get(at..))
        };
        let Some(rest) = rest else {
            return Step::Stuck;
        };
        self.deep = Some(Place {
            tokens: ahead,
            rest,
            folders: false,
        });
        Step::On(ahead, rest)
    }

    fn one(&self, token: Token<'g>, ahead: Tokens<'g>) -> Step<'g, 't> {
        let mut characters = self.rest.chars();
        match characters.next() {
            Some(c) if self.accepts(token, c) => Step::On(ahead, characters.as_str()),
            _ => Step::Stuck,
        }
    }

    fn accepts(&self, token: Token<'_>, c: char) -> bool {
        let inside = self.kind == Kind::Name || c != '/';
        match (token, self.casing) {
            (Token::Char(expected), Casing::Exact) => c == expected,
            (Token::Char(expected), Casing::Folded) => fold(c) == fold(expected),
            (Token::Class(class), Casing::Exact) => inside && class.contains(c),
            (Token::Class(class), Casing::Folded) => {
                inside && variants(c).any(|c| class.contains(c))
            }
            (Token::One, _) => inside,
            (Token::Star | Token::Deep | Token::Folders | Token::Below, _) => false,
        }
    }

    fn retry(&mut self) -> Option<Place<'g, 't>> {
        if let Some(place) = &mut self.star {
            if let Some(rest) = after_character(place.rest).filter(|_| !place.rest.starts_with('/'))
            {
                place.rest = rest;
                return Some(*place);
            }
            self.star = None;
        }
        let place = self.deep.as_mut()?;
        let rest = if place.folders {
            place.rest.split_once('/').map(|(_, rest)| rest)
        } else {
            after_character(place.rest)
        };
        match rest {
            Some(rest) => {
                place.rest = rest;
                Some(*place)
            }
            None => {
                self.deep = None;
                None
            }
        }
    }
}

fn after_character(text: &str) -> Option<&str> {
    let mut characters = text.chars();
    characters.next()?;
    Some(characters.as_str())
}

/// Simple case folding: through upper to lower case, so that letters with one upper case meet. Letters whose cases have several
/// characters stay as they are.
fn fold(c: char) -> char {
    let upper = only(c, c.to_uppercase());
    only(upper, upper.to_lowercase())
}

fn only(c: char, mut cases: impl Iterator<Item = char>) -> char {
    match (cases.next(), cases.next()) {
        (Some(single), None) => single,
        _ => c,
    }
}

/// A character and its other cases.
fn variants(c: char) -> impl Iterator<Item = char> {
    [c, only(c, c.to_uppercase()), fold(c)].into_iter()
}
