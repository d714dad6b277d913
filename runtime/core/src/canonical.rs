//! One text for one meaning: the canonical form of RFC 8785, and hashes over it.
//!
//! Two departures, both frozen with version 1 of the reference's normal form: a lone surrogate, which RFC 8785 refuses,
//! is written as lower-case `\udxxx`; a number that overflows a double is refused.

use std::cmp::Ordering;

use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::json::{Object, Text, Value, separate, write_text};

/// A value without canonical form: some number does not fit a double.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[error("a number is too large for the canonical form")]
pub struct NotCanonical;

/// The canonical form: members ordered by UTF-16 code units, numbers as ECMAScript writes them, minimal escapes.
///
/// # Errors
///
/// A number that overflows a double.
pub fn canonical(value: &Value<'_>) -> Result<String, NotCanonical> {
    let mut out = String::new();
    write_canonical(&mut out, value)?;
    Ok(out)
}

/// `sha256:` and the lower-case hex SHA-256 of the canonical form.
///
/// # Errors
///
/// As [`canonical`].
pub fn sha256_of(value: &Value<'_>) -> Result<String, NotCanonical> {
    canonical(value).map(|text| format!("sha256:{}", sha256_hex(text.as_bytes())))
}

/// Lower-case hex SHA-256 of some bytes.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Lower-case hex of some bytes.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 2);
    write_hex(&mut out, bytes);
    out
}

/// `sha256:` and the lower-case hex of a digest.
pub(crate) fn spelled_hash(digest: &[u8]) -> String {
    let mut out = String::with_capacity(7 + digest.len() * 2);
    out.push_str("sha256:");
    write_hex(&mut out, digest);
    out
}

fn write_hex(out: &mut String, bytes: &[u8]) {
    for byte in bytes {
        for nibble in [byte >> 4, byte & 0xF] {
            out.push(char::from(match nibble {
                0..=9 => b'0' + nibble,
                _ => b'a' + (nibble - 10),
            }));
        }
    }
}

/// Appends the canonical form of a value.
///
/// # Errors
///
/// As [`canonical`].
pub fn write_canonical(out: &mut String, value: &Value<'_>) -> Result<(), NotCanonical> {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => {
            let text = number.as_str();
            // Most numbers are small whole ones, whose canonical form is how they are written.
            if is_small_integer(text) {
                out.push_str(text);
            } else {
                let double = number.as_f64().ok_or(NotCanonical)?;
                out.push_str(ryu_js::Buffer::new().format_finite(double));
            }
        }
        Value::String(text) => write_text(out, text),
        Value::Array(elements) => {
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                separate(out, index);
                write_canonical(out, element)?;
            }
            out.push(']');
        }
        Value::Object(object) => write_canonical_object(out, object)?,
    }
    Ok(())
}

/// Appends the canonical form of an object.
///
/// # Errors
///
/// As [`canonical`].
pub fn write_canonical_object(out: &mut String, object: &Object<'_>) -> Result<(), NotCanonical> {
    let names = object.iter().map(|(name, _)| name);
    if names.is_sorted_by(|left, right| by_utf16(left, right).is_le()) {
        return write_members(out, object.iter());
    }
    let mut members: Vec<_> = object.iter().collect();
    members.sort_by(|(left, _), (right, _)| by_utf16(left, right));
    write_members(out, members.into_iter())
}

fn write_members<'v, 'a: 'v>(
    out: &mut String,
    members: impl Iterator<Item = (&'v Text<'a>, &'v Value<'a>)>,
) -> Result<(), NotCanonical> {
    out.push('{');
    for (index, (name, member)) in members.enumerate() {
        separate(out, index);
        write_text(out, name);
        out.push(':');
        write_canonical(out, member)?;
    }
    out.push('}');
    Ok(())
}

fn by_utf16(left: &Text<'_>, right: &Text<'_>) -> Ordering {
    let (mine, theirs) = (left.as_bytes(), right.as_bytes());
    if mine.is_ascii() && theirs.is_ascii() {
        return mine.cmp(theirs);
    }
    left.utf16().cmp(right.utf16())
}

/// Whether a number is spelled as its canonical form is, as far as can be told at a glance.
pub(crate) fn is_small_integer(text: &str) -> bool {
    let plain = text == "0" || !text.starts_with(['0', '-']);
    plain && text.len() <= 15 && text.bytes().all(|byte| byte.is_ascii_digit())
}
