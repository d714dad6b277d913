//! The lists of a plan while it is put together.

use std::borrow::Cow;

use super::{ContextPlan, Selected, Skipped};
use crate::gate::Case;
use crate::gate::context_budget::Verdict;
use crate::gate::skill_eligibility::Markers;
use crate::manifest::Unit;
use crate::planner::{Admission, End, Judged, Walk};

/// The lists of a plan while it is put together.
pub(super) struct Lists {
    pub(super) selected: Vec<Selected>,
    pub(super) skipped: Vec<Skipped>,
    pub(super) context: ContextPlan,
    /// How many units the cap left out.
    pub(super) beyond: usize,
}

impl Lists {
    pub(super) fn of(case: Case<'_>, walk: &Walk<'_>) -> Self {
        let mut lists = Self {
            selected: Vec::new(),
            skipped: Vec::new(),
            context: ContextPlan::default(),
            beyond: 0,
        };
        for course in &walk.courses {
            match &course.end {
                End::Refused { reason, .. } => {
                    lists.skip(&course.unit.id, reason.clone(), None);
                }
                End::RefusedUnderStrict(candidate) => {
                    let reason = candidate.reasons().pop().unwrap_or_default();
                    let markers = &candidate.procedure.markers;
                    lists.skip(&course.unit.id, reason.into(), Some(markers));
                }
                End::Relevant(_) => {}
            }
        }
        for (index, admission) in &walk.order {
            match (walk.unit(*index), admission) {
                (_, Admission::BeyondCap(_)) => lists.beyond += 1,
                (Some(unit), Admission::Judged(judged)) => lists.judged(unit, judged, case),
                (None, Admission::Judged(_)) => {}
            }
        }
        lists
    }

    fn judged(&mut self, unit: &Unit, judged: &Judged, case: Case<'_>) {
        let of_context = || judged.context.and_then(Verdict::refusal);
        let refusal = judged
            .money
            .refusal(case.options.budget.as_ref())
            .or_else(of_context);
        let candidate = &judged.candidate;
        match refusal {
            Some(reason) => {
                self.skip(&unit.id, reason.into(), Some(&candidate.procedure.markers));
            }
            None => {
                if candidate.is_eligible() {
                    self.context.add(unit.tokens);
                }
                self.selected.push(Selected::of(unit, candidate, case));
            }
        }
    }

    fn skip(&mut self, id: &str, reason: Cow<'static, str>, markers: Option<&Markers>) {
        let markers = markers.filter(|markers| !markers.is_empty());
        self.skipped.push(Skipped {
            id: id.to_owned(),
            reason,
            markers: markers.cloned().map(Box::new),
        });
    }
}
