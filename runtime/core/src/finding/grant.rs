//! The grant layer: a person has already said yes to calls like this one.

use super::{Finding, Findings};
use crate::case::Case;
use crate::evidence::{Evidence, GrantAtHand};
use crate::tier::Tier;

/// What the grants at hand say of this case (`ruleset.md` §5, layer 5).
///
/// A grant below the tier is not passed over in silence: to offer it is an attempt to reach up, and is found as one.
pub(super) fn find(case: &Case<'_>, evidence: &Evidence) -> Findings {
    if case.tier == Tier::Routine {
        return Findings::ALWAYS;
    }
    let against = |grant: &GrantAtHand| against(case, grant.cap);
    evidence
        .grants_at_hand()
        .fold(Findings::ALWAYS, |found, grant| found.and(against(grant)))
}

fn against(case: &Case<'_>, cap: Tier) -> Findings {
    let ceiling = case.ruleset.envelope.grant_ceiling;
    if case.tier > cap {
        Findings::ALWAYS.with(Finding::GrantBelowTier)
    } else if case.tier > ceiling {
        let allowed = case.tier == Tier::Sensitive && case.allowed_by.is_some();
        Findings::ALWAYS.with_if(!allowed, Finding::GrantAboveCeiling)
    } else {
        Findings::ALWAYS.with(Finding::GrantCovers)
    }
}
