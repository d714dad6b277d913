//! Gate 6: has the unit to do with the task?

use super::{Case, Sought};
use crate::relevance::Relevance;

pub(crate) fn refusal(relevance: Relevance, case: Case<'_>) -> Option<String> {
    let is_unrelated = case.sought == Sought::Task && relevance.score() == 0;
    is_unrelated.then(|| "no task-relevance match".to_owned())
}

pub(crate) fn detail(relevance: Relevance) -> String {
    format!(
        "score {}: {}",
        relevance.score(),
        relevance.reasons().join("; ")
    )
}
