//! Whether plans admit what a call touches.
//!
//! In this order: a plan that was approved earlier in the session, a plan made on the spot for exactly what is touched, the
//! scope of the procedure that is being followed; else nothing. Approval by a named human comes before all of this, and is
//! not known here. A denial in a scope is final, whatever any plan says.

pub mod call;
mod session;
mod verb;

pub use session::{Following, Session};
pub use verb::Verb;

use knotrust_core::json::Value;

use crate::amount::Amount;
use crate::eligibility::eligibility;
use crate::manifest::{Manifest, Unit};
use crate::members::{Members, list, text, texts};
use crate::options::Options;
use crate::plan::{Plan, Selected};
use crate::planner::{admission, plan_path};
use crate::scope::{Conformance, Observed, Prohibited, Purchase};
use crate::serving::Place;

/// A governed domain: its manifest, and how it is planned.
#[derive(Clone, Copy, Debug)]
pub struct Domain<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its manifest, or why there is none to plan with.
    pub manifest: Result<&'a Manifest, Unusable>,
    /// URLs below which the manifest's folder is served.
    pub urls: &'a [&'a str],
    /// What plans are made with: from the ruleset, never from the caller.
    pub options: &'a Options,
}

/// Why a domain's manifest can't be planned with.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Unusable {
    /// It is not there.
    Missing,
    /// It can't be read, or the specification forbids it.
    Unreadable,
    /// Its signature is wrong, or not by somebody trusted where that is asked for.
    Signature,
    /// It is not the text that was pinned when the policy was built.
    Changed,
}

/// What a call touches.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Question {
    /// The tool.
    pub tool: String,
    /// What it does to what it touches.
    pub verb: Verb,
    /// Governed paths, seen from the manifest's folder.
    pub paths: Vec<String>,
    /// Governed URLs.
    pub urls: Vec<String>,
    /// Whether it also touches what can't be known beforehand. No plan admits that.
    pub indeterminate: bool,
    /// Whether the tool itself is governed: what it touches is not all that needs a plan.
    pub by_tool: bool,
    /// The skill or playbook that it invokes.
    pub invokes: Option<Invocation>,
    /// What it buys.
    pub purchase: Option<Purchase>,
}

/// A skill or playbook that is invoked.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Invocation {
    /// Its name, if the call gives one.
    pub id: Option<String>,
}

/// The answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Whether all that is touched is admitted.
    pub approved: bool,
    /// By what, or what refused.
    pub mode: Mode,
    /// The units that admit it.
    pub units: Vec<String>,
    /// Why, or why not.
    pub reason: String,
    /// Plans that were made on the way.
    pub plans: Vec<Plan>,
    /// Units that were approved earlier and are no longer.
    pub invalidated: Vec<String>,
    /// The finding about the procedure that is being followed, if one is.
    pub conformance: Option<Conformance>,
    /// What it costs.
    pub prices: Vec<Price>,
    /// The procedure that is invoked, and may be: to be followed once the call goes out.
    pub follow: Option<Box<Unit>>,
}

/// What a unit costs each time it is asked for.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Price {
    /// The unit.
    pub unit: String,
    /// How much.
    pub amount: Amount,
    /// Of what.
    pub currency: String,
    /// How it is paid.
    pub method: String,
}

/// By what a call is admitted.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Mode {
    /// A plan from earlier in the session.
    PlanFirst,
    /// A plan made on the spot.
    AutoPlan,
    /// The scope of the procedure that is being followed.
    ScopeConformant,
    /// A procedure that may be invoked.
    SkillGate,
    /// Nothing.
    Blocked,
}

impl Mode {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PlanFirst => "plan-first",
            Self::AutoPlan => "auto-plan",
            Self::ScopeConformant => "scope-conformant",
            Self::SkillGate => "skill-gate",
            Self::Blocked => "blocked",
        }
    }
}

/// Asks whether plans admit what a call touches.
///
/// What is admitted on the spot is remembered in the session; what was remembered and no longer holds is forgotten.
pub fn ask(domain: Domain<'_>, session: &mut Session, question: &Question) -> Answer {
    let manifest = match domain.manifest {
        Ok(manifest) => manifest,
        Err(unusable) => return Answer::blocked(unusable.reason().to_owned()),
    };
    // To invoke another procedure is no act within the one that is being followed.
    let conformance = match question.invokes {
        Some(_) => None,
        None => session.judge(question),
    };
    if let Some(finding) = &conformance
        && !finding.passed
    {
        let reason = finding.reason.clone();
        return Answer {
            conformance,
            ..Answer::blocked(reason)
        };
    }
    let mut answer = Asking {
        domain,
        manifest,
        session,
        question,
    }
    .answer();
    answer.conformance = conformance;
    answer
}

struct Asking<'a, 's> {
    domain: Domain<'a>,
    manifest: &'a Manifest,
    session: &'s mut Session,
    question: &'a Question,
}

impl Asking<'_, '_> {
    fn answer(&mut self) -> Answer {
        let question = self.question;
        if question.indeterminate {
            return Answer::blocked("what the call touches cannot be known beforehand".to_owned());
        }
        let touches = !question.paths.is_empty() || !question.urls.is_empty();
        if !touches && !question.by_tool && question.invokes.is_none() {
            return self.by_scope(None);
        }
        let mut all = Answer::none_yet();
        if let Some(invocation) = &question.invokes {
            all.add(self.invocation(invocation));
        }
        if all.approved && question.by_tool {
            all.add(self.tool());
        }
        if !all.approved {
            return all;
        }
        let paths = question
            .paths
            .iter()
            .map(|path| (path.as_str(), vec![path.clone()]));
        let urls = question
            .urls
            .iter()
            .map(|url| (url.as_str(), paths_of(url, self.domain.urls)));
        for (target, paths) in paths.chain(urls).collect::<Vec<_>>() {
            let one = self.target(target, &paths);
            let refused = !one.approved;
            all.add(one);
            if refused {
                break;
            }
        }
        all
    }

    /// The skill or playbook that is invoked.
    fn invocation(&self, invocation: &Invocation) -> Answer {
        let Some(id) = &invocation.id else {
            return Answer::blocked("the call does not say which skill it invokes".to_owned());
        };
        let found = eligibility(self.manifest, id, self.domain.options);
        let unit = self.manifest.unit(id).filter(|_| found.eligible);
        let Some(unit) = unit else {
            return Answer {
                mode: Mode::SkillGate,
                ..Answer::blocked(format!("skill '{id}': {}", found.reason))
            };
        };
        let reason = format!("'{id}' may be invoked");
        Answer {
            follow: Some(Box::new(unit.clone())),
            prices: self.price(unit).into_iter().collect(),
            ..Answer::by(Mode::SkillGate, id, reason)
        }
    }

    /// The tool itself, where it is governed: the procedure that is being followed names it, or a unit does that a plan
    /// admits.
    fn tool(&mut self) -> Answer {
        let tool = &self.question.tool;
        if let Some(following) = self.session.following()
            && following.names_tool(tool)
        {
            let reason = format!("within the scope of '{}'", following.id());
            return Answer::by(Mode::ScopeConformant, following.id(), reason);
        }
        let naming = |unit: &&Unit| {
            let scope = unit.action_scope.as_ref();
            let names = scope
                .is_some_and(|scope| !scope.is_malformed() && scope.tools.listed().contains(tool));
            names && !unit.kind.is_procedure() && self.allows(unit)
        };
        let units = self.manifest.units().iter().filter(naming);
        let mut admitted = units.filter_map(|unit| {
            let cost = admission(self.manifest, unit, self.domain.options)?;
            Some((unit, cost))
        });
        match admitted.next() {
            Some((unit, _)) => {
                let mode = if self.session.is_approved(self.domain.name, &unit.id) {
                    Mode::PlanFirst
                } else {
                    Mode::AutoPlan
                };
                self.session.approve(self.domain.name, &unit.id);
                let reason = format!("unit '{}' lists the tool and is eligible", unit.id);
                Answer {
                    prices: self.price(unit).into_iter().collect(),
                    ..Answer::by(mode, &unit.id, reason)
                }
            }
            None => Answer::blocked(format!("no eligible unit lists the tool '{tool}'")),
        }
    }

    fn price(&self, unit: &Unit) -> Option<Price> {
        unit.payment.as_ref()?;
        let cost = admission(self.manifest, unit, self.domain.options)?;
        let (amount, currency) = cost.price?;
        Some(Price {
            unit: unit.id.clone(),
            amount,
            currency,
            method: cost.method,
        })
    }

    /// One target, and the paths that it may be, seen from the manifest's folder.
    fn target(&mut self, target: &str, paths: &[String]) -> Answer {
        let units: Vec<&Unit> = paths
            .iter()
            .flat_map(|path| self.manifest.units_at(path))
            .collect();
        let (willing, unwilling): (Vec<&Unit>, Vec<&Unit>) =
            units.into_iter().partition(|unit| self.allows(unit));
        if willing.is_empty() {
            let reason = match unwilling.first() {
                Some(unit) => format!(
                    "unit '{}' does not say that it may be {}",
                    unit.id,
                    self.question.verb.participle()
                ),
                None => format!("no unit covers '{target}'"),
            };
            return self.by_scope(Some(Answer {
                mode: Mode::AutoPlan,
                ..Answer::blocked(reason)
            }));
        }
        let mut invalidated = Vec::new();
        for unit in &willing {
            if !self.session.is_approved(self.domain.name, &unit.id) {
                continue;
            }
            if admission(self.manifest, unit, self.domain.options).is_some() {
                let reason = format!("unit '{}' was approved", unit.id);
                return Answer {
                    prices: self.price(unit).into_iter().collect(),
                    ..Answer::by(Mode::PlanFirst, &unit.id, reason)
                };
            }
            self.session.forget(self.domain.name, &unit.id);
            invalidated.push(unit.id.clone());
        }
        let answer = self.on_the_spot(target, paths, &willing);
        Answer {
            invalidated,
            ..answer
        }
    }

    fn on_the_spot(&mut self, target: &str, paths: &[String], willing: &[&Unit]) -> Answer {
        let plans: Vec<Plan> = paths
            .iter()
            .map(|path| plan_path(self.manifest, path, self.domain.options))
            .collect();
        let admitting = plans
            .iter()
            .flat_map(|plan| &plan.selected)
            .find(|selected| {
                selected.load_eligible && willing.iter().any(|unit| unit.id == selected.id)
            });
        let answer = match admitting {
            Some(selected) => {
                self.session.approve(self.domain.name, &selected.id);
                let reason = format!("unit '{}' covers it and is eligible", selected.id);
                Answer {
                    prices: Price::of(selected).into_iter().collect(),
                    ..Answer::by(Mode::AutoPlan, &selected.id, reason)
                }
            }
            None => {
                let skipped = plans
                    .iter()
                    .flat_map(|plan| &plan.skipped)
                    .map(|skipped| &*skipped.reason);
                let demoted = plans.iter().flat_map(|plan| &plan.selected);
                let demoted =
                    demoted.filter_map(|selected| selected.reasons.last().map(String::as_str));
                let why = skipped.chain(demoted).next().unwrap_or("no unit covers it");
                let refused = Answer {
                    mode: Mode::AutoPlan,
                    ..Answer::blocked(format!("'{target}': {why}"))
                };
                self.by_scope(Some(refused))
            }
        };
        Answer { plans, ..answer }
    }

    /// Reading needs no more than a plan; what changes something needs the unit's word, and where the unit asks for a
    /// person, a plan is none.
    fn allows(&self, unit: &Unit) -> bool {
        self.question.verb.is_allowed_by(unit, &self.question.tool)
    }

    /// What the scope of the procedure that is being followed says, where no plan admits. It has been kept to already: here
    /// it must say so expressly.
    fn by_scope(&self, refused: Option<Answer>) -> Answer {
        let following = self
            .session
            .following()
            .filter(|following| following.expressly(self.question));
        match (following, refused) {
            (Some(following), _) => {
                let reason = format!("within the scope of '{}'", following.id());
                Answer::by(Mode::ScopeConformant, following.id(), reason)
            }
            (None, Some(refused)) => refused,
            (None, None) => Answer::blocked("nothing that is touched has a plan".to_owned()),
        }
    }
}

/// What a URL is, seen from the manifest's folder, for each place where that is served.
fn paths_of(url: &str, bases: &[&str]) -> Vec<String> {
    let Some(place) = Place::of(url).filter(|_| !url.contains('?')) else {
        return Vec::new();
    };
    bases
        .iter()
        .filter_map(|base| place.below(&Place::of(base)?))
        .collect()
}

impl Unusable {
    /// Why, in words.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Missing => "the domain's manifest is not there",
            Self::Unreadable => "the domain's manifest cannot be read",
            Self::Signature => "the domain's manifest is not signed as it must be",
            Self::Changed => {
                "the domain's manifest has changed since the policy was built; build it again"
            }
        }
    }
}

impl Price {
    /// What a unit of a plan costs, if anything.
    #[must_use]
    pub fn of(selected: &Selected) -> Option<Self> {
        let payment = &selected.payment;
        Some(Self {
            unit: selected.id.clone(),
            amount: payment.price?,
            currency: payment.currency.clone()?,
            method: payment.method.clone(),
        })
    }

    /// The price as it is recorded.
    #[must_use]
    pub fn to_json(&self) -> Value<'static> {
        Members::new()
            .text("unit", &self.unit)
            .set("amount", self.amount.to_json())
            .text("currency", &self.currency)
            .text("method", &self.method)
            .done()
    }
}

impl Question {
    /// What is observed of it. Of what the verb may be called, only names that something forbids.
    pub(crate) fn observed(&self, forbids: impl Fn(&str) -> bool) -> Observed {
        let capabilities = self.verb.capabilities().iter();
        Observed {
            tool: self.tool.clone(),
            paths: self.paths.clone(),
            urls: self.urls.clone(),
            capabilities: capabilities
                .filter(|capability| forbids(capability))
                .map(|capability| (*capability).to_owned())
                .collect(),
            purchase: self.purchase.clone(),
        }
    }
}

impl Answer {
    fn none_yet() -> Self {
        Self::with(true, Mode::PlanFirst, String::new())
    }

    fn blocked(reason: String) -> Self {
        Self::with(false, Mode::Blocked, reason)
    }

    fn by(mode: Mode, unit: &str, reason: String) -> Self {
        Self {
            units: vec![unit.to_owned()],
            ..Self::with(true, mode, reason)
        }
    }

    fn with(approved: bool, mode: Mode, reason: String) -> Self {
        Self {
            approved,
            mode,
            units: Vec::new(),
            reason,
            plans: Vec::new(),
            invalidated: Vec::new(),
            conformance: None,
            prices: Vec::new(),
            follow: None,
        }
    }

    /// Adds what was found about another target: all must be admitted, and the last resort names the mode.
    fn add(&mut self, other: Self) {
        self.approved &= other.approved;
        self.mode = if other.approved {
            self.mode.max(other.mode)
        } else {
            other.mode
        };
        self.reason = other.reason;
        self.units.extend(other.units);
        self.plans.extend(other.plans);
        self.invalidated.extend(other.invalidated);
        self.prices.extend(other.prices);
        self.follow = self.follow.take().or(other.follow);
    }

    /// The denial that was met, which nothing lifts.
    #[must_use]
    pub fn prohibited(&self) -> Option<&Prohibited> {
        self.conformance.as_ref()?.prohibited.as_ref()
    }

    /// The answer as it is recorded.
    #[must_use]
    pub fn to_json(&self) -> Value<'static> {
        let invalidated = (!self.invalidated.is_empty()).then(|| texts(&self.invalidated));
        Members::new()
            .flag("approved", self.approved)
            .text("mode", self.mode.name())
            .maybe("unit", self.units.first().map(|unit| text(unit)))
            .text("reason", &self.reason)
            .maybe("invalidated", invalidated)
            .maybe("verdicts", self.verdicts())
            .maybe(
                "prices",
                (!self.prices.is_empty()).then(|| list(self.prices.iter().map(Price::to_json))),
            )
            .maybe(
                "conformance",
                self.conformance.as_ref().map(Conformance::to_json),
            )
            .done()
    }

    /// What the gates said of every unit that was looked at, one line a unit.
    fn verdicts(&self) -> Option<Value<'static>> {
        let selected = self.plans.iter().flat_map(|plan| &plan.selected);
        let selected = selected.map(|unit| {
            Members::new()
                .text("unit", &unit.id)
                .flag("eligible", unit.load_eligible)
                .set("reasons", texts(&unit.reasons))
                .done()
        });
        let skipped = self.plans.iter().flat_map(|plan| &plan.skipped);
        let skipped = skipped.map(|unit| {
            Members::new()
                .text("unit", &unit.id)
                .flag("eligible", false)
                .set("reasons", texts(&[&unit.reason]))
                .done()
        });
        let verdicts: Vec<_> = selected.chain(skipped).collect();
        (!verdicts.is_empty()).then(|| list(verdicts))
    }
}
