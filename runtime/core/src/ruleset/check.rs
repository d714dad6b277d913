//! What must be true of a ruleset's tables, checked where they are made.

use crate::finding::Finding;
use crate::precedence::Outcome;
use crate::tier::Tier;

use super::Ruleset;

/// Something in the tables of a ruleset that would make decisions unsafe.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Flaw {
    /// At some tier, no row answers a call about which nothing was found.
    NoLastRow,
    /// A row allows or waits at the end of a stronger layer than it may.
    LaxLastRow,
}

impl Ruleset<'_> {
    /// Proves, while the generated module is compiled, that a decision cannot fall through.
    ///
    /// # Errors
    ///
    /// The first flaw of the tables.
    pub const fn check(&self) -> Result<(), Flaw> {
        let mut tier = 0;
        while tier < Tier::ALL.len() {
            #[expect(clippy::indexing_slicing, reason = "the loop stays below the length")]
            let wanted = Tier::ALL[tier];
            match self.last_row(wanted) {
                None => return Err(Flaw::NoLastRow),
                Some(outcome) => {
                    let lax = matches!(outcome, Outcome::Allow) && !matches!(wanted, Tier::Routine);
                    if lax {
                        return Err(Flaw::LaxLastRow);
                    }
                }
            }
            tier += 1;
        }
        Ok(())
    }

    /// The same, for a `const` assertion in generated code.
    #[must_use]
    pub const fn is_sound(&self) -> bool {
        self.check().is_ok() && self.names.is_canonical()
    }

    const fn last_row(&self, tier: Tier) -> Option<Outcome> {
        let mut at = 0;
        while at < self.precedence.len() {
            #[expect(clippy::indexing_slicing, reason = "the loop stays below the length")]
            let row = &self.precedence[at];
            if matches!(row.finding, Finding::Always) && row.tiers.contains(tier) {
                return Some(row.outcome);
            }
            at += 1;
        }
        None
    }
}
