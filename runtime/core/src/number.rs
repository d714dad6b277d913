//! Numbers as they were written, compared exactly.
//!
//! A limit of 2^53 that lets 2^53 + 1 through is a limit of whatever the reader feels like. Numbers keep their spelling
//! and are compared as the decimals they are, whatever their size.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

/// A JSON number in the spelling it came with.
#[derive(Clone)]
pub struct Number<'a>(Cow<'a, str>);

impl<'a> Number<'a> {
    /// Reads a number in the grammar of RFC 8259 §6.
    #[must_use]
    pub fn read(text: &'a str) -> Option<Self> {
        match crate::json::parse(text.as_bytes()) {
            Ok(crate::json::Value::Number(number)) if number.0.len() == text.len() => Some(number),
            Ok(_) | Err(_) => None,
        }
    }

    // INVARIANT: the spelling follows the grammar of RFC 8259 §6.
    pub(crate) const fn from_spelling(spelling: Cow<'a, str>) -> Self {
        Self(spelling)
    }

    /// The number as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The nearest double, or `None` where that would not be finite.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        self.0.parse().ok().filter(|value: &f64| value.is_finite())
    }

    /// The value as a whole number, if it is one in range: `100`, `1e2` and `100.0` are the same.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        if let Ok(value) = self.0.parse() {
            return Some(value);
        }
        let decimal = Decimal::of(&self.0);
        if decimal.is_zero() {
            return Some(0);
        }
        let digits = decimal.digits().count();
        let zeros =
            usize::try_from(decimal.exponent.checked_sub(i64::try_from(digits).ok()?)?).ok()?;
        if decimal.negative || digits + zeros > 20 {
            return None;
        }
        let whole: String = decimal
            .digits()
            .map(char::from)
            .chain(std::iter::repeat_n('0', zeros))
            .collect();
        whole.parse().ok()
    }

    /// The same number, owning its spelling.
    #[must_use]
    pub fn into_owned(self) -> Number<'static> {
        Number(Cow::Owned(self.0.into_owned()))
    }
}

impl From<u64> for Number<'_> {
    fn from(value: u64) -> Self {
        Self(Cow::Owned(value.to_string()))
    }
}

impl From<i64> for Number<'_> {
    fn from(value: i64) -> Self {
        Self(Cow::Owned(value.to_string()))
    }
}

/// Numbers are equal when they have one value, however they are written: `1`, `1.0` and `10e-1`.
impl PartialEq for Number<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Number<'_> {}

impl PartialOrd for Number<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        Decimal::of(&self.0).compare(&Decimal::of(&other.0))
    }
}

impl fmt::Debug for Number<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A number as `0.DIGITS × 10^exponent`, without the digits' leading and trailing zeros.
struct Decimal<'a> {
    negative: bool,
    whole: &'a [u8],
    fraction: &'a [u8],
    /// Saturates: a number whose exponent has 19 digits is beyond every other.
    exponent: i64,
}

impl<'a> Decimal<'a> {
    fn of(spelling: &'a str) -> Self {
        let (negative, magnitude) = match spelling.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, spelling),
        };
        let (mantissa, exponent) = magnitude.split_once(['e', 'E']).unwrap_or((magnitude, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let whole = trim_start(whole.as_bytes());
        let fraction = trim_end(fraction.as_bytes());
        let leading = if whole.is_empty() {
            let trimmed = trim_start(fraction);
            -length(fraction.len() - trimmed.len())
        } else {
            length(whole.len())
        };
        let exponent = leading.saturating_add(read_exponent(exponent));
        let (whole, fraction) = match (whole.is_empty(), fraction.is_empty()) {
            (true, _) => (whole, trim_start(fraction)),
            (false, true) => (trim_end(whole), fraction),
            (false, false) => (whole, fraction),
        };
        Self {
            negative,
            whole,
            fraction,
            exponent,
        }
    }

    fn is_zero(&self) -> bool {
        self.whole.is_empty() && self.fraction.is_empty()
    }

    fn digits(&self) -> impl Iterator<Item = u8> {
        self.whole.iter().chain(self.fraction).copied()
    }

    fn compare(&self, other: &Self) -> Ordering {
        match (self.sign(), other.sign()) {
            (0, 0) => Ordering::Equal,
            (mine, theirs) if mine != theirs => mine.cmp(&theirs),
            (mine, _) => {
                let magnitude = self
                    .exponent
                    .cmp(&other.exponent)
                    .then_with(|| self.digits().cmp(other.digits()));
                if mine < 0 {
                    magnitude.reverse()
                } else {
                    magnitude
                }
            }
        }
    }

    fn sign(&self) -> i8 {
        match (self.is_zero(), self.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }
}

fn read_exponent(text: &str) -> i64 {
    let digits = text.strip_prefix('+').unwrap_or(text);
    digits.parse().unwrap_or(if digits.starts_with('-') {
        i64::MIN / 2
    } else {
        i64::MAX / 2
    })
}

fn length(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX / 4)
}

fn trim_start(digits: &[u8]) -> &[u8] {
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    digits.get(zeros..).unwrap_or_default()
}

fn trim_end(digits: &[u8]) -> &[u8] {
    let zeros = digits
        .iter()
        .rev()
        .take_while(|digit| **digit == b'0')
        .count();
    digits.get(..digits.len() - zeros).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(text: &str) -> Number<'_> {
        Number::read(text).unwrap()
    }

    #[track_caller]
    fn check(left: &str, expected: Ordering, right: &str) {
        assert_eq!(
            number(left).cmp(&number(right)),
            expected,
            "{left} and {right}"
        );
        assert_eq!(
            number(right).cmp(&number(left)),
            expected.reverse(),
            "{right} and {left}"
        );
    }

    #[test]
    fn numbers_compare_by_value() {
        use Ordering::{Equal, Greater, Less};
        check("9007199254740993", Greater, "9007199254740992");
        check("9007199254740992.0000000001", Greater, "9007199254740992");
        check("9007199254740992e0", Equal, "9007199254740992");
        check("-0", Equal, "0");
        check("0e99999999999999999999", Equal, "0.000");
        check("1E-400", Greater, "0");
        check("-1E-400", Less, "0");
        check("1e400", Greater, "1e399");
        check("1e99999999999999999999", Greater, "1e9999");
        check("100", Equal, "1.00e2");
        check("0.001", Equal, "1e-3");
        check("10.5", Equal, "105e-1");
        check("-2", Less, "-1.5");
        check("100.00000000000000001", Greater, "100");
    }

    #[test]
    fn whole_numbers_are_found_in_any_spelling() {
        for (text, value) in [
            ("0", 0),
            ("1e3", 1000),
            ("12.0", 12),
            ("0.5e1", 5),
            ("-0", 0),
        ] {
            assert_eq!(number(text).as_u64(), Some(value), "{text}");
        }
        for text in [
            "0.5",
            "-1",
            "18446744073709551616",
            "1e30",
            "1e999999999999",
        ] {
            assert_eq!(number(text).as_u64(), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn order_agrees_with_integers(left in any::<i64>(), right in any::<i64>(), shift in 0..5usize) {
            let shifted = format!("{right}{}e-{shift}", "0".repeat(shift));
            prop_assert_eq!(number(&left.to_string()).cmp(&number(&shifted)), left.cmp(&right));
        }
    }
}
