//! Money and rates of a plan.

use knotrust_core::json::Value;

use super::Selected;
use crate::amount::Amount;
use crate::gate::Case;
use crate::manifest::{Rate, Requests};
use crate::members::{Members, list, text};

/// Money and rates of a plan.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct BudgetPlan {
    /// `default`, `authenticated` or `premium`.
    pub rate_tier: &'static str,
    /// How often the agent may ask.
    pub per_minute: Option<Requests>,
    /// What each listed unit costs.
    pub costs: Vec<(String, String)>,
    /// The ceiling and what it leaves.
    pub money: Option<Money>,
}

/// A ceiling and what it leaves.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Money {
    /// The ceiling.
    pub ceiling: Amount,
    /// Its currency.
    pub currency: String,
    /// What earlier manifests have taken.
    pub committed: Amount,
    /// What the listed units take.
    pub projected: Amount,
    /// What is left.
    pub remaining: Amount,
}

impl BudgetPlan {
    pub(super) fn of(case: Case<'_>, selected: &[Selected]) -> Self {
        let loadable = || selected.iter().filter(|unit| unit.load_eligible);
        let cost = |unit: &Selected| Some((unit.id.clone(), unit.payment.cost.clone()?));
        let money = case.options.budget.as_ref().map(|budget| {
            let projected = loadable()
                .filter_map(|unit| unit.payment.price)
                .fold(Amount::ZERO, Amount::plus);
            Money {
                ceiling: budget.amount,
                currency: budget.currency().to_owned(),
                committed: budget.spent().at_six_places(),
                projected: projected.at_six_places(),
                remaining: budget
                    .amount
                    .minus(budget.spent())
                    .minus(projected)
                    .at_six_places(),
            }
        });
        let (rate_tier, rate) = rate(case);
        Self {
            rate_tier,
            per_minute: rate.and_then(|rate| rate.per_minute),
            costs: loadable().filter_map(cost).collect(),
            money,
        }
    }

    fn members(&self) -> Members {
        Members::new().text("rateTier", self.rate_tier)
    }

    pub(super) fn to_json(&self) -> Value<'static> {
        let per_minute = self.per_minute.map(|requests| match requests {
            Requests::Unlimited => text("unlimited"),
            Requests::Limited(number) => number.to_json(),
        });
        let cost = |(unit, cost): &(String, String)| {
            Members::new().text("unit", unit).text("cost", cost).done()
        };
        let members = self
            .members()
            .maybe("requestsPerMinute", per_minute)
            .set("perRequestCosts", list(self.costs.iter().map(cost)));
        let members = match &self.money {
            None => members,
            Some(money) => members
                .set("ceiling", money.ceiling.to_json())
                .text("currency", &money.currency)
                .maybe(
                    "alreadyCommitted",
                    money
                        .committed
                        .is_positive()
                        .then(|| money.committed.to_json()),
                )
                .set("projectedSpend", money.projected.to_json())
                .set("remaining", money.remaining.to_json()),
        };
        members.text("note", &self.note()).done()
    }

    pub(super) fn outcome_json(&self) -> Value<'static> {
        match &self.money {
            None => self.members().done(),
            Some(money) => self
                .members()
                .set("ceiling", money.ceiling.to_json())
                .set("projectedSpend", money.projected.to_json())
                .set("remaining", money.remaining.to_json())
                .text("currency", &money.currency)
                .done(),
        }
    }

    fn note(&self) -> String {
        match &self.money {
            Some(money) => {
                let upstream = match money.committed.is_positive() {
                    true => format!(" (+{} committed upstream)", money.committed),
                    false => String::new(),
                };
                format!(
                    "projected spend {}{upstream} of {} {}; {} remaining.",
                    money.projected, money.ceiling, money.currency, money.remaining
                )
            }
            None if self.costs.is_empty() => {
                "all selected units are free to load at the resolved tier.".to_owned()
            }
            None => format!(
                "{} selected unit(s) are pay-per-request; budget before loading.",
                self.costs.len()
            ),
        }
    }
}

fn rate<'m>(case: Case<'m>) -> (&'static str, Option<&'m Rate>) {
    let limits = case.manifest.rate_limits.as_ref();
    let capabilities = &case.options.capabilities;
    let subscribes = capabilities
        .payment_methods
        .iter()
        .any(|method| method == "subscription");
    let premium = limits
        .and_then(|limits| limits.premium.as_ref())
        .filter(|_| subscribes);
    let authenticated = limits
        .and_then(|limits| limits.authenticated.as_ref())
        .filter(|_| !capabilities.credentials.is_empty());
    match (premium, authenticated) {
        (Some(rate), _) => ("premium", Some(rate)),
        (None, Some(rate)) => ("authenticated", Some(rate)),
        (None, None) => ("default", limits.and_then(|limits| limits.default.as_ref())),
    }
}
