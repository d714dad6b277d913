//! A line of the log, read back.

use std::borrow::Cow;

use super::chain::{Hash, Head};
use crate::canonical::canonical;
use crate::json::{self, Object, Value};
use crate::time::Timestamp;

/// An event as it stands in a log, ours or the reference's: a JSON object with the members that every event has.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    object: Object<'a>,
    seq: u64,
    hash: Hash,
    previous: Hash,
}

impl<'a> Record<'a> {
    /// Reads a line without its newline; nothing, unless it is an object with all the members it must have.
    #[must_use]
    pub fn parse(line: &'a [u8]) -> Option<Self> {
        let Ok(Value::Object(object)) = json::parse(line) else {
            return None;
        };
        let has_text = |name: &&str| {
            object
                .get(name)
                .is_some_and(|value| value.as_text().is_some())
        };
        if !TEXTS.iter().all(has_text) {
            return None;
        }
        let seq = object.get("seq")?.as_number()?.as_u64()?;
        let hash = |name| {
            object
                .get(name)
                .and_then(Value::as_str)
                .and_then(Hash::from_hex)
        };
        // Digits that are none make a hash that no line has, not a torn line.
        let (hash, previous) = (
            hash("hash").unwrap_or(Hash::NONE),
            hash("prevHash").unwrap_or(Hash::NONE),
        );
        Some(Self {
            object,
            seq,
            hash,
            previous,
        })
    }

    /// Its number.
    #[must_use]
    pub const fn seq(&self) -> u64 {
        self.seq
    }

    /// The hash it says it has.
    #[must_use]
    pub const fn hash(&self) -> Hash {
        self.hash
    }

    /// The hash it says the line before has.
    #[must_use]
    pub const fn previous(&self) -> Hash {
        self.previous
    }

    /// The hash it has; none for numbers without canonical form, which no hash can have been made of.
    #[must_use]
    pub fn computed_hash(mut self) -> Option<Hash> {
        self.object.remove("hash");
        let text = canonical(&Value::Object(self.object)).ok()?;
        Some(Hash::of(&text, ""))
    }

    /// Its time.
    #[must_use]
    pub fn at(&self) -> Option<Timestamp> {
        self.object
            .get("ts")
            .and_then(Value::as_str)
            .and_then(Timestamp::parse)
    }

    /// Where a chain stands that ends with it.
    #[must_use]
    pub fn head(&self) -> Head {
        Head {
            seq: self.seq,
            hash: self.hash,
            at: self.at().unwrap_or(Head::GENESIS.at),
        }
    }

    /// A member that is a text, for showing and comparing.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<Cow<'_, str>> {
        self.object
            .get(name)
            .and_then(Value::as_text)
            .map(json::Text::to_string_lossy)
    }

    /// All its members, in the order they stand in the line.
    #[must_use]
    pub const fn members(&self) -> &Object<'a> {
        &self.object
    }
}

const TEXTS: [&str; 9] = [
    "ts", "prevHash", "hash", "type", "surface", "subject", "agent", "tool", "argsHash",
];
