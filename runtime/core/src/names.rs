//! From an action name to everything the ruleset says about it.
//!
//! Every table that speaks of names (rules, the envelope, floors, approval rules, domains, resource mappings) puts its patterns
//! into one [`Names`], each under a number of its own choosing, so that a call pays once for all of them: one look-up for the
//! patterns that are plain names, one pass over the name for the rest.
//!
//! A `Names` borrows rows that a person can read, a glob and its numbers, and an index for the machine: bytes that
//! [`NamesBuilder`] made and that are used as they lie, so that start-up costs nothing. The index is never trusted with an
//! answer: it names candidates, the rows decide, and if anything in it is out of range then every row is a candidate.
//!
//! Read [`index`] for how candidates are found, [`build`] for how the index is made, [`irregular`](irregular()) for which names
//! are names at all.

pub mod build;
mod index;
mod irregular;
mod rows;

use crate::glob::Glob;
pub use build::{NamesBuilder, OwnedNames};
use index::Index;
pub use irregular::{Irregular, MAX_LENGTH, irregular, is_regular};
pub use rows::Row;
use rows::Rows;

/// Patterns over names, each with the numbers that a name it matches stands for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Names<'a> {
    rows: Rows<'a>,
    index: &'a [u8],
}

impl<'a> Names<'a> {
    /// No patterns.
    pub const NONE: Self = Self::listed(&[]);

    /// These few rows, looked at one by one.
    pub const fn listed(rows: &'a [Row<'a>]) -> Self {
        Self::indexed(rows, &[])
    }

    /// These rows, found by the index that [`NamesBuilder`] made for them.
    pub const fn indexed(rows: &'a [Row<'a>], index: &'a [u8]) -> Self {
        Self {
            rows: Rows::Listed(rows),
            index,
        }
    }

    /// Rows as [`OwnedNames::packed`] gives them, found by the index made for them.
    pub const fn packed(rows: &'a [u8], index: &'a [u8]) -> Self {
        Self {
            rows: Rows::Packed(rows),
            index,
        }
    }

    /// Finds the numbers of all patterns that match `name`: what `ids` held is gone, what it holds is ascending, none twice.
    pub fn matching(&self, name: &str, ids: &mut Vec<u32>) {
        ids.clear();
        if self.index.is_empty() || self.candidates(name, ids).is_none() {
            ids.clear();
            self.scan(name, ids);
        }
        ids.sort_unstable();
        ids.dedup();
    }

    /// The rows: each glob with its numbers.
    pub fn rows(&self) -> impl Iterator<Item = (Glob<'a>, impl Iterator<Item = u32> + 'a)> {
        let rows = self.rows;
        (0..rows.len())
            .filter_map(move |at| rows.get(at))
            .map(|row| (row.glob(), row.ids()))
    }

    /// The globs that stand under this number.
    pub fn globs(&self, id: u32) -> impl Iterator<Item = Glob<'a>> {
        let rows = self.rows;
        let held = (0..rows.len()).filter_map(move |at| rows.get(at));
        held.filter(move |row| row.ids().any(|held| held == id))
            .map(|row| row.glob())
    }

    /// Whether every row that is listed is spelled canonically, as its type presumes.
    #[must_use]
    pub const fn is_canonical(&self) -> bool {
        self.rows.is_canonical()
    }

    fn scan(&self, name: &str, ids: &mut Vec<u32>) {
        for at in 0..self.rows.len() {
            self.verify(at, name, ids);
        }
    }

    fn verify(&self, at: usize, name: &str, ids: &mut Vec<u32>) {
        if let Some(row) = self.rows.get(at).filter(|row| row.glob().matches(name)) {
            ids.extend(row.ids());
        }
    }

    /// Looks at the candidates the index gives. `None` if the index can't be used.
    fn candidates(&self, name: &str, ids: &mut Vec<u32>) -> Option<()> {
        let index = Index::read(self.index)?;
        if let Some(row) = index.exact(name, |at| self.rows.get(at).map(|row| row.text()))? {
            ids.extend(self.rows.get(row)?.ids());
        }
        for row in index.always() {
            self.verify(row?, name, ids);
        }
        index.search(name, |candidate| {
            if candidate.certain {
                ids.extend(self.rows.get(candidate.row)?.ids());
            } else {
                self.verify(candidate.row, name, ids);
            }
            Some(())
        })
    }
}

#[cfg(test)]
mod tests;
