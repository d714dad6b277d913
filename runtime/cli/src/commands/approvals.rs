//! `knotrust approvals`: calls that wait for a person, in whatever process of this home.

mod page;
mod shown;
mod watch;

use std::fs;

use knotrust_core::approval::Ending;
use knotrust_core::consent::{Consent, Proof};
use knotrust_core::json::{self, Object, Value};
use knotrust_core::ruleset::{Approver, Ruleset};
use knotrust_govern::approvals::{
    Answer, Desk, Earlier, Pending, ResolveError, Ticket, Verdict, Way,
};
use knotrust_govern::clock;
use knotrust_govern::home::Home;
use knotrust_govern::keys::sign_with;

use super::Done;
use super::confirm::confirm;
use super::grant::consent;
use super::proxy::home;
use crate::arguments::Format;
use crate::arguments::consent::{ApprovalsVerb, Approve};
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
        ApprovalsVerb::Approve(asked) => match desk.find(&asked.ticket)? {
            Some(pending) => approve(ruleset, &home, &pending, &asked),
            None => missing(),
        },
        ApprovalsVerb::Deny { ticket, format } => match desk.find(&ticket)? {
            Some(pending) => resolve(ruleset, &pending, Verdict::Deny, None, format),
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

fn approve(
    ruleset: &'static Ruleset<'static>,
    home: &Home,
    pending: &Pending,
    asked: &Approve,
) -> Done {
    let ticket = &pending.ticket;
    output::note(&whole(home, pending));
    if asked.dry_run {
        return Ok(exit::OK);
    }
    // Nobody signs what is known to be false.
    if !ticket.is_true() {
        return Err(ResolveError::Tampered.into());
    }
    if asked.key.is_none()
        && let Approver::Passkey(_) = ruleset.approvals.approver
    {
        return page::approve(ruleset, home, pending, asked.format);
    }
    let reviewer = asked.reviewer.as_deref();
    if reviewer.is_none() && !ticket.roles.is_empty() {
        return Err(missing_reviewer(ruleset, &ticket.roles).into());
    }
    if !confirm("Let this call go on, once?", asked.yes)? {
        return Ok(exit::FAILED);
    }
    let challenge = ticket.challenge(reviewer);
    let proof = match &asked.key {
        Some(file) => Proof::Reviewer(sign_with(&fs::read(file)?, &challenge)?),
        None => consent::to_call(ruleset, &challenge)?,
    };
    let consent = Consent {
        approval: Some(ticket.approval()),
        reviewer: reviewer.map(str::to_owned),
        proof,
    };
    resolve(
        ruleset,
        pending,
        Verdict::Approve,
        Some(consent),
        asked.format,
    )
}

fn missing_reviewer(ruleset: &Ruleset<'_>, roles: &[String]) -> String {
    let may = ruleset.approvals.reviewers.iter();
    let may = may.filter(|known| roles.iter().any(|role| role == known.role));
    let names: Vec<&str> = may.map(|known| known.name).collect();
    let names = if names.is_empty() {
        "nobody".to_owned()
    } else {
        names.join(", ")
    };
    format!(
        "somebody with the role {} must answer: `--reviewer NAME`, one of {names}",
        roles.join(" or ")
    )
}

fn resolve(
    ruleset: &Ruleset<'_>,
    pending: &Pending,
    verdict: Verdict,
    consent: Option<Consent>,
    format: Format,
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
    say(&pending.ticket, verdict.ending(), format)?;
    Ok(exit::OK)
}

/// Says how a ticket has ended.
fn say(ticket: &Ticket, ending: Ending, format: Format) -> std::io::Result<()> {
    match format {
        Format::Text => output::line(ending.as_str()),
        Format::Json => {
            let mut object = Object::new();
            object.insert("id", Value::string(&ticket.id));
            object.insert("state", Value::string(ending.as_str()));
            output::line(&json::write(&Value::Object(object)))
        }
    }
}

/// Who answers, as far as the operating system tells.
fn who() -> String {
    let name = ["USER", "LOGNAME", "USERNAME"]
        .iter()
        .find_map(|name| std::env::var(name).ok());
    name.unwrap_or_else(|| "somebody at this terminal".to_owned())
}
