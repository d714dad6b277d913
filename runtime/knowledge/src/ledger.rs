//! What was spent, in each currency, and what is left under a ceiling.

use std::collections::BTreeMap;

use knotrust_core::json::{Text, Value};

use crate::amount::Amount;
use crate::members::Members;

/// Sums by currency, and a ceiling in one of them.
///
/// A spend is taken whole or not at all. Currencies without a ceiling have none: they are counted, not held.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Ledger {
    ceiling: Option<Ceiling>,
    totals: BTreeMap<String, Amount>,
}

/// The most that may be spent in one currency.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Ceiling {
    /// How much.
    pub amount: Amount,
    /// Of what.
    pub currency: String,
}

/// What became of a spend.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Spent {
    /// It was taken.
    Accepted,
    /// It is less than nothing.
    Negative,
    /// It doesn't fit under the ceiling.
    OverCeiling,
}

impl Ledger {
    /// A ledger in which nothing has been spent.
    #[must_use]
    pub const fn under(ceiling: Option<Ceiling>) -> Self {
        Self {
            ceiling,
            totals: BTreeMap::new(),
        }
    }

    /// The same sums, under a ceiling. They may be above it already.
    #[must_use]
    pub fn held_under(mut self, ceiling: Option<Ceiling>) -> Self {
        self.ceiling = ceiling;
        self
    }

    /// Takes a spend, unless it must not be.
    #[must_use = "a refused spend must not happen"]
    pub fn spend(&mut self, amount: Amount, currency: &str) -> Spent {
        let verdict = self.judge(amount, currency);
        if verdict == Spent::Accepted {
            let total = self.total(currency).plus(amount);
            self.totals.insert(currency.to_owned(), total);
        }
        verdict
    }

    /// Takes several spends, all of them or none.
    #[must_use = "refused spends must not happen"]
    pub fn spend_all(&mut self, spends: &[(Amount, &str)]) -> Spent {
        let mut after = self.clone();
        for (amount, currency) in spends {
            let verdict = after.spend(*amount, currency);
            if verdict != Spent::Accepted {
                return verdict;
            }
        }
        *self = after;
        Spent::Accepted
    }

    /// What would become of a spend.
    #[must_use]
    pub fn judge(&self, amount: Amount, currency: &str) -> Spent {
        if amount.is_negative() {
            return Spent::Negative;
        }
        match self.remaining(currency) {
            Some(remaining) if amount > remaining => Spent::OverCeiling,
            Some(_) | None => Spent::Accepted,
        }
    }

    /// What was spent in a currency.
    #[must_use]
    pub fn total(&self, currency: &str) -> Amount {
        self.totals.get(currency).copied().unwrap_or_default()
    }

    /// All currencies in which something was spent, and how much.
    pub fn totals(&self) -> impl Iterator<Item = (&str, Amount)> {
        self.totals
            .iter()
            .map(|(currency, total)| (currency.as_str(), *total))
    }

    /// The ceiling.
    #[must_use]
    pub const fn ceiling(&self) -> Option<&Ceiling> {
        self.ceiling.as_ref()
    }

    /// The sums as they are told.
    #[must_use]
    pub fn to_json(&self) -> Value<'static> {
        let totals = self
            .totals
            .iter()
            .map(|(currency, total)| (Text::from(currency.clone()), total.to_json()));
        let ceiling = |ceiling: &Ceiling| {
            Members::new()
                .set("amount", ceiling.amount.to_json())
                .text("currency", &ceiling.currency)
                .done()
        };
        let remaining = self
            .ceiling
            .as_ref()
            .and_then(|ceiling| self.remaining(&ceiling.currency));
        Members::new()
            .maybe("ceiling", self.ceiling.as_ref().map(ceiling))
            .set("totals", Value::Object(totals.collect()))
            .maybe("remaining", remaining.map(Amount::to_json))
            .done()
    }

    /// What is left in a currency, if it has a ceiling.
    #[must_use]
    pub fn remaining(&self, currency: &str) -> Option<Amount> {
        let ceiling = self
            .ceiling
            .as_ref()
            .filter(|ceiling| ceiling.currency == currency)?;
        Some(ceiling.amount.minus(self.total(currency)))
    }
}

#[cfg(test)]
mod tests {
    use knotrust_core::json::write;

    use super::*;

    #[test]
    fn several_spends_are_taken_together_or_not_at_all() {
        let ceiling = Ceiling {
            amount: Amount::from(1),
            currency: "USDC".to_owned(),
        };
        let mut ledger = Ledger::under(Some(ceiling));
        let half = Amount::read("0.5").unwrap();
        assert_eq!(
            ledger.spend_all(&[(half, "USDC"), (half, "EUR")]),
            Spent::Accepted
        );
        assert_eq!(
            ledger.spend_all(&[(half, "EUR"), (half, "USDC"), (half, "USDC")]),
            Spent::OverCeiling
        );
        assert_eq!(
            write(&ledger.to_json()),
            r#"{"ceiling":{"amount":1,"currency":"USDC"},"totals":{"EUR":0.5,"USDC":0.5},"remaining":0.5}"#
        );
    }
}
