//! The part of a page where a person answers.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use knotrust_core::ruleset::Passkey;
use maud::{Markup, html};

use super::{Page, fact, seen_before};
use crate::counter::{Lasting, Means, Span, Ways};

/// What asks a passkey.
pub(super) const PASSKEY: &str = include_str!("passkey.js");

/// The script that the page needs, if it needs one.
pub(super) const fn script(ways: &Ways) -> Option<&'static str> {
    match means(ways) {
        Some(Means::Passkey(_)) => Some(PASSKEY),
        Some(Means::Button | Means::Pin) | None => None,
    }
}

/// The form. Without an address of its own, it goes to where the page came from: the token is in no link.
pub(super) fn form(page: &Page<'_>) -> Markup {
    let able = page.ways != Ways::Unable;
    let asks = asks(&page.ways);
    html! {
        form.in-time method="post" autocomplete="off" data-credentials=[credentials(&page.ways)] {
            input type="hidden" name="csrf" value=(page.secret);
            @if able && !page.lasting.is_empty() { (always(page, asks)) }
            section.answer aria-label="Your answer" {
                (proof(page))
                div.buttons {
                    @if able {
                        button.yes name="action" value="approve" data-asks=[asks.map(|(call, _)| call)] { "Approve once" }
                    }
                    button.no name="action" value="deny" { "Deny" }
                }
            }
        }
    }
}

fn proof(page: &Page<'_>) -> Markup {
    html! {
        @match &page.ways {
            Ways::Anybody(means) => {
                @if let Means::Passkey(_) = means {
                    input type="hidden" data-states="call" data-challenge=(encoded(&page.ticket.challenge(None)));
                }
                (prompt(*means))
            }
            Ways::Reviewer(names, means) => {
                p {
                    label for="reviewer" { "You are" }
                    select #reviewer name="reviewer" data-states="call" {
                        @for name in names { (reviewer(page, name, *means)) }
                    }
                }
                (prompt(*means))
            }
            Ways::Unable => {
                p.remark {
                    "The ruleset asks for a proof that this page cannot take. To approve, run "
                    code { "knotrust approvals approve " (page.ticket.id) @if !page.ticket.roles.is_empty() { " --reviewer NAME --key FILE" } }
                }
            }
        }
    }
}

fn reviewer(page: &Page<'_>, name: &str, means: Means) -> Markup {
    let is_signed = matches!(means, Means::Passkey(_));
    let challenge = is_signed.then(|| encoded(&page.ticket.challenge(Some(name))));
    html! { option value=(name) data-challenge=[challenge] { (name) } }
}

fn prompt(means: Means) -> Markup {
    html! {
        @match means {
            Means::Button => {}
            Means::Pin => {
                p {
                    label for="pin" { "Pin" }
                    input #pin type="password" name="pin" autocomplete="off";
                }
            }
            Means::Passkey(_) => {
                p #passkey role="status" { "To approve, you will be asked for your passkey. It signs exactly this call." }
            }
        }
    }
}

fn always(page: &Page<'_>, asks: Option<(&str, &str)>) -> Markup {
    html! {
        details.always {
            summary { "Always allow calls like this one…" }
            p { "This keeps a grant. Until it expires or is revoked, such calls pass without asking you." }
            (seen_before(&page.seen))
            @if let Some(id) = &page.grant { input type="hidden" name="grant" value=(id.as_str()); }
            fieldset {
                legend { "What it covers" }
                @for (place, offered) in widths(page).enumerate() {
                    (width(page, offered, place == 0, asks.is_some()))
                }
            }
            p {
                label for="expires" { "It holds" }
                select #expires name="expires" {
                    @for span in Span::ALL { option value=(span.as_str()) { (span.words()) } }
                }
            }
            div.buttons {
                button name="action" value="always_allow" data-asks=[asks.map(|(_, both)| both)] { "Approve, and always allow" }
            }
        }
    }
}

/// What is offered of each width, for the shortest while.
fn widths<'p>(page: &'p Page<'_>) -> impl Iterator<Item = &'p Lasting> {
    let first = Span::ALL.into_iter().next();
    page.lasting
        .iter()
        .filter(move |offered| Some(offered.span) == first)
}

fn width(page: &Page<'_>, offered: &Lasting, is_chosen: bool, is_signed: bool) -> Markup {
    let challenges = is_signed.then(|| challenges(page, offered));
    let name = offered.width.as_str();
    html! {
        div.width {
            input type="radio" name="width" id={ "width-" (name) } checked[is_chosen] value=(name)
                data-states="grant" data-challenges=[challenges];
            label for={ "width-" (name) } { strong { (offered.width.words()) } }
            ul {
                @for line in offered.words() { li { (fact(&line)) } }
                li.caution { (offered.width.caution()) }
            }
        }
    }
}

/// What a passkey signs for each while, as the script reads it.
fn challenges(page: &Page<'_>, offered: &Lasting) -> String {
    let alike = page
        .lasting
        .iter()
        .filter(|other| other.width == offered.width);
    let of = |one: &Lasting| format!("{}={}", one.span.as_str(), encoded(&one.challenge()));
    alike.map(of).collect::<Vec<_>>().join(" ")
}

/// The statements that a passkey signs: to approve, and to always allow.
const fn asks(ways: &Ways) -> Option<(&'static str, &'static str)> {
    match means(ways) {
        Some(Means::Passkey(_)) => Some(("call", "call grant")),
        Some(Means::Button | Means::Pin) | None => None,
    }
}

const fn means(ways: &Ways) -> Option<Means> {
    match ways {
        Ways::Anybody(means) | Ways::Reviewer(_, means) => Some(*means),
        Ways::Unable => None,
    }
}

fn credentials(ways: &Ways) -> Option<String> {
    match means(ways) {
        Some(Means::Passkey(known)) => Some(ids(known)),
        Some(Means::Button | Means::Pin) | None => None,
    }
}

/// The ids of passkeys, as the script reads them.
pub(super) fn ids(known: &[Passkey<'_>]) -> String {
    let ids: Vec<_> = known.iter().map(|passkey| passkey.credential).collect();
    ids.join(" ")
}

/// A challenge, as the script reads it.
pub(super) fn encoded(challenge: &[u8; 32]) -> String {
    URL_SAFE_NO_PAD.encode(challenge)
}
