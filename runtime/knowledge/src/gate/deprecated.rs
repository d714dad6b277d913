//! Gate 4: should the unit no longer be used?

use crate::manifest::Unit;

pub(crate) fn refusal(unit: &Unit) -> Option<String> {
    unit.deprecated.then(|| "deprecated".to_owned())
}

pub(crate) fn detail() -> String {
    "not deprecated".to_owned()
}
