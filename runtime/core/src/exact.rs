//! One text for one value, to the last digit.
//!
//! The canonical form of RFC 8785 reads numbers as doubles: the messages 1234567890123456789 and 1234567890123456788 have
//! one canonical form, and so one call hash. A server that counts exactly sees two. What a person agreed to, and what a
//! decision was remembered for, is therefore told apart by this form as well: members in order, numbers as spelled.

use sha2::{Digest, Sha256};

use crate::canonical::{is_small_integer, spelled_hash};
use crate::json::{Object, Order, Text, Value, separate, write_object, write_text, write_value};
use crate::request::{DecisionRequest, NO_HASH};

/// The exact form: members ordered by their bytes, numbers in their spelling, minimal escapes.
#[must_use]
pub fn exact(value: &Value<'_>) -> String {
    let mut out = String::new();
    write_value(&mut out, value, Order::Sorted);
    out
}

/// `sha256:` and the lower-case hex SHA-256 of the exact form.
#[must_use]
pub fn exact_hash(value: &Value<'_>) -> String {
    spelled_hash(&Sha256::digest(exact(value)))
}

/// The exact hash of a call: what [`DecisionRequest::call_hash`] says, to the last digit, with the kinds of subject and
/// agent, and with the server: `a.b.c` is the tool `b.c` of one and the tool `c` of another.
#[must_use]
pub fn call_hash(request: &DecisionRequest<'_>) -> String {
    call_hash_with(request, &request.arguments_hash())
}

/// [`call_hash`], for who has the arguments' hash ([`DecisionRequest::arguments_hash`]) already: the arguments may be long,
/// and are not written out again.
///
/// Their canonical form tells apart all but the spelling of numbers, so it is these that are added, each with its place
/// among the numbers. Arguments without canonical form are written out in the exact one.
#[must_use]
pub fn call_hash_with(request: &DecisionRequest<'_>, arguments_hash: &str) -> String {
    let mut out = String::with_capacity(USUAL);
    out.push_str("[2");
    let agent = &request.context.agent;
    for text in [
        request.subject.kind.as_str(),
        &request.subject.id,
        agent.kind.as_str(),
        &agent.id,
        request.surface.server.as_deref().unwrap_or_default(),
        arguments_hash,
    ] {
        out.push(',');
        write_text(&mut out, &Text::from(text));
    }
    for text in [
        &request.action.name,
        &request.resource.kind,
        &request.resource.id,
    ] {
        out.push(',');
        write_text(&mut out, text);
    }
    out.push(',');
    match &request.resource.properties {
        Some(properties) => write_object(&mut out, properties, Order::Sorted),
        None => out.push_str("null"),
    }
    out.push(',');
    match &request.context.arguments {
        Some(arguments) if arguments_hash == NO_HASH => {
            write_object(&mut out, arguments, Order::Sorted);
        }
        Some(arguments) => write_numbers(&mut out, arguments),
        None => out.push_str("null"),
    }
    out.push(']');
    spelled_hash(&Sha256::digest(out))
}

/// The numbers whose spelling is not their canonical one for sure, as `[place,number,…]`.
fn write_numbers(out: &mut String, arguments: &Object<'_>) {
    out.push('[');
    let mut place = 0;
    add_members(out, arguments, &mut place);
    out.push(']');
}

fn add_members(out: &mut String, object: &Object<'_>, place: &mut u64) {
    // In one order whatever the order they were sent in; which one does not matter.
    if object.iter().is_sorted_by_key(|(name, _)| name.as_bytes()) {
        let members = object.iter();
        return members.for_each(|(_, member)| add_numbers(out, member, place));
    }
    let mut members: Vec<_> = object.iter().collect();
    members.sort_by_key(|(name, _)| name.as_bytes());
    members
        .into_iter()
        .for_each(|(_, member)| add_numbers(out, member, place));
}

fn add_numbers(out: &mut String, value: &Value<'_>, place: &mut u64) {
    match value {
        Value::Null | Value::Bool(_) | Value::String(_) => {}
        Value::Number(number) => {
            let text = number.as_str();
            if !is_small_integer(text) {
                separate(out, usize::from(!out.ends_with('[')));
                out.push_str(&place.to_string());
                out.push(',');
                out.push_str(text);
            }
            *place += 1;
        }
        Value::Array(elements) => elements
            .iter()
            .for_each(|element| add_numbers(out, element, place)),
        Value::Object(object) => add_members(out, object, place),
    }
}

/// How long what a call is told by usually is, in bytes.
const USUAL: usize = 512;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[track_caller]
    fn check(left: &str, right: &str, same: bool) {
        let [left_hash, right_hash] =
            [left, right].map(|text| exact_hash(&parse(text.as_bytes()).unwrap()));
        assert_eq!(left_hash == right_hash, same, "{left} and {right}");
    }

    const CALL: &str = r#"{"contractVersion":"1.0","requestId":"1","timestamp":"2027-01-15T08:00:00Z",
        "subject":{"type":"user","id":"dev"},"action":{"name":"s.t"},
        "resource":{"type":"r","id":"x","properties":{"n":1}},
        "context":{"agent":{"id":"a","type":"ai_agent"},"arguments":{"p":1,"q":[2]},
          "env":{"time":"2027-01-15T08:00:00Z","surfaceLocal":true}},
        "surface":{"kind":"stdio_proxy","instanceId":"1","server":"s"}}"#;

    #[track_caller]
    fn check_call(from: &str, to: &str, same: bool) {
        let [left, right] = [CALL.to_owned(), CALL.replace(from, to)].map(|text| {
            let value = parse(text.as_bytes()).unwrap();
            call_hash(&crate::request::read(&value).unwrap())
        });
        assert_eq!(left == right, same, "{from} {to}");
    }

    #[test]
    fn a_call_is_its_parties_its_tool_its_resource_and_its_arguments() {
        check_call(r#""requestId":"1""#, r#""requestId":"2""#, true);
        check_call("2027-01-15", "2027-01-16", true);
        check_call("stdio_proxy", "sdk", true);
        check_call(r#"{"p":1,"q":[2]}"#, r#"{"q":[2],"p":1}"#, true);
        for (from, to) in [
            (r#""type":"user""#, r#""type":"service""#),
            (r#""id":"dev""#, r#""id":"eve""#),
            (r#""name":"s.t""#, r#""name":"s.u""#),
            (r#""type":"r""#, r#""type":"q""#),
            (r#""id":"x""#, r#""id":"y""#),
            (r#"{"n":1}"#, r#"{"n":1.0}"#),
            (r#""id":"a""#, r#""id":"b""#),
            ("ai_agent", "workload"),
            (r#""p":1"#, r#""p":2"#),
            (r#""p":1"#, r#""p":1.0"#),
            (r#""q":[2]"#, r#""q":[2e0]"#),
            (r#""q":[2]"#, r#""q":[1234567890123456789]"#),
            (r#","q":[2]"#, ""),
            (r#""server":"s""#, r#""server":"s.t""#),
        ] {
            check_call(from, to, false);
        }
    }

    #[test]
    fn numbers_of_one_canonical_form_are_told_apart_by_spelling_and_place() {
        let spelled = [
            r#"{"p":1,"q":[5,5.0]}"#,
            r#"{"p":1,"q":[5.0,5]}"#,
            r#"{"p":1.0,"q":[5,5]}"#,
            r#"{"p":1,"q":[5,5]}"#,
            r#"{"p":1,"q":[5,5.00]}"#,
            r#"{"p":1,"q":[12345678901234567890,5]}"#,
            r#"{"p":1,"q":[12345678901234567891,5]}"#,
            r#"{"p":1,"q":[1e999,5]}"#,
            r#"{"p":1,"q":[1e998,5]}"#,
        ];
        for left in spelled {
            for right in spelled {
                let [one, other] = [left, right].map(|arguments| {
                    let call = CALL.replace(r#"{"p":1,"q":[2]}"#, arguments);
                    call_hash(&crate::request::read(&parse(call.as_bytes()).unwrap()).unwrap())
                });
                assert_eq!(one == other, left == right, "{left} {right}");
            }
        }
    }

    #[test]
    fn order_and_escapes_do_not_matter_and_digits_do() {
        check(
            r#"{"a":1,"b":[{"d":2,"c":3}]}"#,
            r#"{"b":[{"c":3,"d":2}],"a":1}"#,
            true,
        );
        check(r#"{"\u0061":"\/"}"#, r#"{"a":"/"}"#, true);
        check("[1234567890123456789]", "[1234567890123456788]", false);
        check("[100]", "[100.00000000000000001]", false);
        check(r#"{"a":null}"#, "{}", false);
        check(r#"["\ud800"]"#, r#"["\ud801"]"#, false);
        check(r#"[1,2]"#, "[2,1]", false);
    }
}
