//! Gate 6: has the unit to do with the task?

use std::borrow::Cow;

use super::{Case, Sought};
use crate::relevance::Relevance;

pub(crate) fn refusal(relevance: Relevance, case: Case<'_>) -> Option<Cow<'static, str>> {
    let is_unrelated = case.sought == Sought::Task && relevance.score() == 0;
    is_unrelated.then_some(Cow::Borrowed("no task-relevance match"))
}

pub(crate) fn detail(relevance: Relevance) -> String {
    format!(
        "score {}: {}",
        relevance.score(),
        relevance.reasons().join("; ")
    )
}
