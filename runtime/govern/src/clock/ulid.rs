//! Ids that sort by time: 48 bits of milliseconds and 80 random bits, in Crockford's base 32.

use std::fmt;

use knotrust_core::time::Timestamp;

/// Makes ids. Each is greater than the one before, also within a millisecond, and when the clock steps back.
#[derive(Debug)]
pub struct Ulids {
    last: u128,
    // Randomness is fetched for many ids at once, since each fetch is a system call.
    pool: [u8; POOL],
    left: usize,
}

impl Default for Ulids {
    fn default() -> Self {
        Self {
            last: 0,
            pool: [0; POOL],
            left: 0,
        }
    }
}

impl Ulids {
    /// The next id.
    ///
    /// # Errors
    ///
    /// The system has no randomness to give.
    pub fn next(&mut self, now: Timestamp) -> Result<Ulid, getrandom::Error> {
        let millis = u128::from(now.millis().max(0).unsigned_abs()) & MILLIS;
        self.last = if millis > self.last >> 80 {
            millis << 80 | self.random()?
        } else {
            // Eighty bits that start at a random place are not used up within the life of a process.
            self.last.wrapping_add(1)
        };
        Ok(Ulid::spelled(self.last))
    }

    fn random(&mut self) -> Result<u128, getrandom::Error> {
        if self.left < DRAW {
            getrandom::fill(&mut self.pool)?;
            self.left = POOL;
        }
        let end = self.left;
        self.left -= DRAW;
        let bytes = self.pool.get(self.left..end).unwrap_or_default();
        Ok(bytes
            .iter()
            .fold(0, |sum, byte| sum << 8 | u128::from(*byte)))
    }
}

/// An id: 26 characters of Crockford's base 32.
#[derive(Clone, Copy, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Ulid([u8; 26]);

impl Ulid {
    /// The 26 characters.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // INVARIANT: only characters of the alphabet were put in.
        str::from_utf8(&self.0).unwrap_or_default()
    }

    /// Reads an id as it is spelled here, and in no other spelling.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let bytes: [u8; 26] = text.as_bytes().try_into().ok()?;
        let is_known = bytes.iter().all(|byte| ALPHABET.contains(byte));
        // 26 characters have room for two bits more than an id has.
        (is_known && bytes.first().is_some_and(|first| *first <= b'7')).then_some(Self(bytes))
    }

    /// When it was made.
    #[must_use]
    pub fn time(&self) -> Timestamp {
        let digit = |byte: &u8| ALPHABET.iter().position(|known| known == byte);
        let digits = self.0.iter().take(10).filter_map(digit);
        let millis = digits.fold(0, |sum, digit| sum << 5 | digit as u64);
        Timestamp::from_millis(i64::try_from(millis).unwrap_or(i64::MAX))
    }

    fn spelled(mut value: u128) -> Self {
        let mut text = [0; 26];
        for place in text.iter_mut().rev() {
            let digit = ALPHABET.get((value & 31) as usize);
            *place = digit.copied().unwrap_or_default();
            value >>= 5;
        }
        Self(text)
    }
}

impl fmt::Display for Ulid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Ulid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ulid({self})")
    }
}

const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const MILLIS: u128 = (1 << 48) - 1;
// 80 bits an id.
const DRAW: usize = 10;
const POOL: usize = 32 * DRAW;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_rise_whatever_the_clock_does() {
        let mut ulids = Ulids::default();
        let times = [5, 5, 5, 4, 0, -7, 5, 6, 1 << 40, 7];
        let ids: Vec<_> = times
            .into_iter()
            .map(|millis| ulids.next(Timestamp::from_millis(millis)).unwrap())
            .collect();
        assert!(ids.is_sorted_by(|left, right| left < right), "{ids:?}");
    }

    #[test]
    fn an_id_begins_with_its_time() {
        let mut ulids = Ulids::default();
        let at = Timestamp::parse("2016-07-30T23:54:10.259Z").unwrap();
        let id = ulids.next(at).unwrap();
        assert!(id.as_str().starts_with("01ARZ3NDEK"));
        assert_eq!(id.as_str().len(), 26);
        assert_eq!((id.time(), Ulid::read(id.as_str())), (at, Some(id)));
        for none in [
            "",
            "01arz3ndek0000000000000000",
            "81ARZ3NDEK0000000000000000",
        ] {
            assert_eq!(Ulid::read(none), None, "{none}");
        }
    }

    #[test]
    fn two_makers_do_not_meet() {
        let at = Timestamp::from_millis(1);
        let (mut one, mut other) = (Ulids::default(), Ulids::default());
        for _ in 0..100 {
            assert_ne!(one.next(at).unwrap(), other.next(at).unwrap());
        }
    }
}
