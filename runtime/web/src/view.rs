//! What a person sees.
//!
//! Everything that comes from a server, a model or a file is shown as inert text; there is no other way into a page than
//! [`text::shown`], and the templates escape whatever they are given.

mod arguments;
mod risk;
mod text;

use knotrust_core::approval::Ending;
use knotrust_core::json::Text;
use knotrust_core::reason::Reason;
use knotrust_core::tier::Tier;
use knotrust_govern::approvals::{Answer, Ticket, Way};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::counter::{Lasting, Span, Standing, Ways};
use crate::http::Status;
use text::shown;

/// The one style sheet.
pub(crate) const STYLE: &str = include_str!("view/style.css");

/// The page of a ticket.
#[derive(Debug)]
pub(crate) struct Page<'p> {
    pub(crate) ticket: &'p Ticket,
    pub(crate) standing: &'p Standing,
    pub(crate) secret: &'p str,
    /// What became of the last button.
    pub(crate) remark: Option<&'p str>,
    pub(crate) ways: Ways,
    pub(crate) lasting: Option<Lasting>,
}

/// The page for what is no request for a ticket. It repeats nothing of the request.
pub(crate) fn refused(status: Status) -> Markup {
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
    whole(
        "knotrust",
        &html! {
            h1 { "knotrust" }
            p { (words) }
        },
    )
}

impl Page<'_> {
    pub(crate) fn render(&self) -> Markup {
        let title = match self.standing {
            Standing::Waiting => "A call waits for you",
            Standing::Ended(Ending::Approved, _) => "Approved",
            Standing::Ended(Ending::Denied, _) => "Denied",
            Standing::Ended(Ending::Expired, _) => "Expired",
            Standing::Ended(Ending::Cancelled, _) => "Cancelled",
            Standing::Gone => "Gone",
        };
        whole(
            title,
            &html! {
                h1 { (title) }
                @if let Some(remark) = self.remark { p.remark role="status" { (remark) } }
                (self.standing())
                (self.call())
                h2 { "Arguments" }
                (arguments::list(self.ticket))
                @if matches!(self.standing, Standing::Waiting) { (self.form()) }
            },
        )
    }

    fn standing(&self) -> Markup {
        match self.standing {
            Standing::Waiting => html! {
                p {
                    "An agent wants to do what stands below. It runs only if you approve it, by "
                    (self.ticket.until.to_string()) "."
                }
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
        let named = |text: &str| shown(&Text::from(text.to_owned()));
        html! {
            dl.call {
                div { dt { "Server" } dd { (named(server)) } }
                div { dt { "Tool" } dd { (named(tool)) } }
                div { dt { "Target" } dd {
                    (shown(&request.resource.id)) " " span.kind { "(" (shown(&request.resource.kind)) ")" }
                } }
                div { dt { "Tier" } dd { strong class=(tier_class(ticket.tier)) { (ticket.tier.as_str()) } } }
                div { dt { "Why it stopped" } dd { (why(&ticket.reason)) " " code { (ticket.reason) } } }
                @if !ticket.roles.is_empty() {
                    div { dt { "Who must answer" } dd { (ticket.roles.join(", ")) } }
                }
                div { dt { "Agent" } dd { (named(&request.context.agent.id)) } }
                div { dt { "For" } dd { (named(&request.subject.id)) } }
                div { dt { "Code" } dd { code.code { (ticket.code) } } }
                div { dt { "Asked" } dd { (ticket.asked.to_string()) } }
                div { dt { "Hash of the call" } dd { code { (ticket.exact) } } }
            }
        }
    }

    fn form(&self) -> Markup {
        // Without an address of its own, the form goes to where the page came from: the token is in no link.
        html! {
            form method="post" autocomplete="off" {
                h2 { "Your answer" }
                input type="hidden" name="csrf" value=(self.secret);
                (self.proof())
                div.buttons {
                    @if self.ways != Ways::Unable {
                        button.yes name="action" value="approve" { "Approve once" }
                    }
                    button.no name="action" value="deny" { "Deny" }
                }
                @if let (Some(lasting), true) = (&self.lasting, self.ways != Ways::Unable) {
                    (always(lasting))
                }
            }
        }
    }

    fn proof(&self) -> Markup {
        let pin = html! {
            p {
                label for="pin" { "Pin" }
                input #pin type="password" name="pin" autocomplete="off";
            }
        };
        match &self.ways {
            Ways::Button => html! {},
            Ways::Pin => pin,
            Ways::Reviewer(names, with_pin) => html! {
                p {
                    label for="reviewer" { "You are" }
                    select #reviewer name="reviewer" {
                        @for name in names { option value=(name) { (name) } }
                    }
                }
                @if *with_pin { (pin) }
            },
            Ways::Unable => html! {
                p.remark {
                    "The ruleset asks for a proof that this page cannot take. To approve, run "
                    code { "knotrust approvals approve " (self.ticket.id) }
                }
            },
        }
    }
}

fn always(lasting: &Lasting) -> Markup {
    html! {
        details.always {
            summary { "Always allow calls like this one" }
            p { "This keeps a grant. Until it expires or is revoked, without asking you:" }
            ul { @for line in lasting.words() { li { (line) } } }
            p.remark { "Whatever the other arguments are." }
            p {
                label for="expires" { "It holds" }
                select #expires name="expires" {
                    @for span in Span::ALL { option value=(span.as_str()) { (span.words()) } }
                }
            }
            div.buttons { button name="action" value="always_allow" { "Always allow" } }
        }
    }
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
        @if !answer.who.is_empty() { ", by " (shown(&Text::from(answer.who.clone()))) }
        "."
    }
}

fn why(code: &str) -> &'static str {
    let known = Reason::ALL.iter().find(|reason| reason.code() == code);
    known.map_or("for a reason that is not known here", |reason| {
        reason.for_people()
    })
}

const fn tier_class(tier: Tier) -> &'static str {
    match tier {
        Tier::Routine => "routine",
        Tier::Sensitive => "sensitive",
        Tier::Critical => "critical",
    }
}

fn whole(title: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                // Under `no-referrer` alone browsers hide where a form came from, also from ourselves.
                meta name="referrer" content="same-origin";
                title { (title) " · knotrust" }
                style { (PreEscaped(STYLE)) }
            }
            body { main { (body) } }
        }
    }
}
