//! A pattern as its author writes it, and the globs it stands for.

use std::borrow::Cow;
use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization;

use super::path;
use super::syntax::{self, Item, Part};
use super::{Casing, Glob, GlobError, Kind};

/// The most globs the braces of one pattern may stand for.
pub const MAX_GLOBS: usize = 1_000;

/// The most bytes a pattern may have.
pub const MAX_LENGTH: usize = 4_096;

/// A pattern that was understood.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Pattern {
    kind: Kind,
    text: String,
    globs: Vec<String>,
}

impl Pattern {
    /// Parses a pattern over action names.
    ///
    /// # Errors
    ///
    /// What is wrong first, and where.
    pub fn name(text: &str) -> Result<Self, GlobError> {
        Self::parse(Kind::Name, text)
    }

    /// Parses a pattern over paths.
    ///
    /// Its letters are brought to normalisation form C, and paths are to be compared in that form: some file systems take the
    /// composed and the decomposed spelling for the same file.
    ///
    /// # Errors
    ///
    /// What is wrong first, and where.
    pub fn path(text: &str) -> Result<Self, GlobError> {
        Self::parse(Kind::Path, text)
    }

    /// Parses a pattern of this kind.
    ///
    /// # Errors
    ///
    /// What is wrong first, and where.
    pub fn parse(kind: Kind, text: &str) -> Result<Self, GlobError> {
        if text.is_empty() {
            return Err(GlobError::Empty);
        }
        if text.len() > MAX_LENGTH {
            return Err(GlobError::TooLong {
                length: text.len(),
                limit: MAX_LENGTH,
            });
        }
        let items = syntax::parse(kind, text)?;
        let spellings = match kind {
            Kind::Name => names(&items)?,
            Kind::Path => paths(&items)?,
        };
        Ok(Self {
            kind,
            text: text.to_owned(),
            globs: spellings.into_iter().collect(),
        })
    }

    /// The pattern as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What it matches.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// The globs it stands for, sorted, none twice: what any of them matches, it matches.
    pub fn globs(&self) -> impl ExactSizeIterator<Item = Glob<'_>> + Clone {
        self.globs.iter().map(|text| match self.kind {
            Kind::Name => Glob::name(text),
            Kind::Path => Glob::path(text),
        })
    }

    /// Whether the whole of `text` matches, case and all.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        self.globs().any(|glob| glob.matches(text))
    }

    /// Whether the whole of `text` matches.
    #[must_use]
    pub fn matches_with(&self, text: &str, casing: Casing) -> bool {
        self.globs().any(|glob| glob.matches_with(text, casing))
    }

    /// The one text that it matches, if there is exactly one.
    #[must_use]
    pub fn literal(&self) -> Option<Cow<'_, str>> {
        let mut globs = self.globs();
        globs.next().filter(|_| globs.next().is_none())?.literal()
    }
}

fn names(items: &[Item]) -> Result<BTreeSet<String>, GlobError> {
    let expanded = expand(items)?;
    if expanded.iter().all(Vec::is_empty) {
        return Err(GlobError::EmptyBraces {
            at: first_brace(items),
        });
    }
    Ok(expanded.iter().map(|items| spell(items)).collect())
}

fn paths(items: &[Item]) -> Result<BTreeSet<String>, GlobError> {
    let expanded = expand(items)?;
    let at = first_brace(items);
    let spelled = expanded.iter().map(|items| match items.as_slice() {
        [] => Err(GlobError::EmptyPath { at }),
        items => path::spell(items),
    });
    spelled
        .map(|spelling| spelling.map(|text| text.nfc().collect()))
        .collect()
}

/// Multiplies the braces out.
fn expand(items: &[Item]) -> Result<Vec<Vec<&Item>>, GlobError> {
    let count = count(items);
    if count > MAX_GLOBS {
        return Err(GlobError::TooMany {
            at: first_brace(items),
            count,
            limit: MAX_GLOBS,
        });
    }
    Ok(product(items))
}

fn count(items: &[Item]) -> usize {
    items.iter().fold(1, |all, item| match &item.part {
        Part::Braces(alternatives) => {
            all.saturating_mul(alternatives.iter().map(|items| count(items)).sum())
        }
        Part::Char(_) | Part::One | Part::Class(_) | Part::Stars { .. } => all,
    })
}

fn product(items: &[Item]) -> Vec<Vec<&Item>> {
    let mut all = vec![Vec::new()];
    for item in items {
        match &item.part {
            Part::Braces(alternatives) => {
                let tails: Vec<_> = alternatives
                    .iter()
                    .flat_map(|items| product(items))
                    .collect();
                all = all
                    .iter()
                    .flat_map(|head| tails.iter().map(|tail| [head.as_slice(), tail].concat()))
                    .collect();
            }
            Part::Char(_) | Part::One | Part::Class(_) | Part::Stars { .. } => {
                all.iter_mut().for_each(|head| head.push(item));
            }
        }
    }
    all
}

fn first_brace(items: &[Item]) -> usize {
    items
        .iter()
        .find(|item| matches!(item.part, Part::Braces(_)))
        .map_or(0, |item| item.at)
}

/// Spells brace-free items canonically. Of stars and question marks side by side, which may come in any order, the question
/// marks stand first and one star last.
pub(super) fn spell(items: &[&Item]) -> String {
    let mut text = String::new();
    let mut star = "";
    for item in items {
        match &item.part {
            Part::Char(c) => {
                text.push_str(std::mem::take(&mut star));
                if matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\') {
                    text.push('\\');
                }
                text.push(*c);
            }
            Part::Class(class) => {
                text.push_str(std::mem::take(&mut star));
                text.push_str(class);
            }
            Part::One => text.push('?'),
            Part::Stars { .. } => star = "*",
            Part::Braces(_) => {}
        }
    }
    text.push_str(star);
    text
}
