//! The pages of commands that need a passkey.

use knotrust_core::ruleset::Passkey;
use maud::{Markup, html};

use super::answer::{PASSKEY, encoded, ids};
use super::frame::{self, Sheet};
use super::{fact, seen_before};

/// A page that asks for a passkey on behalf of a command.
#[derive(Debug)]
pub(crate) struct Errand<'p> {
    pub(crate) secret: &'p str,
    /// What became of the last button.
    pub(crate) remark: Option<&'p str>,
    pub(crate) known: &'p [Passkey<'p>],
    pub(crate) challenge: &'p [u8; 32],
    /// What is signed, a line a fact, and what is in the log of it; nothing where a passkey is made.
    pub(crate) facts: Option<(&'p [String], &'p [String])>,
}

/// The page once the command has what it came for.
pub(crate) fn done(words: &str) -> Sheet {
    frame::still(
        "Done",
        &html! { section.top { h1 { "Done" } p.end { (words) } p { "You can close this page." } } },
    )
}

impl Errand<'_> {
    pub(crate) fn render(&self) -> Sheet {
        let (title, body) = match self.facts {
            Some((facts, seen)) => ("A grant to sign", self.sign(facts, seen)),
            None => ("Make a passkey", self.make()),
        };
        let body = html! {
            @if let Some(remark) = self.remark { p.remark role="status" { (remark) } }
            section.top { h1 { (title) } }
            (body)
        };
        frame::whole(title, &body, None, Some(PASSKEY))
    }

    fn sign(&self, facts: &[String], seen: &[String]) -> Markup {
        html! {
            section {
                p { "Until it expires or is revoked, without asking you again:" }
                ul.facts { @for line in facts { li { (fact(line)) } } }
                (seen_before(seen))
                p.kind { "Compare this with what stands at the terminal. If you asked for no grant there, do not sign." }
            }
            (self.form("grant", "grant", "Sign with your passkey", "Do not sign"))
        }
    }

    fn make(&self) -> Markup {
        html! {
            section {
                p { "A passkey lets you, and no program that runs as you, approve calls and sign grants." }
                p { "Your browser will ask twice: to make it, and to try it. Its private half stays in your device or key; "
                    "the public half is printed at the terminal, for the ruleset." }
            }
            (self.form("trial", "new", "Make a passkey", "Cancel"))
        }
    }

    fn form(&self, states: &str, asks: &str, yes: &str, no: &str) -> Markup {
        html! {
            form method="post" autocomplete="off" data-credentials=(ids(self.known)) {
                input type="hidden" name="csrf" value=(self.secret);
                input type="hidden" data-states=(states) data-challenge=(encoded(self.challenge));
                section.answer aria-label="Your answer" {
                    p #passkey role="status" { "You will be asked for your passkey." }
                    div.buttons {
                        button.yes name="action" value="approve" data-asks=(asks) { (yes) }
                        button.no name="action" value="deny" { (no) }
                    }
                }
            }
        }
    }
}
