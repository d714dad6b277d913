//! Moments, as numbers and as RFC 3339 text.

use std::fmt;

/// A moment: milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The moment that many milliseconds after the epoch.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// The moment that many seconds after the epoch.
    #[must_use]
    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds.saturating_mul(1000))
    }

    /// Milliseconds since the epoch.
    #[must_use]
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Whole seconds since the epoch, rounded down.
    #[must_use]
    pub const fn seconds(self) -> i64 {
        self.0.div_euclid(1000)
    }

    /// The moment that many milliseconds later.
    #[must_use]
    pub const fn plus_millis(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis))
    }

    /// Reads an RFC 3339 date-time. An offset is required; fractions beyond milliseconds are cut off.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (date, rest) = text.split_once(['T', 't'])?;
        let [year, month, day] = fields(date, '-', [4, 2, 2])?;
        let at = rest.find(['Z', 'z', '+', '-'])?;
        let (clock, offset) = rest.split_at_checked(at)?;
        let (clock, fraction) = match clock.split_once('.') {
            Some((clock, digits)) => (clock, millis_of(digits)?),
            None => (clock, 0),
        };
        let [hour, minute, second] = fields(clock, ':', [2, 2, 2])?;
        let in_day = hour < 24 && minute < 60 && second <= 60;
        let in_year = (1..=12).contains(&month) && day >= 1 && day <= days_in(year, month);
        if !in_day || !in_year {
            return None;
        }
        // A leap second stands only at the end of a UTC day, and counts as the second after it.
        let seconds = days_before(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
            - offset_seconds(offset)?;
        if second == 60 && seconds.rem_euclid(86_400) != 0 {
            return None;
        }
        Some(Self(seconds * 1000 + fraction))
    }

    /// Year and month in UTC, as a file of the audit log is named: `202607`.
    #[must_use]
    pub fn year_month(self) -> (i64, i64) {
        let (year, month, _) = date_of(self.0.div_euclid(86_400_000));
        (year, month)
    }
}

/// UTC with milliseconds and `Z` (reference contract, "Timestamps").
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = date_of(self.0.div_euclid(86_400_000));
        let in_day = self.0.rem_euclid(86_400_000);
        let (seconds, millis) = (in_day / 1000, in_day % 1000);
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z"
        )
    }
}

fn fields(text: &str, separator: char, lengths: [usize; 3]) -> Option<[i64; 3]> {
    let mut parts = text.split(separator);
    let mut field = |length: usize| {
        let part = parts.next()?;
        let plain = part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| part.parse().ok()).flatten()
    };
    let [first, second, third] = lengths;
    let found = [field(first)?, field(second)?, field(third)?];
    parts.next().is_none().then_some(found)
}

fn millis_of(digits: &str) -> Option<i64> {
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let three: String = digits.chars().chain("000".chars()).take(3).collect();
    plain.then(|| three.parse().ok()).flatten()
}

fn offset_seconds(text: &str) -> Option<i64> {
    let sign = match text.chars().next()? {
        'Z' | 'z' => return (text.len() == 1).then_some(0),
        '-' => -1,
        _ => 1,
    };
    let [hour, minute, _] = fields(&format!("{}:00", text.get(1..)?), ':', [2, 2, 2])?;
    (hour < 24 && minute < 60).then_some(sign * (hour * 3600 + minute * 60))
}

const fn days_in(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

// Days since the epoch in the proleptic Gregorian calendar, counted in eras of 400 years that begin in March, so that
// the leap day is the last one of a year.
const fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

const fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + if month <= 2 { 1 } else { 0 };
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let seen = Timestamp::parse(text).map(|time| time.to_string());
        assert_eq!(seen.as_deref(), expected, "{text}");
    }

    #[test]
    fn date_times_need_an_offset_and_real_dates() {
        check("2026-07-03T00:00:00Z", Some("2026-07-03T00:00:00.000Z"));
        check(
            "2026-07-03t01:30:00.12345+01:30",
            Some("2026-07-03T00:00:00.123Z"),
        );
        check(
            "2024-02-29T23:59:60-00:00",
            Some("2024-03-01T00:00:00.000Z"),
        );
        check("1969-12-31T23:59:59.999Z", Some("1969-12-31T23:59:59.999Z"));
        for text in [
            "2026-07-03",
            "2026-07-03T00:00:00",
            "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-07-03 00:00:00Z",
            "2026-07-03T24:00:00Z",
            "2026-07-03T00:00:00.Z",
            "",
            "2026-07-03T00:00:00+1:00",
            "2026-07-03T00:00:00Zx",
            "2026-07-03T12:00:60Z",
            "+026-07-03T00:00:00Z",
            "2026-07-03T00:00:00+24:00",
            "yesterday",
        ] {
            check(text, None);
        }
    }

    proptest! {
        #[test]
        fn text_and_back(millis in -30_000_000_000_000..250_000_000_000_000i64) {
            let time = Timestamp::from_millis(millis);
            prop_assert_eq!(Timestamp::parse(&time.to_string()), Some(time));
        }
    }
}
