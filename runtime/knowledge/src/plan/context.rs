//! The context window of a plan.

use knotrust_core::json::Value;

use crate::amount::Amount;
use crate::manifest::Tokens;
use crate::members::{Members, count};

/// The context window of a plan.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct ContextPlan {
    /// The ceiling.
    pub ceiling: Option<Amount>,
    /// What the listed units take.
    pub projected: Amount,
    /// Whether some of it is estimated.
    pub approximate: bool,
    /// How many units declare no size.
    pub unmeasured: usize,
}

impl ContextPlan {
    pub(super) fn add(&mut self, tokens: Tokens) {
        match tokens {
            Tokens::Unmeasured => self.unmeasured += 1,
            Tokens::Declared(tokens) => self.projected = self.projected.plus(tokens),
            Tokens::Estimated(tokens) => {
                self.projected = self.projected.plus(tokens);
                self.approximate = true;
            }
        }
    }

    pub(super) fn members(&self) -> Members {
        let bounded = |amount: Amount| self.ceiling.map(|_| amount.to_json());
        Members::new()
            .maybe("ceiling", self.ceiling.map(Amount::to_json))
            .maybe("projectedTokens", bounded(self.projected))
            .maybe("remaining", self.remaining().map(Amount::to_json))
            .flag("approximate", self.approximate)
            .set("unmeasured", count(self.unmeasured))
    }

    /// What is left under the ceiling.
    #[must_use]
    pub fn remaining(&self) -> Option<Amount> {
        self.ceiling.map(|ceiling| ceiling.minus(self.projected))
    }

    pub(super) fn to_json(self) -> Value<'static> {
        self.members().text("note", &self.note()).done()
    }

    fn note(&self) -> String {
        let (Some(ceiling), Some(remaining)) = (self.ceiling, self.remaining()) else {
            return "no context budget set.".to_owned();
        };
        let estimated = self.approximate.then(|| "some sizes estimated".to_owned());
        let unmeasured = (self.unmeasured > 0).then(|| format!("{} unmeasured", self.unmeasured));
        let flags: Vec<String> = estimated.into_iter().chain(unmeasured).collect();
        let flags = if flags.is_empty() {
            String::new()
        } else {
            format!(" ({})", flags.join(", "))
        };
        format!(
            "projected {} of {} tokens; {} remaining{flags}.",
            self.projected.grouped(),
            ceiling.grouped(),
            remaining.grouped()
        )
    }
}
