//! One pass over a path finds every row it lies under.
//!
//! The hash of a path is built letter by letter, so that at every `/` the hash of the folder so far is at hand, and with it
//! the slot where a row of that name would be. A slot holds the first row of its name and a few bits of the hash; an empty
//! one, the common case, ends the question without looking at a row.

use std::cmp::Ordering;

use super::place::{Prefix, Prefixes};
use crate::surroundings::{Naming, fold, split_segments};

/// The rows that a slot can point to.
pub const MAX_ROWS: usize = ROW_MASK as usize;

const ROW_BITS: u32 = 20;
const ROW_MASK: u32 = (1 << ROW_BITS) - 1;
const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

/// The slots for rows that are sorted by folded key.
pub(super) fn slots(keys: &[String]) -> Vec<u32> {
    if keys.is_empty() {
        return Vec::new();
    }
    let mut slots = vec![0_u32; (keys.len() * 2).next_power_of_two()];
    for (row, key) in keys.iter().enumerate().take(MAX_ROWS) {
        let again = row.checked_sub(1).and_then(|before| keys.get(before)) == Some(key);
        if again {
            continue;
        }
        let hash = key.bytes().fold(OFFSET, step);
        let free = probe(slots.len(), hash).find(|at| slots.get(*at) == Some(&0));
        if let Some(slot) = free.and_then(|at| slots.get_mut(at)) {
            let number = u32::try_from(row + 1).unwrap_or(0);
            *slot = mark(hash) | number;
        }
    }
    slots
}

impl<'a> Prefixes<'a> {
    /// The length of the longest folded key: what of a path lies behind that never decides.
    pub(super) fn longest(&self) -> usize {
        let lengths = self.rows.iter().map(|row| fold(row.key).len());
        lengths.max().unwrap_or(0)
    }

    /// Calls `visit` for each row whose key `path` is at or below; `longest` is the length of the longest key.
    pub(super) fn above(
        &self,
        path: &str,
        longest: usize,
        naming: Naming,
        mut visit: impl FnMut(&Prefix<'a>),
    ) {
        if self.rows.is_empty() {
            return;
        }
        if !path.is_ascii() {
            return self.above_folded(path, naming, visit);
        }
        let mut hash = OFFSET;
        let mut meet = |hash, at| {
            let spelled = path.get(..at).unwrap_or("");
            for row in self.named(hash, spelled) {
                if naming.same(row.key, spelled) {
                    visit(row);
                }
            }
        };
        meet(hash, 0);
        for (at, byte) in path.bytes().enumerate().take(longest + 1) {
            if byte == b'/' {
                meet(hash, at);
            }
            hash = step(hash, byte.to_ascii_lowercase());
        }
        if !path.is_empty() && path.len() <= longest {
            meet(hash, path.len());
        }
    }

    /// The same for a path whose letters change their length when they are folded.
    fn above_folded(&self, path: &str, naming: Naming, mut visit: impl FnMut(&Prefix<'a>)) {
        let folded = fold(path);
        let mut hash = OFFSET;
        let mut depth = 0;
        let mut meet = |hash, at, depth| {
            let spelled = split_segments(path, depth).map_or("", |(head, _)| head);
            for row in self.named(hash, folded.get(..at).unwrap_or("")) {
                if naming.same(row.key, spelled) {
                    visit(row);
                }
            }
        };
        meet(hash, 0, depth);
        for (at, byte) in folded.bytes().enumerate() {
            if byte == b'/' {
                depth += 1;
                meet(hash, at, depth);
            }
            hash = step(hash, byte);
        }
        meet(hash, folded.len(), depth + 1);
    }

    /// The rows with this key, but for the case of ASCII letters; others must be folded.
    fn named<'k>(
        &self,
        hash: u64,
        key: &'k str,
    ) -> impl Iterator<Item = &'a Prefix<'a>> + use<'a, 'k> {
        let rows = self.first_named(hash, key).unwrap_or(&[]);
        rows.iter().take_while(move |row| is_spelled(row.key, key))
    }

    fn first_named(&self, hash: u64, key: &str) -> Option<&'a [Prefix<'a>]> {
        for at in probe(self.slots.len(), hash) {
            let slot = *self.slots.get(at)?;
            if slot == 0 {
                return None;
            }
            if slot & !ROW_MASK == mark(hash) {
                let rows = self
                    .rows
                    .get(usize::try_from(slot & ROW_MASK).ok()? - 1..)?;
                if is_spelled(rows.first()?.key, key) {
                    return Some(rows);
                }
            }
        }
        None
    }

    /// Whether any row is at or below `path`, which must be folded.
    pub(super) fn has_below(&self, path: &str) -> bool {
        let start = self
            .rows
            .partition_point(|row| order(row.key, path).is_lt());
        let first = self.rows.get(start);
        first.is_some_and(|row| is_at_or_below(&fold(row.key), path))
    }

    /// The rows whose keys are at or below `path`, which must be folded.
    pub(super) fn below(&self, path: &str) -> &'a [Prefix<'a>] {
        if path.is_empty() {
            return self.rows;
        }
        let start = self
            .rows
            .partition_point(|row| order(row.key, path).is_lt());
        let rest = self.rows.get(start..).unwrap_or(&[]);
        let inside = |row: &Prefix<'_>| is_at_or_below(&fold(row.key), path);
        let end = rest.partition_point(inside);
        rest.get(..end).unwrap_or(&[])
    }
}

fn is_at_or_below(key: &str, path: &str) -> bool {
    path.is_empty()
        || key
            .strip_prefix(path)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The order of keys, but for case: segment by segment, so that what lies below a folder follows it.
pub(super) fn order(one: &str, other: &str) -> Ordering {
    if !one.is_ascii() || !other.is_ascii() {
        let (one, other) = (fold(one), fold(other));
        return one.bytes().map(low).cmp(other.bytes().map(low));
    }
    let small = |byte: u8| low(byte.to_ascii_lowercase());
    one.bytes().map(small).cmp(other.bytes().map(small))
}

const fn low(byte: u8) -> u8 {
    if byte == b'/' { 0 } else { byte }
}

/// Whether a key is `spelled`, but for the case of ASCII letters; others are folded there.
fn is_spelled(key: &str, spelled: &str) -> bool {
    key.eq_ignore_ascii_case(spelled)
        || (!key.is_ascii() && fold(key).eq_ignore_ascii_case(spelled))
}

const fn step(hash: u64, byte: u8) -> u64 {
    (hash ^ byte as u64).wrapping_mul(PRIME)
}

/// The bits of a hash that a slot keeps.
const fn mark(hash: u64) -> u32 {
    ((hash >> 32) as u32) & !ROW_MASK
}

fn probe(slots: usize, hash: u64) -> impl Iterator<Item = usize> {
    let mask = slots.saturating_sub(1) as u64;
    let start = hash ^ (hash >> 32);
    (0..slots as u64).map(move |turn| (start.wrapping_add(turn) & mask) as usize)
}
