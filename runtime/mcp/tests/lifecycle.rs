//! How a session ends, and that nothing is left of it.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests fail like tests"
)]

#[path = "support/client.rs"]
mod client;

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

use client::{FAKE_SERVER, Proxy, Setup, is_alive};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

const INITIALIZE: &str =
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#;

#[track_caller]
fn is_gone(answer: &Value, id: i64) {
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&json!(id), &json!(-32000)),
        "{answer}"
    );
}

fn send_signal(id: u32, signal: Signal) {
    kill_process(Pid::from_raw(id.cast_signed()).unwrap(), signal).unwrap();
}

/// Waits until a process is gone.
#[track_caller]
fn until_gone(id: u32) {
    let start = Instant::now();
    while is_alive(id) {
        assert!(
            start.elapsed().as_secs() < 10,
            "process {id} is left behind"
        );
        std::thread::yield_now();
    }
}

fn grandchild(path: &std::path::Path) -> u32 {
    let start = Instant::now();
    loop {
        if let Some(id) = std::fs::read_to_string(path)
            .ok()
            .and_then(|id| id.parse().ok())
        {
            return id;
        }
        assert!(start.elapsed().as_secs() < 10);
        std::thread::yield_now();
    }
}

#[test]
fn a_client_that_leaves_ends_the_whole_tree() {
    let mut proxy = Setup {
        fake: json!({ "ignore_eof": true, "ignore_sigterm": true, "grandchild": "gc.pid" }),
        command: vec!["sh".into(), "-c".into(), format!("{FAKE_SERVER}; true")],
        ..Setup::default()
    }
    .start();
    proxy.shake_hands();
    let start = Instant::now();
    let end = proxy.end();
    assert_eq!(end.code, 0, "{}", end.stderr);
    assert!(start.elapsed().as_secs() < 10);
    until_gone(grandchild(&end.path("gc.pid")));
    let ends = end
        .events()
        .into_iter()
        .filter(|event| event["type"] == "session_ended");
    assert_eq!(ends.count(), 1);
}

#[test]
fn our_sudden_death_ends_the_whole_tree() {
    let mut proxy = Setup {
        fake: json!({ "ignore_eof": true, "ignore_sigterm": true, "grandchild": "gc.pid" }),
        command: vec!["sh".into(), "-c".into(), format!("{FAKE_SERVER}; true")],
        ..Setup::default()
    }
    .start();
    proxy.shake_hands();
    let grandchild = grandchild(&proxy.path("gc.pid"));
    assert!(is_alive(grandchild));
    proxy.process.kill().unwrap();
    until_gone(grandchild);
}

#[test]
fn a_signal_ends_the_session_in_order() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let mut proxy = Proxy::ready(json!({ "ignore_eof": true }));
        proxy.call(2, "wipe");
        assert!(proxy.until_ping().is_empty());
        send_signal(proxy.process.id(), signal);
        assert_eq!(proxy.answer()["result"]["isError"], true);
        let end = proxy.wait();
        assert_eq!(end.code, 0, "{signal:?}: {}", end.stderr);
        end.assert_event("type", "session_ended");
    }
}

#[test]
fn a_server_that_ends_before_the_handshake() {
    let mut proxy = Setup {
        fake: json!({ "on_start_exit": 3 }),
        ..Setup::default()
    }
    .start();
    proxy.send(INITIALIZE);
    is_gone(&proxy.answer(), 1);
    let end = proxy.wait();
    assert_eq!(end.code, 3);
    assert!(
        end.stderr.contains("`fake` ended with exit status 3"),
        "{}",
        end.stderr
    );
}

#[test]
fn a_server_that_ends_in_a_call() {
    let mut proxy = Proxy::ready(json!({ "exit_on_call": 7 }));
    proxy.call(2, "echo");
    proxy.call(3, "echo");
    is_gone(&proxy.answer(), 2);
    is_gone(&proxy.answer(), 3);
    let end = proxy.wait();
    assert_eq!(end.code, 7);
    end.assert_event("ending", "unknown");
}

#[test]
fn a_server_that_is_killed_while_a_call_is_held() {
    let mut proxy = Proxy::ready(json!({ "kill_on_call": 9 }));
    proxy.call(2, "wipe");
    proxy.call(3, "echo");
    let mut answers = [proxy.answer(), proxy.answer()];
    answers.sort_by_key(|answer| answer["id"].as_i64());
    assert_eq!(answers[0]["result"]["isError"], true);
    is_gone(&answers[1], 3);
    let end = proxy.wait();
    assert_eq!(end.code, 137);
    assert!(end.stderr.contains("signal 9"), "{}", end.stderr);
}

#[test]
fn a_program_that_is_not_there() {
    let mut proxy = Setup {
        command: vec!["no-such-program-7f3a".into()],
        ..Setup::default()
    }
    .start();
    proxy.send(INITIALIZE);
    let answer = proxy.answer();
    is_gone(&answer, 1);
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap()
            .contains("no-such-program-7f3a")
    );
    let end = proxy.wait();
    assert_eq!(end.code, 127);
    assert!(end.stderr.contains("no-such-program-7f3a"));
}

#[test]
fn a_file_that_is_no_program() {
    let mut proxy = Setup {
        command: vec!["/etc/passwd".into()],
        ..Setup::default()
    }
    .start();
    proxy.send(INITIALIZE);
    is_gone(&proxy.answer(), 1);
    assert_eq!(proxy.wait().code, 126);
}

#[test]
fn a_server_that_closes_its_output_and_lives() {
    let mut proxy = Proxy::ready(json!({ "close_stdout": 1, "ignore_eof": true }));
    proxy.call(2, "echo");
    proxy.call(3, "echo");
    assert_eq!(proxy.answer()["id"], 2);
    is_gone(&proxy.answer(), 3);
    let start = Instant::now();
    let end = proxy.wait();
    assert_ne!(end.code, 0);
    assert!(start.elapsed().as_secs() < 10);
}

#[test]
fn a_server_that_reads_no_more_is_gone() {
    let mut proxy = Proxy::ready(json!({ "close_stdin": 1, "ignore_eof": true }));
    proxy.call(2, "echo");
    assert_eq!(proxy.answer()["id"], 2);
    proxy.call(3, "echo");
    is_gone(&proxy.answer(), 3);
    assert_ne!(proxy.wait().code, 0);
}

#[test]
fn a_last_line_without_its_end_is_no_answer() {
    let mut proxy = Proxy::ready(json!({ "unfinished": true }));
    proxy.call(2, "echo");
    is_gone(&proxy.answer(), 2);
    assert_eq!(proxy.wait().code, 0);
}

#[test]
fn a_client_that_leaves_still_gets_what_is_on_its_way() {
    let mut proxy = Proxy::ready(json!({ "delay_ms": 1200 }));
    proxy.call(2, "echo");
    proxy.close();
    assert!(proxy.answer().get("result").is_some());
    let end = proxy.end();
    assert_eq!((end.code, end.rest.len()), (0, 0));
}

#[test]
fn nobody_waits_for_the_answer_to_a_client_that_was_killed() {
    let home = tempfile::TempDir::new().unwrap();
    let mut proxy = Command::new(env!("CARGO_BIN_EXE_mcp_test_proxy"))
        .args(["--", FAKE_SERVER])
        .env("KNOTRUST_HOME", home.path().join("home"))
        .env("FAKE", r#"{ "delay_ms": 60000, "ignore_eof": true }"#)
        .env("FAKE_RECEIVED", home.path().join("received"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stdin, stdout) = (proxy.stdin.take().unwrap(), proxy.stdout.take().unwrap());
    let call =
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{}}}"#;
    writeln!(stdin, "{INITIALIZE}").unwrap();
    let mut answers = BufReader::new(stdout);
    answers.read_line(&mut String::new()).unwrap();
    writeln!(stdin, "{call}").unwrap();
    let start = Instant::now();
    drop((stdin, answers));
    assert!(proxy.wait().unwrap().success());
    // A client that still reads is given 5 s.
    assert!(start.elapsed().as_secs() < 4);
}

#[test]
fn an_unfinished_message_of_the_client_is_none() {
    let mut proxy = Proxy::ready(json!({}));
    proxy.send_unfinished(
        br#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo"}}"#,
    );
    let end = proxy.end();
    assert!(end.rest.is_empty() && end.received().is_empty());
}

#[test]
fn a_server_inherits_its_three_pipes_and_nothing_else() {
    let file = std::fs::File::open("/dev/null").unwrap();
    // A descriptor that whoever starts us forgot to close.
    rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty()).unwrap();
    let mut proxy = Proxy::ready(json!({ "open_files": true }));
    proxy.call(2, "echo");
    let open = proxy.answer()["result"]["content"][0]["text"]
        .as_str()
        .unwrap()
        .to_owned();
    // The fourth is the folder that it reads the list from, the fifth what it logs to.
    assert_eq!(open, "0 1 2 3 4");
}
