//! Request ids.

use knotrust_core::json::{self, Value};

/// The id of a request: a string or a whole number.
///
/// `1` and `"1"` are two ids; `"a"` and `"\u0061"` are one. An id is written as it came, whatever its size, so that no
/// caller waits for an answer to a number that a float rounded.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Id(Form);

#[derive(Clone, Debug, Eq, Hash, PartialEq)]
enum Form {
    /// What nearly every client sends; needs no allocation.
    Small(i64),
    /// A larger number or a string, as JSON in one fixed spelling.
    Spelled(Box<str>),
}

impl Id {
    /// The id that this value is: a string, or a number without fraction and exponent.
    #[must_use]
    pub fn of(value: &Value<'_>) -> Option<Self> {
        match value {
            Value::Number(number) => Self::of_numeral(number.as_str()),
            Value::String(_) => Some(Self::spelled(json::write(value))),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// A string of our own as an id.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self::spelled(json::write(&Value::string(name)))
    }

    /// The id that this JSON text is.
    #[must_use]
    pub fn read(token: &[u8]) -> Option<Self> {
        let digits = token.len() <= 18 && token.iter().all(u8::is_ascii_digit);
        if digits && (token == b"0" || token.first().is_some_and(|first| *first != b'0')) {
            let value = token
                .iter()
                .fold(0, |value: i64, digit| value * 10 + i64::from(digit - b'0'));
            return Some(Self(Form::Small(value)));
        }
        json::parse(token).ok().as_ref().and_then(Self::of)
    }

    fn of_numeral(numeral: &str) -> Option<Self> {
        let digits = numeral.strip_prefix('-').unwrap_or(numeral);
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        Some(match numeral.parse() {
            Ok(small) => Self(Form::Small(small)),
            Err(_) => Self::spelled(numeral.to_owned()),
        })
    }

    fn spelled(token: String) -> Self {
        Self(Form::Spelled(token.into_boxed_str()))
    }

    /// A number of our own as an id.
    #[must_use]
    pub fn numbered(number: u64) -> Self {
        i64::try_from(number).map_or_else(
            |_| Self::spelled(number.to_string()),
            |small| Self(Form::Small(small)),
        )
    }

    /// The id as JSON.
    #[must_use]
    pub fn to_value(&self) -> Value<'static> {
        json::parse(self.to_string().as_bytes()).map_or(Value::Null, Value::into_owned)
    }

    /// Appends the id as JSON.
    pub fn write(&self, out: &mut Vec<u8>) {
        match &self.0 {
            Form::Small(number) => out.extend_from_slice(number.to_string().as_bytes()),
            Form::Spelled(token) => out.extend_from_slice(token.as_bytes()),
        }
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Form::Small(number) => number.fmt(f),
            Form::Spelled(token) => f.write_str(token),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(token: &str, expected: Option<&str>) {
        let id = Id::read(token.as_bytes());
        assert_eq!(
            id.as_ref().map(ToString::to_string).as_deref(),
            expected,
            "{token}"
        );
        let slow = json::parse(token.as_bytes()).ok().as_ref().and_then(Id::of);
        assert_eq!(id, slow, "{token}");
    }

    #[test]
    fn strings_and_whole_numbers_are_ids() {
        check("0", Some("0"));
        check("-7", Some("-7"));
        check("-0", Some("0"));
        check("9223372036854775807", Some("9223372036854775807"));
        check(
            "123456789012345678901234567890",
            Some("123456789012345678901234567890"),
        );
        check("\"1\"", Some("\"1\""));
        check("\"\"", Some("\"\""));
        check(r#""\ud800""#, Some(r#""\ud800""#));
        check(r#""a\/\u0062""#, Some(r#""a/b""#));
    }

    #[test]
    fn nothing_else_is_an_id() {
        for token in [
            "null", "true", "1.5", "1.0", "1e3", "{}", "[1]", "01", "", "1 2", "\"a",
        ] {
            check(token, None);
        }
    }

    #[test]
    fn a_number_and_its_text_are_two_ids() {
        assert_ne!(Id::read(b"6"), Id::read(b"\"6\""));
        assert_eq!(Id::read(br#""a""#), Id::read(br#""\u0061""#));
    }
}
