//! One text for one value, to the last digit.
//!
//! The canonical form of RFC 8785 reads numbers as doubles: the messages 1234567890123456789 and 1234567890123456788 have
//! one canonical form, and so one call hash. A server that counts exactly sees two. What a person agreed to, and what a
//! decision was remembered for, is therefore told apart by this form as well: members in order, numbers as spelled.

use sha2::{Digest, Sha256};

use crate::canonical::hex;
use crate::json::{Order, Text, Value, write_object, write_text, write_value};
use crate::request::DecisionRequest;

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
    format!("sha256:{}", hex(&Sha256::digest(exact(value))))
}

/// The exact hash of a call: what [`DecisionRequest::call_hash`] says, to the last digit, with the kinds of subject and
/// agent, and with the server: `a.b.c` is the tool `b.c` of one and the tool `c` of another.
#[must_use]
pub fn call_hash(request: &DecisionRequest<'_>) -> String {
    let mut out = String::from("[1");
    let agent = &request.context.agent;
    for text in [
        request.subject.kind.as_str(),
        &request.subject.id,
        agent.kind.as_str(),
        &agent.id,
        request.surface.server.as_deref().unwrap_or_default(),
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
    for object in [&request.resource.properties, &request.context.arguments] {
        out.push(',');
        match object {
            Some(object) => write_object(&mut out, object, Order::Sorted),
            None => out.push_str("null"),
        }
    }
    out.push(']');
    format!("sha256:{}", hex(&Sha256::digest(out)))
}

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
            (r#","q":[2]"#, ""),
            (r#""server":"s""#, r#""server":"s.t""#),
        ] {
            check_call(from, to, false);
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
