//! The decision: seven small questions and one look-up.

use crate::case::Case;
use crate::decision::Decision;
use crate::evidence::Evidence;
use crate::finding::Findings;
use crate::precedence::Row;

/// Decides a case on what is known. It cannot fail, and it cannot fall through: what no row answers is refused.
pub fn decide(case: &Case<'_>, evidence: &Evidence) -> Decision {
    let findings = Findings::of(case, evidence);
    let row = Row::first(case.ruleset.precedence, findings, case.tier).unwrap_or(&Row::REFUSE);
    Decision::new(row, case, evidence)
}
