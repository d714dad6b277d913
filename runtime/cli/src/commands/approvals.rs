//! `knotrust approvals`: calls that wait for a person, in whatever process of this home.

mod page;
mod shown;
mod watch;

use knotrust_core::json::{self, Value};
use knotrust_core::ruleset::{Approver, Ruleset};
use knotrust_govern::approvals::{Answer, Desk, Earlier, Pending, Verdict, Way};
use knotrust_govern::clock;
use knotrust_govern::home::Home;

use super::Done;
use super::confirm::confirm;
use super::grant::consent;
use super::proxy::home;
use crate::arguments::Format;
use crate::arguments::consent::ApprovalsVerb;
use crate::{exit, output};

/// Lists, shows, answers, watches.
pub(super) fn run(ruleset: &'static Ruleset<'static>, verb: ApprovalsVerb) -> Done {
    let home = home()?;
    let desk = Desk::of(&home);
    match verb {
        ApprovalsVerb::List { format } => list(&desk, format),
        ApprovalsVerb::Show { ticket, format } => match desk.find(&ticket)? {
            Some(pending) => show(&home, &pending, format),
            None => missing(),
        },
        ApprovalsVerb::Approve { ticket, yes } => match desk.find(&ticket)? {
            Some(pending) => approve(ruleset, &home, &pending, yes),
            None => missing(),
        },
        ApprovalsVerb::Deny { ticket } => match desk.find(&ticket)? {
            Some(pending) => resolve(ruleset, &pending, Verdict::Deny, None),
            None => missing(),
        },
        ApprovalsVerb::Watch { format } => watch::run(&desk, format),
    }
}

fn missing() -> Done {
    output::note("no such call waits\n\nhint: `knotrust approvals list` lists those that do");
    Ok(exit::FAILED)
}

fn open(desk: &Desk) -> Result<Vec<Pending>, knotrust_govern::failure::StoreError> {
    let now = clock::now().wall;
    let mut pending = desk.list()?;
    pending.retain(|pending| pending.end.is_none() && now < pending.ticket.until);
    Ok(pending)
}

fn list(desk: &Desk, format: Format) -> Done {
    let pending = open(desk)?;
    match format {
        Format::Text => pending
            .iter()
            .try_for_each(|pending| output::line(&shown::line(&pending.ticket)))?,
        Format::Json => {
            let all = pending
                .iter()
                .map(|pending| shown::json(&pending.ticket))
                .collect();
            output::line(&json::write(&Value::Array(all)))?;
        }
    }
    Ok(exit::OK)
}

fn show(home: &Home, pending: &Pending, format: Format) -> Done {
    match format {
        Format::Text => output::line(&whole(home, pending))?,
        Format::Json => output::line(&json::write(&shown::json(&pending.ticket)))?,
    }
    Ok(exit::OK)
}

fn whole(home: &Home, pending: &Pending) -> String {
    let ticket = &pending.ticket;
    let since = Earlier::of(home).since(ticket);
    let since = since.map(|since| format!("\n{}", shown::since(&since)));
    format!("{}{}", shown::whole(ticket), since.unwrap_or_default())
}

fn approve(ruleset: &'static Ruleset<'static>, home: &Home, pending: &Pending, yes: bool) -> Done {
    output::note(&whole(home, pending));
    if let Approver::Passkey(_) = ruleset.approvals.approver {
        return page::approve(ruleset, home, pending);
    }
    if !confirm("Let this call go on, once?", yes)? {
        return Ok(exit::FAILED);
    }
    let challenge = pending.ticket.challenge(None);
    let consent = consent::to_call(ruleset, pending.ticket.approval(), &challenge)?;
    resolve(ruleset, pending, Verdict::Approve, Some(consent))
}

fn resolve(
    ruleset: &Ruleset<'_>,
    pending: &Pending,
    verdict: Verdict,
    consent: Option<knotrust_core::consent::Consent>,
) -> Done {
    let now = clock::now().wall;
    let call = (verdict == Verdict::Approve).then(|| pending.ticket.exact.clone());
    let answer = Answer {
        verdict,
        at: now,
        way: Way::Terminal,
        who: who(),
        call,
        consent,
    };
    pending.resolve(&ruleset.approvals, &answer, now)?;
    output::line(if verdict == Verdict::Approve {
        "approved"
    } else {
        "denied"
    })?;
    Ok(exit::OK)
}

/// Who answers, as far as the operating system tells.
fn who() -> String {
    let name = ["USER", "LOGNAME", "USERNAME"]
        .iter()
        .find_map(|name| std::env::var(name).ok());
    name.unwrap_or_else(|| "somebody at this terminal".to_owned())
}
