//! Whether lines are a chain, and where they stop being one.

use std::fmt;

use super::chain::Head;
use super::record::Record;

/// Reads a log line by line and stops at the first break.
#[derive(Clone, Debug)]
pub struct Verifier {
    head: Head,
}

impl Default for Verifier {
    fn default() -> Self {
        Self {
            head: Head::GENESIS,
        }
    }
}

impl Verifier {
    /// Takes the next line, without its newline.
    ///
    /// # Errors
    ///
    /// It does not continue the chain. The kinds are tested in the order of [`BreakKind`]; values are compared, so that the
    /// order of members and the spelling of numbers do not matter.
    pub fn line(&mut self, line: &[u8]) -> Result<(), Flaw> {
        let Some(record) = Record::parse(line) else {
            return Err(self.torn());
        };
        let head = record.head();
        let flaw = |kind| {
            Err(Flaw {
                kind,
                seq: head.seq,
            })
        };
        if head.seq != self.expected() {
            return flaw(BreakKind::SeqGap);
        }
        if record.previous() != self.head.hash {
            return flaw(BreakKind::PrevHashMismatch);
        }
        if record.computed_hash() != Some(head.hash) {
            return flaw(BreakKind::HashMismatch);
        }
        self.head = head;
        Ok(())
    }

    /// The flaw of a line that has no end, or is too long to be one.
    #[must_use]
    pub const fn torn(&self) -> Flaw {
        Flaw {
            kind: BreakKind::TornLine,
            seq: self.expected(),
        }
    }

    /// The end of the chain so far; its number is how many events were read.
    #[must_use]
    pub const fn head(&self) -> Head {
        self.head
    }

    const fn expected(&self) -> u64 {
        self.head.seq.saturating_add(1)
    }
}

/// What is wrong with a line.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Flaw {
    /// In which way.
    pub kind: BreakKind,
    /// The number that the line has, or should have if it has none.
    pub seq: u64,
}

/// Where a log stops being a chain.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Break {
    /// The name of the file.
    pub file: String,
    /// The line, from 1.
    pub line: u64,
    /// The number that the line has, or should have if it has none.
    pub seq: u64,
    /// What is wrong with it.
    pub kind: BreakKind,
}

/// In which way a log is broken.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum BreakKind {
    /// No newline at its end, no JSON object, or not all members an event must have.
    TornLine,
    /// Its number does not follow: lines are missing, doubled or in another order.
    SeqGap,
    /// It does not name the hash of the line before.
    PrevHashMismatch,
    /// Its own hash is not what it says: it was changed.
    HashMismatch,
    /// The log ends before the last event that is known to have been in it.
    LostTail,
    /// The chain is whole, and is another than the one that is known to have been here.
    Rewritten,
}

impl BreakKind {
    /// The word in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TornLine => "torn_line",
            Self::SeqGap => "seq_gap",
            Self::PrevHashMismatch => "prevhash_mismatch",
            Self::HashMismatch => "hash_mismatch",
            Self::LostTail => "lost_tail",
            Self::Rewritten => "rewritten",
        }
    }
}

impl fmt::Display for BreakKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::event::{Event, Kind};
    use super::super::line::Scribe;
    use super::*;
    use crate::time::Timestamp;

    fn chain(length: usize) -> Vec<String> {
        let mut scribe = Scribe::default();
        let mut head = Head::GENESIS;
        let mut next = |index: usize| {
            let subject = format!("person-{index}");
            let event = Event {
                subject: &subject,
                ..Event::of(Kind::Decision)
            };
            head = scribe.write(&event, &head, Timestamp::from_millis(1000));
            scribe.line().trim_end().to_owned()
        };
        (0..length).map(&mut next).collect()
    }

    fn verify(lines: &[String]) -> String {
        let mut verifier = Verifier::default();
        match lines
            .iter()
            .try_for_each(|line| verifier.line(line.as_bytes()))
        {
            Ok(()) => format!("intact, {} events", verifier.head().seq),
            Err(flaw) => format!("{} at {}", flaw.kind, flaw.seq),
        }
    }

    #[track_caller]
    fn check(change: impl Fn(&mut Vec<String>), expected: &str) {
        let mut lines = chain(4);
        change(&mut lines);
        assert_eq!(verify(&lines), expected);
    }

    #[test]
    fn the_first_break_is_named() {
        check(|_| {}, "intact, 4 events");
        check(|lines| lines.truncate(2), "intact, 2 events");
        check(|lines| lines.clear(), "intact, 0 events");
        check(|lines| lines.swap(1, 2), "seq_gap at 3");
        check(|lines| lines.insert(1, String::new()), "torn_line at 2");
        check(|lines| lines[1].truncate(30), "torn_line at 2");
        check(
            |lines| lines[2] = lines[2].replace("person-2", "person-9"),
            "hash_mismatch at 3",
        );
        check(
            |lines| lines[2] = lines[2].replace(r#""prevHash":""#, r#""prevHash":"x"#),
            "prevhash_mismatch at 3",
        );
        check(
            |lines| lines[3] = lines[3].replace(r#""hash":""#, r#""hash":"x"#),
            "hash_mismatch at 4",
        );
        check(
            |lines| lines[0] = lines[0].replace(r#""seq":1"#, r#""seq":"1""#),
            "torn_line at 1",
        );
    }

    proptest! {
        #[test]
        fn no_line_can_be_dropped_doubled_or_edited(at in 0..7_usize, byte in any::<prop::sample::Index>()) {
            let lines = chain(8);
            let mut dropped = lines.clone();
            dropped.remove(at);
            prop_assert!(!verify(&dropped).starts_with("intact"));
            let mut doubled = lines.clone();
            doubled.insert(at, lines[at].clone());
            prop_assert!(!verify(&doubled).starts_with("intact"));
            let mut edited = lines;
            let mut bytes = edited[at].clone().into_bytes();
            let byte = byte.index(bytes.len());
            bytes[byte] = if bytes[byte] == b'x' { b'y' } else { b'x' };
            edited[at] = String::from_utf8(bytes).unwrap();
            prop_assert!(!verify(&edited).starts_with("intact"));
        }
    }
}
