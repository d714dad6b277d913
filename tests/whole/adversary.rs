//! Those who want more than they were given, against the real binary and its processes.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// So long nothing takes; it only ends a test that hangs.
const LONG: Duration = Duration::from_secs(60);

/// A proxy in front of the demo server.
pub(super) struct Proxy {
    child: Child,
    input: ChildStdin,
    answers: Receiver<Value>,
    said: Receiver<String>,
    calls: u64,
}

impl Proxy {
    pub(super) fn start(home: &Path) -> Self {
        let mut child = knotrust(home)
            .args(["run", "demo"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let errors = child.stderr.take().unwrap();
        let (sender, answers) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let _ = sender.send(serde_json::from_str(&line.unwrap()).unwrap());
            }
        });
        let (sender, said) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(errors).lines() {
                let _ = sender.send(line.unwrap());
            }
        });
        Self {
            child,
            input,
            answers,
            said,
            calls: 0,
        }
    }

    pub(super) fn send(&mut self, tool: &str, arguments: &Value) {
        self.calls += 1;
        let call = json!({ "jsonrpc": "2.0", "id": self.calls, "method": "tools/call",
            "params": { "name": tool, "arguments": arguments } });
        writeln!(self.input, "{call}").unwrap();
    }

    /// The answer to the call that was sent last.
    pub(super) fn answer(&self) -> Value {
        let answer = self.answers.recv_timeout(LONG).unwrap();
        assert_eq!(answer["id"], self.calls);
        answer
    }

    /// Whether the call that was sent last has passed.
    pub(super) fn passes(&self) -> bool {
        let answer = self.answer();
        answer["result"]["isError"] != true && answer.get("error").is_none()
    }

    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> bool {
        self.send(tool, arguments);
        self.passes()
    }

    /// Calls what waits for a person: the ticket.
    pub(super) fn ask(&mut self, tool: &str, arguments: &Value) -> String {
        self.send(tool, arguments);
        self.waiting()
    }

    /// The ticket of the call that was sent last.
    pub(super) fn waiting(&self) -> String {
        loop {
            let line = self.said.recv_timeout(LONG).unwrap();
            if let Some((_, ticket)) = line.split_once("approvals show ") {
                return ticket.trim().to_owned();
            }
        }
    }

    fn is_waiting(&self) -> bool {
        self.answers.try_recv().is_err()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn knotrust(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_knotrust"));
    command
        .env("KNOTRUST_HOME", home)
        .env("KNOTRUST_KEYCHAIN", "none")
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

/// What a command prints; it must succeed.
pub(super) fn run(home: &Path, words: &[&str]) -> String {
    let output = knotrust(home)
        .args(words)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

pub(super) fn scratch() -> (TempDir, std::path::PathBuf) {
    let scratch = tempfile::tempdir().unwrap();
    let home = scratch.path().join("home");
    (scratch, home)
}

#[test]
fn an_approval_is_for_one_call_of_one_process() {
    let (_scratch, home) = scratch();
    let (mut one, mut other) = (Proxy::start(&home), Proxy::start(&home));
    let call = json!({ "because": "asked to" });
    let first = one.ask("purge_notes", &call);
    let second = other.ask("purge_notes", &call);
    assert_ne!(first, second);
    run(&home, &["approvals", "approve", &first, "--yes"]);
    assert!(one.passes());
    // Neither the same call again, nor one that differs in nothing but its arguments, nor that of the other process.
    let again = one.ask("purge_notes", &call);
    run(&home, &["approvals", "deny", &again]);
    assert!(!one.passes());
    let switched = one.ask("purge_notes", &json!({ "because": "not asked to" }));
    assert!(other.is_waiting());
    for ticket in [&switched, &second] {
        run(&home, &["approvals", "deny", ticket]);
    }
    assert!(!one.passes() && !other.passes());
    run(&home, &["audit", "verify"]);
}

#[test]
fn what_a_ticket_shows_is_what_was_asked_or_it_is_worth_nothing() {
    let (_scratch, home) = scratch();
    let mut proxy = Proxy::start(&home);
    let ticket = proxy.ask("purge_notes", &json!({ "scope": "everything" }));
    let owner = fs::read_dir(home.join("approvals"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let file = owner.path().join(format!("{ticket}.json"));
    let shown = fs::read_to_string(&file).unwrap();
    fs::write(&file, shown.replace("everything", "nothing")).unwrap();
    let approve = knotrust(&home)
        .args(["approvals", "approve", &ticket, "--yes"])
        .output()
        .unwrap();
    assert!(!approve.status.success());
    assert!(proxy.is_waiting());
    run(&home, &["approvals", "deny", &ticket]);
    assert!(!proxy.passes());
}

#[test]
fn a_grant_is_none_in_arguments_nor_once_it_is_revoked() {
    let (_scratch, home) = scratch();
    let mut proxy = Proxy::start(&home);
    let note = |text: &str| json!({ "title": "today", "text": text });
    let grant = [
        "grant",
        "--server",
        "demo",
        "--tool",
        "write_note",
        "--yes",
        "--format",
        "json",
    ];
    let id = serde_json::from_str::<Value>(&run(&home, &grant)).unwrap()["id"].clone();
    let id = id.as_str().unwrap();
    let token = run(&home, &["grant", "export", id]);
    assert!(proxy.call("write_note", &note("granted")));
    run(&home, &["revoke", id, "--yes"]);
    for text in ["once more", token.trim(), &format!("by: {token}")] {
        assert!(!proxy.call("write_note", &note(text)));
    }
    // Put back by hand, it stays revoked.
    fs::write(home.join(format!("grants/{id}.jws")), &token).unwrap();
    assert!(!proxy.call("write_note", &note("put back")));
}

#[test]
fn another_key_in_the_place_of_the_right_one_grants_nothing() {
    let (_scratch, home) = scratch();
    let (_elsewhere, stranger) = scratch();
    let grant = [
        "grant",
        "--server",
        "demo",
        "--tool",
        "write_note",
        "--yes",
        "--format",
        "json",
    ];
    let foreign = serde_json::from_str::<Value>(&run(&stranger, &grant)).unwrap()["id"].clone();
    let foreign = foreign.as_str().unwrap();
    run(&home, &["key", "show"]);
    let mut proxy = Proxy::start(&home);
    let note = json!({ "title": "today", "text": "x" });

    // A grant of somebody else's, with their key under the name of the one that is trusted here.
    let key_of = |home: &Path| {
        let mut files = fs::read_dir(home.join("keys"))
            .unwrap()
            .map(|file| file.unwrap().path());
        files
            .find(|path| path.extension().is_some_and(|end| end == "json"))
            .unwrap()
    };
    let token = fs::read(stranger.join(format!("grants/{foreign}.jws"))).unwrap();
    fs::create_dir_all(home.join("grants")).unwrap();
    fs::write(home.join(format!("grants/{foreign}.jws")), &token).unwrap();
    assert!(!proxy.call("write_note", &note));
    fs::write(key_of(&home), fs::read(key_of(&stranger)).unwrap()).unwrap();
    assert!(!proxy.call("write_note", &note));
    // Only a person who trusts that key makes it count.
    run(
        &home,
        &["key", "trust", key_of(&stranger).to_str().unwrap()],
    );
    assert!(proxy.call("write_note", &note));
}
