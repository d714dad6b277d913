//! Plans: what may be loaded for a task, what not, and why.

use knotrust_core::json::Value;

use crate::amount::Amount;
use crate::gate::Case;
use crate::gate::attestation;
use crate::gate::skill_eligibility::Markers;
use crate::manifest::{ActionScope, Rate, Requests, Tokens};
use crate::members::{Members, count, list, text, texts};
use crate::options::Options;
use crate::planner::{Admission, Candidate, End, Walk};
use crate::reference::{ReferencePlan, references};
use crate::serving;

/// The outcome of planning.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Plan {
    /// What it is for.
    pub task: String,
    /// What it was made from.
    pub manifest: Planned,
    /// Attestation.
    pub trust: Trust,
    /// What it was made with.
    pub options: Options,
    /// What is listed, in load order.
    pub selected: Vec<Selected>,
    /// What is not, first by the gates in manifest order, then by the budgets in load order. Units beyond the cap are in
    /// neither list.
    pub skipped: Vec<Skipped>,
    /// References to other manifests.
    pub federation: Vec<ReferencePlan>,
    /// Money and rates.
    pub budget: BudgetPlan,
    /// The context window.
    pub context: ContextPlan,
    /// What a reader should know besides.
    pub warnings: Vec<String>,
    /// Whether the manifest came from where it says it is served.
    pub serving: Option<serving::Binding>,
}

/// The manifest of a plan.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Planned {
    /// Its name.
    pub project: String,
    /// Its version.
    pub version: String,
    /// The version of the specification.
    pub kcp_version: Option<String>,
    /// Where it was read from.
    pub source: Option<String>,
    /// SHA-256 of its text.
    pub sha256: String,
}

/// What the manifest asks the agent to attest, and whether it can.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Trust {
    /// Whether restricted units are for attested agents only.
    pub requires_attestation: bool,
    /// Whether the agent can.
    pub agent_can_attest: bool,
}

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
    pub reason: String,
    /// What else there is to say.
    pub markers: Markers,
}

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

impl Plan {
    pub(crate) fn of(case: Case<'_>, task: &str, walk: &Walk<'_>) -> Self {
        let lists = Lists::of(case, walk);
        let serving = serving::binding(case.manifest);
        let options = case.options.clone();
        let context = ContextPlan {
            ceiling: options.context_budget,
            ..lists.context
        };
        let mut warnings = Vec::new();
        if case.terms.is_empty() {
            warnings.push("task produced no search terms after stopword removal".to_owned());
        }
        warnings.extend(serving.as_ref().and_then(serving::Binding::warning));
        if lists.beyond > 0 {
            warnings.push(format!(
                "{} relevant unit(s) beyond maxUnits={} not selected",
                lists.beyond, options.max_units
            ));
        }
        if context.ceiling.is_some() && context.unmeasured > 0 {
            warnings.push(format!(
                "{} selected unit(s) declare no size — the context projection is a lower bound (unmeasured)",
                context.unmeasured
            ));
        }
        Self {
            task: task.to_owned(),
            manifest: Planned::of(case),
            trust: Trust {
                requires_attestation: case.manifest.attestation.required,
                agent_can_attest: attestation::can_attest(case),
            },
            federation: references(case),
            budget: BudgetPlan::of(case, &lists),
            selected: lists.selected,
            skipped: lists.skipped,
            context,
            warnings,
            serving,
            options,
        }
    }

    /// The listed unit of that name.
    #[must_use]
    pub fn selected(&self, id: &str) -> Option<&Selected> {
        self.selected.iter().find(|unit| unit.id == id)
    }

    /// The whole plan.
    #[must_use]
    pub fn to_json(&self) -> Value<'static> {
        Members::new()
            .text("task", &self.task)
            .set("manifest", self.manifest.to_json())
            .set("trust", self.trust.to_json())
            .maybe("environment", self.options.env.as_deref().map(text))
            .text("asOf", self.options.as_of.as_str())
            .set("options", self.options.to_json())
            .set(
                "selected",
                list(self.selected.iter().map(Selected::to_json)),
            )
            .set("skipped", list(self.skipped.iter().map(Skipped::to_json)))
            .set(
                "federation",
                list(self.federation.iter().map(ReferencePlan::to_json)),
            )
            .set("budget", self.budget.to_json())
            .set("context", self.context.to_json())
            .set("warnings", texts(&self.warnings))
            .maybe(
                "serving",
                self.serving.as_ref().map(serving::Binding::to_json),
            )
            .done()
    }

    /// The part of the plan on which all planners agree.
    #[must_use]
    pub fn outcome_json(&self) -> Value<'static> {
        let selected = |unit: &Selected| {
            Members::new()
                .text("id", &unit.id)
                .flag("loadEligible", unit.load_eligible)
                .set("score", score(unit.score))
                .done()
        };
        let skipped = |unit: &Skipped| {
            Members::new()
                .text("id", &unit.id)
                .text("reason", &unit.reason)
                .done()
        };
        Members::new()
            .set("selected", list(self.selected.iter().map(selected)))
            .set("skipped", list(self.skipped.iter().map(skipped)))
            .set(
                "federation",
                list(self.federation.iter().map(ReferencePlan::outcome_json)),
            )
            .set(
                "trust",
                Members::new()
                    .flag("requiresAttestation", self.trust.requires_attestation)
                    .flag("agentCanAttest", self.trust.agent_can_attest)
                    .done(),
            )
            .set("budget", self.budget.outcome_json())
            .set("context", self.context.members().done())
            .set("warnings", texts(&self.warnings))
            .done()
    }
}

/// The lists of a plan while it is put together.
struct Lists {
    selected: Vec<Selected>,
    skipped: Vec<Skipped>,
    context: ContextPlan,
    beyond: usize,
}

impl Lists {
    fn of(case: Case<'_>, walk: &Walk<'_>) -> Self {
        let mut lists = Self {
            selected: Vec::new(),
            skipped: Vec::new(),
            context: ContextPlan::default(),
            beyond: 0,
        };
        for course in &walk.courses {
            match &course.end {
                End::Refused { reason, .. } => {
                    lists.skip(&course.unit.id, reason.clone(), Markers::default())
                }
                End::RefusedUnderStrict(candidate) => {
                    let reason = candidate.reasons().pop().unwrap_or_default();
                    lists.skip(&course.unit.id, reason, candidate.procedure.markers.clone());
                }
                End::Candidate(_) => {}
            }
        }
        for (index, admission) in &walk.order {
            let Some((unit, candidate)) = walk.course(*index) else {
                continue;
            };
            let refusal = match admission {
                Admission::BeyondCap(_) => {
                    lists.beyond += 1;
                    continue;
                }
                Admission::OverMoney { money, .. } => money.refusal(case.options.budget.as_ref()),
                Admission::OverContext { context, .. } => context.refusal(),
                Admission::Listed { .. } => None,
            };
            match refusal {
                Some(reason) => lists.skip(&unit.id, reason, candidate.procedure.markers.clone()),
                None => {
                    if candidate.is_eligible() {
                        lists.context.add(unit.tokens);
                    }
                    lists.selected.push(Selected::of(unit, candidate, case));
                }
            }
        }
        lists
    }

    fn skip(&mut self, id: &str, reason: String, markers: Markers) {
        self.skipped.push(Skipped {
            id: id.to_owned(),
            reason,
            markers,
        });
    }
}

impl Planned {
    fn of(case: Case<'_>) -> Self {
        let manifest = case.manifest;
        Self {
            project: manifest
                .project
                .clone()
                .unwrap_or_else(|| "(unnamed)".to_owned()),
            version: manifest
                .version
                .clone()
                .unwrap_or_else(|| "0.0.0".to_owned()),
            kcp_version: manifest.kcp_version.clone(),
            source: manifest.source.clone(),
            sha256: manifest.digest().to_owned(),
        }
    }

    /// A manifest that came from nowhere has no digest to compare with anything.
    fn to_json(&self) -> Value<'static> {
        let sha256 = self.source.as_ref().map(|_| text(&self.sha256));
        Members::new()
            .text("project", &self.project)
            .text("version", &self.version)
            .maybe("kcpVersion", self.kcp_version.as_deref().map(text))
            .maybe("source", self.source.as_deref().map(text))
            .maybe("sha256", sha256)
            .done()
    }
}

impl Trust {
    fn to_json(self) -> Value<'static> {
        let note = match (self.requires_attestation, self.agent_can_attest) {
            (false, _) => "no manifest-level attestation requirement",
            (true, true) => "manifest requires attestation; the agent can present it",
            (true, false) => {
                "manifest requires attestation; the agent CANNOT — restricted units are gated"
            }
        };
        Members::new()
            .flag("requiresAttestation", self.requires_attestation)
            .flag("agentCanAttest", self.agent_can_attest)
            .text("note", note)
            .done()
    }
}

impl Selected {
    fn of(unit: &crate::manifest::Unit, candidate: &Candidate, case: Case<'_>) -> Self {
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

    fn to_json(&self) -> Value<'static> {
        let entry = Members::new()
            .text("id", &self.id)
            .text("path", &self.path)
            .text("intent", &self.intent)
            .set("score", score(self.score))
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
    fn to_json(&self) -> Value<'static> {
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
    fn to_json(&self) -> Value<'static> {
        self.markers
            .add_to(
                Members::new()
                    .text("id", &self.id)
                    .text("reason", &self.reason),
            )
            .done()
    }
}

impl BudgetPlan {
    fn of(case: Case<'_>, lists: &Lists) -> Self {
        let loadable = || lists.selected.iter().filter(|unit| unit.load_eligible);
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

    fn to_json(&self) -> Value<'static> {
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

    fn outcome_json(&self) -> Value<'static> {
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

impl ContextPlan {
    fn add(&mut self, tokens: Tokens) {
        match tokens {
            Tokens::Unmeasured => self.unmeasured += 1,
            Tokens::Declared(tokens) => self.projected = self.projected.plus(tokens),
            Tokens::Estimated(tokens) => {
                self.projected = self.projected.plus(tokens);
                self.approximate = true;
            }
        }
    }

    fn members(&self) -> Members {
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

    fn to_json(self) -> Value<'static> {
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

fn score(score: u64) -> Value<'static> {
    Value::Number(knotrust_core::number::Number::from(score))
}
