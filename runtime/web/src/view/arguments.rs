//! The arguments of a call: all of them, in the order sent.

use knotrust_core::json::{Text, Value};
use knotrust_govern::approvals::Ticket;
use maud::{Markup, html};

use super::risk::{self, Risk};
use super::text::{beginning, shown};

/// All arguments of a call.
pub(super) fn list(ticket: &Ticket) -> Markup {
    let arguments = ticket.request.arguments();
    match arguments.as_object().filter(|object| !object.is_empty()) {
        Some(_) => html! { div.arguments { (value(&arguments, None)) } },
        None => html! { p { "None." } },
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
