//! Gate 8: can the agent attest what it is, where the manifest asks for that?

use super::{Case, demoted};
use crate::manifest::{Access, Unit};

pub(crate) fn objection(unit: &Unit, case: Case<'_>) -> Option<String> {
    (is_required(unit, case) && !can_attest(case))
        .then(|| "restricted: requires attestation the agent cannot present".to_owned())
}

/// Whether loading the unit takes an attestation.
pub(crate) fn is_required(unit: &Unit, case: Case<'_>) -> bool {
    case.manifest.attestation.required && unit.access == Access::Restricted
}

/// Whether the agent has whatever attestation the manifest asks for.
pub(crate) fn can_attest(case: Case<'_>) -> bool {
    let attestation = &case.manifest.attestation;
    let provider = case.options.capabilities.attestation_provider.as_ref();
    !attestation.required
        || provider.is_some_and(|provider| {
            !provider.is_empty() && attestation.trusted_providers.contains(provider)
        })
}

pub(crate) fn detail(unit: &Unit, case: Case<'_>) -> String {
    match objection(unit, case) {
        Some(reason) => demoted(&reason),
        None if is_required(unit, case) => "agent can present required attestation".to_owned(),
        None => "no attestation required".to_owned(),
    }
}
