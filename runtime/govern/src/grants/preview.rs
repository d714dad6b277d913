//! What a grant would admit, before anybody signs it.

use std::collections::BTreeSet;

use knotrust_core::grant::Claims;
use knotrust_core::json::Text;

/// What a grant would admit, of what is known.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Admitted {
    /// Known tools that it covers.
    pub tools: Vec<String>,
    /// How many known tools there are.
    pub of: usize,
}

/// Which of the known action names the grant would cover. Names come from inventories and from recorded calls.
#[must_use]
pub fn admitted<'n>(claims: &Claims, known: impl IntoIterator<Item = &'n str>) -> Admitted {
    let known: BTreeSet<&str> = known.into_iter().collect();
    let covered = known
        .iter()
        .filter(|name| claims.tool.matches(&Text::from(**name)));
    Admitted {
        tools: covered.map(|name| (*name).to_owned()).collect(),
        of: known.len(),
    }
}
