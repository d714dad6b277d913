//! Proof that it was a person, where the ruleset asks for more than the session of the operating system.

use knotrust_core::consent::{Assertion, Consent, Proof};
use knotrust_core::ruleset::{Approvals, Approver, Passkey, Reviewer};
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
    /// The passkey did not sign, or is another one.
    Passkey,
    /// There is no such reviewer.
    Reviewer,
    /// This page cannot ask for the proof.
    Unable,
}

/// How a person may say yes on this page.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Ways {
    /// Whoever is here may, by this means.
    Anybody(Means),
    /// One of these may, by this means.
    Reviewer(Vec<&'static str>, Means),
    /// Nobody may.
    Unable,
}

/// What a yes takes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Means {
    /// A button.
    Button,
    /// The pin.
    Pin,
    /// One of these passkeys.
    Passkey(&'static [Passkey<'static>]),
}

/// How a person may say yes to a ticket on this page.
pub(super) fn ways(ticket: &Ticket, rules: &Approvals<'static>) -> Ways {
    let means = match rules.approver {
        Approver::None => Means::Button,
        Approver::Pin { .. } => Means::Pin,
        Approver::Passkey([]) => return Ways::Unable,
        Approver::Passkey(known) => Means::Passkey(known),
    };
    if ticket.roles.is_empty() {
        return Ways::Anybody(means);
    }
    let names: Vec<_> = eligible(ticket, rules).map(|known| known.name).collect();
    if rules.require_signed || names.is_empty() {
        Ways::Unable
    } else {
        Ways::Reviewer(names, means)
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
        let (reviewer, means) = match ways(ticket, rules) {
            Ways::Anybody(Means::Button) => return Ok(Self::default()),
            Ways::Anybody(means) => (None, means),
            Ways::Reviewer(names, means) => {
                let named = form.get("reviewer").ok_or(Doubt::Reviewer)?;
                let known = names.into_iter().find(|name| *name == named);
                (Some(known.ok_or(Doubt::Reviewer)?), means)
            }
            Ways::Unable => return Err(Doubt::Unable),
        };
        let prove =
            |statement: &str, challenge: &[u8; 32]| prove(means, rules, form, statement, challenge);
        let to_call = Consent {
            approval: Some(ticket.approval()),
            reviewer: reviewer.map(str::to_owned),
            proof: prove("call", &ticket.challenge(reviewer))?,
        };
        let to_grant = match lasting {
            Some(lasting) => Some(Consent {
                approval: None,
                reviewer: None,
                proof: prove("grant", &lasting.challenge())?,
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
            Self::Passkey => "bad_passkey",
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
            Self::Passkey => {
                "No passkey of the ruleset signed this. Nothing was done; the call still waits."
            }
            Self::Reviewer => "Say which reviewer you are. Nothing was done; the call still waits.",
            Self::Unable => "This page cannot take a yes to this call. Nothing was done.",
        }
    }
}

fn prove(
    means: Means,
    rules: &Approvals<'_>,
    form: &Form,
    statement: &str,
    challenge: &[u8; 32],
) -> Result<Proof, Doubt> {
    match (means, rules.approver) {
        (Means::Pin, Approver::Pin { salt, public_key }) => {
            let pin = form.get("pin").unwrap_or_default();
            let signed = pin::sign(pin, salt, public_key, challenge);
            signed.map(Proof::Pin).map_err(Doubt::Pin)
        }
        (Means::Passkey(known), Approver::Passkey(_)) => {
            let assertion = form.assertion(statement).ok_or(Doubt::Passkey)?;
            proven(assertion, known, challenge).map(Proof::Passkey)
        }
        (Means::Button, Approver::None) => Ok(Proof::Session),
        (Means::Button | Means::Pin | Means::Passkey(_), _) => Err(Doubt::Unable),
    }
}

fn proven(
    assertion: Assertion,
    known: &[Passkey<'_>],
    challenge: &[u8; 32],
) -> Result<Assertion, Doubt> {
    match assertion.prove(known, challenge) {
        Ok(()) => Ok(assertion),
        Err(_) => Err(Doubt::Passkey),
    }
}

fn eligible<'r>(
    ticket: &Ticket,
    rules: &'r Approvals<'static>,
) -> impl Iterator<Item = &'r Reviewer<'static>> {
    let has_role = |known: &&Reviewer<'_>| ticket.roles.iter().any(|role| role == known.role);
    rules.reviewers.iter().filter(has_role)
}
