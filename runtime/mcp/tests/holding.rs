//! Calls that wait for a person, and tools that change: what a session makes of either.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail like tests"
)]

#[path = "support/client.rs"]
mod client;

use std::time::Instant;

use client::{Proxy, Setup};
use knotrust_core::ruleset::Approvals;
use knotrust_govern::approvals::{Answer, Desk, Pending, ResolveError, Verdict, Way};
use knotrust_govern::clock;
use knotrust_govern::home::Home;
use serde_json::{Value, json};

/// The oldest question of the proxy that nobody has answered, as soon as there is one.
fn question(proxy: &Proxy) -> Pending {
    let home = Home::open(Some(proxy.path("home").as_os_str()), None).unwrap();
    let desk = Desk::of(&home);
    let start = Instant::now();
    loop {
        let pending = desk.list().unwrap_or_default();
        if let Some(open) = pending.into_iter().find(|pending| pending.end.is_none()) {
            return open;
        }
        assert!(start.elapsed().as_secs() < 20, "nobody asks");
        std::thread::yield_now();
    }
}

fn say(pending: &Pending, verdict: Verdict) -> Result<(), ResolveError> {
    let now = clock::now().wall;
    let answer = Answer {
        verdict,
        at: now,
        way: Way::Terminal,
        who: "tester".to_owned(),
        call: Some(pending.ticket.exact.clone()),
        consent: None,
    };
    pending.resolve(&Approvals::DEFAULT, &answer, now)
}

fn wipe(id: u32, argument: u32) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"wipe","arguments":{{ "n" : {argument}.0 }}}}}}"#
    )
}

#[test]
fn a_yes_lets_exactly_this_call_pass_once() {
    let mut proxy = Proxy::ready(json!({}));
    proxy.send(wipe(2, 1));
    say(&question(&proxy), Verdict::Approve).unwrap();
    let answer = proxy.answer();
    assert_eq!(answer["id"], 2);
    assert!(answer["result"].get("isError").is_none(), "{answer}");
    assert_eq!(proxy.received(), [wipe(2, 1) + "\n"], "byte for byte");
    proxy.send(wipe(3, 1));
    assert!(
        proxy.until_ping().is_empty(),
        "the same call again waits anew"
    );
    assert_eq!(proxy.received().len(), 1);
}

#[test]
fn a_no_is_told_as_one() {
    let mut proxy = Proxy::ready(json!({}));
    proxy.send(wipe(2, 1));
    say(&question(&proxy), Verdict::Deny).unwrap();
    let result = proxy.answer()["result"].clone();
    let block = &result["_meta"]["io.knotrust/decision"];
    assert_eq!(result["isError"], true);
    assert_eq!(
        (&block["outcome"], &block["retryable"]),
        (&json!("deny"), &json!(false))
    );
    assert!(proxy.received().is_empty());
    assert_eq!(proxy.end().code, 0);
}

#[test]
fn what_waits_keeps_nobody_else_waiting() {
    let mut proxy = Proxy::ready(json!({}));
    proxy.send(wipe(2, 1));
    proxy.call(3, "echo");
    assert_eq!(proxy.answer()["id"], 3);
    assert!(proxy.until_ping().is_empty());
}

#[test]
fn a_late_yes_to_a_call_that_was_given_up_is_refused() {
    let mut proxy = Proxy::ready(json!({}));
    proxy.send(wipe(2, 1));
    let question = question(&proxy);
    proxy.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#);
    let start = Instant::now();
    let cancelled = |event: &Value| event["type"] == "approval_cancelled";
    while !proxy.events().iter().any(cancelled) {
        assert!(start.elapsed().as_secs() < 20);
        std::thread::yield_now();
    }
    assert!(say(&question, Verdict::Approve).is_err());
    assert!(
        proxy.until_ping().is_empty(),
        "what was given up is not answered"
    );
    assert!(proxy.received().is_empty());
}

#[test]
fn a_call_that_was_told_to_come_back_passes_when_it_does() {
    let mut proxy = Setup {
        arguments: vec!["--hold".into(), "50".into()],
        ..Setup::default()
    }
    .start();
    proxy.shake_hands();
    proxy.send(wipe(2, 1));
    let block = proxy.answer()["result"]["_meta"]["io.knotrust/decision"].clone();
    assert_eq!(
        (&block["outcome"], &block["retryable"]),
        (&json!("pending_approval"), &json!(true))
    );
    let question = question(&proxy);
    assert_eq!(block["approvalId"], question.ticket.id.as_str());
    say(&question, Verdict::Approve).unwrap();
    proxy.send(wipe(3, 1));
    let answer = proxy.answer();
    assert_eq!(answer["id"], 3);
    assert!(answer["result"].get("isError").is_none(), "{answer}");
    assert_eq!(proxy.received().len(), 1);
}

#[test]
fn a_tool_that_changes_needs_a_person_from_then_on() {
    let page = |description: &str| {
        let tool = json!({ "name": "read_note", "description": description, "inputSchema": { "type": "object" } });
        json!({ "tools": [tool] })
    };
    let pages = json!([
        page("Reads a note."),
        page("changed"),
        page("Reads a note.")
    ]);
    let mut proxy = Proxy::ready(json!({ "pages": pages }));
    let mut list = |id: u32, shown: &str| {
        proxy.send(format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#
        ));
        assert_eq!(proxy.answer()["result"]["tools"][0]["description"], shown);
        proxy.call(id + 1, "read_note");
        proxy.until_ping().len()
    };
    assert_eq!(list(2, "Reads a note."), 1, "answered");
    assert_eq!(list(4, "changed"), 0, "held");
    assert_eq!(list(6, "Reads a note."), 0, "going back clears nothing");
    let events = proxy.events();
    let changes = events
        .iter()
        .filter(|event| event["type"] == "tool_definition_changed");
    assert_eq!(changes.count(), 2, "one event a change");
    assert_eq!(
        proxy
            .received()
            .iter()
            .filter(|line| line.contains("tools/call"))
            .count(),
        1
    );
}
