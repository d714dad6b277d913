//! Gate 6: has the unit to do with the task?

use crate::relevance::Relevance;

pub(crate) fn refusal(relevance: Relevance) -> Option<String> {
    (relevance.score() == 0).then(|| "no task-relevance match".to_owned())
}

pub(crate) fn detail(relevance: Relevance) -> String {
    format!(
        "score {}: {}",
        relevance.score(),
        relevance.reasons().join("; ")
    )
}
