//! Text to values.

use std::borrow::Cow;
use std::collections::HashSet;

use super::fault::{Fault, FaultKind};
use super::text::Text;
use super::write::first_escape;
use super::{Object, Value};
use crate::number::Number;

/// How deep arrays and objects may lie in each other.
///
/// Far below what would exhaust the stack, and above anything an honest caller sends.
pub const MAX_DEPTH: usize = 128;

// Up to here comparing every name with every other is cheaper than hashing.
const FEW_MEMBERS: usize = 16;

/// Reads a text that is one JSON value and nothing else.
///
/// # Errors
///
/// Whatever is not RFC 8259 in UTF-8, lies deeper than [`MAX_DEPTH`], or names a member twice.
pub fn parse(text: &[u8]) -> Result<Value<'_>, Fault> {
    match parse_noting_repeats(text)? {
        (value, None) => Ok(value),
        (_, Some(repeat)) => Err(repeat),
    }
}

/// Reads a text like [`parse`], but hands out the value together with the first repeated member name, if there is one.
///
/// For refusing politely: whoever answers a message that is ambiguous may still need its id. A repeated name keeps its
/// first value.
///
/// # Errors
///
/// As [`parse`], but for repeated names.
pub fn parse_noting_repeats(text: &[u8]) -> Result<(Value<'_>, Option<Fault>), Fault> {
    let text = std::str::from_utf8(text).map_err(|error| Fault {
        kind: FaultKind::NotUtf8,
        offset: error.valid_up_to(),
    })?;
    let mut reader = Reader {
        text,
        at: 0,
        repeat: None,
    };
    reader.skip_blanks();
    let value = reader.value(0)?;
    reader.skip_blanks();
    match reader.peek() {
        None => Ok((value, reader.repeat)),
        Some(_) => Err(reader.fault(FaultKind::Syntax)),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    repeat: Option<Fault>,
}

impl<'a> Reader<'a> {
    fn value(&mut self, depth: usize) -> Result<Value<'a>, Fault> {
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string().map(Value::String),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) | None => Err(self.fault(FaultKind::Syntax)),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value<'a>, Fault> {
        self.enter(depth)?;
        let mut members = Vec::new();
        let mut seen = HashSet::new();
        if self.next_or_end(b'}')? {
            loop {
                let offset = self.at;
                let name = self.string()?;
                self.skip_blanks();
                self.expect(b':')?;
                self.skip_blanks();
                let value = self.value(depth + 1)?;
                if is_known(&members, &mut seen, &name) {
                    self.repeat.get_or_insert(Fault {
                        kind: FaultKind::Repeated,
                        offset,
                    });
                } else {
                    members.push((name, value));
                }
                if !self.comma_or_end(b'}')? {
                    break;
                }
            }
        }
        Ok(Value::Object(Object::from_unique(members)))
    }

    fn array(&mut self, depth: usize) -> Result<Value<'a>, Fault> {
        self.enter(depth)?;
        let mut elements = Vec::new();
        if self.next_or_end(b']')? {
            loop {
                elements.push(self.value(depth + 1)?);
                if !self.comma_or_end(b']')? {
                    break;
                }
            }
        }
        Ok(Value::Array(elements))
    }

    fn enter(&mut self, depth: usize) -> Result<(), Fault> {
        if depth >= MAX_DEPTH {
            return Err(self.fault(FaultKind::TooDeep));
        }
        self.at += 1;
        self.skip_blanks();
        Ok(())
    }

    /// Whether an element follows, right after the opening bracket.
    fn next_or_end(&mut self, end: u8) -> Result<bool, Fault> {
        match self.peek() {
            Some(byte) if byte == end => {
                self.at += 1;
                Ok(false)
            }
            Some(b'"') => Ok(true),
            Some(_) if end == b']' => Ok(true),
            Some(_) | None => Err(self.fault(FaultKind::Syntax)),
        }
    }

    /// Whether another element follows.
    fn comma_or_end(&mut self, end: u8) -> Result<bool, Fault> {
        self.skip_blanks();
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                self.skip_blanks();
                Ok(true)
            }
            Some(byte) if byte == end => {
                self.at += 1;
                Ok(false)
            }
            Some(_) | None => Err(self.fault(FaultKind::Syntax)),
        }
    }

    fn word(&mut self, word: &str, value: Value<'a>) -> Result<Value<'a>, Fault> {
        if self.rest().starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(value)
        } else {
            Err(self.fault(FaultKind::Syntax))
        }
    }

    fn number(&mut self) -> Result<Value<'a>, Fault> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        let spelling = self.slice(start, self.at);
        Ok(Value::Number(Number::from_spelling(Cow::Borrowed(
            spelling,
        ))))
    }

    fn digits(&mut self) -> Result<(), Fault> {
        let count = self
            .rest()
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        self.at += count;
        if count == 0 {
            Err(self.fault(FaultKind::Syntax))
        } else {
            Ok(())
        }
    }

    fn string(&mut self) -> Result<Text<'a>, Fault> {
        self.expect(b'"')?;
        let start = self.at;
        self.plain_run();
        if self.peek() == Some(b'"') {
            let text = self.slice(start, self.at);
            self.at += 1;
            return Ok(Text::from(text));
        }
        self.escaped_string(start)
    }

    fn escaped_string(&mut self, start: usize) -> Result<Text<'a>, Fault> {
        let mut bytes = self.slice(start, self.at).as_bytes().to_vec();
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Text::from_generalised(bytes));
                }
                Some(b'\\') => self.escape(&mut bytes)?,
                Some(0x20..) => {
                    let start = self.at;
                    self.plain_run();
                    bytes.extend_from_slice(self.slice(start, self.at).as_bytes());
                }
                Some(_) | None => return Err(self.fault(FaultKind::Syntax)),
            }
        }
    }

    fn plain_run(&mut self) {
        let rest = self.rest();
        self.at += first_escape(rest).unwrap_or(rest.len());
    }

    fn escape(&mut self, bytes: &mut Vec<u8>) -> Result<(), Fault> {
        self.at += 1;
        let Some(letter) = self.peek() else {
            return Err(self.fault(FaultKind::Syntax));
        };
        let plain = match letter {
            b'"' | b'\\' | b'/' => letter,
            b'b' => 0x8,
            b'f' => 0xC,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                self.at += 1;
                return self.code_unit(bytes);
            }
            _ => return Err(self.fault(FaultKind::Syntax)),
        };
        self.at += 1;
        bytes.push(plain);
        Ok(())
    }

    fn code_unit(&mut self, bytes: &mut Vec<u8>) -> Result<(), Fault> {
        let unit = self.four_digits()?;
        // A low half right after a high one completes it, also when the two stand in separate escapes.
        if let (0xDC00..=0xDFFF, Some(high)) = (unit, trailing_high_half(bytes)) {
            bytes.truncate(bytes.len() - 3);
            let code = 0x1_0000 + ((high - 0xD800) << 10) + (unit - 0xDC00);
            push_char(
                bytes,
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
            );
            return Ok(());
        }
        match char::from_u32(unit) {
            Some(character) => push_char(bytes, character),
            None => {
                let [low, middle] = [unit & 0x3F, unit >> 6 & 0x3F].map(|six| 0x80 | six as u8);
                bytes.extend_from_slice(&[0xED, middle, low]);
            }
        }
        Ok(())
    }

    fn four_digits(&mut self) -> Result<u32, Fault> {
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else {
                return Err(self.fault(FaultKind::Syntax));
            };
            unit = unit << 4 | digit;
            self.at += 1;
        }
        Ok(unit)
    }

    fn expect(&mut self, byte: u8) -> Result<(), Fault> {
        if self.peek() == Some(byte) {
            self.at += 1;
            Ok(())
        } else {
            Err(self.fault(FaultKind::Syntax))
        }
    }

    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn slice(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or_default()
    }

    fn fault(&self, kind: FaultKind) -> Fault {
        Fault {
            kind,
            offset: self.at,
        }
    }
}

fn is_known<'a>(
    members: &[(Text<'a>, Value<'a>)],
    seen: &mut HashSet<Vec<u8>>,
    name: &Text<'a>,
) -> bool {
    if members.len() < FEW_MEMBERS {
        return members.iter().any(|(known, _)| known == name);
    }
    if seen.is_empty() {
        seen.extend(members.iter().map(|(known, _)| known.as_bytes().to_vec()));
    }
    !seen.insert(name.as_bytes().to_vec())
}

/// The value of a high half that ends the bytes.
fn trailing_high_half(bytes: &[u8]) -> Option<u32> {
    match bytes.last_chunk() {
        Some([0xED, middle @ 0xA0..=0xAF, low]) => {
            Some(0xD000 | u32::from(middle & 0x3F) << 6 | u32::from(low & 0x3F))
        }
        _ => None,
    }
}

fn push_char(bytes: &mut Vec<u8>, character: char) {
    bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::super::write;
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let seen = match parse(text.as_bytes()) {
            Ok(value) => write(&value),
            Err(fault) => fault.to_string(),
        };
        assert_eq!(seen, expected, "{text}");
    }

    #[test]
    fn values_keep_their_spelling_and_order() {
        check(
            r#" { "b" : 1.50 , "a" : [ -0 , 1E-400 ] } "#,
            r#"{"b":1.50,"a":[-0,1E-400]}"#,
        );
        check(r#""a\/\u0062\ud83d\ude00""#, r#""a/b😀""#);
        check(r#""\ud800""#, r#""\ud800""#);
        check(r#""\udc00\ud800""#, r#""\udc00\ud800""#);
        check(r#"{"\ud800":1,"\udbff":2}"#, r#"{"\ud800":1,"\udbff":2}"#);
        check("[]", "[]");
        check("{}", "{}");
    }

    #[test]
    fn what_some_readers_take_for_json_is_refused() {
        for text in [
            "",
            "NaN",
            "+1",
            "045",
            "1.",
            ".5",
            "1e",
            "'a'",
            "{a:1}",
            "[1,]",
            "{\"a\":1,}",
            "{} x",
            "{}{}",
            "/**/1",
            "\u{feff}1",
            "\"a\tb\"",
            "\"\\x\"",
            "\"\\u12\"",
            "[1 2]",
            "{1:2}",
            "tru",
            "1\0",
            "[",
            "{\"a\"",
            "\"",
            "-",
            "{,}",
            "[,]",
            "True",
            "infinity",
            "\"\\ud8\"",
        ] {
            let fault = parse(text.as_bytes()).unwrap_err();
            assert_eq!(fault.kind, FaultKind::Syntax, "{text}");
        }
    }

    #[test]
    fn bytes_that_are_no_utf_8_are_refused() {
        for bytes in [
            &b"\"\x80\""[..],
            b"\"\xc0\xaf\"",
            b"\"\xed\xa0\x80\"",
            b"\"\xf4\x90\x80\x80\"",
        ] {
            assert_eq!(parse(bytes).unwrap_err().kind, FaultKind::NotUtf8);
        }
    }

    #[test]
    fn names_compare_by_value_and_not_by_spelling() {
        check(r#"{"a":1,"\u0061":2}"#, "member named twice at byte 7");
        check(
            r#"[{"x":{"p":1,"q":2,"p":3}}]"#,
            "member named twice at byte 19",
        );
        check(
            "{\"\\ud83d\\ude00\":1,\"😀\":2}",
            "member named twice at byte 18",
        );
        check(r#"{"a":1,"A":2}"#, r#"{"a":1,"A":2}"#);
    }

    #[test]
    fn many_members_are_compared_too() {
        let members: Vec<_> = (0..1000).map(|index| format!("\"k{index}\":0")).collect();
        let unique = format!("{{{}}}", members.join(","));
        assert!(parse(unique.as_bytes()).is_ok());
        for twice in [3, 15, 16, 17, 999] {
            let text = format!("{{{},\"k{twice}\":0}}", members.join(","));
            assert_eq!(
                parse(text.as_bytes()).unwrap_err().kind,
                FaultKind::Repeated
            );
        }
    }

    #[test]
    fn depth_ends_in_an_answer() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(parse(nested(MAX_DEPTH).as_bytes()).is_ok());
        let deep = nested(1_000_000);
        assert_eq!(parse(deep.as_bytes()).unwrap_err().kind, FaultKind::TooDeep);
    }
}
