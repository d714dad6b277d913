//! The real binary, run as people run it.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

fn knotrust(words: &[&str], input: &str, home: &Path) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_knotrust"))
        .args(words)
        .env("KNOTRUST_HOME", home.join("home"))
        .env("KNOTRUST_KEYCHAIN", "none")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn the_demo_shows_the_main_job() {
    let scratch = tempfile::tempdir().unwrap();
    let output = knotrust(&["demo"], "", scratch.path());
    assert!(
        output.status.success(),
        "{}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
    assert!(text(&output.stdout).contains("0 did not"));
}

#[test]
fn a_batch_of_questions_is_answered_line_by_line() {
    let scratch = tempfile::tempdir().unwrap();
    let questions = [
        json!({ "server": "demo", "tool": "list_notes", "arguments": {} }),
        json!({ "server": "demo", "tool": "write_note", "arguments": {} }),
        json!({ "server": "demo", "tool": "purge_notes", "arguments": {} }),
        json!({ "server": "demo", "tool": "drop_database", "arguments": {} }),
        json!({ "server": "demo", "tool": "x", "annotations": { "destructiveHint": "true" } }),
    ];
    let input: String = questions
        .iter()
        .map(|question| format!("{question}\n"))
        .collect();
    let output = knotrust(&["explain", "--batch"], &input, scratch.path());
    let answers: Vec<Value> = text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let outcomes: Vec<_> = answers
        .iter()
        .map(|answer| answer["outcome"].as_str().unwrap())
        .collect();
    assert_eq!(
        outcomes,
        [
            "allow",
            "deny",
            "pending_approval",
            "deny",
            "pending_approval"
        ]
    );
    assert_eq!(answers[3]["reasonCode"], "envelope_deny");
}

#[test]
fn an_invalid_ruleset_is_told_with_its_place() {
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("bad.yaml");
    fs::write(
        &file,
        "apiVersion: knotrust/v1\nkind: Ruleset\nmetadata: { name: x, version: 1 }\nteirs: {}\n",
    )
    .unwrap();
    let output = knotrust(&["validate", file.to_str().unwrap()], "", scratch.path());
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stderr);
    assert!(
        told.contains("teirs") && told.contains("tiers") && told.contains(":4:"),
        "{told}"
    );
}

#[test]
fn the_shipped_rulesets_are_valid_and_pass_their_tests() {
    let scratch = tempfile::tempdir().unwrap();
    for file in [
        "knotrust.yaml",
        "examples/payments.yaml",
        "examples/data.yaml",
        "examples/locked-down-ci.yaml",
    ] {
        let output = knotrust(&["validate", file], "", scratch.path());
        assert!(output.status.success(), "{file}: {}", text(&output.stderr));
        let output = knotrust(&["test", "--ruleset", file], "", scratch.path());
        assert!(output.status.success(), "{file}: {}", text(&output.stdout));
    }
}

#[test]
fn the_suggested_command_makes_the_next_call_pass() {
    let scratch = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_knotrust");
    let call = json!({
        "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": { "name": "write_note", "arguments": { "title": "a", "text": "b" } },
    });
    let opening = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } },
    });
    let session = format!("{opening}\n{call}\n");
    let proxy = ["--server", "demo", "--", program, "demo-server"];
    // Answers come in the order in which they are ready.
    let answer = |output: &Output| -> Value {
        let lines = text(&output.stdout)
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        lines
            .into_iter()
            .find(|line: &Value| line["id"] == 2)
            .unwrap()
    };
    let denied = answer(&knotrust(&proxy, &session, scratch.path()));
    assert_eq!(denied["result"]["isError"], true);
    let block: Value =
        serde_json::from_str(denied["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
    let how = block["requestable"]["how"].as_str().unwrap().to_owned();
    let words: Vec<&str> = how.split(' ').skip(1).chain(["--yes"]).collect();
    assert!(knotrust(&words, "", scratch.path()).status.success());
    let allowed = answer(&knotrust(&proxy, &session, scratch.path()));
    assert_eq!(allowed["result"]["isError"], false);
    assert!(
        knotrust(&["revoke", "--all", "--yes"], "", scratch.path())
            .status
            .success()
    );
    let denied = answer(&knotrust(&proxy, &session, scratch.path()));
    assert_eq!(denied["result"]["isError"], true);
    assert!(
        knotrust(&["audit", "verify"], "", scratch.path())
            .status
            .success()
    );
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_a_file_is_refused_and_waited_for_by_nobody() {
    let scratch = tempfile::tempdir().unwrap();
    let pipe = scratch.path().join("pipe.yaml");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let output = knotrust(&["validate", pipe.to_str().unwrap()], "", scratch.path());
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("not a regular file"));
}

#[test]
fn a_pattern_that_matches_no_listed_tool_is_told() {
    let scratch = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_knotrust");
    let opening = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } },
    });
    let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" });
    let proxy = ["--server", "demo", "--", program, "demo-server"];
    let session = format!("{opening}\n{list}\n");
    assert!(knotrust(&proxy, &session, scratch.path()).status.success());
    let file = scratch.path().join("idle.yaml");
    fs::write(
        &file,
        "apiVersion: knotrust/v1\nkind: Ruleset\nmetadata: { name: x, version: 1 }\nunlistedServers: allow\ntiers:\n  rules:\n    \
         - { match: demo.wirte_note, tier: sensitive }\n    - { match: demo.list_*, tier: routine }\n    - { match: other.x, tier: routine }\n",
    )
    .unwrap();
    let path = file.to_str().unwrap();
    let output = knotrust(&["validate", path, "--inventory"], "", scratch.path());
    assert!(output.status.success());
    let told = text(&output.stderr);
    assert!(
        told.contains("did you mean `demo.write_note`?") && told.contains(":7:"),
        "{told}"
    );
    assert!(told.contains("1 warning"), "{told}");
    let output = knotrust(&["validate", path], "", scratch.path());
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn a_person_says_that_the_clock_is_right() {
    let scratch = tempfile::tempdir().unwrap();
    let unasked = knotrust(&["audit", "believe-clock"], "", scratch.path());
    assert_eq!(unasked.status.code(), Some(1));
    let believed = knotrust(&["audit", "believe-clock", "--yes"], "", scratch.path());
    assert!(believed.status.success(), "{}", text(&believed.stderr));
    let listed = knotrust(&["audit", "list"], "", scratch.path());
    let listed = text(&listed.stdout);
    assert!(
        listed.contains("#1 clock_jumped") && !listed.contains("args="),
        "{listed}"
    );
    let verified = knotrust(&["audit", "verify"], "", scratch.path());
    assert!(verified.status.success(), "{}", text(&verified.stderr));
}
