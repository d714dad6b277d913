//! The answer.

pub mod response;

use crate::case::{Case, TierSource};
use crate::evidence::Evidence;
use crate::finding::Finding;
use crate::precedence::{Layer, Outcome, Row};
use crate::reason::Reason;
use crate::tier::Tier;

/// The answer to a decision request.
#[derive(Clone, Debug, Eq, PartialEq)]
#[must_use]
pub struct Decision {
    /// What becomes of the call.
    pub outcome: Outcome,
    /// The tier it was decided at.
    pub tier: Tier,
    /// Where the tier came from.
    pub tier_source: TierSource,
    /// The layer that decided.
    pub layer: Layer,
    /// Why.
    pub reason: Reason,
    /// The rank of the rule that decided, if one did.
    pub rule: Option<u32>,
    /// The id of the grant that allowed it.
    pub grant: Option<String>,
    /// Whether that grant is used up by this call.
    pub uses_up_grant: bool,
    /// Whether the answer may be remembered (reference, "Decision cache").
    pub cacheable: bool,
}

impl Decision {
    /// The answer that a row gives to a case.
    pub(crate) fn new(row: &Row, case: &Case<'_>, evidence: &Evidence) -> Self {
        let covering = || {
            evidence
                .grants_at_hand()
                .find(|grant| grant.cap >= case.tier)
        };
        let grant = covering().filter(|_| row.finding == Finding::GrantCovers);
        let rule = deciding_rule(row.finding, case);
        let uses_up_grant = grant.is_some_and(|grant| grant.single_use);
        let lasting = matches!(row.outcome, Outcome::Allow | Outcome::Deny);
        Self {
            outcome: row.outcome,
            tier: case.tier,
            tier_source: case.tier_source,
            layer: row.layer(),
            reason: row.reason,
            rule,
            grant: grant.map(|grant| grant.id.clone()),
            uses_up_grant,
            cacheable: lasting && case.tier != Tier::Critical && !uses_up_grant,
        }
    }

    /// The same decision, refused for a reason that arose after it was made. Never remembered.
    pub fn refused(self, reason: Reason) -> Self {
        Self {
            outcome: Outcome::Deny,
            reason,
            grant: None,
            uses_up_grant: false,
            cacheable: false,
            ..self
        }
    }

    /// The same decision, where it would have to wait for a person and cannot.
    pub fn deferred(self) -> Self {
        Self {
            outcome: Outcome::DeferredNotEligible,
            reason: Reason::ChannelNotEligible,
            cacheable: false,
            ..self
        }
    }

    /// The same decision, of the tier that a case has.
    pub const fn at(mut self, case: &Case<'_>) -> Self {
        self.tier = case.tier;
        self.tier_source = case.tier_source;
        self
    }

    /// The same decision, which must be made anew each time.
    pub const fn never_remembered(mut self) -> Self {
        self.cacheable = false;
        self
    }

    /// A refusal for want of a decision: of whatever tier, since none could be found.
    pub const fn failed(reason: Reason) -> Self {
        Self {
            outcome: Outcome::Deny,
            tier: Tier::Critical,
            tier_source: TierSource::Default,
            layer: Layer::Envelope,
            reason,
            rule: None,
            grant: None,
            uses_up_grant: false,
            cacheable: false,
        }
    }
}

/// The rule that a finding goes back to. Where the tier decided, that is the rule that set the tier.
const fn deciding_rule(finding: Finding, case: &Case<'_>) -> Option<u32> {
    match finding {
        Finding::RuleDenies => case.denied_by,
        Finding::RuleAllows => case.allowed_by,
        Finding::Always => case.tier_source.rule(),
        Finding::OwnPlace
        | Finding::Unlisted
        | Finding::EnvelopeDenies
        | Finding::EnvelopeForces
        | Finding::RoleMissing
        | Finding::NoPlan
        | Finding::GrantCovers
        | Finding::GrantBelowTier
        | Finding::GrantAboveCeiling
        | Finding::EngineDenies => None,
    }
}
