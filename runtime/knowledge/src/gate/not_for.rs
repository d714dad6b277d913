//! Gate 2: does the unit say that it doesn't serve the task?

use super::Case;
use crate::manifest::Unit;
use crate::members::quoted;

pub(crate) fn refusal(unit: &Unit, case: Case<'_>) -> Option<String> {
    let matched = unit
        .folded
        .not_for
        .iter()
        .position(|entry| case.terms.occur_in(entry))?;
    let entry = unit.not_for.get(matched)?;
    Some(format!("not_for declares it does not serve '{entry}'"))
}

pub(crate) fn detail(unit: &Unit) -> String {
    match unit.not_for.as_slice() {
        [] => "no not_for declarations".to_owned(),
        entries => format!("task terms do not match {}", quoted(entries)),
    }
}
