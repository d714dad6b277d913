//! What a client sees of a server's tools, and what results say of decisions.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail like tests"
)]

#[path = "support/client.rs"]
mod client;

use client::{Proxy, Setup};
use serde_json::{Value, json};

fn strict(fake: Value) -> Proxy {
    let mut proxy = Setup {
        fake,
        arguments: vec!["--strict".to_owned()],
        ..Setup::default()
    }
    .start();
    proxy.shake_hands();
    proxy
}

fn list(proxy: &mut Proxy, id: u32, cursor: Option<&str>) -> Value {
    let params = cursor.map_or(json!({}), |cursor| json!({ "cursor": cursor }));
    let request = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/list", "params": params });
    proxy.send(request.to_string());
    proxy.answer()
}

fn names(answer: &Value) -> Vec<&str> {
    let tools = answer["result"]["tools"].as_array().unwrap();
    tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect()
}

/// The policy's reason for the last decision.
fn last_reason(proxy: &Proxy) -> Value {
    let events = proxy.events();
    let decision = events
        .iter()
        .rev()
        .find(|event| event["type"] == "decision");
    decision.unwrap()["reason"].clone()
}

#[test]
fn a_tool_that_is_denied_by_name_is_never_listed_on_any_page() {
    let tool = |name: &str| json!({ "name": name, "inputSchema": { "type": "object" } });
    let pages = json!([
        { "tools": [tool("drop_a"), tool("echo")], "nextCursor": "" },
        { "tools": [tool("drop_b")], "nextCursor": "x" },
        { "tools": [tool("write_note"), tool("drop_c")] },
    ]);
    let mut proxy = strict(json!({ "pages": pages }));
    let first = list(&mut proxy, 2, None);
    assert_eq!(names(&first), ["echo"]);
    assert_eq!(first["result"]["nextCursor"], "");
    let second = list(&mut proxy, 3, Some(""));
    assert!(names(&second).is_empty());
    assert_eq!(second["result"]["nextCursor"], "x");
    let third = list(&mut proxy, 4, Some("x"));
    assert_eq!(names(&third), ["write_note"]);
    assert!(third["result"].get("nextCursor").is_none());
    proxy.call(5, "drop_c");
    assert_eq!(proxy.answer()["result"]["isError"], true);
    assert!(
        !proxy
            .received()
            .iter()
            .any(|line| line.contains("tools/call"))
    );
}

#[test]
fn what_is_shown_of_a_list_is_what_the_server_wrote() {
    let kept = r#"{ "name":"ech\u006f", "inputSchema" : {"type":"object","n":1.50} }"#;
    let raw = format!(r#"{{"tools":[{{"name":"drop_it"}},{kept}],"ttl":1e3}}"#);
    let mut proxy = strict(json!({ "list_raw": raw }));
    proxy.send(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#);
    let line = proxy.line();
    let expected = format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"tools":[{kept}],"ttl":1e3}}}}"#);
    assert_eq!(String::from_utf8_lossy(&line), expected);
}

#[test]
fn critical_tools_are_marked_beside_what_their_server_says() {
    let marks = |tool: Value| {
        let mut proxy = strict(json!({ "pages": [{ "tools": [tool] }] }));
        list(&mut proxy, 2, None)["result"]["tools"][0].clone()
    };
    let mark = "anthropic/requiresUserInteraction";
    let plain = marks(json!({ "name": "wipe" }));
    assert_eq!(plain["_meta"], json!({ (mark): true }));
    let with_meta = marks(json!({ "name": "wipe", "_meta": { "a": 1, (mark): false } }));
    assert_eq!(with_meta["_meta"], json!({ "a": 1, (mark): true }));
    let odd = marks(json!({ "name": "wipe", "_meta": null }));
    assert_eq!(odd["_meta"], json!({ (mark): true }));
    assert!(marks(json!({ "name": "echo" })).get("_meta").is_none());
}

#[test]
fn a_tool_that_was_never_listed_is_not_callable() {
    let mut proxy = Proxy::ready(json!({ "tools": [{ "name": "read_note" }] }));
    proxy.call(2, "echo");
    let before = proxy.answer();
    assert!(
        before["result"].get("isError").is_none(),
        "no list was seen: {before}"
    );
    assert_eq!(names(&list(&mut proxy, 3, None)), ["read_note"]);
    proxy.call(4, "echo");
    let after = proxy.answer();
    assert_eq!(after["result"]["isError"], true, "{after}");
    let block = &after["result"]["_meta"]["io.knotrust/decision"];
    assert_eq!(block["reasonCode"], "blocked_by_policy");
    assert_eq!(last_reason(&proxy), "unlisted_tool");
    proxy.call(5, "read_note");
    assert!(proxy.answer()["result"].get("isError").is_none());
}

#[test]
fn a_result_says_what_was_decided_and_is_otherwise_the_servers() {
    let content = r#"{ "content" : [{"type":"text","text":"n\/a"}] , "n":1.50 }"#;
    let mut proxy = strict(json!({ "result_raw": content }));
    proxy.call(2, "echo");
    let line = String::from_utf8(proxy.line()).unwrap();
    let answer: Value = serde_json::from_str(&line).unwrap();
    let remark = &answer["result"]["_meta"]["io.knotrust/decision"];
    assert_eq!(remark["outcome"], "allow");
    assert_eq!(remark["tierClass"], "routine");
    let id = remark["decisionId"].as_str().unwrap();
    assert!(proxy.events().iter().any(|event| event["decisionId"] == id));
    assert!(
        line.ends_with(&format!("{}}}", content.strip_prefix('{').unwrap())),
        "{line}"
    );
}

#[test]
fn what_a_server_says_of_a_decision_is_replaced() {
    let meta = json!({ "a": 1, "io.knotrust/decision": { "outcome": "forged" } });
    let mut proxy = strict(json!({ "result": { "content": [], "_meta": meta } }));
    proxy.call(2, "echo");
    let meta = proxy.answer()["result"]["_meta"].clone();
    assert_eq!(meta["a"], 1);
    assert_eq!(meta["io.knotrust/decision"]["outcome"], "allow");
}
