//! What a ruling leads to: values that exist only because the right thing was done before.

use knotrust_core::case::Case;
use knotrust_core::decision::Decision;
use knotrust_core::json::Text;
use knotrust_core::precedence::Outcome;
use knotrust_core::ruleset::{Channel, Mode};
use knotrust_knowledge::correlation::Traceparent;

use crate::audit::Receipt;

/// What was ruled on a call.
#[derive(Debug)]
#[must_use]
pub enum Ruling {
    /// It may go on. The permit is used up by forwarding it.
    Allow(Permit),
    /// It may not.
    Deny(Denial),
    /// It waits for a person.
    Hold(Held),
}

/// The right to forward one call: a decision allowed it, and that is in the audit log, or the policy wants no record of it.
///
/// There are two doors, [`Permit::issue`] and, for what nothing governs, [`Permit::unrecorded`]; a permit can be neither
/// copied nor made up.
///
/// ```compile_fail
/// fn twice(permit: knotrust_govern::permit::Permit) {
///     let other = permit.clone();
/// }
/// ```
///
/// ```compile_fail
/// let forged = knotrust_govern::permit::Permit { named: todo!() };
/// ```
#[derive(Debug)]
#[must_use]
pub struct Permit {
    named: Named,
    decision: Decision,
    governed: bool,
    is_recorded: bool,
}

/// A refusal, and what may be said about it.
#[derive(Clone, Debug)]
pub struct Denial {
    /// Names the decision in the log, for whoever asks about it. Empty if nothing could be recorded.
    pub decision_id: String,
    /// The decision. Only parts of it are for the agent's eyes.
    pub decision: Decision,
    /// The command that would grant calls like this one, if a grant would help.
    pub how: Option<String>,
    /// The approval that was asked for, if one was.
    pub approval_id: Option<String>,
}

/// A call that waits for a person.
#[derive(Clone, Debug)]
pub struct Held {
    /// What the refusal would be, if it came to that now.
    pub denial: Denial,
    /// The ticket by which people know it.
    pub ticket: String,
    /// What to tell the person at the terminal, unless they were told already.
    pub prompt: Option<String>,
    /// By which channel the person is asked.
    pub channel: Channel,
    /// What to put before the person through the client; nothing if that channel is not the client's, or asks already.
    pub question: Option<Question>,
}

/// A question, for the eyes of a person and of nobody else.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Question {
    /// What is asked: inert text.
    pub message: String,
    /// Where it can be answered; without it, a form answers it.
    pub page: Option<String>,
}

/// How a call is called in the log.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    /// Each request is decided once, so that its decision is named by the request's own id.
    pub(crate) decision_id: String,
    pub(crate) action: Text<'static>,
    pub(crate) server: String,
    /// The trace that it belongs to.
    pub(crate) trace: Option<Traceparent>,
}

impl Permit {
    /// Issues a permit for a decision that allows, and whose receipt shows that it was recorded. In a dry run every
    /// recorded decision gets one.
    pub(crate) fn issue(
        named: Named,
        decision: Decision,
        receipt: &Receipt,
        mode: Mode,
        governed: bool,
    ) -> Result<Self, Box<(Named, Decision)>> {
        let recorded = receipt.outcome() == Some(decision.outcome);
        let allowed = decision.outcome == Outcome::Allow || mode == Mode::Observe;
        if recorded && allowed {
            Ok(Self {
                named,
                decision,
                governed,
                is_recorded: true,
            })
        } else {
            Err(Box::new((named, decision)))
        }
    }

    /// A permit for a call that nothing in the policy speaks of, if the policy wants no record of those (`audit: { allCalls:
    /// false }`) and it is allowed.
    pub(crate) fn unrecorded(
        named: Named,
        decision: Decision,
        case: &Case<'_>,
    ) -> Result<Self, Box<(Named, Decision)>> {
        let wants_all = case.ruleset.settings.audit_all_calls;
        if wants_all || decision.outcome != Outcome::Allow || !case.is_ungoverned() {
            return Err(Box::new((named, decision)));
        }
        Ok(Self {
            named,
            decision,
            governed: false,
            is_recorded: false,
        })
    }

    /// The decision that allowed it.
    pub const fn decision(&self) -> &Decision {
        &self.decision
    }

    /// Names the decision in the log.
    #[must_use]
    pub fn decision_id(&self) -> &str {
        &self.named.decision_id
    }

    /// Whether the call touches governed knowledge.
    #[must_use]
    pub const fn is_governed(&self) -> bool {
        self.governed
    }

    /// Uses the permit up: the call is on its way. What is left can only say how it ended.
    pub fn spend(self) -> Underway {
        Underway {
            named: self.named,
            is_recorded: self.is_recorded,
        }
    }
}

/// A call on its way to its server, whose end is still to be recorded.
#[derive(Debug)]
#[must_use]
pub struct Underway {
    pub(crate) named: Named,
    /// Whether the log knows of it.
    pub(crate) is_recorded: bool,
}
