//! What passes between a client and a server, and what does not.

#[path = "support/client.rs"]
mod client;

use client::{Proxy, Setup};
use serde_json::{Value, json};

#[test]
fn what_needs_no_decision_is_passed_on_byte_for_byte() {
    let mut proxy = Proxy::ready(json!({}));
    let lines = [
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{\"t\":\"x\u{2028}y\u{2029}z\u{85}w\",\"n\":[1.50,-0,1E-400,9007199254740993]}}}",
        "  \t{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\"}}\t\r",
        "{\"jsonrpc\":\"2.0\",\"id\":9223372036854775807,\"method\":\"tools\\/call\",\"params\":{\"name\":\"echo\",\"arguments\":{\"a\":\"\\ud800\"}}}",
        "{\"jsonrpc\":\"2.0\",\"id\":\"\\ud800\",\"method\":\"acme/x\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":0,\"progress\":1}}",
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"roots\":[]}}",
    ];
    for line in lines {
        proxy.send(line);
    }
    let answers = [proxy.line(), proxy.line(), proxy.line(), proxy.line()];
    assert!(String::from_utf8_lossy(&answers[2]).contains("9223372036854775807"));
    assert!(String::from_utf8_lossy(&answers[3]).contains(r#""id":"\ud800""#));
    let _ = proxy.until_ping();
    assert_eq!(proxy.received(), lines.map(|line| format!("{line}\n")));
    assert_eq!(proxy.end().code, 0);
}

#[test]
fn answers_are_passed_on_byte_for_byte() {
    let raw = "{ \"content\" : [{\"type\":\"text\",\"text\":\"a\u{2028}b\u{2029}c\u{85}d\"}] , \"n\":1.50 }";
    let mut proxy = Proxy::ready(json!({ "result_raw": raw }));
    proxy.call(2, "echo");
    assert_eq!(
        proxy.line(),
        format!("{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{raw}}}").as_bytes()
    );
}

#[test]
fn what_is_refused_is_answered_and_recorded_and_never_reaches_the_server() {
    let mut proxy = Proxy::ready(json!({}));
    for (line, code, id) in [
        (
            r#"{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"echo","name":"wipe"}}"#,
            -32600,
            json!(11),
        ),
        (
            r#"{"jsonrpc":"2.0","id":15,"id":16,"method":"ping"}"#,
            -32600,
            Value::Null,
        ),
        (
            r#"[{"jsonrpc":"2.0","id":93,"method":"tools/call","params":{"name":"wipe"}}]"#,
            -32600,
            Value::Null,
        ),
        (
            r#"{"jsonrpc":"2.0","id":42,"method":"tools/call","params":{"name":"wipe",}}"#,
            -32700,
            Value::Null,
        ),
        (
            r#"{"jsonrpc":"2.0","id":"a","method":"Tools/Call","params":{"name":"wipe"}}"#,
            -32600,
            json!("a"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":90,"method":"tools/call","params":{"arguments":{}}}"#,
            -32602,
            json!(90),
        ),
    ] {
        proxy.send(line);
        let answer = proxy.answer();
        assert_eq!(
            (&answer["error"]["code"], &answer["id"]),
            (&json!(code), &id),
            "{line}"
        );
        assert!(answer.as_object().unwrap().contains_key("id"));
    }
    proxy.send(r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"wipe"}}"#);
    assert!(
        proxy.until_ping().is_empty(),
        "a notification is not answered"
    );
    assert!(proxy.received().is_empty());
    let refused = proxy
        .events()
        .into_iter()
        .filter(|event| event["outcome"] == "deny")
        .count();
    assert_eq!(refused, 7);
}

#[test]
fn a_denied_call_is_a_result_that_the_model_sees() {
    let mut proxy = Proxy::ready(json!({}));
    proxy.call("\"d\"", "write_note");
    let answer = proxy.answer();
    assert_eq!(answer["id"], "d");
    let result = &answer["result"];
    assert_eq!(result["isError"], true);
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, result["_meta"]["io.knotrust/decision"]);
    assert_eq!(text["reasonCode"], "blocked_needs_grant");
    assert!(
        result.get("structuredContent").is_none(),
        "the tool was never listed"
    );
    assert!(result.get("resultType").is_none());
    let _ = proxy.until_ping();
    assert!(proxy.received().is_empty());
}

#[test]
fn a_denial_fits_the_output_schema_of_the_tool() {
    let tool = |schema: Value| {
        let mut tool = json!({ "name": "write_note", "inputSchema": { "type": "object" } });
        if !schema.is_null() {
            tool["outputSchema"] = schema;
        }
        let mut proxy = Proxy::ready(json!({ "tools": [tool] }));
        proxy.send(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#);
        assert_eq!(proxy.answer()["result"]["tools"][0], tool);
        proxy.call(3, "write_note");
        proxy.answer()["result"].clone()
    };
    assert!(
        tool(json!({ "type": "object", "required": ["ok"] }))
            .get("structuredContent")
            .is_none()
    );
    let result = tool(Value::Null);
    assert_eq!(
        result["structuredContent"]["knotrust"],
        result["_meta"]["io.knotrust/decision"]
    );
}

#[test]
fn a_denial_follows_the_revision_of_its_request() {
    let mut proxy = Setup::default().start();
    proxy.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write_note","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#);
    assert_eq!(proxy.answer()["result"]["resultType"], "complete");
    proxy.send(r#"{"jsonrpc":"2.0","id":2,"method":"server/discover"}"#);
    assert_eq!(proxy.answer()["id"], 2, "passed on");
}

#[test]
fn a_request_that_names_a_protected_place_is_refused_by_an_error() {
    let mut proxy = Proxy::ready(json!({}));
    let home = proxy.path("home/audit").display().to_string();
    proxy.send(format!(
        r#"{{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{{"uri":"file://{home}"}}}}"#
    ));
    let answer = proxy.answer();
    assert_eq!(answer["error"]["code"], 403);
    assert_eq!(
        answer["error"]["data"]["io.knotrust/decision"]["outcome"],
        "deny"
    );
    proxy.send(
        r#"{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"notes://today"}}"#,
    );
    assert_eq!(proxy.answer()["id"], 3);
    assert_eq!(proxy.received().len(), 1);
}

#[test]
fn ids_in_flight_are_told_apart() {
    let mut proxy = Proxy::ready(json!({ "delay_ms": 100 }));
    proxy.call(5, "echo");
    proxy.call(5, "read_note");
    let refused = proxy.answer();
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&json!(5), &json!(-32600))
    );
    assert!(
        proxy.answer()["result"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("echo")
    );
    proxy.call(6, "echo");
    proxy.call("\"6\"", "echo");
    assert_eq!(
        (&proxy.answer()["id"], &proxy.answer()["id"]),
        (&json!(6), &json!("6"))
    );
    proxy.call(5, "echo");
    assert_eq!(
        proxy.answer()["id"],
        5,
        "an id may be used again after its answer"
    );
    proxy.send(r#"{"jsonrpc":"2.0","id":9.0,"method":"tools/call","params":{"name":"echo"}}"#);
    assert_eq!(proxy.answer()["error"]["code"], -32600);
    assert_eq!(proxy.received().len(), 4);
}

#[test]
fn an_id_that_is_held_belongs_to_the_held_call() {
    let mut proxy = Proxy::ready(json!({}));
    proxy.call(7, "wipe");
    proxy.call(7, "echo");
    let refused = proxy.answer();
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&json!(7), &json!(-32600))
    );
    assert!(proxy.until_ping().is_empty());
    proxy.close();
    let held = proxy.answer();
    assert_eq!(
        (&held["id"], &held["result"]["isError"]),
        (&json!(7), &json!(true))
    );
    let end = proxy.end();
    assert!(end.received().is_empty());
    assert!(end.rest.is_empty());
}

#[test]
fn a_server_cannot_answer_for_us() {
    let mut proxy = Proxy::ready(json!({ "early_result_for": 7 }));
    proxy.call(7, "wipe");
    proxy.send(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#);
    assert_eq!(proxy.answer()["id"], 2);
    assert!(
        proxy.until_ping().is_empty(),
        "the early answer is left out"
    );
    proxy.close();
    assert_eq!(proxy.answer()["result"]["isError"], true);
    let end = proxy.end();
    end.assert_event("type", "unasked_answer");
    assert!(end.stderr.contains("never sent"), "{}", end.stderr);
}

#[test]
fn a_large_answer_cannot_turn_into_another_ones() {
    let answer = |line: &str| {
        let mut proxy = Proxy::ready(json!({ "line_raw": line, "fill": 200_000 }));
        proxy.call(7, "wipe");
        proxy.call(2, "echo");
        assert_eq!(proxy.answer()["id"], "knotrust-void");
        proxy
    };
    let mut proxy = answer(r#"{"jsonrpc":"2.0","id":2,"result":{"content":["@"]},"id":7}"#);
    let broken = proxy.answer();
    assert_eq!(
        (&broken["id"], &broken["error"]["code"]),
        (&json!(2), &json!(-32000))
    );
    assert!(proxy.until_ping().is_empty());
    let mut proxy = answer(r#"{"result":{"content":["@"]},"jsonrpc":"2.0","id":7}"#);
    assert!(
        proxy.until_ping().is_empty(),
        "the call that has no answer waits on"
    );
    let mut proxy = answer(r#"{"jsonrpc":"2.0","id":2,"result":{"content":["@"],}}"#);
    assert_eq!(proxy.answer()["error"]["code"], -32000);
    assert!(proxy.until_ping().is_empty());
}

#[test]
fn cancelling() {
    let mut proxy = Proxy::ready(json!({ "delay_ms": 100 }));
    let cancel = |id: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
        )
    };
    proxy.send(cancel("20"));
    proxy.call(20, "echo");
    assert_eq!(
        proxy.answer()["id"],
        20,
        "a cancellation is not for calls to come"
    );
    proxy.call(21, "wipe");
    proxy.send(cancel("21"));
    proxy.call(21, "echo");
    assert!(
        proxy.answer()["result"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("echo")
    );
    proxy.call(22, "wipe");
    proxy.send(cancel("\"22\""));
    assert!(proxy.until_ping().is_empty());
    proxy.call(23, "echo");
    proxy.send(cancel("23"));
    assert_eq!(
        proxy.answer()["id"],
        23,
        "what the server answers all the same is passed on"
    );
    assert!(proxy.until_ping().is_empty());
    let received = proxy.received();
    assert_eq!(received.len(), 4, "{received:?}");
    assert_eq!(received[3], format!("{}\n", cancel("23")));
    proxy.close();
    assert_eq!(
        proxy.answer()["id"],
        22,
        "the id of another type was not cancelled"
    );
    let end = proxy.end();
    assert!(
        end.rest.is_empty(),
        "what was cancelled while held is not answered: {:?}",
        end.rest
    );
    end.assert_event("ending", "cancelled");
}

#[test]
fn a_call_that_nobody_approves_is_told_so_in_time() {
    let mut proxy = Setup {
        arguments: vec!["--hold".into(), "100".into()],
        ..Setup::default()
    }
    .start();
    proxy.shake_hands();
    proxy.call(1, "wipe");
    let result = proxy.answer()["result"].clone();
    assert_eq!(
        result["_meta"]["io.knotrust/decision"]["outcome"],
        "pending_approval"
    );
    assert_eq!(result["_meta"]["io.knotrust/decision"]["retryable"], true);
}

#[test]
fn what_the_server_says_out_of_turn_goes_to_stderr() {
    let banner = json!([
        "Fake server v1.2 ready",
        "",
        "{\"level\":\"info\",\"msg\":\"listening\"}",
        "[1,2]",
        "42",
        "Content-Length: 17",
        "\u{1b}[32mok\u{1b}[0m"
    ]);
    let mut proxy =
        Proxy::ready(json!({ "banner": banner, "garbage_per_line": "debug: got a line" }));
    proxy.call(2, "echo");
    assert_eq!(proxy.answer()["id"], 2);
    assert_eq!(proxy.received().len(), 1);
    let end = proxy.end();
    assert!(end.rest.is_empty());
    for shown in [
        "`fake` wrote to its stdout: Fake server v1.2 ready\n",
        "listening",
        "<U+001B>[32mok<U+001B>[0m",
    ] {
        assert!(end.stderr.contains(shown), "{}", end.stderr);
    }
    assert!(!end.stderr.contains('\u{1b}'));
    let event = end
        .events()
        .into_iter()
        .find(|event| event["type"] == "stray_output")
        .unwrap();
    assert_eq!(event["reason"], "9 lines that are no messages");
}

#[test]
fn a_list_of_tools_that_can_be_read_in_two_ways_is_not_passed_on() {
    let mut proxy =
        Proxy::ready(json!({ "list_raw": r#"{"tools":[{"name":"echo","name":"wipe"}]}"# }));
    proxy.send(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#);
    let answer = proxy.answer();
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&json!(2), &json!(-32603))
    );
}

#[test]
fn messages_of_the_server_pass() {
    let extras = [
        json!({ "jsonrpc": "2.0", "id": 2, "method": "sampling/createMessage", "params": {} }),
        json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }),
        json!({ "jsonrpc": "2.0", "error": { "code": -32700, "message": "no id" } }),
    ];
    let mut proxy = Proxy::ready(json!({ "after_list": extras }));
    proxy.send(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#);
    assert_eq!(proxy.answer()["id"], 2);
    assert_eq!([proxy.answer(), proxy.answer(), proxy.answer()], extras);
}

#[test]
fn the_trace_that_a_request_names_is_on_the_record() {
    let mut proxy = Proxy::ready(json!({}));
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let parent = format!("00-{trace}-00f067aa0ba902b7-01");
    proxy.send(format!(
        r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"echo","_meta":{{"traceparent":"{parent}"}}}}}}"#
    ));
    let _ = proxy.answer();
    let _ = proxy.until_ping();
    let ended = proxy.end();
    let traced: Vec<_> = ended
        .events()
        .into_iter()
        .filter(|event| event["correlationId"] == trace)
        .map(|event| (event["type"].clone(), event["parentId"].clone()))
        .collect();
    let of = |kind: &str| (json!(kind), json!("00f067aa0ba902b7"));
    assert_eq!(traced, [of("decision"), of("call_ended")]);
}
