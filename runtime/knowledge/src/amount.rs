//! Amounts of money and of tokens, added and compared exactly.
//!
//! Three times 0.1 is 0.3 here. A ceiling that is off by a rounding error lets through what it should hold, or holds what
//! was promised, so no amount is ever a double.

use std::fmt;

use knotrust_core::json::Value;
use knotrust_core::number::Number;

/// A decimal with up to 18 places and a magnitude below 10^19. What does not fit is not read.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Amount(i128);

impl Amount {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// Reads a plain decimal such as `0.30`: digits, and perhaps a point and more digits, with an optional minus.
    ///
    /// Signs, exponents, blanks and other bases are no plain decimals: a price that needs guessing is no price.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (negative, magnitude) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, fraction) = match magnitude.split_once('.') {
            Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
            Some(_) => return None,
            None => (magnitude, ""),
        };
        let units = units_of(whole, fraction)?;
        Some(Self(if negative { -units } else { units }))
    }

    /// The value of a JSON number in any spelling, `1e-6` included.
    #[must_use]
    pub fn of_number(number: &Number<'_>) -> Option<Self> {
        let spelling = number.as_str();
        let Some((mantissa, exponent)) = spelling.split_once(['e', 'E']) else {
            return Self::read(spelling);
        };
        let exponent: i32 = exponent.parse().ok()?;
        let (negative, magnitude) = match mantissa.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, mantissa),
        };
        let (whole, fraction) = magnitude.split_once('.').unwrap_or((magnitude, ""));
        let digits = format!("{whole}{fraction}");
        let point = i64::try_from(whole.len())
            .ok()?
            .checked_add(exponent.into())?;
        let shifted = shift(&digits, point)?;
        let amount = Self::read(&shifted)?;
        Some(if negative { Self(-amount.0) } else { amount })
    }

    /// Whether this is less than nothing.
    #[must_use]
    pub const fn is_negative(self) -> bool {
        self.0 < 0
    }

    /// Whether this is more than nothing.
    #[must_use]
    pub const fn is_positive(self) -> bool {
        self.0 > 0
    }

    /// The sum, held at the largest amount there is.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The difference, held at the smallest amount there is.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// A quarter of it, rounded up to a whole number: the tokens that a file of so many bytes is taken to have.
    #[must_use]
    pub const fn quarter_rounded_up(self) -> Self {
        let quarter = self.0.div_euclid(4 * ONE);
        let rest = self.0.rem_euclid(4 * ONE);
        Self((if rest == 0 { quarter } else { quarter + 1 }) * ONE)
    }

    /// The amount shared out evenly, rounded towards nothing at the last place.
    #[must_use]
    pub fn divided_by(self, parts: usize) -> Self {
        let parts = i128::try_from(parts).unwrap_or(i128::MAX).max(1);
        Self(self.0 / parts)
    }

    /// The amount at six places, halves away from zero: how money is shown.
    #[must_use]
    pub const fn at_six_places(self) -> Self {
        Self(round(self.0, ONE / 1_000_000))
    }

    /// The nearest whole number with a comma between every three digits: how tokens are shown.
    #[must_use]
    pub fn grouped(self) -> String {
        let whole = round(self.0, ONE) / ONE;
        let digits = whole.unsigned_abs().to_string();
        let mut out = String::from(if whole < 0 { "-" } else { "" });
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index).is_multiple_of(3) {
                out.push(',');
            }
            out.push(digit);
        }
        out
    }

    /// The amount as a JSON number.
    #[must_use]
    pub fn to_json(self) -> Value<'static> {
        // A plain decimal is a JSON number, so there always is one.
        Number::read(&self.to_string())
            .map_or(Value::Null, |number| Value::Number(number.into_owned()))
    }
}

impl From<u32> for Amount {
    fn from(value: u32) -> Self {
        Self(i128::from(value) * ONE)
    }
}

/// The plain decimal, without trailing zeros.
impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = self.0.unsigned_abs();
        let (whole, fraction) = (units / ONE.unsigned_abs(), units % ONE.unsigned_abs());
        if self.is_negative() {
            f.write_str("-")?;
        }
        if fraction == 0 {
            return write!(f, "{whole}");
        }
        let places = format!("{fraction:018}");
        write!(f, "{whole}.{}", places.trim_end_matches('0'))
    }
}

fn units_of(whole: &str, fraction: &str) -> Option<i128> {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let fraction = if fraction.len() > PLACES {
        fraction.trim_end_matches('0')
    } else {
        fraction
    };
    let fits = !whole.is_empty() && whole.len() <= LONGEST && fraction.len() <= PLACES;
    if !fits || !digits(whole) || !digits(fraction) {
        return None;
    }
    let whole: i128 = whole.parse().ok()?;
    let fraction: i128 = format!("{fraction:0<18}").parse().ok()?;
    (whole < LIMIT).then_some(whole * ONE + fraction)
}

/// Digits with the point moved to stand before the digit at `point`.
fn shift(digits: &str, point: i64) -> Option<String> {
    let digits = match point {
        ..=0 => format!(
            "0.{}{digits}",
            "0".repeat(usize::try_from(-point).ok().filter(|n| *n < LONGEST)?)
        ),
        _ => {
            let point = usize::try_from(point)
                .ok()
                .filter(|point| *point < LONGEST)?;
            match digits.split_at_checked(point) {
                Some((whole, "")) => whole.to_owned(),
                Some((whole, fraction)) => format!("{whole}.{fraction}"),
                None => format!("{digits:0<point$}"),
            }
        }
    };
    Some(digits)
}

const fn round(units: i128, step: i128) -> i128 {
    let half = if units < 0 { -step / 2 } else { step / 2 };
    units.saturating_add(half) / step * step
}

const PLACES: usize = 18;
const LONGEST: usize = 60;
const ONE: i128 = 1_000_000_000_000_000_000;
const LIMIT: i128 = 10_000_000_000_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let amount = Number::read(text).and_then(|number| Amount::of_number(&number));
        assert_eq!(
            amount.map(|amount| amount.to_string()).as_deref(),
            expected,
            "{text}"
        );
    }

    #[test]
    fn numbers_are_read_exactly_in_any_spelling() {
        check("0.30", Some("0.3"));
        check("1e-06", Some("0.000001"));
        check("12.5e1", Some("125"));
        check("1.25E+3", Some("1250"));
        check("-2.50", Some("-2.5"));
        check("0.000000000000000001", Some("0.000000000000000001"));
        check("0.0000000000000000001", None);
        check("1e-300", None);
        check("1e300", None);
    }

    #[test]
    fn only_plain_decimals_are_prices() {
        for text in [
            "", "free", "0x10", "1e3", "+1", ".5", "5.", " 1", "1,5", "-", "1.2.3", "NaN", "١",
        ] {
            assert_eq!(Amount::read(text), None, "{text:?}");
        }
        assert_eq!(Amount::read("0.10").unwrap().to_string(), "0.1");
    }

    #[test]
    fn ten_tenths_are_one() {
        let tenth = Amount::read("0.1").unwrap();
        let sum = (0..10).fold(Amount::ZERO, |sum, _| sum.plus(tenth));
        assert_eq!(sum, Amount::from(1));
    }

    #[test]
    fn money_is_shown_at_six_places_and_tokens_in_groups() {
        let money = |text: &str| Amount::read(text).unwrap().at_six_places().to_string();
        assert_eq!(money("0.1234565"), "0.123457");
        assert_eq!(money("1234.5"), "1234.5");
        let tokens = |text: &str| Amount::read(text).unwrap().grouped();
        assert_eq!(tokens("1234567"), "1,234,567");
        assert_eq!(tokens("999.5"), "1,000");
        assert_eq!(tokens("-1000"), "-1,000");
        assert_eq!(Amount::from(4001).quarter_rounded_up(), Amount::from(1001));
    }
}
