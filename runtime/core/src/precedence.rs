//! What outranks what, as data.
//!
//! The seven layers of `ruleset.md` §5 are said once, in [`STANDARD`]. A compiled policy carries the rows that it can
//! reach; the first whose finding was made, at the tier of the call, decides.

use std::fmt;

use crate::finding::{Finding, Findings};
use crate::reason::Reason;
use crate::ruleset::Ruleset;
use crate::tier::{Tier, Tiers};

/// The layers of a decision. `Ord` is precedence: the first decisive one wins.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Layer {
    /// The outer ceiling.
    Envelope,
    /// A rule of the policy that denies.
    ExplicitDeny,
    /// A person of a named role.
    NamedHuman,
    /// Governed knowledge.
    Gates,
    /// Grants.
    Grant,
    /// The configured engine.
    Pdp,
    /// What the tier asks for.
    TierDefault,
}

impl Layer {
    /// Every layer, strongest first.
    pub const ALL: [Self; 7] = [
        Self::Envelope,
        Self::ExplicitDeny,
        Self::NamedHuman,
        Self::Gates,
        Self::Grant,
        Self::Pdp,
        Self::TierDefault,
    ];

    /// Its number in `ruleset.md` §5, from 1.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8 + 1
    }

    /// Its name in reports and logs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Envelope => "envelope",
            Self::ExplicitDeny => "explicit deny",
            Self::NamedHuman => "named human",
            Self::Gates => "gates",
            Self::Grant => "grant",
            Self::Pdp => "pdp",
            Self::TierDefault => "tier default",
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What becomes of a call.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Outcome {
    /// It goes on.
    Allow,
    /// It does not.
    Deny,
    /// It waits for a person.
    PendingApproval,
    /// It would have to wait for a person, and cannot.
    DeferredNotEligible,
}

impl Outcome {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Allow,
        Self::Deny,
        Self::PendingApproval,
        Self::DeferredNotEligible,
    ];

    /// The word of the contract.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
            Self::PendingApproval => "pending_approval",
            Self::DeferredNotEligible => "deferred_not_eligible",
        }
    }

    /// The outcome of that name, if there is one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|outcome| outcome.as_str() == name)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One row of the precedence table: if this was found, at one of these tiers, this is the answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Row {
    /// What must have been found.
    pub finding: Finding,
    /// The tiers it counts at.
    pub tiers: Tiers,
    /// The answer.
    pub outcome: Outcome,
    /// Why.
    pub reason: Reason,
}

impl Row {
    /// What answers when no row does: nothing unclear is ever allowed.
    pub const REFUSE: Self = Self::deny(Finding::Always, Tiers::ALL, Reason::InternalError);

    /// A row that allows.
    #[must_use]
    pub const fn allow(finding: Finding, tiers: Tiers, reason: Reason) -> Self {
        Self {
            finding,
            tiers,
            outcome: Outcome::Allow,
            reason,
        }
    }

    /// A row that denies.
    #[must_use]
    pub const fn deny(finding: Finding, tiers: Tiers, reason: Reason) -> Self {
        Self {
            finding,
            tiers,
            outcome: Outcome::Deny,
            reason,
        }
    }

    /// A row that waits for a person.
    #[must_use]
    pub const fn pending(finding: Finding, tiers: Tiers, reason: Reason) -> Self {
        Self {
            finding,
            tiers,
            outcome: Outcome::PendingApproval,
            reason,
        }
    }

    /// The first row that applies.
    #[must_use]
    pub fn first(rows: &[Self], findings: Findings, tier: Tier) -> Option<&Self> {
        rows.iter()
            .find(|row| findings.contains(row.finding) && row.tiers.contains(tier))
    }

    /// The layer that the row belongs to.
    #[must_use]
    pub const fn layer(&self) -> Layer {
        self.finding.layer()
    }
}

/// Every row there is, in order (`ruleset.md` §5).
///
/// A grant above the ceiling denies only where no explicit allow speaks for the call; the finding itself says so, as its
/// row stands in a stronger layer.
pub const STANDARD: &[Row] = &[
    Row::deny(Finding::OwnPlace, Tiers::ALL, Reason::SelfProtection),
    Row::deny(Finding::Unlisted, Tiers::ALL, Reason::UnlistedServer),
    Row::deny(Finding::EnvelopeDenies, Tiers::ALL, Reason::EnvelopeDeny),
    Row::pending(
        Finding::EnvelopeForces,
        Tiers::ALL,
        Reason::EnvelopeForceApproval,
    ),
    Row::deny(Finding::RuleDenies, Tiers::ALL, Reason::ExplicitConfigDeny),
    Row::pending(Finding::RoleMissing, Tiers::ALL, Reason::NamedHumanRequired),
    Row::deny(Finding::NoPlan, Tiers::ALL, Reason::GovernedBlocked),
    Row::allow(
        Finding::GrantCovers,
        Tiers::ABOVE_ROUTINE,
        Reason::GrantAllow,
    ),
    Row::deny(
        Finding::GrantBelowTier,
        Tiers::ABOVE_ROUTINE,
        Reason::TierCapViolation,
    ),
    Row::deny(
        Finding::GrantAboveCeiling,
        Tiers::ABOVE_ROUTINE,
        Reason::GrantExceedsEnvelope,
    ),
    Row::deny(Finding::EngineDenies, Tiers::ALL, Reason::PdpDeny),
    Row::allow(Finding::Always, Tiers::ROUTINE, Reason::RoutineDefaultAllow),
    Row::allow(
        Finding::RuleAllows,
        Tiers::SENSITIVE,
        Reason::ExplicitConfigAllow,
    ),
    Row::deny(Finding::Always, Tiers::SENSITIVE, Reason::NoGrantSensitive),
    Row::pending(Finding::Always, Tiers::CRITICAL, Reason::NoGrantCritical),
];

/// The rows that a policy can reach, from what its tables hold.
pub fn reachable<'r>(ruleset: &'r Ruleset<'_>) -> impl Iterator<Item = &'static Row> + 'r {
    STANDARD
        .iter()
        .filter(|row| row.finding.can_be_made(ruleset))
}
