//! Gate 5: is there a successor to use instead?

use super::{Case, access, attestation, audience};
use crate::manifest::{Standing, Unit};

pub(crate) fn refusal(unit: &Unit, case: Case<'_>) -> Option<String> {
    let id = unit.temporal.superseded_by.as_deref()?;
    let successor = case.manifest.unit(id)?;
    can_stand_in(successor, case).then(|| format!("superseded by {id} (successor active)"))
}

/// Whether a successor is there for this agent, now. A unit gives way only to one that can be loaded in its place; what
/// the successor costs is another question (§4.22).
fn can_stand_in(successor: &Unit, case: Case<'_>) -> bool {
    !successor.deprecated
        && successor.temporal.standing(&case.options.as_of) == Standing::Active
        && audience::admits(successor, &case.options.capabilities.role)
        && access::opens(successor, case)
        && attestation::objection(successor, case).is_none()
}

pub(crate) fn detail(unit: &Unit) -> String {
    match &unit.temporal.superseded_by {
        None => "no supersession declared".to_owned(),
        Some(id) => format!("successor '{id}' not active"),
    }
}
