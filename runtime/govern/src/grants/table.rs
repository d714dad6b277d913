//! Many names by their keys, in one piece of memory that is also a file.
//!
//! Records are equally long and sorted, so a name is found by a few looks, and reading 100,000 of them back is reading one
//! file: nothing is taken apart before it is looked for. A record is the key, most significant byte first, and the name,
//! filled up with zeros.

use super::index::Key;

/// Names by their keys.
#[derive(Debug, Default)]
pub(super) struct Table {
    bytes: Vec<u8>,
    /// How long a name may be.
    width: usize,
}

impl Table {
    /// A table of entries in any order.
    pub(super) fn of(mut entries: Vec<(Key, Box<str>)>) -> Self {
        entries.sort_unstable();
        entries.dedup();
        let width = entries
            .iter()
            .map(|(_, name)| name.len())
            .max()
            .unwrap_or_default();
        let mut bytes = Vec::with_capacity(entries.len() * (KEY + width));
        for (key, name) in &entries {
            bytes.extend_from_slice(&key.to_be_bytes());
            bytes.extend_from_slice(name.as_bytes());
            bytes.extend(std::iter::repeat_n(0, width - name.len()));
        }
        Self { bytes, width }
    }

    /// A table as it was written, or `None` if that is not what the bytes are. What is wrong within a record makes it
    /// one that is not found.
    pub(super) fn read(bytes: Vec<u8>, width: usize) -> Option<Self> {
        let is_whole = bytes.len().is_multiple_of(KEY + width);
        (is_whole && width <= MAX_WIDTH).then_some(Self { bytes, width })
    }

    /// The bytes, to be written.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How long a name may be.
    pub(super) const fn width(&self) -> usize {
        self.width
    }

    /// All entries, in order.
    pub(super) fn entries(&self) -> impl Iterator<Item = (Key, &str)> {
        (0..self.len()).filter_map(|at| self.record(at))
    }

    /// The names under a key.
    pub(super) fn under(&self, key: Key) -> impl Iterator<Item = &str> {
        let wanted = key.to_be_bytes();
        let start = self.first_at(key);
        let same = (start..self.len()).take_while(move |at| self.key(*at) == Some(&wanted));
        same.filter_map(|at| self.record(at)).map(|(_, name)| name)
    }

    /// The first record whose key is not smaller. Keys are hashes and so evenly spread: the search begins where the key
    /// would lie if they were spread perfectly, and widens from there, so that few parts of a large table are touched.
    fn first_at(&self, key: Key) -> usize {
        let length = self.len();
        let is_before = |at: usize| self.key(at).is_some_and(|found| *found < key.to_be_bytes());
        let guess = (u128::from(key) * length as u128) >> 64;
        let guess = usize::try_from(guess).unwrap_or_default();
        let (mut start, mut end, mut step) = (guess, guess, 16);
        while start > 0 && !is_before(start - 1) {
            end = start - 1;
            start = start.saturating_sub(step);
            step *= 2;
        }
        while end < length && is_before(end) {
            start = end + 1;
            end = length.min(end + step);
            step *= 2;
        }
        while start < end {
            let middle = start + (end - start) / 2;
            if is_before(middle) {
                start = middle + 1;
            } else {
                end = middle;
            }
        }
        start
    }

    fn len(&self) -> usize {
        self.bytes.len() / (KEY + self.width)
    }

    fn key(&self, at: usize) -> Option<&[u8; KEY]> {
        self.bytes.get(at * (KEY + self.width)..)?.first_chunk()
    }

    fn record(&self, at: usize) -> Option<(Key, &str)> {
        let start = at * (KEY + self.width);
        let record = self.bytes.get(start..start + KEY + self.width)?;
        let (key, name) = record.split_first_chunk()?;
        let name = name.split(|byte| *byte == 0).next()?;
        Some((Key::from_be_bytes(*key), str::from_utf8(name).ok()?))
    }
}

const KEY: usize = 8;
const MAX_WIDTH: usize = 255;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Small keys stay where they are, large ones lie anywhere: keys that are spread well, and keys that are not.
    fn scattered(key: Key) -> Key {
        if key < 0x8000 {
            key
        } else {
            key.wrapping_mul(0x9E37_79B9_7F4A_7C15)
        }
    }

    proptest! {
        #[test]
        fn what_was_put_in_is_found_and_nothing_else(
            entries in proptest::collection::vec((prop_oneof![0..20_u64, 0x8000..0x8010_u64], "[a-z]{1,5}"), 0..40),
        ) {
            let entries: Vec<_> = entries.into_iter().map(|(key, name)| (scattered(key), name)).collect();
            let boxed = |(key, name): &(u64, String)| (*key, name.as_str().into());
            let table = Table::of(entries.iter().map(boxed).collect());
            let table = Table::read(table.bytes().to_vec(), table.width()).unwrap();
            for key in (0..20).chain(0x8000..0x8010).map(scattered) {
                let mut expected: Vec<_> = entries.iter().filter(|(known, _)| *known == key).map(|(_, name)| name.as_str()).collect();
                expected.sort_unstable();
                expected.dedup();
                prop_assert_eq!(table.under(key).collect::<Vec<_>>(), expected);
            }
        }

        #[test]
        fn no_bytes_make_it_fall_over(bytes in proptest::collection::vec(any::<u8>(), 0..200), width in 0..300_usize) {
            if let Some(table) = Table::read(bytes, width) {
                table.entries().count();
                table.under(7).count();
            }
        }
    }
}
