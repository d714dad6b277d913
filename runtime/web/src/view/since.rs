//! What has changed since a person last approved a call of this tool.

use knotrust_core::json::{Text, Value, write};
use knotrust_govern::approvals::{Before, Change, Since};
use maud::{Markup, html};

use super::text::{beginning, shown};

/// The differences, value by value; nothing where no call of the tool was approved before.
pub(super) fn section(since: &Since) -> Markup {
    let count = since.changes.len();
    html! {
        section {
            h2 { "Since you last approved this tool" }
            @if count == 0 {
                p { "Nothing differs from the call that was asked for at " (since.asked.to_string()) "." }
            } @else {
                p.extent {
                    (count) (if count == 1 { " value differs" } else { " values differ" })
                    " from the call that was asked for at " (since.asked.to_string()) "."
                }
                table.since {
                    thead { tr { th scope="col" { "Where" } th scope="col" { "Then" } th scope="col" { "Now" } } }
                    tbody { @for change in since.changes.iter().take(MOST) { (row(change)) } }
                }
                @if count > MOST { p.remark { (count - MOST) " more values differ than stand here." } }
            }
        }
    }
}

fn row(change: &Change) -> Markup {
    html! {
        tr {
            th scope="row" { code { (shown(&Text::from(change.place.clone()))) } }
            td { del { (before(&change.before)) } }
            td { ins { (value(change.after.as_ref())) } }
        }
    }
}

fn before(before: &Before) -> Markup {
    match before {
        Before::Absent => value(None),
        Before::Value(known) => value(Some(known)),
        Before::Unkept => html! { span.kind { "another value, which was not kept" } },
    }
}

/// Long values are cut: all of the new one stands below.
fn value(value: Option<&Value<'_>>) -> Markup {
    let Some(value) = value else {
        return html! { span.kind { "not there" } };
    };
    let text = Text::from(write(value));
    let length = text.chars().count();
    if length <= LONGEST {
        return html! { code { (shown(&text)) } };
    }
    html! { code { (shown(&beginning(&text, LONGEST))) } span.kind { "… " (length) " characters" } }
}

const MOST: usize = 50;
const LONGEST: usize = 160;
