//! Gate 1: is the unit for this role?

use super::Case;
use crate::manifest::{Listing, Unit};
use crate::members::quoted;

pub(crate) fn refusal(unit: &Unit, case: Case<'_>) -> Option<String> {
    let role = &case.options.capabilities.role;
    (!admits(unit, role)).then(|| match &unit.audience {
        Listing::Malformed(_) => "audience is no list of roles, so nobody is in it".to_owned(),
        Listing::Absent | Listing::Listed(_) => {
            format!(
                "audience {} excludes role '{role}'",
                quoted(unit.audience.texts())
            )
        }
    })
}

/// Whether a unit serves a role. No audience is everyone; an audience that can't be read is nobody.
pub(crate) fn admits(unit: &Unit, role: &str) -> bool {
    match &unit.audience {
        Listing::Absent => true,
        Listing::Listed(roles) => roles.is_empty() || roles.iter().any(|known| known == role),
        Listing::Malformed(_) => false,
    }
}

pub(crate) fn detail(unit: &Unit, case: Case<'_>) -> String {
    match unit.audience.texts() {
        [] => "no audience restriction".to_owned(),
        roles => format!(
            "role '{}' in {}",
            case.options.capabilities.role,
            quoted(roles)
        ),
    }
}
