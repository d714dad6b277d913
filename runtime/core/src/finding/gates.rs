//! The gates layer: governed knowledge is touched only as a plan admits.

use super::{Finding, Findings};
use crate::case::Case;
use crate::evidence::{Evidence, Plan};

/// What the plans at hand say of this case (`ruleset.md` §5, layer 4).
///
/// No evidence of a plan is no plan.
pub(super) fn find(case: &Case<'_>, evidence: &Evidence) -> Findings {
    let refused = match evidence.plan {
        Plan::Admits => false,
        Plan::None => !case.domains.is_empty(),
        Plan::Forbids => true,
    };
    Findings::ALWAYS.with_if(refused, Finding::NoPlan)
}
