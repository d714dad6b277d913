//! What the layers find, each for itself.
//!
//! A layer is a function from case and evidence to findings; none knows the others. What outranks what is said by the
//! rows of [`crate::precedence`] alone.

mod envelope;
mod gates;
mod grant;
mod named_human;
mod rules;

use crate::case::Case;
use crate::evidence::Evidence;
use crate::precedence::Layer;
use crate::ruleset::{Effect, Ruleset, Unlisted};

/// Something that a layer may find.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Finding {
    /// The call reaches for knotrust's own files, page or program.
    OwnPlace,
    /// The server is not listed, and unlisted ones are denied.
    Unlisted,
    /// The envelope denies the name.
    EnvelopeDenies,
    /// The envelope wants a person, and none has approved exactly this call.
    EnvelopeForces,
    /// A rule denies.
    RuleDenies,
    /// An approval rule matches, and no person of its role has approved exactly this call.
    RoleMissing,
    /// The call touches a governed domain, and nothing admits it.
    NoPlan,
    /// A grant covers the call at its tier, within the ceiling.
    GrantCovers,
    /// A grant covers the call, but for a tier below.
    GrantBelowTier,
    /// A grant covers the call by its own cap, but not under the ceiling, and no rule allows the call.
    GrantAboveCeiling,
    /// The configured engine denies.
    EngineDenies,
    /// A rule allows.
    RuleAllows,
    /// Always found: what is left to the tier.
    Always,
}

impl Finding {
    /// Every finding.
    pub const ALL: [Self; 13] = [
        Self::OwnPlace,
        Self::Unlisted,
        Self::EnvelopeDenies,
        Self::EnvelopeForces,
        Self::RuleDenies,
        Self::RoleMissing,
        Self::NoPlan,
        Self::GrantCovers,
        Self::GrantBelowTier,
        Self::GrantAboveCeiling,
        Self::EngineDenies,
        Self::RuleAllows,
        Self::Always,
    ];

    /// The layer that finds it.
    #[must_use]
    pub const fn layer(self) -> Layer {
        match self {
            Self::OwnPlace | Self::Unlisted | Self::EnvelopeDenies | Self::EnvelopeForces => {
                Layer::Envelope
            }
            Self::RuleDenies => Layer::ExplicitDeny,
            Self::RoleMissing => Layer::NamedHuman,
            Self::NoPlan => Layer::Gates,
            Self::GrantCovers | Self::GrantBelowTier | Self::GrantAboveCeiling => Layer::Grant,
            Self::EngineDenies => Layer::Pdp,
            Self::RuleAllows | Self::Always => Layer::TierDefault,
        }
    }

    /// Whether any call could lead to it under the policy.
    #[must_use]
    pub fn can_be_made(self, ruleset: &Ruleset<'_>) -> bool {
        let has_rule =
            |wanted: fn(Effect) -> bool| ruleset.rules.iter().any(|(_, rule)| wanted(rule.effect));
        let envelope = &ruleset.envelope;
        match self {
            Self::OwnPlace | Self::GrantCovers | Self::GrantBelowTier | Self::Always => true,
            Self::Unlisted => ruleset.unlisted_servers == Unlisted::Deny,
            Self::EnvelopeDenies => !envelope.deny.is_empty(),
            Self::EnvelopeForces => {
                !envelope.force_tiers.is_empty() || !envelope.force_tools.is_empty()
            }
            Self::RuleDenies => has_rule(|effect| effect == Effect::Deny),
            Self::RoleMissing => !ruleset.approvals.rules.is_empty(),
            Self::NoPlan => !ruleset.domains.is_empty(),
            Self::GrantAboveCeiling => envelope.grant_ceiling < crate::tier::Tier::Critical,
            Self::EngineDenies => false,
            Self::RuleAllows => has_rule(|effect| matches!(effect, Effect::Allow(_))),
        }
    }

    const fn flag(self) -> u32 {
        1 << self as u32
    }
}

/// What all layers found about one call.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Findings(u32);

impl Findings {
    /// What is found about every call.
    pub const ALWAYS: Self = Self(Finding::Always.flag());

    /// What the layers find about this case.
    #[must_use]
    pub fn of(case: &Case<'_>, evidence: &Evidence) -> Self {
        let layers = [
            envelope::find,
            rules::find,
            named_human::find,
            gates::find,
            grant::find,
        ];
        layers.iter().fold(Self::ALWAYS, |found, layer| {
            found.and(layer(case, evidence))
        })
    }

    /// These findings and no other. [`Finding::Always`] is always there.
    #[must_use]
    pub fn only(findings: impl IntoIterator<Item = Finding>) -> Self {
        findings.into_iter().fold(Self::ALWAYS, Self::with)
    }

    /// Both sets together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The set with one finding more.
    #[must_use]
    pub const fn with(self, finding: Finding) -> Self {
        Self(self.0 | finding.flag())
    }

    /// The set with one finding more, if the condition holds.
    #[must_use]
    pub const fn with_if(self, condition: bool, finding: Finding) -> Self {
        if condition { self.with(finding) } else { self }
    }

    /// Whether it was found.
    #[must_use]
    pub const fn contains(self, finding: Finding) -> bool {
        self.0 & finding.flag() != 0
    }
}
