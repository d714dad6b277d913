//! Making the index of a table of names.

use std::collections::{BTreeMap, BTreeSet};

use super::Names;
use super::index::{AT_END, AT_START, CERTAIN, Header, LAST, ROW_BITS, hash};
use super::rows::{narrow, pack};
use crate::glob::{Glob, Pattern, Token};

mod automaton;

use automaton::Automaton;

/// Up to so many rows are looked at one by one faster than any index is consulted.
const FEW: usize = 8;

/// Longer runs are cut: they would distinguish no better.
const MAX_RUN: usize = 64;

/// Collects patterns and their numbers.
#[derive(Clone, Debug, Default)]
pub struct NamesBuilder {
    rows: BTreeMap<String, BTreeSet<u32>>,
}

impl NamesBuilder {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts a pattern over names under a number. One number may have many patterns, and one pattern many numbers.
    pub fn add(&mut self, id: u32, pattern: &Pattern) {
        for glob in pattern.globs() {
            self.add_glob(id, glob);
        }
    }

    /// Puts a glob over names under a number.
    pub fn add_glob(&mut self, id: u32, glob: Glob<'_>) {
        let ids = self.rows.entry(glob.text().to_owned()).or_default();
        ids.insert(id);
    }

    /// Makes the tables.
    #[must_use]
    pub fn build(self) -> OwnedNames {
        let rows: Vec<(String, Vec<u32>)> = self
            .rows
            .into_iter()
            .map(|(glob, ids)| (glob, ids.into_iter().collect()))
            .collect();
        let index = if rows.len() > FEW {
            index(&rows)
        } else {
            Vec::new()
        };
        let packed = pack(
            rows.iter()
                .map(|(glob, ids)| (glob.as_str(), ids.as_slice())),
        );
        OwnedNames {
            rows,
            packed,
            index,
        }
    }
}

/// Tables of names that were built, to be lent or printed.
#[derive(Clone, Debug, Default)]
pub struct OwnedNames {
    rows: Vec<(String, Vec<u32>)>,
    packed: Vec<u8>,
    index: Vec<u8>,
}

impl OwnedNames {
    /// The tables as they are used.
    #[must_use]
    pub fn lend(&self) -> Names<'_> {
        Names::packed(&self.packed, &self.index)
    }

    /// The rows for [`Names::indexed`], globs in canonical spelling with their numbers, sorted.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = (&str, &[u32])> {
        self.rows
            .iter()
            .map(|(glob, ids)| (glob.as_str(), ids.as_slice()))
    }

    /// The rows for [`Names::packed`].
    #[must_use]
    pub fn packed(&self) -> &[u8] {
        &self.packed
    }

    /// The index; empty if the rows are few.
    #[must_use]
    pub fn index(&self) -> &[u8] {
        &self.index
    }
}

/// Literal text that every name of a glob contains.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Run {
    text: String,
    /// `AT_START`, `AT_END`, `CERTAIN`.
    flags: u32,
}

fn index(rows: &[(String, Vec<u32>)]) -> Vec<u8> {
    let (exact, other): (Vec<usize>, Vec<usize>) =
        (0..rows.len()).partition(|row| rows.get(*row).is_some_and(is_plain));
    let runs: Vec<Vec<Run>> = other
        .iter()
        .filter_map(|row| rows.get(*row))
        .map(|(glob, _)| runs(glob))
        .collect();
    let mut sharing: BTreeMap<&Run, usize> = BTreeMap::new();
    for run in runs.iter().flatten() {
        *sharing.entry(run).or_default() += 1;
    }
    let mut automaton = Automaton::new();
    let mut always = Vec::new();
    for (&row, runs) in other.iter().zip(&runs) {
        let best = runs
            .iter()
            .min_by_key(|run| cost(run, sharing.get(run).copied().unwrap_or(1)));
        let placed =
            best.is_some_and(|run| automaton.add(run.text.as_bytes(), narrow(row) | run.flags));
        if !placed {
            always.push(narrow(row));
        }
    }
    assemble(&slots(rows, &exact), &always, automaton, other.len())
}

fn is_plain((glob, _): &(String, Vec<u32>)) -> bool {
    !glob.contains(['*', '?', '[', '\\'])
}

/// How many candidates a run may be expected to yield: as many as share it, fewer the longer it is.
fn cost(run: &Run, sharing: usize) -> usize {
    sharing << 8_usize.saturating_sub(run.text.len())
}

fn runs(glob: &str) -> Vec<Run> {
    let tokens: Vec<_> = Glob::name(glob).tokens().collect();
    let groups: Vec<_> = tokens.chunk_by(|a, b| is_char(a) && is_char(b)).collect();
    let mut runs = Vec::new();
    for (at, group) in groups.iter().enumerate() {
        let text: String = group.iter().filter_map(character).collect();
        if text.is_empty() {
            continue;
        }
        let (first, last) = (at == 0, at + 1 == groups.len());
        let anchors = if first { AT_START } else { 0 } | if last { AT_END } else { 0 };
        // With nothing but stars beside it the run says all there is to say.
        let alone = groups
            .iter()
            .enumerate()
            .all(|(other, group)| other == at || matches!(group, [Token::Deep]));
        let certain = if alone && groups.len() > 1 {
            CERTAIN
        } else {
            0
        };
        runs.push(cut(text, anchors | certain));
    }
    runs
}

/// Keeps so much of a run as the automaton may hold: its start if the name must start there, else its end.
fn cut(text: String, flags: u32) -> Run {
    if text.len() <= MAX_RUN {
        return Run { text, flags };
    }
    let kept = if flags & AT_START == 0 {
        let start = text.ceil_char_boundary(text.len() - MAX_RUN);
        text.get(start..).map(|end| (end, flags & AT_END))
    } else {
        text.get(..text.floor_char_boundary(MAX_RUN))
            .map(|start| (start, AT_START))
    };
    let (text, flags) = kept.unwrap_or(("", 0));
    Run {
        text: text.to_owned(),
        flags,
    }
}

fn is_char(token: &Token<'_>) -> bool {
    character(token).is_some()
}

fn character(token: &Token<'_>) -> Option<char> {
    match token {
        Token::Char(c) => Some(*c),
        Token::One | Token::Class(_) | Token::Star => None,
        Token::Deep | Token::Folders | Token::Below => None,
    }
}

/// Slots at most half full, so that a search ends soon.
fn slots(rows: &[(String, Vec<u32>)], exact: &[usize]) -> Vec<u32> {
    let mut slots = vec![0; (2 * exact.len() + 1).next_power_of_two()];
    let mask = slots.len() - 1;
    for &row in exact {
        let start = rows.get(row).map_or(0, |(name, _)| hash(name));
        let probed = (0..=mask).map(|step| (start + step) & mask);
        let free = probed.into_iter().find(|slot| slots.get(*slot) == Some(&0));
        if let Some(slot) = free.and_then(|slot| slots.get_mut(slot)) {
            *slot = narrow(row + 1);
        }
    }
    slots
}

fn assemble(slots: &[u32], always: &[u32], automaton: Automaton, most: usize) -> Vec<u8> {
    let tables = automaton.finish();
    let parts = [
        slots,
        always,
        &tables.root,
        &tables.states,
        &tables.edges,
        &tables.outputs,
    ];
    let mut at = Header::WORDS;
    let starts = parts.map(|part| {
        let start = at;
        at += part.len();
        start
    });
    let [slots_at, always_at, root, states, edges, outputs] = starts;
    let header: [usize; Header::WORDS] = [
        slots_at,
        slots.len() - 1,
        always_at,
        always.len(),
        root,
        states,
        edges,
        outputs,
        most,
    ];
    let header = header.map(narrow);
    let words = std::iter::once(header.as_slice()).chain(parts).flatten();
    words.flat_map(|word| word.to_le_bytes()).collect()
}

const _: () = assert!(LAST.trailing_zeros() == ROW_BITS);
