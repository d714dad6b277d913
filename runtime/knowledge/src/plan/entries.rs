//! The entries of a plan: what is listed, and what is not.

use std::borrow::Cow;

use knotrust_core::json::Value;

use crate::amount::Amount;
use crate::gate::skill_eligibility::Markers;
use crate::gate::{Case, attestation};
use crate::manifest::{ActionScope, Unit};
use crate::members::{Members, text, texts};
use crate::planner::Candidate;

/// A listed unit.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Selected {
    /// Its name.
    pub id: String,
    /// Where its content is.
    pub path: String,
    /// What it answers.
    pub intent: String,
    /// How much it has to do with the task.
    pub score: u64,
    /// What speaks for and against it.
    pub reasons: Vec<String>,
    /// How it would be paid for.
    pub payment: PaymentPlan,
    /// Whether loading takes an attestation.
    pub requires_attestation: bool,
    /// Whether it may be loaded or invoked.
    pub load_eligible: bool,
    /// What it may touch.
    pub action_scope: Option<ActionScope>,
    /// What else there is to say.
    pub markers: Markers,
}

/// How a unit would be paid for.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PaymentPlan {
    /// The method, or what it would take.
    pub method: String,
    /// The price in words.
    pub cost: Option<String>,
    /// The price.
    pub price: Option<Amount>,
    /// Its currency.
    pub currency: Option<String>,
    /// Whether the agent can pay.
    pub affordable: bool,
}

/// A unit that is not listed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Skipped {
    /// Its name.
    pub id: String,
    /// Why.
    pub reason: Cow<'static, str>,
    /// What else there is to say.
    pub markers: Option<Box<Markers>>,
}

impl Selected {
    pub(super) fn of(unit: &Unit, candidate: &Candidate, case: Case<'_>) -> Self {
        let price = candidate.payment.price.as_ref();
        Self {
            id: unit.id.clone(),
            path: unit.path.clone(),
            intent: unit.intent.clone(),
            score: candidate.relevance.score(),
            reasons: candidate.reasons(),
            payment: PaymentPlan {
                method: candidate.payment.method.clone(),
                cost: price.map(|price| price.cost.clone()),
                price: price.map(|price| price.amount),
                currency: price.map(|price| price.currency.clone()),
                affordable: candidate.payment.affordable,
            },
            requires_attestation: attestation::is_required(unit, case),
            load_eligible: candidate.is_eligible(),
            action_scope: unit.action_scope.clone(),
            markers: candidate.procedure.markers.clone(),
        }
    }

    pub(super) fn to_json(&self) -> Value<'static> {
        let entry = Members::new()
            .text("id", &self.id)
            .text("path", &self.path)
            .text("intent", &self.intent)
            .set("score", Value::Number(self.score.into()))
            .set("reasons", texts(&self.reasons))
            .set("payment", self.payment.to_json())
            .flag("requiresAttestation", self.requires_attestation)
            .flag("loadEligible", self.load_eligible)
            .maybe(
                "action_scope",
                self.action_scope.as_ref().map(ActionScope::to_json),
            );
        self.markers.add_to(entry).done()
    }
}

impl PaymentPlan {
    pub(super) fn to_json(&self) -> Value<'static> {
        Members::new()
            .text("method", &self.method)
            .maybe("cost", self.cost.as_deref().map(text))
            .maybe("pricePerRequest", self.price.map(Amount::to_json))
            .maybe("currency", self.currency.as_deref().map(text))
            .flag("affordable", self.affordable)
            .done()
    }
}

impl Skipped {
    pub(super) fn to_json(&self) -> Value<'static> {
        let entry = Members::new()
            .text("id", &self.id)
            .text("reason", &self.reason);
        match &self.markers {
            Some(markers) => markers.add_to(entry).done(),
            None => entry.done(),
        }
    }
}

impl Selected {
    pub(super) fn outcome_json(&self) -> Value<'static> {
        Members::new()
            .text("id", &self.id)
            .flag("loadEligible", self.load_eligible)
            .set("score", Value::Number(self.score.into()))
            .done()
    }
}

impl Skipped {
    pub(super) fn outcome_json(&self) -> Value<'static> {
        Members::new()
            .text("id", &self.id)
            .text("reason", &self.reason)
            .done()
    }
}
