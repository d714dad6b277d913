//! Gate 3: does the unit hold at the moment the plan is for?

use super::Case;
use crate::manifest::Unit;

pub(crate) fn refusal(unit: &Unit, case: Case<'_>) -> Option<String> {
    unit.temporal.objection(&case.options.as_of)
}

pub(crate) fn detail(unit: &Unit, case: Case<'_>) -> String {
    if unit.temporal.is_unbounded() && unit.temporal.superseded_by.is_none() {
        "no temporal constraint".to_owned()
    } else {
        format!("active as-of {}", case.options.as_of)
    }
}
