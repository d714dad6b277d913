//! Dates as manifests write them: a day, or an instant with an offset.

use std::fmt;

/// A date or a date with a time, and what it covers.
///
/// A day covers all of it in UTC; a time without an offset is in UTC.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct IsoDate {
    text: String,
    first: Instant,
    last: Instant,
}

impl IsoDate {
    /// Reads `2026-07-06` or `2026-07-06T18:30:00.5+02:00`.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (day, rest) = text.split_at_checked(10)?;
        let midnight = days(day)?.checked_mul(DAY)?;
        let (first, last) = match rest.strip_prefix(['T', 't', ' ']) {
            Some(time) => {
                let (seconds, nanoseconds) = time_of_day(time)?;
                let instant = Instant {
                    seconds: midnight.checked_add(seconds)?,
                    nanoseconds,
                };
                (instant, instant)
            }
            None if rest.is_empty() => (
                Instant {
                    seconds: midnight,
                    nanoseconds: 0,
                },
                Instant {
                    seconds: midnight + DAY - 1,
                    nanoseconds: 999_999_999,
                },
            ),
            None => return None,
        };
        Some(Self {
            text: text.to_owned(),
            first,
            last,
        })
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

#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Instant {
    seconds: i64,
    nanoseconds: u32,
}

/// Days since 1970-01-01 of a civil date.
fn days(text: &str) -> Option<i64> {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let whole = parts.next().is_none();
    let (year, month, day) = (digits(year, 4)?, digits(month, 2)?, digits(day, 2)?);
    if !whole || !(1..=12).contains(&month) || !(1..=days_in(year, month)).contains(&day) {
        return None;
    }
    // March is the first month, so that a leap day is the last of its year.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

const fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Seconds after midnight in UTC, which an offset may make less than none, and nanoseconds.
fn time_of_day(text: &str) -> Option<(i64, u32)> {
    let (clock, offset) = match text.find(['Z', 'z', '+', '-']) {
        Some(at) => text.split_at_checked(at)?,
        None => (text, ""),
    };
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let mut parts = clock.split(':');
    let (hour, minute) = (digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let second = parts.next().map_or(Some(0), |second| digits(second, 2))?;
    if parts.next().is_some() || hour > 23 || minute > 59 || second > 59 || clock.ends_with('.') {
        return None;
    }
    let seconds = hour * 3600 + minute * 60 + second - offset_seconds(offset)?;
    Some((seconds, nanoseconds(fraction)?))
}

fn offset_seconds(text: &str) -> Option<i64> {
    let (sign, rest) = match text.split_at_checked(1) {
        None | Some(("Z" | "z", "")) => return Some(0),
        Some(("+", rest)) => (1, rest),
        Some(("-", rest)) => (-1, rest),
        Some(_) => return None,
    };
    let (hours, minutes) = match rest.split_once(':') {
        Some(parts) => parts,
        None if rest.len() == 4 => rest.split_at_checked(2)?,
        None => (rest, "00"),
    };
    let (hours, minutes) = (digits(hours, 2)?, digits(minutes, 2)?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

fn nanoseconds(fraction: &str) -> Option<u32> {
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let nine: String = fraction
        .chars()
        .chain(std::iter::repeat('0'))
        .take(9)
        .collect();
    nine.parse().ok()
}

fn digits(text: &str, count: usize) -> Option<i64> {
    let plain = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

const DAY: i64 = 86_400;

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
    }

    #[test]
    fn offsets_count() {
        assert!(date("2026-07-06T00:30:00-02:00").is_after(&date("2026-07-06T01:00:00Z")));
        assert!(date("2026-07-06T00:30:00+0200").is_before(&date("2026-07-05T23:00:00Z")));
        assert!(date("2024-02-29").is_before(&date("2024-03-01")));
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
