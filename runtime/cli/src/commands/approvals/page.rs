//! A call that needs a passkey, answered on a page that this command serves.

use std::thread;
use std::time::Duration;

use knotrust_core::approval::Ending;
use knotrust_core::request::{SubjectKind, SurfaceKind};
use knotrust_core::ruleset::Ruleset;
use knotrust_govern::approvals::{Desk, Pending};
use knotrust_govern::caller::{Caller, LOCAL_USER};
use knotrust_govern::clock;
use knotrust_govern::home::Home;
use knotrust_web::page::LocalPage;

use super::super::Done;
use crate::arguments::Format;
use crate::{exit, output};

/// How often it is looked whether the person has answered.
const GLANCE: Duration = Duration::from_millis(100);

/// Shows the call on a page, and waits until it has ended.
pub(super) fn approve(
    ruleset: &'static Ruleset<'static>,
    home: &Home,
    pending: &Pending,
    format: Format,
) -> Done {
    let ticket = &pending.ticket;
    if !ticket.is_true() {
        return Err(
            "the ticket was tampered with: it shows another call than the one it is about".into(),
        );
    }
    let page = LocalPage::of(ruleset, home, &somebody_here());
    let address = page.show_of(pending).ok_or("no page can be served here")?;
    output::note(&format!(
        "The ruleset asks for a passkey. Open this page in a browser of this machine, and answer there:\n\n  {}\n",
        address.url
    ));
    let ending = wait(&Desk::of(home), pending)?;
    page.drain();
    match ending {
        Some(ending) => {
            super::say(ticket, ending, format)?;
            let is_approved = ending == Ending::Approved;
            Ok(if is_approved { exit::OK } else { exit::FAILED })
        }
        None => {
            output::note("the call is gone: whoever held it has ended");
            Ok(exit::FAILED)
        }
    }
}

fn wait(
    desk: &Desk,
    pending: &Pending,
) -> Result<Option<Ending>, knotrust_govern::failure::StoreError> {
    loop {
        let Some(now) = desk.held_by(&pending.owner(), &pending.ticket)? else {
            return Ok(None);
        };
        if let Some(answer) = now.end {
            return Ok(Some(answer.verdict.ending()));
        }
        if clock::now().wall >= pending.ticket.until {
            return Ok(Some(Ending::Expired));
        }
        thread::sleep(GLANCE);
    }
}

fn somebody_here() -> Caller {
    Caller {
        subject: LOCAL_USER.to_owned(),
        subject_kind: SubjectKind::User,
        agent: "terminal".to_owned(),
        surface: SurfaceKind::StdioProxy,
        instance: format!("tm_{}", std::process::id()),
        transport: "terminal",
    }
}
