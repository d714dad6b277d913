//! A call that waits, as a person sees it: everything, in the order it was sent, and nothing that acts on a terminal.

use knotrust_core::json::{Object, Text, Value, write};
use knotrust_govern::approvals::{Before, Since, Ticket};

use crate::output::inert;

/// From here on a run of blanks is counted, so that nothing hides behind it.
const RUN: usize = 8;
const MOST_CHANGES: usize = 50;
const LONGEST_CHANGE: usize = 120;

/// One line of a list.
pub(super) fn line(ticket: &Ticket) -> String {
    format!(
        "{}  code {}  {}  {}  agent {}  until {}",
        ticket.id,
        ticket.code,
        ticket.tier,
        inert(&ticket.request.action.name.to_string_lossy()),
        inert(&ticket.request.context.agent.id),
        ticket.until
    )
}

/// The whole call.
pub(super) fn whole(ticket: &Ticket) -> String {
    let request = &ticket.request;
    let mut text = format!(
        "{}\n  code       {}\n  server     {}\n  tool       {}\n  tier       {}\n  because    {}\n  agent      {}\n  on behalf  {}\n  resource   {} {}\n  until      {}\n  arguments",
        ticket.id,
        ticket.code,
        inert(request.surface.server.as_deref().unwrap_or_default()),
        inert(&request.action.name.to_string_lossy()),
        ticket.tier,
        ticket.reason,
        inert(&request.context.agent.id),
        inert(&request.subject.id),
        shown(&request.resource.kind.to_string_lossy()),
        shown(&request.resource.id.to_string_lossy()),
        ticket.until
    );
    match &request.context.arguments {
        Some(arguments) if !arguments.is_empty() => members(&mut text, arguments, 2),
        Some(_) | None => text.push_str(" none"),
    }
    text
}

/// What has changed since a call of this tool was last approved.
pub(super) fn since(since: &Since) -> String {
    let mut text = format!(
        "  since the call that was approved last, asked for at {}",
        since.asked
    );
    if since.changes.is_empty() {
        text.push_str("\n    nothing differs");
    }
    let written = |value: &Option<Value<'_>>| match value {
        Some(value) => cut(&shown(&write(value))),
        None => "not there".to_owned(),
    };
    for change in since.changes.iter().take(MOST_CHANGES) {
        text.push_str(&format!(
            "\n    {}  {} -> {}",
            shown(&change.place),
            match &change.before {
                Before::Absent => written(&None),
                Before::Value(known) => cut(&shown(&write(known))),
                Before::Unkept => "another value, which was not kept".to_owned(),
            },
            written(&change.after)
        ));
    }
    let more = since.changes.len().saturating_sub(MOST_CHANGES);
    if more > 0 {
        text.push_str(&format!("\n    and {more} more values"));
    }
    text
}

/// A value beside another is cut: all of the new one stands among the arguments.
fn cut(text: &str) -> String {
    let length = text.chars().count();
    if length <= LONGEST_CHANGE {
        return text.to_owned();
    }
    let beginning: String = text.chars().take(LONGEST_CHANGE).collect();
    format!("{beginning}… ({length} characters)")
}

/// The whole call for programs.
pub(super) fn json(ticket: &Ticket) -> Value<'static> {
    let owned = |text: &str| Value::String(Text::from(text.to_owned()));
    let mut object = Object::new();
    object.insert("id", owned(&ticket.id));
    object.insert("code", owned(&ticket.code));
    object.insert("tier", Value::string(ticket.tier.as_str()));
    object.insert("reason", owned(&ticket.reason));
    object.insert("tool", Value::String(ticket.request.action.name.clone()));
    object.insert("agent", owned(&ticket.request.context.agent.id));
    object.insert("until", owned(&ticket.until.to_string()));
    object.insert(
        "roles",
        Value::Array(ticket.roles.iter().map(|role| owned(role)).collect()),
    );
    let arguments = ticket.request.context.arguments.clone();
    object.insert("arguments", arguments.map_or(Value::Null, Value::Object));
    Value::Object(object)
}

fn members(out: &mut String, object: &Object<'_>, depth: usize) {
    for (name, value) in object.iter() {
        entry(out, &shown(&name.to_string_lossy()), value, depth);
    }
}

fn entry(out: &mut String, name: &str, value: &Value<'_>, depth: usize) {
    out.push_str(&format!("\n{}{name}: ", "  ".repeat(depth)));
    match value {
        Value::Object(object) if !object.is_empty() => members(out, object, depth + 1),
        Value::Array(elements) if !elements.is_empty() => {
            for (index, element) in elements.iter().enumerate() {
                entry(out, &format!("[{index}]"), element, depth + 1);
            }
        }
        Value::String(_)
        | Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::Array(_)
        | Value::Object(_) => out.push_str(&shown(&write(value))),
    }
}

/// Inert, with long runs of blanks counted.
fn shown(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(&" ".repeat(RUN)) {
        let (before, run) = rest.split_at(start);
        let count = run.len() - run.trim_start_matches(' ').len();
        out.push_str(&inert(before));
        out.push_str(&format!("<{count} blanks>"));
        rest = run.trim_start_matches(' ');
    }
    out.push_str(&inert(rest));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hides_behind_blanks() {
        assert_eq!(
            shown(&format!("x{} -rf /", " ".repeat(4000))),
            "x<4001 blanks>-rf /"
        );
        assert_eq!(shown("a b"), "a b");
        assert_eq!(shown("\u{202e}x"), "<U+202E>x");
    }
}
