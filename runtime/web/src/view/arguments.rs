//! The arguments of a call: all of them, in the order sent.

use knotrust_core::json::{Text, Value};
use knotrust_govern::approvals::{Extent, Ticket};
use maud::{Markup, html};

use super::risk::{self, Risk};
use super::text::{beginning, shown};

/// All arguments of a call.
pub(super) fn list(ticket: &Ticket) -> Markup {
    let arguments = ticket.request.arguments();
    match arguments.as_object().filter(|object| !object.is_empty()) {
        Some(_) => html! {
            (extent(&arguments))
            div.arguments { (value(&arguments, None)) }
        },
        None => html! { p { "None." } },
    }
}

/// How much there is, and how much of it a glance does not show.
fn extent(arguments: &Value<'_>) -> Markup {
    let folded = folded(arguments);
    html! {
        p.extent {
            (Extent::of(arguments).words()) "."
            @if folded > 0 {
                " " strong { (folded) (if folded == 1 { " part of this is folded" } else { " parts of this are folded" }) }
                ": open them to see all."
            }
        }
    }
}

fn folded(value: &Value<'_>) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => usize::from(text.chars().count() > LONGEST_OPEN),
        Value::Array(items) => {
            usize::from(items.len() > MOST_OPEN) + items.iter().map(folded).sum::<usize>()
        }
        Value::Object(object) => {
            let within = object.iter().map(|(_, member)| folded(member));
            usize::from(object.len() > MOST_OPEN) + within.sum::<usize>()
        }
    }
}

fn value(value: &Value<'_>, named: Option<Risk>) -> Markup {
    match value {
        Value::Null => html! { code { "null" } (marks(value, named)) },
        Value::Bool(known) => html! { code { (known) } (marks(value, named)) },
        Value::Number(number) => html! { code { (number.as_str()) } (marks(value, named)) },
        Value::String(text) => html! { (string(text)) (marks(value, named)) },
        Value::Array(items) => {
            let list = html! {
                ol start="0" { @for item in items { li { (self::value(item, named)) } } }
            };
            several(value, named, items.len(), "elements", &list)
        }
        Value::Object(object) => {
            let list = html! {
                ul { @for (name, member) in object.iter() { li { (self::member(name, member, named)) } } }
            };
            several(value, named, object.len(), "members", &list)
        }
    }
}

fn member(name: &Text<'_>, member: &Value<'_>, above: Option<Risk>) -> Markup {
    let named = Risk::of_name(name).or(above);
    html! { code.name { "\"" (shown(name)) "\"" } ": " (value(member, named)) }
}

/// Few are shown at once; many when the person opens them, with a word of what is in there.
fn several(
    value: &Value<'_>,
    named: Option<Risk>,
    count: usize,
    what: &str,
    list: &Markup,
) -> Markup {
    if count == 0 {
        return html! { span.kind { "no " (what) } };
    }
    if count <= MOST_OPEN {
        return html! { (list) };
    }
    html! {
        details {
            summary {
                (count) " " (what)
                @for risk in risk::within(value, named) { " " (mark(risk)) }
            }
            (list)
        }
    }
}

fn string(text: &Text<'_>) -> Markup {
    let length = text.chars().count();
    if length <= LONGEST_OPEN {
        return html! { code.text { "\"" (shown(text)) "\"" } };
    }
    html! {
        details {
            summary {
                code.text { "\"" (shown(&beginning(text, BEGINNING))) }
                " " span.kind { "… " (length) " characters in all" }
            }
            code.text { "\"" (shown(text)) "\"" }
        }
    }
}

fn marks(value: &Value<'_>, named: Option<Risk>) -> Markup {
    html! { @for risk in risk::of(value, named) { " " (mark(risk)) } }
}

fn mark(risk: Risk) -> Markup {
    html! { strong.risk { (risk.as_str()) } }
}

const MOST_OPEN: usize = 24;
const LONGEST_OPEN: usize = 240;
const BEGINNING: usize = 80;
