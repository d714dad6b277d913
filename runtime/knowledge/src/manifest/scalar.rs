//! What plain text is in YAML's core schema (YAML 1.2.2 §10.3.2).

use std::borrow::Cow;

use knotrust_core::number::Number;

use super::node::{Node, number_text};

/// The value of a plain scalar.
pub(super) fn resolve(text: Cow<'_, str>) -> Node {
    match &*text {
        "" | "~" | "null" | "Null" | "NULL" => Node::Null,
        "true" | "True" | "TRUE" => Node::Bool(true),
        "false" | "False" | "FALSE" => Node::Bool(false),
        plain => match number(plain) {
            Some(number) => Node::Number(number),
            None => Node::Text(text.into_owned()),
        },
    }
}

fn number(text: &str) -> Option<String> {
    if let Some(digits) = text.strip_prefix("0x") {
        return based(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return based(digits, 8);
    }
    let (sign, magnitude) = match text.strip_prefix(['-', '+']) {
        Some(rest) if text.starts_with('-') => ("-", rest),
        Some(rest) => ("", rest),
        None => ("", text),
    };
    let (mantissa, exponent) = magnitude.split_once(['e', 'E']).unwrap_or((magnitude, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let exponent_digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    let some = !(whole.is_empty() && fraction.is_empty())
        && mantissa != "."
        && !exponent_digits.is_empty();
    if !some
        || !digits(whole)
        || !digits(fraction)
        || !digits(exponent_digits)
        || (whole.is_empty() && !mantissa.starts_with('.'))
    {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    if mantissa == magnitude && !mantissa.contains('.') {
        return Some(if whole == "0" {
            "0".to_owned()
        } else {
            format!("{sign}{whole}")
        });
    }
    let fraction = if fraction.is_empty() { "0" } else { fraction };
    let spelling = format!("{sign}{whole}.{fraction}e{exponent}");
    Number::read(&spelling).map(|number| number_text(&number))
}

fn based(digits: &str, radix: u32) -> Option<String> {
    let known = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
    known
        .then(|| u128::from_str_radix(digits, radix).ok())
        .flatten()
        .map(|value| value.to_string())
}
