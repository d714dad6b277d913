//! What an unquoted scalar is.
//!
//! YAML 1.1, YAML 1.2 and JSON disagree on many words and numbers. Only what all of them read alike has a meaning here; the rest must be
//! put in quotes, or written so that the readings agree.

/// The reading of an unquoted scalar.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Plain {
    Null,
    True,
    False,
    /// A number as JSON writes it, without an exponent and without a fraction.
    Integer,
    /// A number as JSON writes it, without an exponent.
    Decimal,
    /// Readers disagree; the field says what else it may be.
    Ambiguous(&'static str),
    Text,
}

impl Plain {
    pub(crate) fn of(text: &str) -> Self {
        match text {
            "" | "null" | "~" => Self::Null,
            "true" => Self::True,
            "false" => Self::False,
            _ => number(text).or_else(|| word(text)).unwrap_or(Self::Text),
        }
    }

    /// What it is, in words.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::True | Self::False => "a truth value",
            Self::Integer | Self::Decimal => "a number",
            Self::Ambiguous(what) => what,
            Self::Text => "text",
        }
    }
}

fn word(text: &str) -> Option<Plain> {
    let lower = text.to_ascii_lowercase();
    let reading = match lower.as_str() {
        "yes" | "no" | "on" | "off" | "y" | "n" | "true" | "false" => {
            "a truth value to some readers"
        }
        "null" => "nothing to some readers",
        ".inf" | "+.inf" | "-.inf" | ".nan" => "a number to some readers",
        _ => return None,
    };
    Some(Plain::Ambiguous(reading))
}

fn number(text: &str) -> Option<Plain> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !digits.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        return None;
    }
    if is_date(digits) {
        return Some(Plain::Ambiguous("a date to some readers"));
    }
    let (whole, fraction) = match digits.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (digits, None),
    };
    if is_natural(whole) && !text.starts_with('+') {
        match fraction {
            None => return Some(Plain::Integer),
            Some(fraction) if is_digits(fraction) => return Some(Plain::Decimal),
            Some(_) => {}
        }
    }
    looks_like_a_number(digits).then_some(Plain::Ambiguous("a number to some readers"))
}

/// `0`, or digits that do not begin with one: `010` is eight, ten or a text.
fn is_natural(text: &str) -> bool {
    is_digits(text) && (text == "0" || !text.starts_with('0'))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Octal, hexadecimal, base 60, exponents, digits in groups, half-written fractions.
fn looks_like_a_number(digits: &str) -> bool {
    let lower = digits.to_ascii_lowercase();
    let all = |text: &str, allowed: fn(u8) -> bool| {
        !text.is_empty()
            && text.bytes().all(|byte| allowed(byte) || byte == b'_')
            && text.bytes().any(allowed)
    };
    let decimal = |byte: u8| byte.is_ascii_digit();
    if let Some(rest) = lower.strip_prefix("0x") {
        return all(rest, |byte| byte.is_ascii_hexdigit());
    }
    if let Some(rest) = lower
        .strip_prefix("0o")
        .or_else(|| lower.strip_prefix("0b"))
    {
        return all(rest, decimal);
    }
    if lower.contains(':') {
        let mut parts = lower.split('.').next().unwrap_or("").split(':');
        return parts.all(|part| all(part, decimal));
    }
    let (mantissa, exponent) = match lower.split_once('e') {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (lower.as_str(), None),
    };
    let exponent_fits = exponent
        .is_none_or(|exponent| is_digits(exponent.strip_prefix(['-', '+']).unwrap_or(exponent)));
    let mut points = 0;
    let mantissa_fits = mantissa.bytes().all(|byte| {
        points += usize::from(byte == b'.');
        byte.is_ascii_digit() || byte == b'_' || byte == b'.'
    });
    exponent_fits
        && mantissa_fits
        && points <= 1
        && mantissa.bytes().any(|byte| byte.is_ascii_digit())
}

/// `2020-01-01`, with or without a time.
fn is_date(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let mut part = |longest: usize| {
        parts.next().is_some_and(|part| {
            let digits = part.bytes().take_while(u8::is_ascii_digit).count();
            (1..=longest).contains(&digits) && (longest == 2 || digits == part.len())
        })
    };
    part(4) && part(2) && part(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(texts: &[&str], reading: fn(Plain) -> bool) {
        for text in texts {
            assert!(reading(Plain::of(text)), "{text}: {:?}", Plain::of(text));
        }
    }

    #[test]
    fn what_every_reader_reads_alike_has_its_meaning() {
        check(&["0", "-1", "500", "9007199254740993"], |plain| {
            plain == Plain::Integer
        });
        check(&["1.00", "-0.5", "1.10"], |plain| plain == Plain::Decimal);
        check(&["", "~", "null"], |plain| plain == Plain::Null);
        let texts = [
            "usd", "300s", "1.2.3", "fake.*", "-", "+", "...", "1h", "/a", "10.0.0.1", "0x", "e5",
            "5:x",
        ];
        check(&texts, |plain| plain == Plain::Text);
    }

    #[test]
    fn what_readers_read_in_two_ways_is_ambiguous() {
        let numbers = [
            "010",
            "1_000",
            "0x1F",
            "0o17",
            "0b1",
            "+1",
            "1.",
            ".5",
            ".inf",
            "-.INF",
            ".NaN",
            "1e3",
            "1.5E-3",
            "5:00",
            "190:20:30",
            "00",
            "-01",
            "5:00.5",
        ];
        check(&numbers, |plain| matches!(plain, Plain::Ambiguous(_)));
        let words = [
            "no",
            "NO",
            "Yes",
            "on",
            "OFF",
            "y",
            "N",
            "True",
            "FALSE",
            "Null",
            "2020-01-01",
            "2020-1-1T00:00:00Z",
        ];
        check(&words, |plain| matches!(plain, Plain::Ambiguous(_)));
    }
}
