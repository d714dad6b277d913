//! What is known beside the policy: gathered before a decision, since the decision itself may not look.

use crate::tier::Tier;
use crate::time::Timestamp;

/// What is known beside the policy, about one call at one moment.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// The moment of the decision.
    pub now: Timestamp,
    /// Grants that cover the call in all but, perhaps, tier and time.
    pub grants: Vec<GrantAtHand>,
    /// The role of whoever approved exactly this call, as the approval proves it.
    pub approved_by_role: Option<String>,
    /// Whether a plan admits what the call touches.
    pub plan: Plan,
}

/// A verified grant that covers a call, and what a decision needs to know of it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct GrantAtHand {
    /// Its id.
    pub id: String,
    /// The highest tier it covers.
    pub cap: Tier,
    /// Valid from this second on.
    pub not_before: Option<i64>,
    /// No longer valid from this second on.
    pub expires: i64,
    /// Whether it is used up by one call.
    pub single_use: bool,
    /// Whether it was minted by a person's approval of exactly this call.
    pub for_this_call: bool,
}

/// Whether a plan admits what a call touches.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Plan {
    /// None does, or nobody asked.
    #[default]
    None,
    /// An approved plan, an automatic one or a conformant procedure admits every target.
    Admits,
    /// A procedure that is being followed forbids the call, governed or not. Nothing lifts that.
    Forbids,
}

impl Evidence {
    /// Nothing is known but the time.
    #[must_use]
    pub fn none(now: Timestamp) -> Self {
        Self {
            now,
            ..Self::default()
        }
    }

    /// The grants that are within their time.
    pub fn grants_at_hand(&self) -> impl Iterator<Item = &GrantAtHand> {
        let now = self.now.seconds();
        self.grants
            .iter()
            .filter(move |grant| grant.is_valid_at(now))
    }

    /// Whether a person approved exactly this call, at this tier or above.
    #[must_use]
    pub fn is_approved(&self, tier: Tier) -> bool {
        self.grants_at_hand()
            .any(|grant| grant.for_this_call && grant.cap >= tier)
    }

    /// Whether whoever approved exactly this call has that role.
    #[must_use]
    pub fn is_approved_by_role(&self, role: &str) -> bool {
        self.approved_by_role.as_deref() == Some(role)
    }
}

impl GrantAtHand {
    fn is_valid_at(&self, now: i64) -> bool {
        self.not_before.is_none_or(|start| now >= start) && now < self.expires
    }
}
