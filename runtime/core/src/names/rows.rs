//! The rows of a table of names, in either of two forms.

use crate::glob::Glob;

/// A glob in canonical spelling, and its numbers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Row<'a> {
    glob: &'a str,
    ids: &'a [u32],
}

impl<'a> Row<'a> {
    /// Names that match `glob` stand for `ids`.
    pub const fn new(glob: &'a str, ids: &'a [u32]) -> Self {
        Self { glob, ids }
    }
}

/// Rows to read, or the same rows as bytes, since ten thousand literals take a compiler a quarter of a minute.
///
/// The bytes are little-endian words: the number of rows; for each row, and once more for the end, where its text starts, in
/// bytes from the first text, and where its numbers start, counted from the first number; the numbers; the texts.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rows<'a> {
    Listed(&'a [Row<'a>]),
    Packed(&'a [u8]),
}

impl<'a> Rows<'a> {
    pub(super) fn len(self) -> usize {
        match self {
            Self::Listed(rows) => rows.len(),
            // Every row takes two words, whatever the first one claims.
            Self::Packed(bytes) => word(bytes, 0).unwrap_or(0).min(bytes.len() / 8),
        }
    }

    pub(super) fn get(self, at: usize) -> Option<Found<'a>> {
        match self {
            Self::Listed(rows) => rows.get(at).map(|row| Found {
                text: row.glob,
                ids: Ids::Listed(row.ids),
            }),
            Self::Packed(bytes) => unpack(bytes, at),
        }
    }

    pub(super) const fn is_canonical(self) -> bool {
        let Self::Listed(mut rows) = self else {
            return true;
        };
        while let Some((row, rest)) = rows.split_first() {
            if !Glob::name(row.glob).is_canonical() {
                return false;
            }
            rows = rest;
        }
        true
    }
}

/// Equal rows are equal, whichever form they have.
impl PartialEq for Rows<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && (0..self.len()).all(|at| match (self.get(at), other.get(at)) {
                (Some(a), Some(b)) => a.text == b.text && a.ids().eq(b.ids()),
                _ => false,
            })
    }
}

impl Eq for Rows<'_> {}

/// A row that was looked up.
#[derive(Clone, Copy)]
pub(super) struct Found<'a> {
    text: &'a str,
    ids: Ids<'a>,
}

#[derive(Clone, Copy)]
enum Ids<'a> {
    Listed(&'a [u32]),
    Packed(&'a [u8]),
}

impl<'a> Found<'a> {
    pub(super) fn text(self) -> &'a str {
        self.text
    }

    pub(super) fn glob(self) -> Glob<'a> {
        Glob::name(self.text)
    }

    pub(super) fn ids(self) -> impl Iterator<Item = u32> {
        let (listed, packed) = match self.ids {
            Ids::Listed(ids) => (ids, [].as_slice()),
            Ids::Packed(bytes) => ([].as_slice(), bytes),
        };
        let (packed, _) = packed.as_chunks::<4>();
        listed
            .iter()
            .copied()
            .chain(packed.iter().map(|id| u32::from_le_bytes(*id)))
    }
}

pub(super) fn pack<'r>(
    rows: impl ExactSizeIterator<Item = (&'r str, &'r [u32])> + Clone,
) -> Vec<u8> {
    let mut words = vec![narrow(rows.len())];
    let (mut text, mut ids) = (0, 0);
    for (glob, held) in rows.clone() {
        words.extend([narrow(text), narrow(ids)]);
        text += glob.len();
        ids += held.len();
    }
    words.extend([narrow(text), narrow(ids)]);
    words.extend(rows.clone().flat_map(|(_, held)| held));
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend(rows.flat_map(|(glob, _)| glob.bytes()));
    bytes
}

fn unpack(bytes: &[u8], at: usize) -> Option<Found<'_>> {
    let count = word(bytes, 0)?;
    if at >= count {
        return None;
    }
    let first_id = count.checked_mul(2)?.checked_add(3)?;
    let id_count = word(bytes, first_id - 1)?;
    let ids = bytes.get(first_id.checked_mul(4)?..)?;
    let texts = ids.get(id_count.checked_mul(4)?..)?;
    let (text, next_text) = (word(bytes, 1 + 2 * at)?, word(bytes, 3 + 2 * at)?);
    let (id, next_id) = (word(bytes, 2 + 2 * at)?, word(bytes, 4 + 2 * at)?);
    Some(Found {
        text: std::str::from_utf8(texts.get(text..next_text)?).ok()?,
        ids: Ids::Packed(ids.get(id.checked_mul(4)?..next_id.checked_mul(4)?)?),
    })
}

/// The word at this place, counted in words.
pub(super) fn word(bytes: &[u8], at: usize) -> Option<usize> {
    let word = bytes.get(at.checked_mul(4)?..)?.first_chunk::<4>()?;
    usize::try_from(u32::from_le_bytes(*word)).ok()
}

/// A count as a word. What does not fit becomes a word that is out of range for every reader.
pub(super) fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
