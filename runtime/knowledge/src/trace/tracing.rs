//! The verdicts on one unit, while they are told.

use super::{ListedUnit, TracedUnit, Verdict};
use crate::gate::{
    Case, Gate, access, attestation, audience, deprecated, not_for, relevance, skill_eligibility,
    strict, supersession, temporal,
};
use crate::manifest::Unit;
use crate::planner::{Admission, Candidate, Course, End, Judged};

/// A unit's verdicts, while they are told.
pub(super) struct Tracing<'a> {
    unit: &'a Unit,
    case: Case<'a>,
    verdicts: Vec<Verdict>,
}

impl<'a> Tracing<'a> {
    pub(super) fn of(
        course: &Course<'a>,
        admission: Option<&Admission>,
        case: Case<'a>,
    ) -> TracedUnit {
        let unit = course.unit;
        let mut tracing = Self {
            unit,
            case,
            verdicts: Vec::with_capacity(Gate::ALL.len()),
        };
        match &course.end {
            End::Refused { gate, reason } => {
                tracing.before(*gate);
                tracing.refuse(*gate, reason.to_string());
            }
            End::RefusedUnderStrict(candidate) => tracing.strictly(candidate),
            End::Relevant(relevance) => match admission {
                Some(Admission::Judged(judged)) => tracing.judged(judged),
                Some(Admission::BeyondCap(place)) => {
                    tracing.unit_gates(&Candidate::of(unit, *relevance, case));
                    tracing.refuse(Gate::MaxUnits, place.detail());
                }
                None => {}
            },
        }
        let listed = match admission {
            Some(Admission::Judged(judged)) if judged.is_listed() => {
                Some(ListedUnit::of(unit, &judged.candidate))
            }
            Some(Admission::Judged(_) | Admission::BeyondCap(_)) | None => None,
        };
        let score = match &course.end {
            End::Refused { .. } => 0,
            End::RefusedUnderStrict(candidate) => candidate.relevance.score(),
            End::Relevant(relevance) => relevance.score(),
        };
        TracedUnit {
            id: unit.id.clone(),
            path: unit.path.clone(),
            intent: unit.intent.clone(),
            verdicts: tracing.verdicts,
            score,
            listed,
        }
    }

    /// What the hard gates before this one said.
    fn before(&mut self, gate: Gate) {
        let (unit, case) = (self.unit, self.case);
        let details: [(Gate, &dyn Fn() -> String); 5] = [
            (Gate::Audience, &|| audience::detail(unit, case)),
            (Gate::NotFor, &|| not_for::detail(unit)),
            (Gate::Temporal, &|| temporal::detail(unit, case)),
            (Gate::Deprecated, &deprecated::detail),
            (Gate::Supersession, &|| supersession::detail(unit)),
        ];
        for (passed, detail) in details {
            if passed < gate {
                self.pass(passed, detail());
            }
        }
    }

    fn strictly(&mut self, candidate: &Candidate) {
        self.before(Gate::Relevance);
        self.pass(Gate::Relevance, relevance::detail(candidate.relevance));
        // What must not be invoked is refused where that is found; the other demotions add up first.
        match candidate.procedure.reasons.last() {
            Some(reason) => self.refuse(Gate::SkillEligibility, reason.clone()),
            None => {
                self.soft(candidate);
                self.refuse(Gate::Strict, strict::refusal_detail());
            }
        }
    }

    fn judged(&mut self, judged: &Judged) {
        self.unit_gates(&judged.candidate);
        self.pass(Gate::MaxUnits, judged.place.detail());
        let money = judged.money.detail(self.case.options.budget.as_ref());
        match judged.context {
            None => self.refuse(Gate::MoneyBudget, money),
            Some(context) => {
                self.pass(Gate::MoneyBudget, money);
                if context.refuses() {
                    self.refuse(Gate::ContextBudget, context.detail());
                } else {
                    self.pass(Gate::ContextBudget, context.detail());
                }
            }
        }
    }

    /// All gates up to the eleventh, of a unit that came through them.
    fn unit_gates(&mut self, candidate: &Candidate) {
        self.before(Gate::Relevance);
        self.pass(Gate::Relevance, relevance::detail(candidate.relevance));
        self.soft(candidate);
        self.pass(Gate::Strict, strict::detail(self.case.options.strict));
    }

    fn soft(&mut self, candidate: &Candidate) {
        let (unit, case) = (self.unit, self.case);
        self.pass(
            Gate::SkillEligibility,
            skill_eligibility::detail(unit, &candidate.procedure),
        );
        self.pass(Gate::Attestation, attestation::detail(unit, case));
        self.pass(Gate::Payment, candidate.payment.detail());
        self.pass(Gate::Access, access::detail(unit, case));
    }

    fn pass(&mut self, gate: Gate, detail: String) {
        self.verdicts.push(Verdict {
            gate,
            passed: true,
            detail,
        });
    }

    fn refuse(&mut self, gate: Gate, detail: String) {
        self.verdicts.push(Verdict {
            gate,
            passed: false,
            detail,
        });
    }
}
