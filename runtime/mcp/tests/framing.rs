//! Long lines, deaf peers, and how much of either is kept.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests fail like tests"
)]

#[path = "support/client.rs"]
mod client;

use client::{Proxy, Setup};
use serde_json::json;

const MIB: usize = 1024 * 1024;

fn call(id: u64, argument: usize) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"echo","arguments":{{"a":"{}"}}}}}}"#,
        "a".repeat(argument)
    )
}

/// The most memory that a process has held so far, in bytes.
fn peak(proxy: &Proxy) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", proxy.process.id())).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    line.split_whitespace()
        .nth(1)
        .unwrap()
        .parse::<usize>()
        .unwrap()
        * 1024
}

#[test]
fn lines_round_the_size_of_a_pipe_pass() {
    let mut proxy = Proxy::ready(json!({ "result": {} }));
    let sizes = [65_535, 65_536, 65_537, 2 * MIB];
    for (id, size) in (2..).zip(sizes) {
        proxy.send(call(id, size));
        assert_eq!(proxy.answer()["id"], id);
    }
    let received = proxy.received();
    for (id, size) in (2..).zip(sizes) {
        assert_eq!(
            received[usize::try_from(id).unwrap() - 2],
            call(id, size) + "\n"
        );
    }
}

#[test]
fn large_answers_pass_and_are_not_held() {
    for id_last in [false, true] {
        let mut proxy = Proxy::ready(json!({ "result_bytes": 10 * MIB, "id_last": id_last }));
        let before = peak(&proxy);
        proxy.call(2, "echo");
        let answer = proxy.answer();
        assert_eq!(
            answer["result"]["content"][0]["text"]
                .as_str()
                .unwrap()
                .len(),
            10 * MIB
        );
        assert!(proxy.until_ping().is_empty());
        let grown = peak(&proxy) - before;
        assert!(grown < 2 * MIB, "{grown} bytes more");
    }
}

#[test]
fn a_message_over_the_limit_is_refused_and_the_session_goes_on() {
    let arguments = vec!["--limit".to_owned(), MIB.to_string()];
    let mut proxy = Setup {
        arguments,
        ..Setup::default()
    }
    .start();
    proxy.shake_hands();
    proxy.send(call(5, 8 * MIB));
    let refused = proxy.answer();
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&json!(5), &json!(-32600))
    );
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("1 MiB") && message.contains("`--limit`"),
        "{message}"
    );
    assert!(proxy.until_ping().is_empty());
    assert!(proxy.received().is_empty());
    assert!(peak(&proxy) < 12 * MIB);
}

#[test]
fn an_answer_over_the_limit_is_an_error_and_the_session_goes_on() {
    for id_last in [false, true] {
        let arguments = vec!["--limit".to_owned(), MIB.to_string()];
        let fake = json!({ "result_bytes": 3 * MIB, "id_last": id_last });
        let mut proxy = Setup {
            fake,
            arguments,
            ..Setup::default()
        }
        .start();
        proxy.shake_hands();
        proxy.call(7, "echo");
        assert_eq!(proxy.answer()["id"], "knotrust-void");
        let error = proxy.answer();
        assert_eq!(
            (&error["id"], &error["error"]["code"]),
            (&json!(7), &json!(-32000))
        );
        assert!(
            error["error"]["message"]
                .as_str()
                .unwrap()
                .contains("1 MiB")
        );
        assert!(proxy.until_ping().is_empty());
        assert!(proxy.end().stderr.contains("over the limit"));
    }
}

#[test]
fn a_list_of_tools_over_the_limit_is_an_error() {
    let arguments = vec!["--limit".to_owned(), (MIB / 2).to_string()];
    let fake = json!({ "list_raw": r#"{"tools":[{"name":"@"}]}"#, "fill": MIB });
    let mut proxy = Setup {
        fake,
        arguments,
        ..Setup::default()
    }
    .start();
    proxy.shake_hands();
    proxy.send(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#);
    let error = proxy.answer();
    assert_eq!(
        (&error["id"], &error["error"]["code"]),
        (&json!(2), &json!(-32000))
    );
    assert!(proxy.until_ping().is_empty());
}

#[test]
fn nobody_need_read_stderr() {
    let fake = json!({ "stderr_per_call": 300_000 });
    let mut proxy = Setup {
        fake,
        reads_stderr: false,
        ..Setup::default()
    }
    .start();
    proxy.shake_hands();
    for id in 2..12 {
        proxy.call(id, "echo");
    }
    for id in 2..12 {
        assert_eq!(proxy.answer()["id"], id);
    }
}

#[test]
fn stderr_is_passed_on_to_whoever_reads_it() {
    let mut proxy = Proxy::ready(json!({ "stderr_per_call": 1_000_000 }));
    for id in 2..5 {
        proxy.call(id, "echo");
        assert_eq!(proxy.answer()["id"], id);
    }
    let end = proxy.end();
    assert_eq!(
        end.stderr.bytes().filter(|byte| *byte == b'x').count(),
        3_000_000
    );
}
