//! A call that a person has agreed to, and that has not been made yet.

use std::sync::Arc;

use ed25519_dalek::SigningKey;
use knotrust_core::consent::{Consent, GRACE};
use knotrust_core::grant::{
    AgentScope, Claims, Conditions, Grant, GrantError, IdPattern, Kind, Party, Scope, ToolPattern,
    Trust, Unsigned,
};
use knotrust_core::time::Timestamp;

use super::ticket::Ticket;

/// A call that a person has agreed to. Not an allow: what it is good for is one grant, with which the call is decided
/// again.
#[derive(Clone, Debug)]
pub struct Approved {
    ticket: Arc<Ticket>,
    consent: Option<Consent>,
    at: Timestamp,
}

impl Approved {
    pub(super) const fn new(ticket: Arc<Ticket>, consent: Option<Consent>, at: Timestamp) -> Self {
        Self {
            ticket,
            consent,
            at,
        }
    }

    /// What was agreed to.
    #[must_use]
    pub const fn ticket(&self) -> &Arc<Ticket> {
        &self.ticket
    }

    /// Mints the single-use grant for this call: for 120 s, for this principal and agent, this tool and resource, this
    /// tier, bound to both hashes of the call. It is verified like any other, the person's consent included.
    ///
    /// # Errors
    ///
    /// The call has no hash in the normal form, a name that no grant can hold, or the consent does not hold.
    pub fn grant(
        &self,
        identity: &SigningKey,
        trust: Trust<'_>,
        now: Timestamp,
    ) -> Result<Grant, GrantError> {
        let claims = self.claims(now).ok_or(GrantError::Malformed)?;
        let unsigned = Unsigned::new(&claims);
        let unsigned = match &self.consent {
            Some(consent) => unsigned.with_consent(consent),
            None => unsigned,
        };
        Grant::verify(&unsigned.sign(identity), trust)
    }

    /// Whether the call may no longer be made: past the time that the person had, and past what they may expect right
    /// after their answer.
    pub(super) fn has_lapsed(&self, now: Timestamp) -> bool {
        let grace = i64::try_from(GRACE * 1000).unwrap_or(i64::MAX);
        now >= self.ticket.until.max(self.at.plus_millis(grace)) || now < self.ticket.asked
    }

    fn claims(&self, now: Timestamp) -> Option<Claims> {
        let request = &self.ticket.request;
        let approval = self.ticket.approval();
        let second = u64::try_from(now.seconds()).ok()?;
        let agent = &request.context.agent;
        let subject = &request.subject;
        Some(Claims {
            id: self.ticket.grant_id().to_owned(),
            issued_at: second,
            expires: (second + GRACE).min(approval.until + GRACE),
            not_before: None,
            issuer: format!("{}:{}", subject.kind.as_str(), subject.id),
            kind: Kind::Ephemeral {
                call: self.ticket.hash.clone()?,
                exact: Some(self.ticket.exact.clone()),
            },
            single_use: true,
            principal: party(subject.kind.as_str(), &subject.id),
            agent: AgentScope::Named(party(agent.kind.as_str(), &agent.id)),
            tool: ToolPattern::Exact(request.action.name.as_str()?.to_owned()),
            scope: Scope {
                resource_type: request
                    .resource
                    .kind
                    .as_str()
                    .filter(|kind| !kind.is_empty())
                    .map(str::to_owned),
                // An id that ends in a star would be read as a pattern; the hash of the call says which one is meant.
                id: request.resource.id.as_str().and_then(IdPattern::exactly),
            },
            conditions: Conditions::None,
            cap: self.ticket.tier,
            organisation: false,
            admin: None,
        })
    }
}

fn party(kind: &str, id: &str) -> Party {
    Party {
        kind: kind.to_owned(),
        id: id.to_owned(),
    }
}
