//! The calls that wait, as they come and go.
//!
//! On a terminal it is a table that keeps itself up to date; elsewhere each coming and going is a line.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal as _};
use std::thread;
use std::time::Duration;

use knotrust_core::json::{self, Object, Value};
use knotrust_core::time::Timestamp;
use knotrust_govern::approvals::{Desk, Extent, Pending, Ticket};
use knotrust_govern::clock;

use super::super::Done;
use super::{open, shown};
use crate::arguments::Format;
use crate::output::{self, inert};

/// How often the desk is looked at.
const GLANCE: Duration = Duration::from_millis(250);

/// Watches until interrupted.
pub(super) fn run(desk: &Desk, format: Format) -> Done {
    if io::stdout().is_terminal() && format == Format::Text {
        table(desk)
    } else {
        lines(desk, format)
    }
}

fn table(desk: &Desk) -> Done {
    let mut before = String::new();
    loop {
        let now = clock::now().wall;
        let view = view(&open(desk)?, now);
        // Drawn only when it differs, so that what is being read or copied stays as it is.
        if view != before {
            output::data(&format!("{HOME_AND_CLEAR}{view}"))?;
            before = view;
        }
        thread::sleep(GLANCE);
    }
}

fn view(pending: &[Pending], now: Timestamp) -> String {
    let count = pending.len();
    let mut text = match count {
        0 => "No call waits for a person.\n".to_owned(),
        1 => "1 call waits for a person.\n".to_owned(),
        _ => format!("{count} calls wait for a person.\n"),
    };
    if count > 0 {
        text.push_str("\n  code    left   tier       tool, agent, arguments\n");
    }
    for pending in pending.iter().take(MOST_ROWS) {
        text.push_str(&row(&pending.ticket, now));
    }
    if count > MOST_ROWS {
        text.push_str(&format!("  and {} more\n", count - MOST_ROWS));
    }
    text.push_str(
        "\nknotrust approvals show|approve|deny CODE, in another terminal; Ctrl-C ends this.\n",
    );
    text
}

fn row(ticket: &Ticket, now: Timestamp) -> String {
    let left = ticket.until.millis().saturating_sub(now.millis()).max(0) / 1000;
    let request = &ticket.request;
    format!(
        "  {}  {:>3}:{:02}  {:<9}  {}, {}, {}\n",
        ticket.code,
        left / 60,
        left % 60,
        ticket.tier.as_str(),
        inert(&request.action.name.to_string_lossy()),
        inert(&request.context.agent.id),
        Extent::of(&request.arguments()).words()
    )
}

fn lines(desk: &Desk, format: Format) -> Done {
    let mut known: BTreeMap<String, Ticket> = BTreeMap::new();
    loop {
        let tickets = open(desk)?.into_iter().map(|pending| pending.ticket);
        let now: BTreeMap<String, Ticket> =
            tickets.map(|ticket| (ticket.id.clone(), ticket)).collect();
        for ticket in now
            .values()
            .filter(|ticket| !known.contains_key(&ticket.id))
        {
            output::line(&line('+', ticket, format))?;
        }
        for ticket in known
            .values()
            .filter(|ticket| !now.contains_key(&ticket.id))
        {
            output::line(&line('-', ticket, format))?;
        }
        known = now;
        thread::sleep(GLANCE);
    }
}

fn line(sign: char, ticket: &Ticket, format: Format) -> String {
    match (format, sign) {
        (Format::Text, '+') => format!("+ {}", shown::line(ticket)),
        (Format::Text, _) => format!("{sign} {}", ticket.id),
        (Format::Json, _) => {
            let mut object = Object::new();
            object.insert(
                "change",
                Value::string(if sign == '+' { "waits" } else { "over" }),
            );
            object.insert("approval", shown::json(ticket));
            json::write(&Value::Object(object))
        }
    }
}

const HOME_AND_CLEAR: &str = "\x1b[H\x1b[2J";
const MOST_ROWS: usize = 40;
