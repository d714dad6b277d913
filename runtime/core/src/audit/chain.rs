//! What makes lines a chain.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::time::Timestamp;

/// Where a chain stands: its last event.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Head {
    /// The number of the event, from 1.
    pub seq: u64,
    /// Its hash.
    pub hash: Hash,
    /// Its time. No later event has an earlier one.
    pub at: Timestamp,
}

impl Head {
    /// Where every chain begins.
    pub const GENESIS: Self = Self {
        seq: 0,
        hash: Hash([0; 32]),
        at: Timestamp::from_millis(i64::MIN),
    };
}

/// A SHA-256 that links two lines.
#[derive(Clone, Copy, Eq, Hash, PartialEq)]
pub struct Hash([u8; 32]);

impl Hash {
    /// Stands for a hash that cannot be read: none that is computed equals it.
    pub(super) const NONE: Self = Self([0xFF; 32]);

    /// The hash of a text that comes in two parts.
    #[must_use]
    pub fn of(first: &str, second: &str) -> Self {
        let mut digest = Sha256::new();
        digest.update(first);
        digest.update(second);
        Self(digest.finalize().into())
    }

    /// Reads 64 hexadecimal digits in lower case.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        if pairs.len() != bytes.len() || !rest.is_empty() {
            return None;
        }
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Some(Self(bytes))
    }

    /// The 64 hexadecimal digits, in lower case.
    #[must_use]
    pub fn to_hex(self) -> [u8; 64] {
        let mut hex = [0; 64];
        let (pairs, _) = hex.as_chunks_mut::<2>();
        for ([high, low], byte) in pairs.iter_mut().zip(self.0) {
            *high = hex_digit(byte >> 4);
            *low = hex_digit(byte & 0xF);
        }
        hex
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({self})")
    }
}

const fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

const fn hex_digit(nibble: u8) -> u8 {
    if nibble < 10 {
        b'0' + nibble
    } else {
        b'a' + nibble - 10
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_and_back() {
        let hash = Hash::of("a", "bc");
        let hex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hash.to_string(), hex);
        assert_eq!(hash.to_hex(), hex.as_bytes());
        assert_eq!(Hash::from_hex(hex), Some(hash));
        for text in ["", "ba78", &hex.to_uppercase(), &format!("{hex}0")] {
            assert_eq!(Hash::from_hex(text), None);
        }
    }
}
