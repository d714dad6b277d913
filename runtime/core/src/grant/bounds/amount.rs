//! Amounts that add up exactly.

use std::fmt;

use crate::number::Number;

/// An amount of up to twenty digits before the point and eighteen after it. Never negative.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub struct Amount {
    /// In units of 10^-18.
    units: u128,
}

impl Amount {
    /// The exact value of a number, or `None` if it is negative or has more digits than are counted.
    #[must_use]
    pub fn of(number: &Number<'_>) -> Option<Self> {
        let (mantissa, exponent) = number
            .as_str()
            .split_once(['e', 'E'])
            .unwrap_or((number.as_str(), "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        let digits = digits.trim_start_matches('0');
        let significant = digits.trim_end_matches('0');
        if significant.is_empty() {
            return Some(Self::default());
        }
        let zeros = places(digits.len() - significant.len())?;
        let exponent: i64 = exponent.parse().ok()?;
        let shift = exponent
            .checked_add(zeros)?
            .checked_sub(places(fraction.len())?)?
            .checked_add(PLACES)?;
        let unit = 10_u128.checked_pow(u32::try_from(shift).ok()?)?;
        // A sign is no digit, so that what is negative ends here.
        let value: u128 = plain(significant)?.parse().ok()?;
        value.checked_mul(unit).map(|units| Self { units })
    }

    /// Both together, unless that is more than can be counted.
    #[must_use]
    pub fn plus(self, other: Self) -> Option<Self> {
        let units = self.units.checked_add(other.units)?;
        Some(Self { units })
    }

    /// The amount as a JSON number.
    #[must_use]
    pub fn to_number(self) -> Number<'static> {
        Number::from_spelling(self.to_string().into())
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, fraction) = (self.units / UNIT, self.units % UNIT);
        write!(f, "{whole}")?;
        if fraction > 0 {
            write!(f, ".{}", format!("{fraction:018}").trim_end_matches('0'))?;
        }
        Ok(())
    }
}

fn plain(digits: &str) -> Option<&str> {
    digits
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        .then_some(digits)
}

fn places(count: usize) -> Option<i64> {
    i64::try_from(count).ok()
}

const PLACES: i64 = 18;
const UNIT: u128 = 1_000_000_000_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(spelling: &str, expected: Option<&str>) {
        let amount = Amount::of(&Number::read(spelling).unwrap());
        let seen = amount.map(|amount| amount.to_string());
        assert_eq!(seen.as_deref(), expected, "{spelling}");
    }

    #[test]
    fn numbers_are_counted_exactly_or_not_at_all() {
        check("0", Some("0"));
        check("-0", None);
        check("0e999999999999999999999", Some("0"));
        check("1e2", Some("100"));
        check("100.00", Some("100"));
        check("0.5E+1", Some("5"));
        check("1e-18", Some("0.000000000000000001"));
        check("1e-19", None);
        check("99999999999999999999.5", Some("99999999999999999999.5"));
        check("1e21", None);
        check("-1", None);
        check("1e99999999999999999999", None);
        check("1.000000000000000000000000000000", Some("1"));
    }
}
