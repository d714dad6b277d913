//! How a decision is worded in the log.

use knotrust_core::case::Case;
use knotrust_core::ruleset::Ruleset;

/// Where the rule that decided stands: `file:line`.
pub(super) fn rule_place(ruleset: &Ruleset<'_>, rank: Option<u32>) -> Option<String> {
    ruleset
        .rules
        .get(rank?)
        .map(|rule| ruleset.spelled(rule.place))
}

/// What a reader of the log must be told beside the reason: what is odd about the name.
pub(super) fn flags(case: &Case<'_>) -> Option<String> {
    case.irregular
        .as_ref()
        .map(|fault| format!("irregular name: {fault}"))
}
