//! A moment, or a while back.

use knotrust_core::time::Timestamp;

/// Reads an RFC 3339 date-time, or a while before now: `90s`, `2h`, `1d12h`.
pub(super) fn read(text: &str, now: Timestamp) -> Result<Timestamp, String> {
    if let Some(time) = Timestamp::parse(text) {
        return Ok(time);
    }
    let back = millis(text).ok_or_else(|| {
        format!(
            "`{}` is neither a date-time with an offset nor a while such as `2h`",
            crate::output::inert(text)
        )
    })?;
    Ok(now.plus_millis(-back))
}

/// One or more of a number and a unit, added up.
pub(crate) fn millis(text: &str) -> Option<i64> {
    let mut rest = text;
    let mut sum = 0i64;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, tail) = rest.split_at_checked(digits)?;
        let unit = tail.chars().next()?;
        let factor = match unit {
            's' => 1000,
            'm' => 60_000,
            'h' => 3_600_000,
            'd' => 86_400_000,
            'w' => 604_800_000,
            _ => return None,
        };
        sum = sum.checked_add(number.parse::<i64>().ok()?.checked_mul(factor)?)?;
        rest = tail.get(unit.len_utf8()..)?;
    }
    (sum > 0).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_while_is_numbers_and_units() {
        assert_eq!(millis("90s"), Some(90_000));
        assert_eq!(millis("1d12h"), Some(129_600_000));
        for text in [
            "",
            "5",
            "h",
            "0s",
            "1y",
            "-1h",
            "1h ",
            "99999999999999999999h",
        ] {
            assert_eq!(millis(text), None, "{text}");
        }
    }

    #[test]
    fn a_moment_is_itself() {
        let now = Timestamp::from_seconds(1_000_000);
        assert_eq!(
            read("1970-01-01T00:00:01Z", now),
            Ok(Timestamp::from_seconds(1))
        );
        assert_eq!(read("1h", now), Ok(Timestamp::from_seconds(996_400)));
        assert!(read("yesterday", now).is_err());
    }
}
