//! Approval by a named human: the life of a ticket, and who may end it.

use knotrust_core::json::{Value, write};
use knotrust_core::time::Timestamp;
use thiserror::Error;

use crate::members::Members;

/// A request for a person's yes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Ticket {
    /// Who asked. They cannot answer.
    pub requested_by: Option<String>,
    /// The role that must answer.
    pub required_role: Option<String>,
    /// When the chance to answer is over.
    pub expires_at: Option<Timestamp>,
    resolution: Option<Resolution>,
}

/// A person's answer.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Resolution {
    /// What they say.
    pub answer: Answer,
    /// Who they are.
    pub reviewer: String,
    /// The role they have by the ruleset, not by their own word.
    pub role: Option<String>,
    /// The policy they cite.
    pub policy_ref: String,
    /// What else they say.
    pub note: Option<String>,
}

/// What a person says.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Answer {
    /// Yes.
    Approved,
    /// No, for good.
    Dismissed,
}

/// Where a ticket stands. All but the first are final.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum State {
    /// Nobody has answered yet.
    PendingReview,
    /// The answer was yes. It stays yes.
    Approved,
    /// The answer was no.
    Dismissed,
    /// Nobody answered in time.
    Expired,
}

impl State {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PendingReview => "pending_review",
            Self::Approved => "approved",
            Self::Dismissed => "dismissed",
            Self::Expired => "expired",
        }
    }
}

/// Why a ticket was not opened or not answered.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
pub enum Refusal {
    /// What is denied cannot be asked for.
    #[error("the action is denied, which nobody can lift")]
    Prohibited,
    /// Someone has answered.
    #[error("the ticket is resolved")]
    Resolved,
    /// The chance is over.
    #[error("the ticket has expired")]
    Expired,
    /// Nobody stands by the answer.
    #[error("no reviewer is named")]
    NoReviewer,
    /// The answer rests on nothing.
    #[error("no policy is cited")]
    NoPolicy,
    /// Who asked cannot answer.
    #[error("the reviewer is who asked")]
    OwnRequest,
    /// Another role must answer.
    #[error("the reviewer does not have the role that must answer")]
    WrongRole,
}

impl Ticket {
    /// Opens a ticket, unless what it asks for is denied.
    ///
    /// # Errors
    ///
    /// [`Refusal::Prohibited`].
    pub fn open(
        requested_by: Option<String>,
        required_role: Option<String>,
        expires_at: Option<Timestamp>,
        prohibited: bool,
    ) -> Result<Self, Refusal> {
        if prohibited {
            return Err(Refusal::Prohibited);
        }
        Ok(Self {
            requested_by,
            required_role,
            expires_at,
            resolution: None,
        })
    }

    /// Where the ticket stands at a moment. Only what is unanswered expires.
    #[must_use]
    pub fn state(&self, now: Timestamp) -> State {
        match (&self.resolution, self.expires_at) {
            (Some(resolution), _) => match resolution.answer {
                Answer::Approved => State::Approved,
                Answer::Dismissed => State::Dismissed,
            },
            (None, Some(expires_at)) if now >= expires_at => State::Expired,
            (None, _) => State::PendingReview,
        }
    }

    /// The answer, if there is one.
    #[must_use]
    pub const fn resolution(&self) -> Option<&Resolution> {
        self.resolution.as_ref()
    }

    /// Answers the ticket.
    ///
    /// # Errors
    ///
    /// It is answered or expired, or the answer comes from nobody, from who asked, without a policy, or from another role
    /// than must answer.
    pub fn resolve(&mut self, resolution: Resolution, now: Timestamp) -> Result<State, Refusal> {
        match self.state(now) {
            State::PendingReview => {}
            State::Expired => return Err(Refusal::Expired),
            State::Approved | State::Dismissed => return Err(Refusal::Resolved),
        }
        let reviewer = resolution.reviewer.trim();
        if reviewer.is_empty() {
            return Err(Refusal::NoReviewer);
        }
        if resolution.policy_ref.trim().is_empty() {
            return Err(Refusal::NoPolicy);
        }
        if self
            .requested_by
            .as_deref()
            .is_some_and(|asker| asker.trim() == reviewer)
        {
            return Err(Refusal::OwnRequest);
        }
        if self.required_role.is_some() && self.required_role != resolution.role {
            return Err(Refusal::WrongRole);
        }
        self.resolution = Some(resolution);
        Ok(self.state(now))
    }
}

impl Answer {
    const fn name(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Dismissed => "dismissed",
        }
    }
}

impl Resolution {
    /// The bytes that the reviewer's signature covers.
    #[must_use]
    pub fn statement(&self, ticket: &str, target: &str, tool: &str, timestamp: &str) -> String {
        let statement = Members::new()
            .set("v", Value::Number(1_u64.into()))
            .text("id", ticket)
            .text("target", target)
            .text("tool", tool)
            .text("state", self.answer.name())
            .text("reviewer", &self.reviewer)
            .text("policyRef", &self.policy_ref)
            .text("timestamp", timestamp);
        write(&statement.done())
    }
}

/// The length of a duration such as `30m`, `72h` or `7d`, in milliseconds. Blanks around it don't matter.
#[must_use]
pub fn duration(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let milliseconds: u64 = match unit {
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse::<u64>().ok()?.checked_mul(milliseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(reviewer: &str, role: Option<&str>) -> Resolution {
        Resolution {
            answer: Answer::Approved,
            reviewer: reviewer.to_owned(),
            role: role.map(str::to_owned),
            policy_ref: "P-1".to_owned(),
            note: None,
        }
    }

    #[test]
    fn who_asked_cannot_answer_and_neither_can_another_role() {
        let ticket = Ticket::open(Some("dev".into()), Some("owner".into()), None, false).unwrap();
        let now = Timestamp::from_seconds(0);
        let resolved = |resolution| ticket.clone().resolve(resolution, now);
        assert_eq!(
            resolved(answer(" dev ", Some("owner"))),
            Err(Refusal::OwnRequest)
        );
        assert_eq!(
            resolved(answer("ann", Some("intern"))),
            Err(Refusal::WrongRole)
        );
        assert_eq!(resolved(answer("ann", None)), Err(Refusal::WrongRole));
        assert_eq!(resolved(answer("ann", Some("owner"))), Ok(State::Approved));
    }
}
