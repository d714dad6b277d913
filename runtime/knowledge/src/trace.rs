//! Traces: what every gate said about every unit.

mod tracing;

use knotrust_core::json::Value;

use crate::amount::Amount;
use crate::gate::{Case, Gate, Sought};
use crate::manifest::{ActionScope, Manifest, Tokens, Unit};
use crate::members::{Members, count, list, text, texts};
use crate::options::Options;
use crate::plan::Plan;
use crate::planner::{Admission, Candidate, Walk};
use crate::terms::Terms;
use tracing::Tracing;

/// A plan, and how every unit came to be in it or not.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Trace {
    /// The plan.
    pub plan: Plan,
    /// The words the task was taken to consist of.
    pub terms: Vec<String>,
    /// Every unit, in manifest order.
    pub units: Vec<TracedUnit>,
}

/// A unit's way through the gates.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TracedUnit {
    /// Its name.
    pub id: String,
    /// Where its content is.
    pub path: String,
    /// What it answers.
    pub intent: String,
    /// What each gate said, up to the one that refused.
    pub verdicts: Vec<Verdict>,
    /// How much it has to do with the task.
    pub score: u64,
    /// What is told of units that are listed.
    pub listed: Option<ListedUnit>,
}

/// What one gate said.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Verdict {
    /// The gate.
    pub gate: Gate,
    /// Whether it let the unit through.
    pub passed: bool,
    /// Why.
    pub detail: String,
}

/// What a listed unit takes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ListedUnit {
    /// Of the context window.
    pub tokens: Tokens,
    /// Of the money: amount, currency and method.
    pub cost: Option<(Amount, String, String)>,
    /// What it may touch.
    pub action_scope: Option<ActionScope>,
}

/// Plans, and keeps what every gate said.
#[must_use]
pub fn trace(manifest: &Manifest, task: &str, options: &Options) -> Trace {
    let terms = Terms::of(task);
    let case = Case {
        manifest,
        options,
        terms: &terms,
        sought: Sought::Task,
    };
    let walk = Walk::of(case, manifest.units());
    let mut admissions: Vec<Option<&Admission>> = walk.courses.iter().map(|_| None).collect();
    for (index, admission) in &walk.order {
        if let Some(place) = admissions.get_mut(*index) {
            *place = Some(admission);
        }
    }
    let units = walk
        .courses
        .iter()
        .zip(admissions)
        .map(|(course, admission)| Tracing::of(course, admission, case));
    let units = units.collect();
    Trace {
        plan: Plan::of(case, task, &walk),
        terms: terms.all().to_vec(),
        units,
    }
}

impl TracedUnit {
    /// The gate that refused it, if one did.
    #[must_use]
    pub fn rejected_by(&self) -> Option<Gate> {
        self.verdicts
            .last()
            .filter(|verdict| !verdict.passed)
            .map(|verdict| verdict.gate)
    }

    fn to_json(&self) -> Value<'static> {
        let rejected_by = self.rejected_by();
        let verdict = |verdict: &Verdict| {
            Members::new()
                .text("gate", verdict.gate.name())
                .flag("passed", verdict.passed)
                .text("detail", &verdict.detail)
                .done()
        };
        let listed = self.listed.as_ref();
        Members::new()
            .text("id", &self.id)
            .text("path", &self.path)
            .text("intent", &self.intent)
            .text(
                "outcome",
                if rejected_by.is_none() {
                    "selected"
                } else {
                    "skipped"
                },
            )
            .set("gates", list(self.verdicts.iter().map(verdict)))
            .maybe("rejectedBy", rejected_by.map(|gate| text(gate.name())))
            .maybe(
                "score",
                (self.score > 0).then(|| Value::Number(self.score.into())),
            )
            .maybe("tokens", listed.map(|listed| tokens(listed.tokens)))
            .maybe("cost", listed.and_then(ListedUnit::cost_json))
            .maybe(
                "action_scope",
                listed
                    .and_then(|listed| listed.action_scope.as_ref())
                    .map(ActionScope::to_json),
            )
            .done()
    }
}

impl ListedUnit {
    fn of(unit: &Unit, candidate: &Candidate) -> Self {
        let method = &candidate.payment.method;
        let price = candidate.payment.price.as_ref();
        Self {
            tokens: unit.tokens,
            cost: price.map(|price| (price.amount, price.currency.clone(), method.clone())),
            action_scope: unit.action_scope.clone(),
        }
    }

    fn cost_json(&self) -> Option<Value<'static>> {
        let (amount, currency, method) = self.cost.as_ref()?;
        let cost = Members::new()
            .set("amount", amount.to_json())
            .text("currency", currency)
            .text("method", method);
        Some(cost.done())
    }
}

fn tokens(tokens: Tokens) -> Value<'static> {
    let source = match tokens {
        Tokens::Unmeasured => "unmeasured",
        Tokens::Declared(_) => "declared",
        Tokens::Estimated(_) => "estimated",
    };
    Members::new()
        .maybe("value", tokens.value().map(Amount::to_json))
        .text("source", source)
        .done()
}

impl Trace {
    /// The whole trace.
    #[must_use]
    pub fn to_json(&self) -> Value<'static> {
        let summary = |gate: Gate| {
            let verdicts = self
                .units
                .iter()
                .flat_map(|unit| &unit.verdicts)
                .filter(|verdict| verdict.gate == gate);
            let (passed, failed): (Vec<_>, Vec<_>) = verdicts.partition(|verdict| verdict.passed);
            Members::new()
                .text("gate", gate.name())
                .set("passed", count(passed.len()))
                .set("failed", count(failed.len()))
                .done()
        };
        Members::new()
            .text("task", &self.plan.task)
            .set("taskTerms", texts(&self.terms))
            .text("asOf", self.plan.options.as_of.as_str())
            .set("capabilities", self.plan.options.capabilities.to_json())
            .set("plan", self.plan.to_json())
            .set("units", list(self.units.iter().map(TracedUnit::to_json)))
            .set("gateSummary", list(Gate::ALL.map(summary)))
            .done()
    }
}
