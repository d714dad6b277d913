//! Plans: what may be loaded for a task, what not, and why.

mod budget;
mod context;
mod entries;
mod lists;

use knotrust_core::json::Value;

pub use budget::{BudgetPlan, Money};
pub use context::ContextPlan;
pub use entries::{PaymentPlan, Selected, Skipped};
use lists::Lists;

use crate::gate::{Case, Sought, attestation};
use crate::members::{Members, list, text, texts};
use crate::options::Options;
use crate::planner::Walk;
use crate::reference::{ReferencePlan, references};
use crate::serving;

/// The outcome of planning.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Plan {
    /// What it is for.
    pub task: String,
    /// What was asked for by name or place, rather than by a task.
    pub covering: Option<Covering>,
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

/// What was asked for.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Covering {
    /// Whatever lies at a path.
    Path(String),
    /// A unit.
    Unit(String),
}

impl Covering {
    pub(crate) fn read(value: &Value<'_>) -> Option<Self> {
        let member = |name: &str| value.get(name)?.as_str().map(str::to_owned);
        member("path")
            .map(Self::Path)
            .or_else(|| member("unit").map(Self::Unit))
    }

    fn to_json(&self) -> Value<'static> {
        match self {
            Self::Path(path) => Members::new().text("path", path).done(),
            Self::Unit(id) => Members::new().text("unit", id).done(),
        }
    }
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
        if case.terms.is_empty() && case.sought == Sought::Task {
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
            covering: None,
            manifest: Planned::of(case),
            trust: Trust {
                requires_attestation: case.manifest.attestation.required,
                agent_can_attest: attestation::can_attest(case),
            },
            federation: references(case),
            budget: BudgetPlan::of(case, &lists.selected),
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
            .maybe("covering", self.covering.as_ref().map(Covering::to_json))
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
        Members::new()
            .set(
                "selected",
                list(self.selected.iter().map(Selected::outcome_json)),
            )
            .set(
                "skipped",
                list(self.skipped.iter().map(Skipped::outcome_json)),
            )
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
