//! The gates layer: governed knowledge is touched only as a plan admits.

use super::{Finding, Findings};
use crate::case::Case;
use crate::evidence::{Evidence, Plan};

/// What the plans at hand say of this case (`ruleset.md` §5, layer 4).
///
/// No evidence of a plan is no plan.
pub(super) fn find(case: &Case<'_>, evidence: &Evidence) -> Findings {
    let admitted = evidence.plan == Plan::Admits;
    Findings::ALWAYS.with_if(!case.domains.is_empty() && !admitted, Finding::NoPlan)
}
