//! The named-human layer: some calls need a person of a certain role.

use super::{Finding, Findings};
use crate::case::Case;
use crate::evidence::Evidence;

/// What the approval rules say of this case (`ruleset.md` §5, layer 3).
///
/// A role is satisfied by an approval of exactly this call that somebody of that role gave.
pub(super) fn find(case: &Case<'_>, evidence: &Evidence) -> Findings {
    let missing = case
        .roles()
        .any(|role| !evidence.is_approved(case.tier) || !evidence.is_approved_by_role(role));
    Findings::ALWAYS.with_if(missing, Finding::RoleMissing)
}
