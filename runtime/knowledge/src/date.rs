//! Dates as manifests write them: a day, or an instant.

use std::fmt;

use knotrust_core::time::Timestamp;

/// A date or a date with a time, and what it covers.
///
/// A day covers all of it in UTC; a time without an offset is in UTC.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct IsoDate {
    text: String,
    first: Timestamp,
    last: Timestamp,
}

impl IsoDate {
    /// Reads `2026-07-06` or `2026-07-06T18:30:00.5+02:00`; seconds and offset may be left out, and a blank may stand for the T.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (day, rest) = text.split_at_checked(10)?;
        let (first, last) = match rest.strip_prefix(['T', 't', ' ']) {
            Some(time) => {
                let instant = instant(day, time)?;
                (instant, instant)
            }
            None if rest.is_empty() => {
                let midnight = instant(day, "00:00")?;
                (midnight, midnight.plus_millis(DAY - 1))
            }
            None => return None,
        };
        Some(Self {
            text: text.to_owned(),
            first,
            last,
        })
    }

    /// The day of a moment, in UTC.
    #[must_use]
    pub fn day_of(moment: Timestamp) -> Self {
        let first = Timestamp::from_millis(moment.millis().div_euclid(DAY).saturating_mul(DAY));
        let text = first
            .to_string()
            .chars()
            .take_while(|character| *character != 'T')
            .collect();
        Self {
            text,
            first,
            last: first.plus_millis(DAY - 1),
        }
    }

    /// The moment itself.
    #[must_use]
    pub fn at(moment: Timestamp) -> Self {
        Self {
            text: moment.to_string(),
            first: moment,
            last: moment,
        }
    }

    /// The date as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether all of this lies after all of the other.
    #[must_use]
    pub fn is_after(&self, other: &Self) -> bool {
        self.first > other.last
    }

    /// Whether all of this lies before all of the other.
    #[must_use]
    pub fn is_before(&self, other: &Self) -> bool {
        self.last < other.first
    }
}

impl fmt::Display for IsoDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The instant in the one spelling that RFC 3339 knows.
fn instant(day: &str, time: &str) -> Option<Timestamp> {
    let (clock, offset) = match time.find(['Z', 'z', '+', '-']) {
        Some(at) => time.split_at_checked(at)?,
        None => (time, "Z"),
    };
    let seconds = if clock.len() == 5 { ":00" } else { "" };
    let offset = match (offset.len(), offset.split_at_checked(3)) {
        (5, Some((hours, minutes))) => format!("{hours}:{minutes}"),
        (3, Some((hours, _))) => format!("{hours}:00"),
        _ => offset.to_owned(),
    };
    Timestamp::parse(&format!("{day}T{clock}{seconds}{offset}"))
}

const DAY: i64 = 86_400_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str) -> IsoDate {
        IsoDate::read(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn a_day_covers_all_of_it() {
        assert!(!date("2026-07-06").is_before(&date("2026-07-06T18:30:00Z")));
        assert!(!date("2026-07-06").is_after(&date("2026-07-06T00:00:00Z")));
        assert!(date("2026-07-06").is_before(&date("2026-07-07T00:00:00Z")));
        assert!(date("2026-07-07").is_after(&date("2026-07-06T23:59:59.999Z")));
        let moment = Timestamp::parse("2026-07-06T18:30:00Z").unwrap();
        assert_eq!(IsoDate::day_of(moment), date("2026-07-06"));
    }

    #[test]
    fn offsets_count() {
        assert!(date("2026-07-06T00:30:00-02:00").is_after(&date("2026-07-06T01:00:00Z")));
        assert!(date("2026-07-06T00:30+0200").is_before(&date("2026-07-05T23:00:00Z")));
        assert!(date("2026-07-06 00:30:00+02").is_before(&date("2026-07-05T23:00")));
        assert!(date("1969-12-31T23:59:59Z").is_before(&date("1970-01-01T00:00:00Z")));
    }

    #[test]
    fn what_is_no_date_is_not_read() {
        for text in [
            "",
            "soon",
            "yesterday",
            "06/07/2030",
            "2026-7-6",
            "2026-13-01",
            "2026-02-29",
            "2026-07-06T",
            "2026-07-06T25:00",
            "2026-07-06T10",
            "2026-07-06Tnoon",
            "2026-07-06x",
            "2026-07-06T10:00:00+25:00",
            "20260706",
            "٢٠٢٦-٠٧-٠٦",
        ] {
            assert_eq!(IsoDate::read(text), None, "{text:?}");
        }
    }
}
