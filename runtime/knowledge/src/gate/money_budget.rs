//! Gate 13: is there money left?

use super::payment::Priced;
use crate::amount::Amount;
use crate::options::Budget;

/// What the budget says to one unit.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Verdict {
    /// No budget is set.
    NoBudget,
    /// The unit costs nothing, or nothing will be loaded.
    Free,
    /// The price fits; `spent` is what would then be taken, the price included.
    Within { price: Amount, spent: Amount },
    /// The price is in another currency.
    OtherCurrency { cost: String },
    /// The price doesn't fit into what is left.
    Exceeds { price: Amount, rest: Amount },
}

/// Compares a price with what is left after what has been `taken` from the whole budget.
pub(crate) fn judge(budget: Option<&Budget>, price: Option<&Priced>, taken: Amount) -> Verdict {
    let Some(budget) = budget else {
        return Verdict::NoBudget;
    };
    let Some(price) = price.filter(|price| price.amount.is_positive()) else {
        return Verdict::Free;
    };
    if price.currency != budget.currency() {
        return Verdict::OtherCurrency {
            cost: price.cost.clone(),
        };
    }
    let spent = taken.plus(price.amount);
    let price = price.amount;
    if spent > budget.amount {
        Verdict::Exceeds {
            price,
            rest: budget.amount.minus(taken),
        }
    } else {
        Verdict::Within { price, spent }
    }
}

impl Verdict {
    pub(crate) const fn refuses(&self) -> bool {
        matches!(self, Self::OtherCurrency { .. } | Self::Exceeds { .. })
    }

    pub(crate) fn refusal(&self, budget: Option<&Budget>) -> Option<String> {
        self.refuses()
            .then(|| format!("over budget: {}", self.detail(budget)))
    }

    pub(crate) fn detail(&self, budget: Option<&Budget>) -> String {
        let (ceiling, currency) = budget
            .map(|budget| (budget.amount, budget.currency()))
            .unwrap_or_default();
        let ceiling = ceiling.at_six_places();
        match self {
            Self::NoBudget => "no budget ceiling set".to_owned(),
            Self::Free => "free unit".to_owned(),
            Self::Within { price, spent } => format!(
                "{} within budget ({} of {ceiling} {currency} spent)",
                price.at_six_places(),
                spent.at_six_places()
            ),
            Self::OtherCurrency { cost } => format!("costs {cost}, budget is in {currency}"),
            Self::Exceeds { price, rest } => format!(
                "{} would exceed remaining {} of {ceiling} {currency}",
                price.at_six_places(),
                rest.at_six_places()
            ),
        }
    }
}
