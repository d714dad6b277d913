//! The rules that deny, and those that allow.

use super::{Finding, Findings};
use crate::case::Case;
use crate::evidence::Evidence;

/// What the policy's own rules say of this case (`ruleset.md` §5, layers 2 and 7).
pub(super) fn find(case: &Case<'_>, _: &Evidence) -> Findings {
    Findings::ALWAYS
        .with_if(case.denied_by.is_some(), Finding::RuleDenies)
        .with_if(case.allowed_by.is_some(), Finding::RuleAllows)
}
