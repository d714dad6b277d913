//! Values back to text.

use super::{Object, Text, Value};

/// The value as compact JSON: members in their order, numbers in their spelling, minimal escapes.
#[must_use]
pub fn write(value: &Value<'_>) -> String {
    let mut out = String::new();
    write_value(&mut out, value, Order::AsWritten);
    out
}

/// In which order the members of objects are written.
#[derive(Clone, Copy)]
pub(crate) enum Order {
    /// As they came.
    AsWritten,
    /// By the bytes of their names.
    Sorted,
}

pub(crate) fn write_value(out: &mut String, value: &Value<'_>, order: Order) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => out.push_str(number.as_str()),
        Value::String(text) => write_text(out, text),
        Value::Array(elements) => {
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                separate(out, index);
                write_value(out, element, order);
            }
            out.push(']');
        }
        Value::Object(object) => write_object(out, object, order),
    }
}

pub(crate) fn write_object(out: &mut String, object: &Object<'_>, order: Order) {
    match order {
        Order::AsWritten => write_members(out, object.iter(), order),
        Order::Sorted => {
            let mut members: Vec<_> = object.iter().collect();
            members.sort_by_key(|(name, _)| name.as_bytes());
            write_members(out, members.into_iter(), order);
        }
    }
}

fn write_members<'v, 'a: 'v>(
    out: &mut String,
    members: impl Iterator<Item = (&'v Text<'a>, &'v Value<'a>)>,
    order: Order,
) {
    out.push('{');
    for (index, (name, member)) in members.enumerate() {
        separate(out, index);
        write_text(out, name);
        out.push(':');
        write_value(out, member, order);
    }
    out.push('}');
}

pub(crate) fn separate(out: &mut String, index: usize) {
    if index > 0 {
        out.push(',');
    }
}

/// A string with the escapes of RFC 8785 §3.2.2.2; lone surrogates as lower-case `\udxxx`.
pub(crate) fn write_text(out: &mut String, text: &Text<'_>) {
    match text.as_str() {
        Some(text) => write_str(out, text),
        None => {
            out.push('"');
            for unit in text.chars() {
                match unit {
                    Ok(character) => write_char(out, character),
                    Err(surrogate) => write_unit(out, surrogate),
                }
            }
            out.push('"');
        }
    }
}

/// A Rust string with the escapes of RFC 8785 §3.2.2.2.
pub(crate) fn write_str(out: &mut String, text: &str) {
    out.reserve(text.len() + 2);
    out.push('"');
    let mut rest = text;
    while let Some(at) = first_escape(rest.as_bytes()) {
        let (plain, tail) = rest.split_at(at);
        out.push_str(plain);
        let mut characters = tail.chars();
        if let Some(character) = characters.next() {
            write_char(out, character);
        }
        rest = characters.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

/// Where the first byte stands that cannot stand in a string as it is. Most strings are short, and are looked at byte by
/// byte; long ones a block at a time, since most of their text needs no escape.
pub(super) fn first_escape(text: &[u8]) -> Option<usize> {
    let any = |block: &[u8]| {
        block
            .iter()
            .fold(false, |found, byte| found | needs_escape(*byte))
    };
    let position = |text: &[u8]| text.iter().position(|byte| needs_escape(*byte));
    let head = text.get(..BLOCK).unwrap_or(text);
    if let Some(at) = position(head) {
        return Some(at);
    }
    let tail = text.get(BLOCK..).unwrap_or_default();
    let (number, block) = tail
        .chunks(BLOCK)
        .enumerate()
        .find(|(_, block)| any(block))?;
    Some((number + 1) * BLOCK + position(block)?)
}

const BLOCK: usize = 64;

const fn needs_escape(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

fn write_char(out: &mut String, character: char) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\u{8}' => out.push_str("\\b"),
        '\t' => out.push_str("\\t"),
        '\n' => out.push_str("\\n"),
        '\u{c}' => out.push_str("\\f"),
        '\r' => out.push_str("\\r"),
        control if control < ' ' => write_unit(out, control as u16),
        other => out.push(other),
    }
}

fn write_unit(out: &mut String, unit: u16) {
    out.push_str("\\u");
    for shift in [12, 8, 4, 0] {
        let digit = u32::from(unit >> shift & 0xF);
        out.extend(char::from_digit(digit, 16));
    }
}
