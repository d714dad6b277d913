//! One expectation after the other.

use std::io;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::super::Done;
use super::client::Client;
use super::{BAD, GOOD};
use crate::{exit, output};

/// One call, and what must come of it.
pub(super) struct Scene {
    pub(super) title: &'static str,
    pub(super) tool: &'static str,
    pub(super) arguments: Value,
    pub(super) expected: &'static str,
    pub(super) holds: fn(&Value) -> bool,
}

/// How it has gone so far.
#[derive(Default)]
pub(super) struct Play {
    held: usize,
    failed: usize,
}

impl Play {
    /// Plays a scene and prints it.
    pub(super) fn scene(&mut self, client: &mut Client, scene: &Scene) -> io::Result<()> {
        let answer = client.call(scene.tool, &scene.arguments)?;
        self.judge(scene.title, (scene.holds)(&answer), scene.expected)?;
        output::line(&format!(
            "      -> tools/call {} {}",
            scene.tool, scene.arguments
        ))?;
        output::line(&format!("      <- {}", shown(&answer)))
    }

    /// Plays the scene of a call that waits for somebody who does not come.
    pub(super) fn stopped(
        &mut self,
        client: &mut Client,
        title: &str,
        tool: &str,
    ) -> io::Result<()> {
        let pong = client.call_and_give_up(tool)?;
        self.judge(
            title,
            pong.get("result").is_some(),
            "no answer, and a session that goes on",
        )?;
        output::line(&format!(
            "      -> tools/call {tool} {{}}, and the client gives up"
        ))
    }

    /// Prints the audit trail, and has the program verify it.
    pub(super) fn audit(&mut self, program: &Path, home: &Path) -> io::Result<()> {
        let ask = |words: &[&str]| {
            Command::new(program)
                .args(words)
                .env("KNOTRUST_HOME", home)
                .output()
        };
        let list = ask(&["audit", "list"])?;
        let trail = String::from_utf8_lossy(&list.stdout).into_owned();
        trail
            .lines()
            .try_for_each(|line| output::line(&format!("      {line}")))?;
        let decisions = ["allow", "deny", "pending_approval"];
        let told = list.status.success() && decisions.iter().all(|word| trail.contains(word));
        self.judge(
            "every decision is in the audit log",
            told,
            "an allow, a denial and a held call",
        )?;
        let purged = trail
            .lines()
            .any(|line| line.contains("purge_notes") && line.contains("answered"));
        self.judge(
            "the destructive call never reached the server",
            !purged,
            "no end of that call in the log",
        )?;
        let verified = ask(&["audit", "verify"])?;
        let words = String::from_utf8_lossy(&verified.stdout).trim().to_owned();
        self.judge("audit verify", verified.status.success(), "an intact chain")?;
        output::line(&format!("      {words}"))
    }

    /// Says how it went.
    pub(super) fn verdict(&self) -> Done {
        output::line(&format!(
            "\n{} expectations held, {} did not",
            self.held, self.failed
        ))?;
        Ok(if self.failed == 0 {
            exit::OK
        } else {
            exit::FAILED
        })
    }

    fn judge(&mut self, title: &str, held: bool, expected: &str) -> io::Result<()> {
        let (style, mark) = if held { (GOOD, "ok  ") } else { (BAD, "FAIL") };
        *(if held {
            &mut self.held
        } else {
            &mut self.failed
        }) += 1;
        output::line(&format!(
            "{style}{mark}{style:#}  {title}\n      expected: {expected}"
        ))
    }
}

fn shown(answer: &Value) -> String {
    let text = answer
        .pointer("/result/content/0/text")
        .and_then(Value::as_str);
    let text = text.or(answer.pointer("/error/message").and_then(Value::as_str));
    let plain = text.map_or_else(|| answer.to_string(), str::to_owned);
    output::inert(&plain)
}
