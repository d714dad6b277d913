//! Planning: manifest, task and options in, plan out. The same in gives the same out, always.

use crate::amount::Amount;
use crate::gate::access;
use crate::gate::attestation;
use crate::gate::context_budget;
use crate::gate::max_units::Place;
use crate::gate::money_budget;
use crate::gate::payment;
use crate::gate::{
    Case, Gate, Sought, audience, deprecated, not_for, relevance, skill_eligibility, strict,
    supersession, temporal,
};
use crate::manifest::{Manifest, Unit};
use crate::options::Options;
use crate::plan::{Covering, Plan};
use crate::relevance::Relevance;
use crate::terms::Terms;

/// Plans which units of a manifest serve a task.
#[must_use]
pub fn plan(manifest: &Manifest, task: &str, options: &Options) -> Plan {
    let terms = Terms::of(task);
    let case = Case {
        manifest,
        options,
        terms: &terms,
        sought: Sought::Task,
    };
    Plan::of(case, task, &Walk::of(case, manifest.units()))
}

/// Plans the one unit of that name, which is asked for by name: nothing competes with it.
#[must_use]
pub fn plan_unit(manifest: &Manifest, id: &str, options: &Options) -> Plan {
    let unit = manifest.unit(id);
    let intent = unit.map(|unit| unit.intent.as_str()).unwrap_or_default();
    let plan = plan_things(manifest, unit.as_slice(), intent, intent, options);
    Plan {
        covering: Some(Covering::Unit(id.to_owned())),
        ..plan
    }
}

/// Plans the units whose content lies at a path, seen from the manifest's folder. What else is there does not compete with
/// them for places.
#[must_use]
pub fn plan_path(manifest: &Manifest, path: &str, options: &Options) -> Plan {
    let task = format!("access {path}");
    let units: Vec<&Unit> = manifest.units_at(path).collect();
    let plan = plan_things(manifest, &units, &task, path, options);
    Plan {
        covering: Some(Covering::Path(path.to_owned())),
        ..plan
    }
}

/// Whether a unit that is asked for by name may be loaded, as [`plan_unit`] would find.
pub(crate) fn admits(manifest: &Manifest, unit: &Unit, options: &Options) -> bool {
    let terms = Terms::of(&unit.path);
    let case = Case {
        manifest,
        options,
        terms: &terms,
        sought: Sought::Thing,
    };
    let walk = Walk::of(case, [unit]);
    let course = walk.course(0).map(|(_, candidate)| candidate.is_eligible());
    let is_listed = matches!(walk.order.first(), Some((_, Admission::Listed { .. })));
    is_listed && course == Some(true)
}

fn plan_things(
    manifest: &Manifest,
    units: &[&Unit],
    task: &str,
    about: &str,
    options: &Options,
) -> Plan {
    let terms = Terms::of(about);
    let case = Case {
        manifest,
        options,
        terms: &terms,
        sought: Sought::Thing,
    };
    let walk = Walk::of(case, units.iter().copied());
    Plan::of(case, task, &walk)
}

/// All units on their way through the gates.
pub(crate) struct Walk<'a> {
    /// How far each unit came, in manifest order.
    pub(crate) courses: Vec<Course<'a>>,
    /// The candidates in load order: their place among `courses`, and what became of them.
    pub(crate) order: Vec<(usize, Admission)>,
}

/// How far a unit came.
pub(crate) struct Course<'a> {
    pub(crate) unit: &'a Unit,
    pub(crate) end: End,
}

/// Where the gates of the unit itself end.
pub(crate) enum End {
    /// Refused by one of the first six.
    Refused { gate: Gate, reason: String },
    /// Demoted, and refused under strict.
    RefusedUnderStrict(Candidate),
    /// Through; the last three gates decide.
    Candidate(Candidate),
}

/// A unit that serves the task, and what was found about it.
pub(crate) struct Candidate {
    pub(crate) relevance: Relevance,
    pub(crate) procedure: skill_eligibility::Finding,
    pub(crate) attestation: Option<String>,
    pub(crate) payment: payment::Terms,
    pub(crate) access: access::Finding,
}

/// What the last three gates said.
pub(crate) enum Admission {
    BeyondCap(Place),
    OverMoney {
        place: Place,
        money: money_budget::Verdict,
    },
    OverContext {
        place: Place,
        money: money_budget::Verdict,
        context: context_budget::Verdict,
    },
    Listed {
        place: Place,
        money: money_budget::Verdict,
        context: context_budget::Verdict,
    },
}

impl<'a> Walk<'a> {
    pub(crate) fn of(case: Case<'a>, units: impl IntoIterator<Item = &'a Unit>) -> Self {
        let courses: Vec<_> = units
            .into_iter()
            .map(|unit| Course {
                unit,
                end: End::of(unit, case),
            })
            .collect();
        let mut ranked: Vec<(u64, &str, usize)> = Vec::new();
        for (index, course) in courses.iter().enumerate() {
            if let End::Candidate(candidate) = &course.end {
                ranked.push((candidate.relevance.score(), &course.unit.id, index));
            }
        }
        ranked
            .sort_unstable_by(|left, right| right.0.cmp(&left.0).then_with(|| left.1.cmp(right.1)));
        let mut admitting = Admitting::new(case);
        let order = ranked.iter().filter_map(|(_, _, index)| {
            let course = courses.get(*index)?;
            Some((*index, admitting.admit(course.unit, course.candidate()?)))
        });
        let order = order.collect();
        Self { courses, order }
    }

    pub(crate) fn course(&self, index: usize) -> Option<(&'a Unit, &Candidate)> {
        let course = self.courses.get(index)?;
        Some((course.unit, course.candidate()?))
    }
}

impl Course<'_> {
    pub(crate) const fn candidate(&self) -> Option<&Candidate> {
        match &self.end {
            End::Candidate(candidate) | End::RefusedUnderStrict(candidate) => Some(candidate),
            End::Refused { .. } => None,
        }
    }
}

impl End {
    fn of(unit: &Unit, case: Case<'_>) -> Self {
        let refused = |gate: Gate| move |reason: String| Self::Refused { gate, reason };
        let first = audience::refusal(unit, case)
            .map(refused(Gate::Audience))
            .or_else(|| not_for::refusal(unit, case).map(refused(Gate::NotFor)))
            .or_else(|| temporal::refusal(unit, case).map(refused(Gate::Temporal)))
            .or_else(|| deprecated::refusal(unit).map(refused(Gate::Deprecated)))
            .or_else(|| supersession::refusal(unit, case).map(refused(Gate::Supersession)));
        if let Some(refused) = first {
            return refused;
        }
        let found = Relevance::of(unit, case.terms);
        if let Some(reason) = relevance::refusal(found, case) {
            return Self::Refused {
                gate: Gate::Relevance,
                reason,
            };
        }
        let candidate = Candidate::of(unit, found, case);
        if strict::refuses(case.options.strict, candidate.is_eligible()) {
            Self::RefusedUnderStrict(candidate)
        } else {
            Self::Candidate(candidate)
        }
    }
}

impl Candidate {
    fn of(unit: &Unit, relevance: Relevance, case: Case<'_>) -> Self {
        let payment = payment::Terms::of(unit, case);
        Self {
            relevance,
            procedure: skill_eligibility::find(unit, case),
            attestation: attestation::objection(unit, case),
            access: access::find(unit, &payment, case),
            payment,
        }
    }

    /// Whether the unit may be loaded or invoked.
    pub(crate) fn is_eligible(&self) -> bool {
        self.procedure.reasons.is_empty()
            && self.attestation.is_none()
            && self.payment.affordable
            && self.access.opens
    }

    /// What there is to say for and against it, in the order of the gates.
    pub(crate) fn reasons(&self) -> Vec<String> {
        let mut reasons = self.relevance.reasons();
        reasons.extend(self.procedure.reasons.iter().cloned());
        reasons.extend(self.attestation.clone());
        reasons.extend(self.payment.objection());
        reasons.extend(self.access.reasons.iter().cloned());
        reasons
    }
}

/// The last three gates, with what has been taken so far.
struct Admitting<'a> {
    case: Case<'a>,
    listed: usize,
    money: Amount,
    tokens: Amount,
}

impl<'a> Admitting<'a> {
    fn new(case: Case<'a>) -> Self {
        let money = case
            .options
            .budget
            .as_ref()
            .map(|budget| budget.spent())
            .unwrap_or_default();
        Self {
            case,
            listed: 0,
            money,
            tokens: Amount::ZERO,
        }
    }

    fn admit(&mut self, unit: &Unit, candidate: &Candidate) -> Admission {
        let options = self.case.options;
        let place = Place {
            position: self.listed + 1,
            cap: options.max_units,
        };
        if !place.exists() {
            return Admission::BeyondCap(place);
        }
        let eligible = candidate.is_eligible();
        let price = candidate.payment.price.as_ref().filter(|_| eligible);
        let money = money_budget::judge(options.budget.as_ref(), price, self.money);
        if money.refuses() {
            return Admission::OverMoney { place, money };
        }
        let context = context_budget::judge(
            options.context_budget,
            eligible,
            unit.tokens,
            self.tokens,
            options.strict,
        );
        if context.refuses() {
            // What isn't listed has cost nothing.
            return Admission::OverContext {
                place,
                money,
                context,
            };
        }
        if let money_budget::Verdict::Within { spent, .. } = money {
            self.money = spent;
        }
        if let context_budget::Verdict::Within { used, .. } = context {
            self.tokens = used;
        }
        self.listed += 1;
        Admission::Listed {
            place,
            money,
            context,
        }
    }
}
