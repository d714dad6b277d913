//! The envelope layer: the outer ceiling, and knotrust's own places.

use super::{Finding, Findings};
use crate::case::Case;
use crate::evidence::Evidence;

/// What the envelope says of this case (`ruleset.md` §5, layer 1).
///
/// A forced approval is satisfied by the single-use grant that a person's approval mints for exactly this call, and by
/// nothing else: a durable grant leaves it standing.
pub(super) fn find(case: &Case<'_>, evidence: &Evidence) -> Findings {
    let forced = case.forced && !evidence.is_approved(case.tier);
    Findings::ALWAYS
        .with_if(case.own_place, Finding::OwnPlace)
        .with_if(case.unlisted, Finding::Unlisted)
        .with_if(case.envelope_deny.is_some(), Finding::EnvelopeDenies)
        .with_if(forced, Finding::EnvelopeForces)
}
