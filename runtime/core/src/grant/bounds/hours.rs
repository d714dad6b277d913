//! Hours of the day, and days of the week, at a fixed distance from UTC.
//!
//! Rules of time zones change and live in files; a bound that a person signed must mean the same tomorrow.

use std::fmt;

use crate::json::{Object, Value};

/// From one time of day up to another, on some days of the week.
///
/// Hours that end before they begin reach into the next day and belong to the day on which they began.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Hours {
    /// Minutes since midnight; the first minute that is inside.
    from: u32,
    /// The first minute that is outside again.
    to: u32,
    /// Minutes that the place is ahead of UTC.
    offset: i32,
    /// Bit 0 is Monday.
    days: u8,
}

impl Hours {
    /// Reads `{"from":"08:00","to":"18:00","offset":"+02:00","days":["mon","fri"]}`, the last two optional.
    #[must_use]
    pub fn read(value: &Value<'_>) -> Option<Self> {
        let mut hours = Self {
            from: clock(value.get("from")?.as_str()?)?,
            to: clock(value.get("to")?.as_str()?)?,
            offset: 0,
            days: EVERY_DAY,
        };
        for (name, value) in value.as_object()?.iter() {
            match name.as_str()? {
                "from" | "to" => {}
                "offset" => hours.offset = offset(value.as_str()?)?,
                "days" => hours.days = days(value.as_array()?)?,
                _ => return None,
            }
        }
        (hours.from != hours.to).then_some(hours)
    }

    /// The hours as they stand in a grant.
    #[must_use]
    pub fn to_object(&self) -> Object<'static> {
        let mut object = Object::new();
        object.insert("from", owned(written(self.from)));
        object.insert("to", owned(written(self.to)));
        if self.offset != 0 {
            object.insert("offset", owned(distance(self.offset)));
        }
        if self.days != EVERY_DAY {
            let names = self.names().map(Value::string).collect();
            object.insert("days", Value::Array(names));
        }
        object
    }

    /// Whether the second lies inside.
    #[must_use]
    pub fn hold(&self, now: u64) -> bool {
        let local = i128::from(now).saturating_add(i128::from(self.offset) * 60);
        let (day, minute) = (local.div_euclid(86_400), local.rem_euclid(86_400) / 60);
        let (from, to) = (i128::from(self.from), i128::from(self.to));
        if from < to {
            self.on(day) && (from..to).contains(&minute)
        } else {
            (self.on(day) && minute >= from) || (self.on(day - 1) && minute < to)
        }
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        let named = DAYS.into_iter().enumerate();
        named.filter_map(|(day, name)| (self.days >> day & 1 == 1).then_some(name))
    }

    fn on(&self, day: i128) -> bool {
        // The epoch began on a Thursday.
        let weekday = (day + 3).rem_euclid(7);
        self.days >> weekday & 1 == 1
    }
}

impl fmt::Display for Hours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "from {} to {} UTC", written(self.from), written(self.to))?;
        if self.offset != 0 {
            write!(f, "{}", distance(self.offset))?;
        }
        if self.days != EVERY_DAY {
            write!(f, " on {}", self.names().collect::<Vec<_>>().join(", "))?;
        }
        Ok(())
    }
}

fn clock(text: &str) -> Option<u32> {
    let (hours, minutes) = text.split_once(':')?;
    let (hours, minutes) = (two_digits(hours)?, two_digits(minutes)?);
    let time = hours * 60 + minutes;
    (minutes < 60 && time <= 24 * 60).then_some(time)
}

fn offset(text: &str) -> Option<i32> {
    let (sign, rest) = match (text.strip_prefix('+'), text.strip_prefix('-')) {
        (Some(rest), _) => (1, rest),
        (None, Some(rest)) => (-1, rest),
        (None, None) => return None,
    };
    let minutes = clock(rest).filter(|minutes| (1..=14 * 60).contains(minutes))?;
    i32::try_from(minutes).ok().map(|minutes| sign * minutes)
}

fn days(names: &[Value<'_>]) -> Option<u8> {
    let bit = |name: &Value<'_>| {
        let name = name.as_str()?;
        DAYS.iter().position(|day| *day == name).map(|day| 1 << day)
    };
    let days = names
        .iter()
        .try_fold(0, |days, name| Some(days | bit(name)?))?;
    (days != 0).then_some(days)
}

fn two_digits(text: &str) -> Option<u32> {
    let plain = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

fn written(minutes: u32) -> String {
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

fn distance(minutes: i32) -> String {
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{sign}{}", written(minutes.unsigned_abs()))
}

fn owned(text: String) -> Value<'static> {
    Value::String(text.into())
}

const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const EVERY_DAY: u8 = 0b111_1111;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{parse, write};

    // 2027-01-15, a Friday, 08:00:00 UTC.
    const FRIDAY_EIGHT: u64 = 1_800_000_000;
    const HOUR: u64 = 3600;

    #[track_caller]
    fn check(hours: &str, now: u64, expected: bool) {
        let value = parse(hours.as_bytes()).unwrap();
        let read = Hours::read(&value).unwrap();
        assert_eq!(write(&Value::Object(read.to_object())), hours);
        assert_eq!(read.hold(now), expected, "{hours} at {now}");
    }

    #[test]
    fn the_first_minute_is_inside_and_the_last_is_not() {
        let office = r#"{"from":"08:00","to":"18:00"}"#;
        check(office, FRIDAY_EIGHT, true);
        check(office, FRIDAY_EIGHT - 1, false);
        check(office, FRIDAY_EIGHT + 10 * HOUR - 1, true);
        check(office, FRIDAY_EIGHT + 10 * HOUR, false);
        check(
            r#"{"from":"00:00","to":"24:00"}"#,
            FRIDAY_EIGHT + 15 * HOUR,
            true,
        );
    }

    #[test]
    fn the_clock_is_that_of_the_place() {
        check(
            r#"{"from":"09:00","to":"10:00","offset":"+02:00"}"#,
            FRIDAY_EIGHT,
            false,
        );
        check(
            r#"{"from":"10:00","to":"11:00","offset":"+02:00"}"#,
            FRIDAY_EIGHT,
            true,
        );
        let late = r#"{"from":"23:00","to":"24:00","offset":"-09:30","days":["thu"]}"#;
        check(late, FRIDAY_EIGHT + HOUR / 2, true);
        check(late, FRIDAY_EIGHT, false);
    }

    #[test]
    fn a_night_belongs_to_the_day_on_which_it_began() {
        let night = r#"{"from":"22:00","to":"06:00","days":["fri"]}"#;
        check(night, FRIDAY_EIGHT + 14 * HOUR, true);
        check(night, FRIDAY_EIGHT + 21 * HOUR, true);
        check(night, FRIDAY_EIGHT + 22 * HOUR, false);
        check(night, FRIDAY_EIGHT - 3 * HOUR, false);
    }

    #[test]
    fn hours_that_say_nothing_or_too_much_are_refused() {
        for bad in [
            r#"{"from":"08:00"}"#,
            r#"{"from":"08:00","to":"08:00"}"#,
            r#"{"from":"08:00","to":"25:00"}"#,
            r#"{"from":"08:60","to":"09:00"}"#,
            r#"{"from":"08:00","to":"09:00","offset":"Europe/Rome"}"#,
            r#"{"from":"08:00","to":"09:00","offset":"+15:00"}"#,
            r#"{"from":"08:00","to":"09:00","days":[]}"#,
            r#"{"from":"08:00","to":"09:00","days":["holiday"]}"#,
            r#"{"from":"08:00","to":"09:00","until":"noon"}"#,
        ] {
            assert_eq!(Hours::read(&parse(bad.as_bytes()).unwrap()), None, "{bad}");
        }
    }
}
