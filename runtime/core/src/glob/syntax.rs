//! From the text of a pattern to its items.

use super::{GlobError, Kind};

/// How deep braces may be nested.
const MAX_DEPTH: usize = 16;

/// One thing a pattern is made of, and the byte it starts at.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Item {
    pub(super) at: usize,
    pub(super) part: Part,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Part {
    Char(char),
    One,
    /// A class of several characters, spelled canonically with its brackets.
    Class(String),
    /// A run of stars, and whether there is more than one.
    Stars {
        deep: bool,
    },
    Braces(Vec<Vec<Item>>),
}

pub(super) fn parse(kind: Kind, text: &str) -> Result<Vec<Item>, GlobError> {
    let mut reader = Reader {
        kind,
        rest: text.char_indices(),
    };
    reader.sequence(0)
}

struct Reader<'a> {
    kind: Kind,
    rest: std::str::CharIndices<'a>,
}

impl Reader<'_> {
    /// Reads to the end, or within braces to the `,` or `}` that ends the alternative, which is left to be read.
    fn sequence(&mut self, depth: usize) -> Result<Vec<Item>, GlobError> {
        let mut items = Vec::new();
        while let Some((at, c)) = self.peek() {
            if depth > 0 && matches!(c, ',' | '}') {
                break;
            }
            self.rest.next();
            let part = match c {
                '\\' => Part::Char(self.escaped(at)?),
                '?' => Part::One,
                '*' => self.stars(),
                '[' => self.class(at)?,
                '{' => self.braces(at, depth)?,
                ']' => return Err(GlobError::UnopenedClass { at }),
                '}' => return Err(GlobError::UnopenedBraces { at }),
                c => Part::Char(c),
            };
            items.push(Item { at, part });
        }
        Ok(items)
    }

    fn peek(&self) -> Option<(usize, char)> {
        self.rest.clone().next()
    }

    /// Passes over `expected` if it comes next.
    fn skip(&mut self, expected: char) -> bool {
        let found = self.peek().is_some_and(|(_, c)| c == expected);
        if found {
            self.rest.next();
        }
        found
    }

    fn escaped(&mut self, at: usize) -> Result<char, GlobError> {
        self.rest
            .next()
            .map(|(_, c)| c)
            .ok_or(GlobError::DanglingEscape { at })
    }

    fn stars(&mut self) -> Part {
        let mut deep = self.kind == Kind::Name;
        while self.skip('*') {
            deep = true;
        }
        Part::Stars { deep }
    }

    fn braces(&mut self, at: usize, depth: usize) -> Result<Part, GlobError> {
        if depth == MAX_DEPTH {
            return Err(GlobError::TooDeep {
                at,
                limit: MAX_DEPTH,
            });
        }
        let mut alternatives = Vec::new();
        loop {
            alternatives.push(self.sequence(depth + 1)?);
            match self.rest.next() {
                Some((_, ',')) => {}
                Some(_) => break,
                None => return Err(GlobError::UnclosedBraces { at }),
            }
        }
        match alternatives.as_slice() {
            [only] if only.is_empty() => Err(GlobError::EmptyBraces { at }),
            _ => Ok(Part::Braces(alternatives)),
        }
    }

    fn class(&mut self, at: usize) -> Result<Part, GlobError> {
        let negated = self.skip('!') || self.skip('^');
        let ranges = merged(self.ranges(at)?);
        if self.is_empty_class(&ranges, negated) {
            return Err(GlobError::EmptyClass { at });
        }
        Ok(match ranges.as_slice() {
            [(from, to)] if from == to && !negated => Part::Char(*from),
            ranges => Part::Class(spell(ranges, negated)),
        })
    }

    fn ranges(&mut self, at: usize) -> Result<Vec<(char, char)>, GlobError> {
        let mut ranges = Vec::new();
        loop {
            let (start, c) = self.rest.next().ok_or(GlobError::UnclosedClass { at })?;
            // Right after the opening a bracket can't be the closing one: no class is empty.
            if c == ']' && !ranges.is_empty() {
                return Ok(ranges);
            }
            let from = self.member(start, c)?;
            let to = self.range_end(at)?.unwrap_or(from);
            if to < from {
                return Err(GlobError::ReversedRange {
                    at: start,
                    from,
                    to,
                });
            }
            ranges.push((from, to));
        }
    }

    fn member(&mut self, at: usize, c: char) -> Result<char, GlobError> {
        if c == '\\' { self.escaped(at) } else { Ok(c) }
    }

    /// The end of a range, if one is meant: a hyphen before the closing bracket is one of the characters.
    fn range_end(&mut self, class: usize) -> Result<Option<char>, GlobError> {
        let mut ahead = self.rest.clone();
        let hyphen = ahead.next().is_some_and(|(_, c)| c == '-');
        if !hyphen || ahead.next().is_some_and(|(_, c)| c == ']') {
            return Ok(None);
        }
        self.rest.next();
        let (at, c) = self
            .rest
            .next()
            .ok_or(GlobError::UnclosedClass { at: class })?;
        self.member(at, c).map(Some)
    }

    fn is_empty_class(&self, ranges: &[(char, char)], negated: bool) -> bool {
        let everything = [('\0', char::MAX)];
        let but_slash = [('\0', '.'), ('0', char::MAX)];
        match (self.kind, negated) {
            (Kind::Name, false) => false,
            (Kind::Name, true) => ranges == everything,
            (Kind::Path, false) => ranges == [('/', '/')],
            (Kind::Path, true) => ranges == everything || ranges == but_slash,
        }
    }
}

/// The same characters in ascending ranges that neither overlap nor touch.
fn merged(mut ranges: Vec<(char, char)>) -> Vec<(char, char)> {
    ranges.sort_unstable();
    let mut merged: Vec<(char, char)> = Vec::with_capacity(ranges.len());
    for (from, to) in ranges {
        match merged.last_mut() {
            Some(last) if from <= next(last.1) => last.1 = last.1.max(to),
            _ => merged.push((from, to)),
        }
    }
    merged
}

/// The character after `c`, past the gap of the surrogates.
fn next(c: char) -> char {
    (c..=char::MAX).nth(1).unwrap_or(char::MAX)
}

fn spell(ranges: &[(char, char)], negated: bool) -> String {
    let mut text = String::from(if negated { "[!" } else { "[" });
    for &(from, to) in ranges {
        spell_member(&mut text, from);
        if to != from {
            if to != next(from) {
                text.push('-');
            }
            spell_member(&mut text, to);
        }
    }
    text.push(']');
    text
}

fn spell_member(text: &mut String, c: char) {
    if matches!(c, '\\' | '[' | ']' | '-' | '!' | '^') {
        text.push('\\');
    }
    text.push(c);
}
