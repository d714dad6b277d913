//! Questions that a person is asked through the client, in both eras of the protocol.

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
use serde_json::{Value, json};

/// A proxy whose client can be asked like this.
fn asked_by(elicitation: &Value, arguments: &[&str]) -> Proxy {
    let mut proxy = started(arguments);
    proxy.shake_hands_as(&json!({ "elicitation": elicitation }));
    proxy
}

fn started(arguments: &[&str]) -> Proxy {
    Setup {
        arguments: arguments.iter().map(ToString::to_string).collect(),
        ..Setup::default()
    }
    .start()
}

const WIPE: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wipe","arguments":{ "n" : 1.0, "t": "a\u202eb" }}}"#;

fn say(proxy: &mut Proxy, question: &Value, result: &Value) {
    let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": result });
    proxy.send(answer.to_string());
}

fn calls(proxy: &Proxy) -> Vec<String> {
    let lines = proxy.received().into_iter();
    lines.filter(|line| line.contains("tools/call")).collect()
}

fn wait_for_event(proxy: &Proxy, kind: &str) -> Value {
    let start = Instant::now();
    loop {
        let mut events = proxy.events().into_iter();
        if let Some(event) = events.find(|event| event["type"] == kind) {
            return event;
        }
        assert!(start.elapsed().as_secs() < 20, "no {kind}");
        std::thread::yield_now();
    }
}

#[test]
fn a_form_that_is_filled_in_lets_the_call_pass_once() {
    let mut proxy = asked_by(&json!({}), &[]);
    proxy.send(WIPE);
    let question = proxy.answer();
    assert_eq!(question["method"], "elicitation/create");
    let params = &question["params"];
    assert_eq!(params["mode"], "form");
    let message = params["message"].as_str().unwrap();
    assert!(message.contains("`fake.wipe` (critical)"), "{message}");
    assert!(
        message.contains(r#"{"n":1.0,"t":"a<U+202E>b"}"#),
        "{message}"
    );
    assert_eq!(
        params["requestedSchema"]["properties"]["approve"]["default"],
        false
    );
    say(
        &mut proxy,
        &question,
        &json!({ "action": "accept", "content": { "approve": true } }),
    );
    let answer = proxy.answer();
    assert_eq!(answer["id"], 2);
    assert!(answer["result"].get("isError").is_none(), "{answer}");
    assert_eq!(calls(&proxy), [WIPE.to_owned() + "\n"], "byte for byte");
    assert!(!proxy.received().iter().any(|line| line.contains("approve")));
    let event = wait_for_event(&proxy, "approval_approved");
    assert_eq!(event["channel"], "elicitation_form");
    say(
        &mut proxy,
        &question,
        &json!({ "action": "accept", "content": { "approve": true } }),
    );
    assert!(proxy.until_ping().is_empty());
    assert_eq!(calls(&proxy).len(), 1);
}

#[test]
fn whatever_is_no_clear_yes_lets_nothing_pass() {
    for (answer, expected) in [
        (json!({ "action": "decline" }), true),
        (
            json!({ "action": "accept", "content": { "approve": false } }),
            true,
        ),
        (
            json!({ "action": "accept", "content": { "approve": "yes" } }),
            false,
        ),
        (json!({ "action": "accept" }), false),
        (
            json!({ "action": "cancel", "content": { "approve": true } }),
            false,
        ),
    ] {
        let mut proxy = asked_by(&json!({ "form": {} }), &[]);
        proxy.send(WIPE);
        let question = proxy.answer();
        say(&mut proxy, &question, &answer);
        if expected {
            let result = proxy.answer()["result"].clone();
            assert_eq!(
                result["_meta"]["io.knotrust/decision"]["outcome"], "deny",
                "{answer}"
            );
        } else {
            assert!(proxy.until_ping().is_empty(), "it waits on: {answer}");
        }
        assert!(calls(&proxy).is_empty(), "{answer}");
    }
}

#[test]
fn a_client_that_cannot_ask_is_not_asked_and_one_that_gives_up_is_told() {
    let mut silent = asked_by(&Value::Null, &[]);
    silent.send(WIPE);
    assert!(silent.until_ping().is_empty());

    let mut proxy = asked_by(&json!({}), &[]);
    proxy.send(WIPE);
    let question = proxy.answer();
    proxy.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#);
    let cancelled = proxy.answer();
    assert_eq!(cancelled["method"], "notifications/cancelled");
    assert_eq!(cancelled["params"]["requestId"], question["id"]);
    wait_for_event(&proxy, "approval_cancelled");
    say(
        &mut proxy,
        &question,
        &json!({ "action": "accept", "content": { "approve": true } }),
    );
    assert!(proxy.until_ping().is_empty());
    assert!(
        proxy.received().is_empty(),
        "not even the answer reaches the server"
    );
}

#[test]
fn a_call_that_is_not_held_any_longer_takes_its_question_back() {
    let mut proxy = asked_by(&json!({}), &["--hold", "50"]);
    proxy.send(WIPE);
    let question = proxy.answer();
    assert_eq!(proxy.answer()["params"]["requestId"], question["id"]);
    let result = proxy.answer()["result"].clone();
    assert_eq!(
        result["_meta"]["io.knotrust/decision"]["outcome"],
        "pending_approval"
    );
}

#[test]
fn a_call_that_comes_again_is_asked_about_again() {
    let mut proxy = asked_by(&json!({}), &["--hold", "50"]);
    proxy.send(WIPE);
    let first = proxy.answer();
    while proxy.answer()["id"] != 2 {}
    proxy.send(WIPE);
    let second = proxy.answer();
    assert_eq!(second["method"], "elicitation/create");
    assert_ne!(second["id"], first["id"]);
    assert_eq!(second["params"], first["params"], "one ticket");
}

#[test]
fn a_page_is_opened_and_its_opening_is_no_answer() {
    let mut proxy = asked_by(&json!({ "url": {}, "form": {} }), &["--page"]);
    proxy.send(WIPE);
    let question = proxy.answer();
    let params = &question["params"];
    assert_eq!(params["mode"], "url");
    assert!(
        params["url"]
            .as_str()
            .unwrap()
            .starts_with("http://127.0.0.1:9/")
    );
    assert!(params["elicitationId"].is_string());
    say(&mut proxy, &question, &json!({ "action": "accept" }));
    assert!(proxy.until_ping().is_empty(), "it waits for the page");
    proxy.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#);
    let complete = proxy.answer();
    assert_eq!(complete["method"], "notifications/elicitation/complete");
    assert_eq!(complete["params"]["elicitationId"], params["elicitationId"]);
    assert!(calls(&proxy).is_empty());
}

#[test]
fn where_a_proof_is_wanted_no_form_asks() {
    let mut form = asked_by(&json!({ "form": {} }), &["--strict", "--page"]);
    form.send(WIPE);
    assert!(form.until_ping().is_empty(), "a form can't hold a proof");
    form.send(modern(3, "wipe", &json!({})));
    assert!(form.until_ping().is_empty(), "in neither era");
    let mut page = asked_by(&json!({ "form": {}, "url": {} }), &["--strict", "--page"]);
    page.send(WIPE);
    let question = page.answer();
    assert_eq!(question["params"]["mode"], "url");
    say(
        &mut page,
        &question,
        &json!({ "action": "accept", "content": { "approve": true } }),
    );
    assert!(page.until_ping().is_empty());
    assert!(calls(&page).is_empty() && calls(&form).is_empty());
}

#[test]
fn an_answer_to_the_servers_question_is_the_servers() {
    let mut proxy = asked_by(&json!({}), &[]);
    let line = r#"{"jsonrpc":"2.0","id":"knotrust:1","result":{"action":"accept"}}"#;
    proxy.send(line);
    let _ = proxy.until_ping();
    assert_eq!(proxy.received(), [format!("{line}\n")]);
}

/// A call of the newer kind.
fn modern(id: u32, name: &str, more: &Value) -> String {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
        "progressToken": id,
    });
    let mut params = json!({ "name": name, "arguments": { "n": 1 }, "_meta": meta });
    for (name, value) in more.as_object().unwrap() {
        params[name] = value.clone();
    }
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
}

#[test]
fn a_newer_call_is_sent_back_with_the_question_and_passes_with_the_answer() {
    let mut proxy = started(&[]);
    proxy.send(modern(
        2,
        "wipe",
        &json!({ "requestState": "the server's", "inputResponses": { "q": 1 } }),
    ));
    let result = proxy.answer()["result"].clone();
    assert_eq!(result["resultType"], "input_required");
    let (key, input) = result["inputRequests"]
        .as_object()
        .unwrap()
        .iter()
        .next()
        .unwrap();
    assert_eq!(input["method"], "elicitation/create");
    assert_eq!(input["params"]["mode"], "form");
    let yes = json!({
        "requestState": result["requestState"],
        "inputResponses": { (key): { "action": "accept", "content": { "approve": true } } },
    });

    proxy.send(modern(3, "echo", &yes));
    assert_eq!(proxy.answer()["error"]["code"], -32602, "another call");
    let mut other = yes.clone();
    other["arguments"] = json!({ "n": 2 });
    proxy.send(modern(4, "wipe", &other));
    assert_eq!(proxy.answer()["error"]["code"], -32602, "other arguments");

    proxy.send(modern(5, "wipe", &yes));
    let answer = proxy.answer();
    assert_eq!(answer["id"], 5);
    assert!(answer["result"].get("isError").is_none(), "{answer}");
    let calls = calls(&proxy);
    assert_eq!(calls.len(), 1);
    let call: Value = serde_json::from_str(&calls[0]).unwrap();
    assert_eq!(call["id"], 5);
    assert_eq!(call["params"]["requestState"], "the server's");
    assert_eq!(call["params"]["inputResponses"], json!({ "q": 1 }));
    assert_eq!(call["params"]["_meta"]["progressToken"], 5);
    assert_eq!(
        wait_for_event(&proxy, "approval_approved")["channel"],
        "input_required"
    );

    proxy.send(modern(6, "wipe", &yes));
    assert_eq!(proxy.answer()["error"]["code"], -32602, "once");
}

#[test]
fn a_newer_call_that_comes_back_without_a_yes_does_not_pass() {
    for (answer, outcome) in [
        (json!({ "action": "decline" }), "deny"),
        (
            json!({ "action": "accept", "content": { "approve": false } }),
            "deny",
        ),
        (json!({ "action": "cancel" }), "pending_approval"),
    ] {
        let mut proxy = started(&[]);
        proxy.send(modern(2, "wipe", &json!({})));
        let result = proxy.answer()["result"].clone();
        let back = json!({
            "requestState": result["requestState"],
            "inputResponses": { "knotrust": answer },
        });
        proxy.send(modern(3, "wipe", &back));
        let result = proxy.answer()["result"].clone();
        assert_eq!(
            result["_meta"]["io.knotrust/decision"]["outcome"], outcome,
            "{answer}"
        );
        assert_eq!(result["resultType"], "complete");
        assert!(calls(&proxy).is_empty());
    }
}

#[test]
fn a_newer_call_that_comes_back_without_an_answer_is_asked_again() {
    let mut proxy = started(&[]);
    proxy.send(modern(2, "wipe", &json!({})));
    let first = proxy.answer()["result"].clone();
    proxy.send(modern(
        3,
        "wipe",
        &json!({ "requestState": first["requestState"] }),
    ));
    let second = proxy.answer()["result"].clone();
    assert_eq!(second["resultType"], "input_required");
    assert_ne!(second["requestState"], first["requestState"]);
    let tickets = proxy.events();
    let asked = tickets
        .iter()
        .filter(|event| event["type"] == "approval_requested");
    assert_eq!(asked.count(), 1, "one ticket");
}
