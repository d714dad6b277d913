//! Gate 10: does the agent hold a credential, where one is asked for? Paying is no substitute.

use super::payment::Terms;
use super::{Case, demoted};
use crate::manifest::{Access, Unit};

/// What is to be said about a unit's access, and whether it opens.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Finding {
    pub(crate) reasons: Vec<String>,
    pub(crate) opens: bool,
}

pub(crate) fn find(unit: &Unit, payment: &Terms, case: Case<'_>) -> Finding {
    let opens = opens(unit, case);
    let Some(access) = missing(unit, case) else {
        return Finding {
            reasons: Vec::new(),
            opens,
        };
    };
    let mut reasons = vec![without_credentials(access)];
    if payment.is_x402() {
        reasons.push(format!(
            "hint: '{access}' + x402 — if this unit is anonymous-paid the manifest should mark it public (spec §4.11, v0.25.1)"
        ));
    }
    Finding { reasons, opens }
}

/// Whether the unit may be loaded with what the agent holds: any credential opens what is restricted.
pub(crate) fn opens(unit: &Unit, case: Case<'_>) -> bool {
    unit.access != Access::Restricted || !case.options.capabilities.credentials.is_empty()
}

pub(crate) fn detail(unit: &Unit, case: Case<'_>) -> String {
    match (unit.access.as_str(), missing(unit, case)) {
        (None, _) => "public access".to_owned(),
        (Some(access), None) => format!("access '{access}' — agent has credentials"),
        (Some(_), Some(access)) if opens(unit, case) => without_credentials(access),
        (Some(_), Some(access)) => demoted(&without_credentials(access)),
    }
}

/// The kind of access that asks for a credential the agent lacks.
fn missing<'u>(unit: &'u Unit, case: Case<'_>) -> Option<&'u str> {
    let asks = matches!(unit.access, Access::Authenticated | Access::Restricted);
    (asks && case.options.capabilities.credentials.is_empty())
        .then(|| unit.access.as_str())
        .flatten()
}

fn without_credentials(access: &str) -> String {
    format!("access '{access}': agent holds no credentials")
}
