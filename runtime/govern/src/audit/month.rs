//! The files of the log: one a month, named so that they sort.

use std::fmt;

use knotrust_core::time::Timestamp;

/// A month, which is the name of a file: `202611.jsonl`. Six digits that are no month name a file as well, and sort.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct Month(u32);

impl Month {
    pub(crate) fn of(time: Timestamp) -> Self {
        let (year, month) = time.year_month();
        // The years that four digits can name.
        let number = (year.clamp(0, 9999) * 100 + month).unsigned_abs();
        Self(u32::try_from(number).unwrap_or(0))
    }

    pub(crate) fn of_file(name: &str) -> Option<Self> {
        let digits = name.strip_suffix(".jsonl")?;
        let plain = digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| digits.parse().ok().map(Self)).flatten()
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:06}.jsonl", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(time: &str, name: &str) {
        let month = Month::of(Timestamp::parse(time).unwrap());
        assert_eq!(month.to_string(), name);
        assert_eq!(Month::of_file(name), Some(month));
    }

    #[test]
    fn names_sort_as_months_do() {
        check("2026-11-30T23:59:59.999Z", "202611.jsonl");
        check("2026-12-01T00:00:00Z", "202612.jsonl");
        check("0001-01-01T00:00:00Z", "000101.jsonl");
        for name in [
            "notes.jsonl",
            "202611.jsonl.1",
            "202611.jsonl.torn",
            "20261.jsonl",
        ] {
            assert_eq!(Month::of_file(name), None, "{name}");
        }
    }
}
