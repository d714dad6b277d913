//! One pass over a path finds every row it lies under.
//!
//! The hash of a path is built letter by letter, so that at every `/` the hash of the folder so far is at hand, and with it
//! the slot where a row of that name would be. A slot holds the first row of its name and a few bits of the hash; an empty
//! one, the common case, ends the question without looking at a row.

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
    /// Calls `visit` for each row whose key `path` is at or below.
    pub(super) fn above(&self, path: &str, naming: Naming, mut visit: impl FnMut(&Prefix<'a>)) {
        if self.rows.is_empty() {
            return;
        }
        let folded = fold(path);
        let ascii = path.is_ascii();
        let mut hash = OFFSET;
        let mut depth = 0;
        let mut meet = |hash, at: usize, depth| {
            let spelled = if ascii {
                path.get(..at)
            } else if depth == 0 {
                Some("")
            } else {
                split_segments(path, depth).map(|(head, _)| head)
            };
            if let (Some(spelled), Some(folded)) = (spelled, folded.get(..at)) {
                self.named(hash, folded)
                    .filter(|row| naming.same(row.key, spelled))
                    .for_each(&mut visit);
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
        if !folded.is_empty() {
            meet(hash, folded.len(), depth + 1);
        }
    }

    /// The rows with this folded key.
    fn named(&self, hash: u64, key: &str) -> impl Iterator<Item = &'a Prefix<'a>> {
        let rows = self.first_named(hash, key).unwrap_or(&[]);
        rows.iter().take_while(move |row| fold(row.key) == key)
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
                if fold(rows.first()?.key) == key {
                    return Some(rows);
                }
            }
        }
        None
    }

    /// The rows whose keys are at or below `path`, which must be folded.
    pub(super) fn below(&self, path: &str) -> &'a [Prefix<'a>] {
        if path.is_empty() {
            return self.rows;
        }
        let start = self
            .rows
            .partition_point(|row| order(&fold(row.key)) < order(path));
        let rest = self.rows.get(start..).unwrap_or(&[]);
        let inside = |row: &Prefix<'_>| Naming::EXACT.below(&fold(row.key), path).is_some();
        let end = rest.partition_point(inside);
        rest.get(..end).unwrap_or(&[])
    }
}

/// The order of folded keys: segment by segment, so that what lies below a folder follows it.
pub(super) fn order(key: &str) -> impl Ord + Clone + use<'_> {
    Ordered(key)
}

#[derive(Clone, Eq, PartialEq)]
struct Ordered<'k>(&'k str);

impl Ord for Ordered<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let low = |byte| if byte == b'/' { 0 } else { byte };
        self.0.bytes().map(low).cmp(other.0.bytes().map(low))
    }
}

impl PartialOrd for Ordered<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
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
