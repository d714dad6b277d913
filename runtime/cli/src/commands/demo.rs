//! `knotrust demo`: the main job, on a small server of its own.
//!
//! Nothing is acted out: the proxy is this program, started as any client would start it, the server is a real child of
//! it, and a scripted client speaks to both over real pipes. Every step says what is expected, and the demo fails if that
//! is not what happens.

mod client;
mod scene;

use std::env;

use anstyle::{AnsiColor, Style};
use knotrust_core::ruleset::Ruleset;
use serde_json::{Value, json};

use super::Done;
use crate::output;
use client::Client;
use scene::{Play, Scene};

/// Plays all scenes. Exit code 0 only if every expectation held.
pub(super) fn run(ruleset: &Ruleset<'_>) -> Done {
    let program = env::current_exe()?;
    let scratch = tempfile::Builder::new()
        .prefix("knotrust-demo-")
        .tempdir()?;
    // The home makes itself, closed to all others.
    let home = scratch.path().join("home");
    output::line(&format!(
        "{}knotrust demo{}: the policy `{}` {} between a scripted client and a small server\n",
        BOLD.render(),
        BOLD.render_reset(),
        ruleset.name,
        ruleset.version
    ))?;
    let mut play = Play::default();
    let mut client = Client::start(&program, &home)?;
    client.handshake()?;

    play.scene(
        &mut client,
        &Scene {
            title: "a routine call is forwarded",
            tool: "list_notes",
            arguments: json!({}),
            expected: "the server's own answer",
            holds: |answer| !is_denied(answer) && answer.get("result").is_some(),
        },
    )?;
    play.scene(
        &mut client,
        &Scene {
            title: "a sensitive call is denied, and the denial says how to ask",
            tool: "write_note",
            arguments: json!({ "title": "plan", "text": "ship it" }),
            expected: "a denial with the command that would grant it",
            holds: |answer| {
                is_denied(answer)
                    && hint(answer).is_some_and(|how| how.starts_with("knotrust grant "))
            },
        },
    )?;
    play.scene(
        &mut client,
        &Scene {
            title: "the envelope denies, whatever the server says of the tool",
            tool: "drop_database",
            arguments: json!({}),
            expected: "a denial without a way round it",
            holds: |answer| is_denied(answer) && hint(answer).is_none(),
        },
    )?;
    play.stopped(
        &mut client,
        "an unknown tool that looks destructive waits for a person, and nobody is there",
        "purge_notes",
    )?;
    play.scene(
        &mut client,
        &Scene {
            title: "a server that dies in the middle of a call fails closed",
            tool: "crash",
            arguments: json!({}),
            expected: "an error, and no result",
            holds: |answer| answer.get("error").is_some(),
        },
    )?;
    drop(client);

    output::line(&format!(
        "\n{}the audit trail{}",
        BOLD.render(),
        BOLD.render_reset()
    ))?;
    play.audit(&program, &home)?;
    play.verdict()
}

const BOLD: Style = Style::new().bold();
const GOOD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
const BAD: Style = Style::new()
    .bold()
    .fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));

fn is_denied(answer: &Value) -> bool {
    answer.pointer("/result/isError") == Some(&Value::Bool(true))
}

/// The command that a denial suggests.
fn hint(answer: &Value) -> Option<String> {
    let text = answer.pointer("/result/content/0/text")?.as_str()?;
    let block: Value = serde_json::from_str(text).ok()?;
    block
        .pointer("/knotrust/requestable/how")
        .or(block.pointer("/requestable/how"))?
        .as_str()
        .map(str::to_owned)
}
