//! Gate 4: should the unit no longer be used?

use crate::manifest::Unit;

pub(crate) fn refusal(unit: &Unit) -> Option<&'static str> {
    unit.deprecated.then_some("deprecated")
}

pub(crate) fn detail() -> String {
    "not deprecated".to_owned()
}
