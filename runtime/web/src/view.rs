//! What a person sees.
//!
//! Everything that comes from a server, a model or a file is shown as inert text; there is no other way into a page than
//! [`text::shown`], and the templates escape whatever they are given. Pages need no script, but where a passkey is asked
//! for: only a script can do that.

mod answer;
mod arguments;
mod clock;
mod errand;
mod frame;
mod risk;
mod since;
mod text;

use knotrust_core::approval::Ending;
use knotrust_core::json::Text;
use knotrust_core::reason::Reason;
use knotrust_core::tier::Tier;
use knotrust_core::time::Timestamp;
use knotrust_govern::approvals::{Answer, Since, Ticket, Way};
use knotrust_govern::clock::ulid::Ulid;
use maud::{Markup, html};

use crate::counter::{Lasting, Standing, Ways};
use crate::http::Status;
pub(crate) use errand::{Errand, done};
pub(crate) use frame::{STYLE, Sheet};
use text::shown;

/// The page of a ticket.
#[derive(Debug)]
pub(crate) struct Page<'p> {
    pub(crate) ticket: &'p Ticket,
    pub(crate) standing: &'p Standing,
    pub(crate) now: Timestamp,
    /// What has changed since a call of this tool was last approved.
    pub(crate) since: Option<Since>,
    pub(crate) secret: &'p str,
    /// What became of the last button.
    pub(crate) remark: Option<&'p str>,
    pub(crate) ways: Ways,
    /// The id of the grant that may be kept, and what it may be.
    pub(crate) grant: Option<Ulid>,
    pub(crate) lasting: Vec<Lasting>,
    /// What is in the log of calls that it would admit.
    pub(crate) seen: Vec<String>,
}

/// The page for what is no request for anything here. It repeats nothing of the request.
pub(crate) fn refused(status: Status) -> Sheet {
    let words = match status {
        Status::NotFound => "There is nothing here.",
        Status::Ok
        | Status::BadRequest
        | Status::Forbidden
        | Status::MethodNotAllowed
        | Status::Conflict
        | Status::Gone
        | Status::LengthRequired
        | Status::TooLarge
        | Status::HeadTooLarge
        | Status::Failed => "This is not a request that this page answers. Nothing was done.",
    };
    frame::still(
        "Nothing here",
        &html! { h1 { "Nothing here" } p { (words) } },
    )
}

impl Page<'_> {
    pub(crate) fn render(&self) -> Sheet {
        let title = match self.standing {
            Standing::Waiting => "A call waits for you",
            Standing::Ended(Ending::Approved, _) => "Approved",
            Standing::Ended(Ending::Denied, _) => "Denied",
            Standing::Ended(Ending::Expired, _) => "Expired",
            Standing::Ended(Ending::Cancelled, _) => "Cancelled",
            Standing::Gone => "Gone",
        };
        let waits = matches!(self.standing, Standing::Waiting);
        let body = html! {
            @if let Some(remark) = self.remark { p.remark role="status" { (remark) } }
            section.top {
                h1 { (title) }
                (self.standing())
            }
            (self.call())
            @if let Some(since) = &self.since { (since::section(since)) }
            section {
                h2 { "Arguments" }
                (arguments::list(self.ticket))
            }
            @if waits { (answer::form(self)) }
        };
        let style = waits.then(|| clock::style(self.now, self.ticket.until));
        let script = if waits {
            answer::script(&self.ways)
        } else {
            None
        };
        frame::whole(title, &body, style, script)
    }

    fn standing(&self) -> Markup {
        match self.standing {
            Standing::Waiting => html! {
                p { "An agent wants to do what stands below. Nothing of it has happened yet; it runs only if you approve it." }
                (clock::face(self.ticket.until))
            },
            Standing::Ended(ending, answer) => html! {
                p.end { (what(*ending)) @if let Some(answer) = answer { (how(answer)) } }
            },
            Standing::Gone => html! {
                p.end { "Whoever held this call has ended. It will not run." }
            },
        }
    }

    fn call(&self) -> Markup {
        let ticket = self.ticket;
        let request = &ticket.request;
        let name = request.action.name.to_string_lossy();
        let server = request.surface.server.as_deref().unwrap_or_default();
        let tool = name
            .strip_prefix(server)
            .and_then(|rest| rest.strip_prefix('.'))
            .unwrap_or(&name);
        html! {
            section {
                h2 { "What would run" }
                dl.call {
                    div.main { dt { "Tool" } dd { code { (named(tool)) } } }
                    div { dt { "Server" } dd { (named(server)) } }
                    div { dt { "Target" } dd {
                        (shown(&request.resource.id)) " " span.kind { "(" (shown(&request.resource.kind)) ")" }
                    } }
                    div { dt { "Tier" } dd { (tier(ticket.tier)) } }
                    div { dt { "Why it stopped" } dd { (why(&ticket.reason)) } }
                    @if !ticket.roles.is_empty() {
                        div { dt { "Who must answer" } dd { (ticket.roles.join(", ")) } }
                    }
                    div { dt { "Asked by" } dd { (named(&request.context.agent.id)) " for " (named(&request.subject.id)) } }
                    div { dt { "Code" } dd { code.code { (ticket.code) } " " span.kind { "the same at the terminal" } } }
                }
                details.more {
                    summary { "For the record" }
                    dl.call {
                        div { dt { "Asked" } dd { (ticket.asked.to_string()) } }
                        div { dt { "Until" } dd { (ticket.until.to_string()) } }
                        div { dt { "Reason" } dd { code { (ticket.reason) } } }
                        div { dt { "Approval" } dd { code { (ticket.id) } } }
                        div { dt { "Hash of the call" } dd { code { (ticket.exact) } } }
                    }
                }
            }
        }
    }
}

fn named(text: &str) -> Markup {
    shown(&Text::from(text.to_owned()))
}

/// A line that names things between backquotes.
fn fact(line: &str) -> Markup {
    html! {
        @for (place, part) in line.split('`').enumerate() {
            @if place % 2 == 1 { code { (named(part)) } } @else { (named(part)) }
        }
    }
}

/// What is in the log of calls that a grant names.
fn seen_before(lines: &[String]) -> Markup {
    html! {
        @if let Some((first, rest)) = lines.split_first() {
            p.kind { (fact(first)) }
            @if !rest.is_empty() { ul.kind { @for line in rest { li { (fact(line)) } } } }
        }
    }
}

fn tier(tier: Tier) -> Markup {
    let class = match tier {
        Tier::Routine => "routine",
        Tier::Sensitive => "sensitive",
        Tier::Critical => "critical",
    };
    html! { strong.tier.(class) { (tier.as_str()) } }
}

fn what(ending: Ending) -> &'static str {
    match ending {
        Ending::Approved => "This call was approved.",
        Ending::Denied => "This call was denied. It will not run.",
        Ending::Expired => "Nobody answered in time. The call will not run.",
        Ending::Cancelled => "The client has given up on this call. It will not run.",
    }
}

fn how(answer: &Answer) -> Markup {
    let by = match answer.way {
        Way::Page => "on this page",
        Way::Terminal => "at a terminal",
        Way::Form => "in a form of the client",
        Way::Input => "in the client",
        Way::None => "by nobody",
    };
    html! {
        " That was decided " (by) " at " (answer.at.to_string())
        @if !answer.who.is_empty() { ", by " (named(&answer.who)) }
        "."
    }
}

fn why(code: &str) -> &'static str {
    let known = Reason::ALL.iter().find(|reason| reason.code() == code);
    known.map_or("for a reason that is not known here", |reason| {
        reason.for_people()
    })
}
