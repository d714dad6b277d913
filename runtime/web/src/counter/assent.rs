//! Proof that it was a person, where the ruleset asks for more than the session of the operating system.

use knotrust_core::consent::{Consent, Proof};
use knotrust_core::ruleset::{Approvals, Approver, Reviewer};
use knotrust_govern::approvals::Ticket;
use knotrust_govern::pin::{self, PinError};

use super::lasting::Lasting;
use crate::http::Form;

/// What a person agreed to.
#[derive(Debug, Default)]
pub(super) struct Assent {
    /// To this call.
    pub(super) to_call: Option<Consent>,
    /// To a grant that lasts.
    pub(super) to_grant: Option<Consent>,
}

/// Why an answer is not taken for a person's.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Doubt {
    /// The pin is not theirs.
    Pin(PinError),
    /// There is no such reviewer.
    Reviewer,
    /// This page cannot ask for the proof.
    Unable,
}

/// How a person may say yes on this page.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Ways {
    /// By a button.
    Button,
    /// With the pin.
    Pin,
    /// As one of these, with or without the pin.
    Reviewer(Vec<&'static str>, bool),
    /// Not at all.
    Unable,
}

/// How a person may say yes to a ticket on this page.
pub(super) fn ways(ticket: &Ticket, rules: &Approvals<'static>) -> Ways {
    let with_pin = match rules.approver {
        Approver::None => false,
        Approver::Pin { .. } => true,
        Approver::Passkey(_) => return Ways::Unable,
    };
    match (ticket.roles.is_empty(), with_pin) {
        (true, false) => Ways::Button,
        (true, true) => Ways::Pin,
        (false, _) if rules.require_signed => Ways::Unable,
        (false, _) => {
            let names: Vec<_> = eligible(ticket, rules).map(|known| known.name).collect();
            if names.is_empty() {
                Ways::Unable
            } else {
                Ways::Reviewer(names, with_pin)
            }
        }
    }
}

impl Assent {
    /// Takes what the form proves.
    pub(super) fn of(
        ticket: &Ticket,
        lasting: Option<&Lasting>,
        rules: &Approvals<'static>,
        form: &Form,
    ) -> Result<Self, Doubt> {
        let reviewer = match ways(ticket, rules) {
            Ways::Button => return Ok(Self::default()),
            Ways::Pin => None,
            Ways::Reviewer(names, _) => {
                let named = form.get("reviewer").ok_or(Doubt::Reviewer)?;
                let known = names.into_iter().find(|name| *name == named);
                Some(known.ok_or(Doubt::Reviewer)?)
            }
            Ways::Unable => return Err(Doubt::Unable),
        };
        let pin = form.get("pin").unwrap_or_default();
        let to_call = Consent {
            approval: Some(ticket.approval()),
            reviewer: reviewer.map(str::to_owned),
            proof: prove(rules, pin, &ticket.challenge(reviewer))?,
        };
        let to_grant = match lasting {
            Some(lasting) => Some(Consent {
                approval: None,
                reviewer: None,
                proof: prove(rules, pin, &lasting.challenge())?,
            }),
            None => None,
        };
        Ok(Self {
            to_call: Some(to_call),
            to_grant,
        })
    }
}

impl Doubt {
    /// A word for the log.
    pub(super) const fn reason(self) -> &'static str {
        match self {
            Self::Pin(_) => "bad_pin",
            Self::Reviewer => "bad_reviewer",
            Self::Unable => "no_consent",
        }
    }

    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Pin(PinError::Wrong | PinError::Weak) => {
                "That is not the pin of the ruleset. Nothing was done; the call still waits."
            }
            Self::Pin(PinError::Ruleset | PinError::Memory | PinError::Random) => {
                "The pin could not be checked, so nothing was done; the call still waits."
            }
            Self::Reviewer => "Say which reviewer you are. Nothing was done; the call still waits.",
            Self::Unable => "This page cannot take a yes to this call. Nothing was done.",
        }
    }
}

fn prove(rules: &Approvals<'_>, pin: &str, challenge: &[u8; 32]) -> Result<Proof, Doubt> {
    match rules.approver {
        Approver::None => Ok(Proof::Session),
        Approver::Pin { salt, public_key } => pin::sign(pin, salt, public_key, challenge)
            .map(Proof::Pin)
            .map_err(Doubt::Pin),
        Approver::Passkey(_) => Err(Doubt::Unable),
    }
}

fn eligible<'r>(
    ticket: &Ticket,
    rules: &'r Approvals<'static>,
) -> impl Iterator<Item = &'r Reviewer<'static>> {
    let has_role = |known: &&Reviewer<'_>| ticket.roles.iter().any(|role| role == known.role);
    rules.reviewers.iter().filter(has_role)
}
