//! The fourteen gates, in the one order in which they are passed.
//!
//! The first six refuse for good. The next four only demote: what fails them is listed, but must not be loaded, and under
//! strict the eleventh refuses it. The last three are passed in load order, best first, and hold what there is no room for.

pub(crate) mod access;
pub(crate) mod attestation;
pub(crate) mod audience;
pub(crate) mod authority;
pub(crate) mod composition;
pub(crate) mod context_budget;
pub(crate) mod denial;
pub(crate) mod deprecated;
pub(crate) mod max_units;
pub(crate) mod money_budget;
pub(crate) mod not_for;
pub(crate) mod payment;
pub(crate) mod relevance;
pub(crate) mod skill_eligibility;
pub(crate) mod spend;
pub(crate) mod strict;
pub(crate) mod supersession;
pub(crate) mod temporal;

use crate::manifest::Manifest;
use crate::options::Options;
use crate::terms::Terms;

/// One of the fourteen.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Gate {
    /// Is the unit for this role?
    Audience,
    /// Does it say that it doesn't serve the task?
    NotFor,
    /// Does it hold now?
    Temporal,
    /// Should it no longer be used?
    Deprecated,
    /// Is there a successor to use instead?
    Supersession,
    /// Has it to do with the task?
    Relevance,
    /// May the procedure be invoked?
    SkillEligibility,
    /// Can the agent attest what it is?
    Attestation,
    /// Can it pay?
    Payment,
    /// Does it hold a credential?
    Access,
    /// Is what was demoted refused?
    Strict,
    /// Is there a place left?
    MaxUnits,
    /// Is there money left?
    MoneyBudget,
    /// Is there room left in the context?
    ContextBudget,
}

impl Gate {
    /// All gates, in order.
    pub const ALL: [Self; 14] = [
        Self::Audience,
        Self::NotFor,
        Self::Temporal,
        Self::Deprecated,
        Self::Supersession,
        Self::Relevance,
        Self::SkillEligibility,
        Self::Attestation,
        Self::Payment,
        Self::Access,
        Self::Strict,
        Self::MaxUnits,
        Self::MoneyBudget,
        Self::ContextBudget,
    ];

    /// The gate's name in plans and traces.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Audience => "audience",
            Self::NotFor => "not_for",
            Self::Temporal => "temporal",
            Self::Deprecated => "deprecated",
            Self::Supersession => "supersession",
            Self::Relevance => "relevance",
            Self::SkillEligibility => "skill_eligibility",
            Self::Attestation => "attestation",
            Self::Payment => "payment",
            Self::Access => "access",
            Self::Strict => "strict",
            Self::MaxUnits => "max_units",
            Self::MoneyBudget => "money_budget",
            Self::ContextBudget => "context_budget",
        }
    }
}

/// What every gate may look at besides the unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case<'a> {
    pub(crate) manifest: &'a Manifest,
    pub(crate) options: &'a Options,
    pub(crate) terms: &'a Terms,
    pub(crate) sought: Sought,
}

/// What makes a unit relevant.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Sought {
    /// It has to do with a task.
    Task,
    /// It is the very thing that is asked for.
    Thing,
}

/// How a demotion is marked where the verdict is told but does not refuse.
pub(crate) fn demoted(reason: &str) -> String {
    format!("{reason} (loadEligible=false)")
}
