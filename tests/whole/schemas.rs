//! The schemas of what the program writes, against what it really writes.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use knotrust_core::decision::response::is_response;
use knotrust_core::time::Timestamp;
use knotrust_core::{json as exact, request};
use knotrust_language::schema::Published;
use serde_json::{Value, json};

use super::adversary::{Proxy, run, scratch};

/// Everything that is wrong with a value, by the schema of that name.
fn faults(schema: &str, value: &Value) -> Vec<String> {
    let schema = serde_json::from_str(Published::find(schema).unwrap().text).unwrap();
    let mut faults = Vec::new();
    check(&schema, &schema, value, "", &mut faults);
    faults
}

#[track_caller]
fn fits(schema: &str, value: &Value) {
    assert_eq!(faults(schema, value), [""; 0], "{schema}: {value}");
}

/// So much of JSON Schema as ours use; a keyword that is not known here stops the test.
fn check(root: &Value, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
    if *schema == json!(true) {
        return;
    }
    let alternatives = |list: &Value| -> Vec<bool> {
        let fits = |one| {
            let mut inner = Vec::new();
            check(root, one, value, at, &mut inner);
            inner.is_empty()
        };
        list.as_array().unwrap().iter().map(fits).collect()
    };
    for (keyword, wanted) in schema.as_object().unwrap() {
        let number = value.as_f64();
        let sound = match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" | "examples" => true,
            "$ref" => {
                let pointer = wanted.as_str().unwrap().strip_prefix('#').unwrap();
                check(root, root.pointer(pointer).unwrap(), value, at, faults);
                true
            }
            "type" => match wanted.as_array() {
                Some(types) => types.iter().any(|kind| is_a(kind, value)),
                None => is_a(wanted, value),
            },
            "const" => value == wanted,
            "enum" => wanted.as_array().unwrap().contains(value),
            "oneOf" => alternatives(wanted).iter().filter(|fits| **fits).count() == 1,
            "anyOf" => alternatives(wanted).contains(&true),
            "pattern" => value
                .as_str()
                .is_none_or(|text| has_form(wanted.as_str().unwrap(), text)),
            "format" if wanted == "date-time" => value
                .as_str()
                .is_none_or(|text| Timestamp::parse(text).is_some()),
            "format" => ["double", "uint64"].contains(&wanted.as_str().unwrap()),
            "minimum" => number.is_none_or(|number| number >= wanted.as_f64().unwrap()),
            "maximum" => number.is_none_or(|number| number <= wanted.as_f64().unwrap()),
            "minLength" => value
                .as_str()
                .is_none_or(|text| text.len() as u64 >= wanted.as_u64().unwrap()),
            "minItems" => value
                .as_array()
                .is_none_or(|items| items.len() as u64 >= wanted.as_u64().unwrap()),
            "minProperties" => value
                .as_object()
                .is_none_or(|object| object.len() as u64 >= wanted.as_u64().unwrap()),
            "items" => {
                let items = value.as_array().into_iter().flatten().enumerate();
                items.for_each(|(index, item)| {
                    check(root, wanted, item, &format!("{at}/{index}"), faults)
                });
                true
            }
            "required" => value.as_object().is_none_or(|object| {
                let names = wanted.as_array().unwrap().iter();
                names
                    .map(|name| name.as_str().unwrap())
                    .all(|name| object.contains_key(name))
            }),
            "properties" | "patternProperties" | "additionalProperties" => true,
            other => panic!("the schema says {other}"),
        };
        if !sound {
            faults.push(format!("{at}: {keyword} {wanted}"));
        }
    }
    for (name, member) in value.as_object().into_iter().flatten() {
        let at = format!("{at}/{name}");
        let pointers = schema
            .pointer("/patternProperties")
            .filter(|_| name.is_empty() || name.starts_with('/'));
        let pointers = pointers.and_then(|patterns| patterns.get("^(/.*)?$"));
        let known = schema
            .pointer("/properties")
            .and_then(|known| known.get(name));
        match known.or(pointers).or(schema.get("additionalProperties")) {
            Some(Value::Bool(false)) => faults.push(format!("{at}: not known")),
            Some(of_member) => check(root, of_member, member, &at, faults),
            None => {}
        }
    }
}

fn is_a(kind: &Value, value: &Value) -> bool {
    match kind.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        other => panic!("the schema says {other}"),
    }
}

fn has_form(pattern: &str, text: &str) -> bool {
    let hex = |text: &str| {
        text.len() == 64
            && text
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let safe = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    match pattern {
        "^[0-9a-f]{64}$" => hex(text),
        "^sha256:[0-9a-f]{64}$" => text.strip_prefix("sha256:").is_some_and(hex),
        "^[A-Za-z0-9_-]*$" => text.bytes().all(safe),
        "^[A-Za-z0-9_-]{1,128}$" => (1..=128).contains(&text.len()) && text.bytes().all(safe),
        "^apr_[A-Za-z0-9]{1,64}$" => text
            .strip_prefix("apr_")
            .is_some_and(|id| id.bytes().all(|byte| byte.is_ascii_alphanumeric())),
        "^[A-Z2-9]{6}$" => {
            text.len() == 6
                && text
                    .bytes()
                    .all(|byte| matches!(byte, b'A'..=b'Z' | b'2'..=b'9'))
        }
        "^([01][0-9]|2[0-3]):[0-5][0-9]$" => {
            text.len() == 5 && text < "24:00" && text.as_bytes()[2] == b':'
        }
        other => panic!("the schema says {other}"),
    }
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The files of calls that wait, in this folder and those below.
fn tickets(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                tickets(&path)
            } else if name.starts_with("apr_") && name.ends_with(".json") {
                vec![path]
            } else {
                Vec::new()
            }
        })
        .collect()
}

#[test]
fn what_a_session_leaves_behind_is_as_the_schemas_say() {
    let (_scratch, home) = scratch();
    let words = [
        "grant",
        "--server",
        "demo",
        "--tool",
        "write_note",
        "--yes",
        "--format",
        "json",
    ];
    let bounds = [
        "--uses",
        "3",
        "--condition",
        "title!=secret",
        "--limit",
        "amount=5000",
        "--agent",
        "a",
    ];
    for more in [&[][..], &bounds] {
        let words: Vec<_> = words.iter().chain(more).copied().collect();
        let granted: Value = serde_json::from_str(&run(&home, &words)).unwrap();
        let token = run(&home, &["grant", "export", granted["id"].as_str().unwrap()]);
        let payload = token.trim().split('.').nth(1).unwrap();
        let payload = BASE64_URL_SAFE_NO_PAD.decode(payload).unwrap();
        fits("grant", &serde_json::from_slice(&payload).unwrap());
    }
    let mut proxy = Proxy::start(&home);
    assert!(proxy.call("write_note", &json!({ "title": "today", "text": "x" })));
    run(&home, &["revoke", "--all", "--yes"]);
    assert!(!proxy.call("drop_database", &json!({ "name": "x" })));
    for words in [&["approve", "--yes"][..], &["deny"]] {
        let id = proxy.ask("purge_notes", &json!({ "because": 1.50 }));
        let tickets = tickets(&home.join("approvals"));
        let ticket = tickets
            .iter()
            .map(|path| read(path))
            .find(|ticket| ticket["id"] == id || ticket["code"] == id);
        let ticket = ticket.unwrap_or_else(|| panic!("{id} is not among {tickets:?}"));
        fits("ticket", &ticket);
        fits("decision-request", &ticket["request"]);
        let words: Vec<_> = ["approvals"]
            .iter()
            .chain(words)
            .copied()
            .chain([&*id])
            .collect();
        run(&home, &words);
        assert_eq!(proxy.passes(), words.contains(&"approve"));
    }
    for tool in ["write_note", "drop_database", "purge_notes"] {
        proxy.send(tool, &json!({}));
        if tool == "purge_notes" {
            let id = proxy.waiting();
            run(&home, &["approvals", "deny", &id]);
        }
        fits(
            "denial",
            &proxy.answer()["result"]["_meta"]["io.knotrust/decision"],
        );
    }
    drop(proxy);
    let mut kinds = std::collections::BTreeSet::new();
    for file in fs::read_dir(home.join("audit")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|end| end == "jsonl") {
            for line in fs::read_to_string(path).unwrap().lines() {
                let event: Value = serde_json::from_str(line).unwrap();
                fits("event", &event);
                kinds.insert(event["type"].as_str().unwrap().to_owned());
            }
        }
    }
    for kind in [
        "decision",
        "call_ended",
        "grant_created",
        "grant_revoked",
        "grant_consumed",
        "approval_approved",
        "approval_denied",
        "session_started",
    ] {
        assert!(kinds.contains(kind), "{kind} of {kinds:?}");
    }
}

#[test]
fn an_explanation_is_as_its_schema_says() {
    let (_scratch, home) = scratch();
    for (server, tool) in [
        ("demo", "list_notes"),
        ("demo", "drop_database"),
        ("filesystem", "write_file"),
        ("x", "a\u{200b}b"),
        ("x", "delete_all"),
    ] {
        let answer = run(
            &home,
            &[
                "explain",
                "--server",
                server,
                "--tool",
                tool,
                "--arguments",
                r#"{"path":"docs/a.md"}"#,
                "--format",
                "json",
            ],
        );
        fits("explanation", &serde_json::from_str(&answer).unwrap());
    }
}

#[test]
fn the_schemas_of_the_contract_say_what_its_readers_say() {
    let request = json!({
        "contractVersion": "1.0", "requestId": "01J", "timestamp": "2026-07-06T10:00:00Z",
        "subject": { "type": "user", "id": "ann", "properties": { "authn": "os_session", "x": 1 } },
        "action": { "name": "stripe.create_refund", "properties": { "mcpMethod": "tools/call" } },
        "resource": { "type": "charge", "id": "ch_1" },
        "context": {
            "agent": { "id": "a", "type": "ai_agent", "clientId": "c", "model": "m" },
            "env": { "time": "2026-07-06T10:00:00+02:00", "surfaceLocal": true, "more": [] },
            "arguments": { "amount": 1 },
        },
        "surface": { "kind": "stdio_proxy", "instanceId": "i", "specVersion": "2025-11-25", "transport": "stdio" },
        "toolAnnotations": { "trusted": false, "source": "server_advertised", "destructiveHint": true },
    });
    agree("decision-request", &request, |value| {
        request::read(value).is_ok()
    });
    let decision = json!({
        "contractVersion": "1.0", "requestId": "01J", "decisionId": "01K", "outcome": "pending_approval", "tier": "critical",
        "reasonCode": "no_grant_critical", "reasonUser": "x", "approval": { "id": "apr_1", "state": "pending", "expiresAt": "2026-07-06T10:00:00Z" },
        "requestable": { "how": "x" }, "cache": { "hit": false, "ttlSeconds": 30 }, "evaluatedBy": "L0", "latencyMs": 0.5,
    });
    agree("decision", &decision, is_response);
}

/// The value is one of the contract, and so is none that differs from it in one member; the schema and the reader agree on each.
#[track_caller]
fn agree(schema: &str, whole: &Value, read: impl Fn(&exact::Value<'_>) -> bool) {
    let accepts = |value: &Value| read(&exact::parse(value.to_string().as_bytes()).unwrap());
    assert!(accepts(whole));
    fits(schema, whole);
    let mut refused = 0;
    for pointer in pointers(whole, "") {
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        for stranger in [
            None,
            Some(json!(null)),
            Some(json!("no such word")),
            Some(json!(-1)),
            Some(json!({})),
            Some(json!("-000001-01-01T00:00:00Z")),
        ] {
            let mut other = whole.clone();
            let object = other.pointer_mut(parent).unwrap().as_object_mut().unwrap();
            object.remove(name);
            object.extend(stranger.map(|value| (name.to_owned(), value)));
            let sound = accepts(&other);
            assert_eq!(faults(schema, &other).is_empty(), sound, "{other}");
            refused += usize::from(!sound);
        }
        let mut other = whole.clone();
        other
            .pointer_mut(parent)
            .unwrap()
            .as_object_mut()
            .unwrap()
            .insert("stranger".to_owned(), json!(1));
        assert_eq!(
            faults(schema, &other).is_empty(),
            accepts(&other),
            "{other}"
        );
    }
    assert!(refused > 20);
}

fn pointers(value: &Value, at: &str) -> Vec<String> {
    let members = value.as_object().into_iter().flatten();
    members
        .flat_map(|(name, member)| {
            let at = format!("{at}/{name}");
            let mut all = pointers(member, &at);
            all.push(at);
            all
        })
        .collect()
}
