//! What a grant token means: corpora that other implementations answer in the same way.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop"
)]

use knotrust_core::grant::{Call, Grant, Keyring, Trust};
use knotrust_core::json::{Value, parse};
use knotrust_core::request;
use knotrust_core::ruleset::Approvals;
use knotrust_core::surroundings::Surroundings;
use knotrust_core::tier::Tier;

/// The public half of the published test key, seed `42` times 32. It signs every token here that is meant to hold.
const PRIMARY: [u8; 32] = [
    0x21, 0x52, 0xf8, 0xd1, 0x9b, 0x79, 0x1d, 0x24, 0x45, 0x32, 0x42, 0xe1, 0x5f, 0x2e, 0xab, 0x6c,
    0xb7, 0xcf, 0xfa, 0x7b, 0x6a, 0x5e, 0xd3, 0x00, 0x97, 0x96, 0x0e, 0x06, 0x98, 0x81, 0xdb, 0x12,
];

#[track_caller]
fn check(corpus: &[u8], count: usize) {
    let corpus = parse(corpus).unwrap();
    let rows = corpus.as_array().unwrap();
    assert_eq!(rows.len(), count);
    let wrong: Vec<_> = rows.iter().filter_map(disagreement).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn disagreement(row: &Value<'_>) -> Option<String> {
    let seen = verdict(row);
    let expected = text(row, "expect");
    (seen != expected).then(|| format!("{}: {seen}, not {expected}", text(row, "name")))
}

fn verdict(row: &Value<'_>) -> String {
    let mut keys = Keyring::new();
    let kid = keys.trust(&PRIMARY).unwrap();
    if row.get("impostor").is_some() {
        keys.distrust(kid);
    }
    let trust = Trust {
        keys: &keys,
        approvals: &Approvals::DEFAULT,
    };
    let tier = Tier::from_name(text(row, "tier")).unwrap();
    let now = row
        .get("now")
        .unwrap()
        .as_number()
        .unwrap()
        .as_u64()
        .unwrap();
    let request = request::read(row.get("request").unwrap()).unwrap();
    let arguments = request.arguments();
    let call = Call {
        request: &request,
        arguments: &arguments,
        hash: row.get("callHash").and_then(Value::as_str),
        exact: "",
        session: None,
        around: &Surroundings::NOWHERE,
    };
    let verified = Grant::verify(text(row, "token"), trust)
        .and_then(|grant| grant.check(&call, tier, now).map(|()| grant));
    match verified {
        Ok(grant) => {
            let claims = grant.claims();
            format!("ok {} {} {}", claims.id, claims.kind.as_str(), claims.cap)
        }
        Err(error) => error.code().to_owned(),
    }
}

fn text<'a>(value: &'a Value<'a>, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap()
}

#[test]
fn tokens_mean_what_the_golden_set_says() {
    check(include_bytes!("vectors/grants/golden.json"), 8);
}

#[test]
fn every_edge_is_where_the_reference_has_it() {
    check(include_bytes!("vectors/grants/edges.json"), 109);
}

#[test]
fn no_other_spelling_header_or_key_gets_a_token_through() {
    check(include_bytes!("vectors/grants/hostile.json"), 48);
}
