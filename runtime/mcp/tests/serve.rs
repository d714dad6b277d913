//! Several servers that a client takes for one.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail like tests"
)]

#[path = "support/client.rs"]
mod client;

use std::time::Instant;

use client::{Proxy, Setup, is_alive};
use serde_json::{Value, json};

fn start(fake: &Value, other: &Value, arguments: &[&str]) -> Proxy {
    Setup {
        fake: json!({ "fake": fake, "other": other }),
        arguments: [&["--serve"], arguments]
            .concat()
            .iter()
            .map(ToString::to_string)
            .collect(),
        ..Setup::default()
    }
    .start()
}

/// A proxy before two servers, after the handshake of a client that can do so much.
fn ready(fake: &Value, other: &Value, capabilities: &Value) -> Proxy {
    let mut proxy = start(fake, other, &[]);
    proxy.shake_hands_as(capabilities);
    proxy
}

fn ask(proxy: &mut Proxy, id: u32, method: &str, params: &Value) -> Value {
    let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    proxy.send(request.to_string());
    loop {
        let message = proxy.answer();
        if message["id"] == id && message.get("method").is_none() {
            return message;
        }
    }
}

fn call(proxy: &mut Proxy, id: u32, tool: &str) -> Value {
    ask(
        proxy,
        id,
        "tools/call",
        &json!({ "name": tool, "arguments": {} }),
    )
}

/// What servers offer, without what we do.
fn names(answer: &Value, member: &str) -> Vec<String> {
    let tools = answer["result"][member].as_array().unwrap();
    let name = |tool: &Value| {
        tool["name"]
            .as_str()
            .or(tool["uri"].as_str())
            .unwrap()
            .to_owned()
    };
    let is_ours = |name: &String| name.starts_with("kcp_") || name.starts_with("harness_");
    tools
        .iter()
        .map(name)
        .filter(|name| !is_ours(name))
        .collect()
}

fn tool(name: &str) -> Value {
    json!({ "name": name, "inputSchema": { "type": "object" } })
}

/// The next message that holds for this.
fn until(proxy: &Proxy, wanted: impl Fn(&Value) -> bool) -> Value {
    loop {
        let message = proxy.answer();
        if wanted(&message) {
            return message;
        }
    }
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed().as_secs() < 20, "{what}");
        std::thread::yield_now();
    }
}

#[test]
fn tools_are_listed_together_and_each_call_reaches_its_server() {
    let fake = json!({ "tools": [tool("echo"), tool("read_note")] });
    let other = json!({ "tools": [tool("echo"), tool("sum")] });
    let mut proxy = ready(&fake, &other, &json!({}));
    let list = ask(&mut proxy, 2, "tools/list", &json!({}));
    assert_eq!(
        names(&list, "tools"),
        ["fake__echo", "read_note", "other__echo", "sum"]
    );
    for (id, tool, server, own) in [
        (3, "fake__echo", "fake", "echo"),
        (4, "other__echo", "other", "echo"),
        (5, "sum", "other", "sum"),
        (6, "read_note", "fake", "read_note"),
    ] {
        let answer = call(&mut proxy, id, tool);
        assert!(answer["result"].get("isError").is_none(), "{answer}");
        let line = proxy.received_by(server).pop().unwrap();
        let sent: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(sent["params"]["name"], own);
        assert_eq!(sent["id"], id);
    }
    let actions: Vec<Value> = proxy
        .events()
        .iter()
        .filter(|event| event["type"] == "decision")
        .map(|event| event["tool"].clone())
        .collect();
    assert_eq!(
        actions,
        ["fake.echo", "other.echo", "other.sum", "fake.read_note"]
    );
    for unknown in ["echo", "nothing"] {
        let answer = call(&mut proxy, 9, unknown);
        assert_eq!(answer["result"]["isError"], true, "{unknown}");
    }
    assert_eq!(proxy.end().code, 0);
}

#[test]
fn bytes_that_need_no_change_are_not_changed() {
    let raw = r#"{ "content" : [], "n":1.50 }"#;
    let fake = json!({ "tools": [tool("echo")], "result_raw": raw });
    let mut proxy = ready(&fake, &json!({ "tools": [] }), &json!({}));
    let _ = ask(&mut proxy, 2, "tools/list", &json!({}));
    let line = r#"{"jsonrpc":"2.0","id":"a\u0062","method":"tools\/call","params":{"name":"echo","arguments":{ "n" : 1.0 }}}"#;
    proxy.send(line);
    let answer = String::from_utf8(proxy.line()).unwrap();
    assert_eq!(
        answer,
        format!(r#"{{"jsonrpc":"2.0","id":"ab","result":{raw}}}"#)
    );
    assert_eq!(
        proxy.received_by("fake").pop().unwrap(),
        format!("{line}\n")
    );
}

#[test]
fn a_call_of_one_server_is_decided_by_its_own_rules() {
    let tools = json!({ "tools": [tool("wipe"), tool("sum")] });
    let mut proxy = ready(&tools, &tools, &json!({ "elicitation": {} }));
    let list = ask(&mut proxy, 2, "tools/list", &json!({}));
    assert_eq!(names(&list, "tools")[0], "fake__wipe");
    let answer = call(&mut proxy, 3, "other__wipe");
    assert!(answer["result"].get("isError").is_none(), "{answer}");
    proxy.call(4, "fake__wipe");
    let question = proxy.answer();
    assert_eq!(question["method"], "elicitation/create");
    assert!(
        question["params"]["message"]
            .as_str()
            .unwrap()
            .contains("`fake.wipe`")
    );
    let yes = json!({ "action": "accept", "content": { "approve": true } });
    proxy.send(json!({ "jsonrpc": "2.0", "id": question["id"], "result": yes }).to_string());
    let answer = proxy.answer();
    assert_eq!(answer["id"], 4);
    assert!(answer["result"].get("isError").is_none(), "{answer}");
}

#[test]
fn a_server_that_dies_takes_only_its_own_calls_and_comes_back() {
    let dies = json!({ "tools": [tool("echo")], "kill_on_call": 9 });
    let mut proxy = ready(&dies, &json!({ "tools": [tool("sum")] }), &json!({}));
    let _ = ask(&mut proxy, 2, "tools/list", &json!({}));
    let answer = call(&mut proxy, 3, "echo");
    assert_eq!(answer["error"]["code"], -32000, "{answer}");
    let answer = call(&mut proxy, 4, "sum");
    assert!(answer["result"].get("isError").is_none(), "{answer}");
    let answer = call(&mut proxy, 5, "echo");
    let is_denied = answer["result"]["isError"] == true;
    // It may be back already, and die again.
    assert!(is_denied || answer["error"]["code"] == -32000, "{answer}");
    let mut id = 6;
    wait_until("it comes back", || {
        id += 1;
        call(&mut proxy, id, "echo")["error"]["code"] == -32000
    });
    let list = ask(&mut proxy, 5000, "tools/list", &json!({}));
    assert_eq!(names(&list, "tools"), ["echo", "sum"]);
    assert_eq!(proxy.end().code, 0);
}

#[test]
fn a_server_that_cannot_be_greeted_holds_up_nobody() {
    let silent = json!({ "on_start_exit": 3 });
    let mut proxy = ready(&silent, &json!({ "tools": [tool("sum")] }), &json!({}));
    let list = ask(&mut proxy, 2, "tools/list", &json!({}));
    assert_eq!(names(&list, "tools"), ["sum"]);
    let end = proxy.end();
    assert_eq!(end.code, 0);
    assert!(
        end.stderr.contains("exit status 3; it is started again"),
        "{}",
        end.stderr
    );
}

#[test]
fn a_list_that_changes_is_told_and_old_names_lead_nowhere() {
    let pages = json!([{ "tools": [tool("echo")] }, { "tools": [tool("read_note")] }]);
    let changed = json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" });
    let fake = json!({ "pages": pages, "after_list": [changed] });
    let mut proxy = ready(&fake, &json!({ "tools": [] }), &json!({}));
    let list = ask(&mut proxy, 2, "tools/list", &json!({}));
    if names(&list, "tools") == ["echo"] {
        until(&proxy, |message| {
            message["method"] == "notifications/tools/list_changed"
        });
        let list = ask(&mut proxy, 4, "tools/list", &json!({}));
        assert_eq!(names(&list, "tools"), ["read_note"]);
    }
    assert_eq!(call(&mut proxy, 3, "echo")["result"]["isError"], true);
}

#[test]
fn requests_of_servers_find_the_client_and_its_answers_find_them() {
    let asks = json!([{ "jsonrpc": "2.0", "id": 7, "method": "roots/list" }]);
    let server = json!({ "tools": [], "after_list": asks });
    let mut proxy = ready(&server, &server, &json!({ "roots": {} }));
    let first = until(&proxy, |message| message["method"] == "roots/list");
    let second = until(&proxy, |message| message["method"] == "roots/list");
    assert_ne!(first["id"], second["id"]);
    for (question, uri) in [(&second, "file:///2"), (&first, "file:///1")] {
        let result = json!({ "roots": [{ "uri": uri }] });
        proxy.send(json!({ "jsonrpc": "2.0", "id": question["id"], "result": result }).to_string());
    }
    let answered = |server: &str| {
        let lines = proxy.received_by(server);
        let lines = lines.into_iter().filter(|line| line.contains("file:///"));
        lines.collect::<Vec<_>>()
    };
    wait_until("both are answered", || {
        answered("fake").len() == 1 && answered("other").len() == 1
    });
    for server in ["fake", "other"] {
        let line: Value = serde_json::from_str(&answered(server)[0]).unwrap();
        assert_eq!(line["id"], 7);
    }
    let all = [answered("fake"), answered("other")].concat().concat();
    assert!(
        all.contains("file:///1") && all.contains("file:///2"),
        "each its own"
    );
}

#[test]
fn what_the_client_cannot_do_is_answered_for_it() {
    let asks = json!([
        { "jsonrpc": "2.0", "id": 7, "method": "roots/list" },
        { "jsonrpc": "2.0", "id": 8, "method": "ping" },
    ]);
    let fake = json!({ "tools": [], "after_list": asks });
    let proxy = ready(&fake, &json!({ "tools": [] }), &json!({}));
    let answered = |part: &str| {
        let lines = proxy.received_by("fake");
        lines.iter().any(|line| line.contains(part))
    };
    wait_until("it is refused", || {
        answered("\"id\":7,\"error\":{\"code\":-32601")
    });
    wait_until("it is answered", || answered("\"id\":8,\"result\":{}"));
}

#[test]
fn prompts_resources_and_completions_are_routed_to_their_owners() {
    let prompts = |name: &str| json!({ "prompts": [{ "name": name }, { "name": "hello" }] });
    let server = |mark: &str| {
        json!({
            "capabilities": { "tools": {}, "prompts": {}, "resources": {} },
            "tools": [],
            "answers": {
                "prompts/list": prompts(mark),
                "resources/list": { "resources": [{ "uri": format!("{mark}://1") }, { "uri": "both://1" }] },
                "resources/templates/list": { "resourceTemplates": [{ "name": "t", "uriTemplate": format!("{mark}://{{id}}") }] },
                "prompts/get": { "messages": [], "of": mark },
                "resources/read": { "contents": [], "of": mark },
                "completion/complete": { "completion": { "values": [mark] } },
            },
        })
    };
    let mut proxy = ready(&server("fake"), &server("other"), &json!({}));
    let list = ask(&mut proxy, 2, "prompts/list", &json!({}));
    assert_eq!(
        names(&list, "prompts"),
        ["fake", "fake__hello", "other", "other__hello"]
    );
    let list = ask(&mut proxy, 3, "resources/list", &json!({}));
    assert_eq!(
        names(&list, "resources"),
        ["fake://1", "both://1", "other://1"]
    );
    let of = |proxy: &mut Proxy, method: &str, params: &Value| {
        ask(proxy, 4, method, params)["result"]["of"].clone()
    };
    assert_eq!(
        of(
            &mut proxy,
            "prompts/get",
            &json!({ "name": "other__hello" })
        ),
        "other"
    );
    let line = proxy.received_by("other").pop().unwrap();
    assert!(line.contains(r#""name":"hello""#), "{line}");
    assert_eq!(
        of(&mut proxy, "resources/read", &json!({ "uri": "other://1" })),
        "other"
    );
    assert_eq!(
        of(&mut proxy, "resources/read", &json!({ "uri": "other://9" })),
        "other"
    );
    assert_eq!(
        of(&mut proxy, "resources/read", &json!({ "uri": "both://1" })),
        "fake"
    );
    let nobody = ask(&mut proxy, 5, "resources/read", &json!({ "uri": "x://1" }));
    assert_eq!(nobody["error"]["code"], -32002);
    for (about, expected) in [
        (
            json!({ "type": "ref/prompt", "name": "fake__hello" }),
            "fake",
        ),
        (
            json!({ "type": "ref/resource", "uri": "other://{id}" }),
            "other",
        ),
    ] {
        let params = json!({ "ref": about, "argument": { "name": "a", "value": "b" } });
        let answer = ask(&mut proxy, 6, "completion/complete", &params);
        assert_eq!(answer["result"]["completion"]["values"][0], expected);
    }
}

#[test]
fn progress_and_logs_come_through_under_their_servers_names() {
    let notes = json!([
        { "jsonrpc": "2.0", "method": "notifications/message", "params": { "level": "info", "logger": "l", "data": 1 } },
        { "jsonrpc": "2.0", "method": "notifications/progress", "params": { "progressToken": "nobody's", "progress": 1 } },
    ]);
    let fake = json!({ "tools": [tool("echo")], "capabilities": { "tools": {}, "logging": {} }, "after_list": notes });
    let mut proxy = ready(&fake, &json!({ "tools": [] }), &json!({}));
    let answer = ask(
        &mut proxy,
        2,
        "logging/setLevel",
        &json!({ "level": "debug" }),
    );
    assert_eq!(answer["result"], json!({}));
    proxy.send(r#"{"jsonrpc":"2.0","id":3,"method":"tools/list"}"#);
    let log = until(&proxy, |message| {
        assert_ne!(
            message["method"], "notifications/progress",
            "nobody asked for it"
        );
        message["method"] == "notifications/message"
    });
    assert_eq!(log["params"]["logger"], "fake/l");
}

#[test]
fn a_cancellation_reaches_who_has_the_call() {
    let slow = json!({ "tools": [tool("echo")], "delay_ms": 300 });
    let mut proxy = ready(&slow, &json!({ "tools": [tool("sum")] }), &json!({}));
    let _ = ask(&mut proxy, 2, "tools/list", &json!({}));
    proxy.call(3, "echo");
    wait_until("it is forwarded", || {
        proxy
            .received_by("fake")
            .iter()
            .any(|line| line.contains("tools/call"))
    });
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}"#;
    proxy.send(cancel);
    wait_until("it is cancelled", || {
        proxy.received_by("fake").contains(&format!("{cancel}\n"))
    });
    assert!(
        !proxy
            .received_by("other")
            .iter()
            .any(|line| line.contains("cancelled"))
    );
}

#[test]
fn an_id_is_used_once_at_a_time_whoever_has_it() {
    let slow = json!({ "tools": [tool("echo")], "delay_ms": 200 });
    let mut proxy = ready(&slow, &json!({ "tools": [tool("sum")] }), &json!({}));
    let _ = ask(&mut proxy, 2, "tools/list", &json!({}));
    proxy.call(3, "echo");
    proxy.call(3, "sum");
    let first = proxy.answer();
    assert_eq!(
        (&first["id"], &first["error"]["code"]),
        (&json!(3), &json!(-32600))
    );
    assert!(proxy.answer()["result"].get("isError").is_none());
    assert!(
        proxy
            .received_by("other")
            .iter()
            .all(|line| !line.contains("tools/call"))
    );
}

#[test]
fn a_server_that_does_not_read_keeps_nobody_waiting() {
    let deaf = json!({ "tools": [tool("echo")], "delay_ms": 600_000 });
    let mut proxy = ready(&deaf, &json!({ "tools": [tool("sum")] }), &json!({}));
    let _ = ask(&mut proxy, 2, "tools/list", &json!({}));
    let long = "x".repeat(100_000);
    for id in 100..110 {
        let params = json!({ "name": "echo", "arguments": { "long": long } });
        let request =
            json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        proxy.send(request.to_string());
    }
    let answer = call(&mut proxy, 3, "sum");
    assert!(answer["result"].get("isError").is_none(), "{answer}");
    assert_eq!(proxy.until_ping().len(), 0);
}

#[test]
fn what_the_policy_hides_is_offered_by_no_server_and_callable_by_no_name() {
    let fake = json!({ "tools": [tool("drop_all"), tool("echo")] });
    let mut proxy = start(
        &fake,
        &json!({ "tools": [tool("drop_all")] }),
        &["--strict"],
    );
    proxy.shake_hands();
    let list = ask(&mut proxy, 2, "tools/list", &json!({}));
    assert_eq!(
        names(&list, "tools"),
        ["echo", "drop_all"],
        "the other server's is not denied"
    );
    let answer = call(&mut proxy, 3, "drop_all");
    assert!(answer["result"].get("isError").is_none(), "{answer}");
    assert_eq!(
        call(&mut proxy, 4, "fake__drop_all")["result"]["isError"],
        true
    );
    assert!(
        proxy
            .received_by("fake")
            .iter()
            .all(|line| !line.contains("tools/call"))
    );
}

#[test]
fn a_session_begins_once_and_before_anything_else() {
    let mut proxy = start(&json!({}), &json!({}), &[]);
    proxy.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    assert_eq!(proxy.answer()["error"]["code"], -32600);
    proxy.call(2, "echo");
    assert_eq!(proxy.answer()["error"]["code"], -32600);
    assert!(
        proxy.until_ping().is_empty(),
        "a ping is answered at any time"
    );
    proxy.shake_hands();
    proxy.send(r#"{"jsonrpc":"2.0","id":3,"method":"initialize","params":{}}"#);
    assert_eq!(proxy.answer()["error"]["code"], -32600);
}

#[test]
fn tools_of_our_own_are_listed_first_and_answered_here() {
    let mut proxy = ready(
        &json!({ "tools": [tool("harness_status")] }),
        &json!({}),
        &json!({}),
    );
    let list = ask(&mut proxy, 2, "tools/list", &json!({}));
    let tools = list["result"]["tools"].as_array().unwrap();
    assert_eq!(tools[0]["name"], "kcp_plan");
    for tool in tools
        .iter()
        .take_while(|tool| tool.get("outputSchema").is_some())
    {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert_eq!(tool["annotations"]["destructiveHint"], false, "{tool}");
    }
    assert!(
        tools
            .iter()
            .any(|tool| tool["name"] == "fake__harness_status")
    );
    let answer = call(&mut proxy, 3, "harness_status");
    let result = &answer["result"];
    assert!(
        result["structuredContent"]["session"].is_object(),
        "{answer}"
    );
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, result["structuredContent"]);
    let refused = ask(
        &mut proxy,
        4,
        "tools/call",
        &json!({ "name": "kcp_plan", "arguments": { "role": "admin" } }),
    );
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    assert!(
        proxy
            .received_by("fake")
            .iter()
            .all(|line| !line.contains("tools/call"))
    );
    let events = proxy.events();
    let recorded = |name: &str| events.iter().any(|event| event["tool"] == name);
    assert!(recorded("knotrust.harness_status") && recorded("knotrust.kcp_plan"));
}

fn modern(id: u32, method: &str, params: &Value) -> String {
    let mut params = params.clone();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

#[test]
fn a_newer_client_may_have_older_and_newer_servers() {
    let older = json!({ "tools": [tool("echo")] });
    let newer = json!({ "tools": [tool("sum")], "era": "modern", "result": { "content": [], "resultType": "complete" } });
    let mut proxy = start(&older, &newer, &[]);
    proxy.send(modern(1, "server/discover", &json!({})));
    let discovered = proxy.answer()["result"].clone();
    assert!(
        discovered["supportedVersions"]
            .as_array()
            .unwrap()
            .contains(&json!("2026-07-28"))
    );
    proxy.send(modern(2, "tools/list", &json!({})));
    let list = proxy.answer();
    assert_eq!(names(&list, "tools"), ["echo", "sum"]);
    assert_eq!(list["result"]["resultType"], "complete");
    assert_eq!(list["result"]["cacheScope"], "private");
    for (id, tool) in [(3, "echo"), (4, "sum")] {
        proxy.send(modern(id, "tools/call", &json!({ "name": tool })));
        let answer = proxy.answer();
        assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    }
    proxy.send(modern(
        5,
        "subscriptions/listen",
        &json!({ "notifications": { "toolsListChanged": true, "x": true } }),
    ));
    let acknowledged = proxy.answer();
    assert_eq!(
        acknowledged["params"]["notifications"],
        json!({ "toolsListChanged": true })
    );
    assert_eq!(
        acknowledged["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"],
        5
    );
}

#[test]
fn an_older_client_may_have_a_newer_server() {
    let newer = json!({ "tools": [tool("echo")], "era": "modern", "result": { "resultType": "complete", "content": [] } });
    let mut proxy = ready(&newer, &json!({ "tools": [] }), &json!({}));
    let list = ask(&mut proxy, 2, "tools/list", &json!({}));
    assert_eq!(names(&list, "tools"), ["echo"]);
    assert!(list["result"].get("resultType").is_none());
    let answer = call(&mut proxy, 3, "echo");
    assert_eq!(answer["result"], json!({ "content": [] }));
    let line = proxy.received_by("fake").pop().unwrap();
    assert!(line.contains("2026-07-28"), "{line}");
}

#[test]
fn everybody_is_gone_in_the_end() {
    let stubborn = json!({ "tools": [tool("echo")], "ignore_eof": true, "ignore_sigterm": true, "grandchild": "grandchild" });
    let proxy = ready(&stubborn, &json!({ "tools": [] }), &json!({}));
    wait_until("the grandchild runs", || {
        std::fs::read_to_string(proxy.path("grandchild")).is_ok_and(|id| !id.is_empty())
    });
    let start = Instant::now();
    let end = proxy.end();
    assert_eq!(end.code, 0);
    assert!(start.elapsed().as_secs() < 5);
    let id = std::fs::read_to_string(end.path("grandchild")).unwrap();
    wait_until("the grandchild is gone", || !is_alive(id.parse().unwrap()));
}
