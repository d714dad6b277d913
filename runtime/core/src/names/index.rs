//! Finding the rows that can match a name.
//!
//! A row without wildcards is found through a table of slots by the hash of the name. Of every other row one run of literal
//! text was chosen that each of its names must contain, the one that fewest rows share; an Aho-Corasick automaton finds all
//! runs that occur in a name in one pass over its bytes. A run at the start of its glob counts at the start of the name only,
//! and one at the end at the end. Rows without any literal text are always candidates.
//!
//! The index is little-endian words. The first nine, [`Header`], say where the parts start:
//!
//! | part | words |
//! |---|---|
//! | slots | a power of two of them: a row plus one, or zero; collisions go to the next slot |
//! | always | rows that are always candidates |
//! | root | for each byte the state it leads to from the start |
//! | states | four words each: first edge and number of edges, first output, failure state, next state with outputs |
//! | edges | byte and state, sorted |
//! | outputs | row and flags; the last of a state is flagged |

use super::rows::word;

/// The name ends where the run does.
pub(super) const AT_END: u32 = 1 << 31;
/// The name starts with the run.
pub(super) const AT_START: u32 = 1 << 30;
/// The run is all the row asks for.
pub(super) const CERTAIN: u32 = 1 << 29;
/// No further output of this state.
pub(super) const LAST: u32 = 1 << 28;
/// How many bits number a row.
pub(super) const ROW_BITS: u32 = 28;
/// How many bits number a state, an edge or an output.
pub(super) const STATE_BITS: u32 = 24;
/// How many words a state has.
pub(super) const STATE_WORDS: usize = 4;

pub(super) struct Index<'a> {
    bytes: &'a [u8],
    header: Header,
}

/// Where the parts start.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Header {
    pub(super) slots: usize,
    pub(super) slots_mask: usize,
    pub(super) always: usize,
    pub(super) always_count: usize,
    pub(super) root: usize,
    pub(super) states: usize,
    pub(super) edges: usize,
    pub(super) outputs: usize,
    /// How many outputs are too many: it is then cheaper to look at every row.
    pub(super) most: usize,
}

impl Header {
    pub(super) const WORDS: usize = 9;
}

/// A row that can match.
pub(super) struct Candidate {
    pub(super) row: usize,
    /// Whether it does, without looking.
    pub(super) certain: bool,
}

impl<'a> Index<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        let header = Header {
            slots: word(bytes, 0)?,
            slots_mask: word(bytes, 1)?,
            always: word(bytes, 2)?,
            always_count: word(bytes, 3)?,
            root: word(bytes, 4)?,
            states: word(bytes, 5)?,
            edges: word(bytes, 6)?,
            outputs: word(bytes, 7)?,
            most: word(bytes, 8)?,
        };
        Some(Self { bytes, header })
    }

    /// The row that is `name` itself. The outer `None` is a broken index, the inner one an answer.
    pub(super) fn exact(
        &self,
        name: &str,
        text: impl Fn(usize) -> Option<&'a str>,
    ) -> Option<Option<usize>> {
        let mask = self.header.slots_mask;
        let mut slot = hash(name) & mask;
        for _ in 0..=mask {
            let Some(row) = self.word(self.header.slots, slot)?.checked_sub(1) else {
                return Some(None);
            };
            if text(row)? == name {
                return Some(Some(row));
            }
            slot = (slot + 1) & mask;
        }
        None
    }

    /// The rows that are always candidates, or that there is no such word.
    pub(super) fn always(&self) -> impl Iterator<Item = Option<usize>> {
        let at = 0..self.header.always_count;
        at.map(|at| self.word(self.header.always, at))
    }

    /// Hands out every row whose run occurs in `name`, some perhaps more than once.
    pub(super) fn search(
        &self,
        name: &str,
        mut found: impl FnMut(Candidate) -> Option<()>,
    ) -> Option<()> {
        let mut walk = Walk {
            state: 0,
            unbroken: true,
            left: self.header.most.saturating_add(8 * name.len()),
        };
        let mut bytes = name.bytes();
        while let Some(byte) = bytes.next() {
            self.advance(&mut walk, byte)?;
            self.outputs(&mut walk, bytes.len() == 0, &mut found)?;
        }
        Some(())
    }

    fn advance(&self, walk: &mut Walk, byte: u8) -> Option<()> {
        while walk.state != 0 {
            if let Some(next) = self.edge(walk.state, byte)? {
                walk.state = next;
                return Some(());
            }
            walk.left = walk.left.checked_sub(1)?;
            walk.state = self.state(walk.state, 2)?;
            walk.unbroken = false;
        }
        walk.state = self.word(self.header.root, usize::from(byte))?;
        walk.unbroken &= walk.state != 0;
        Some(())
    }

    /// The state this byte leads to; the outer `None` is a broken index.
    fn edge(&self, state: usize, byte: u8) -> Option<Option<usize>> {
        let (first, count) = split(self.state(state, 0)?);
        let (mut low, mut high) = (first, first + count);
        while low < high {
            let middle = low.midpoint(high);
            let (next, edge) = split(self.word(self.header.edges, middle)?);
            match edge.cmp(&usize::from(byte)) {
                std::cmp::Ordering::Equal => return Some(Some(next)),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        Some(None)
    }

    fn outputs(
        &self,
        walk: &mut Walk,
        at_end: bool,
        found: &mut impl FnMut(Candidate) -> Option<()>,
    ) -> Option<()> {
        let mut state = walk.state;
        let mut at_start = walk.unbroken;
        while state != 0 {
            let mut at = self.state(state, 1)?;
            while at != 0 {
                let output = u32::try_from(self.word(self.header.outputs, at)?).ok()?;
                let applies =
                    (output & AT_START == 0 || at_start) && (output & AT_END == 0 || at_end);
                walk.left = walk.left.checked_sub(1)?;
                if applies {
                    let row = usize::try_from(output & ((1 << ROW_BITS) - 1)).ok()?;
                    found(Candidate {
                        row,
                        certain: output & CERTAIN != 0,
                    })?;
                }
                at = if output & LAST == 0 { at + 1 } else { 0 };
            }
            // What follows is shorter than what was read, so it doesn't reach back to the start.
            at_start = false;
            walk.left = walk.left.checked_sub(1)?;
            state = self.state(state, 3)?;
        }
        Some(())
    }

    fn state(&self, state: usize, part: usize) -> Option<usize> {
        self.word(self.header.states, STATE_WORDS.checked_mul(state)? + part)
    }

    fn word(&self, part: usize, at: usize) -> Option<usize> {
        word(self.bytes, part.checked_add(at)?)
    }
}

struct Walk {
    state: usize,
    /// Whether the state spells everything read so far.
    unbroken: bool,
    /// How many steps may still be taken beside those along the name.
    left: usize,
}

/// A number in the lower bits of a word, and a small one above.
fn split(word: usize) -> (usize, usize) {
    (word & ((1 << STATE_BITS) - 1), word >> STATE_BITS)
}

/// Where the search for a name starts among the slots. Part of the form of the index: the same on every machine.
pub(super) fn hash(name: &str) -> usize {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let (whole, rest) = name.as_bytes().as_chunks::<8>();
    let mut last = [0; 8];
    last.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
    let start = u64::try_from(name.len()).unwrap_or(0);
    let mixed = whole.iter().chain([&last]).fold(start, |hash, chunk| {
        let mixed = (hash ^ u64::from_le_bytes(*chunk)).wrapping_mul(FACTOR);
        mixed ^ (mixed >> 29)
    });
    usize::try_from(mixed >> 32).unwrap_or(0)
}
