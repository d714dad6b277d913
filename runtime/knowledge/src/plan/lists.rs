//! The lists of a plan while it is put together.

use super::{ContextPlan, Selected, Skipped};
use crate::gate::Case;
use crate::gate::skill_eligibility::Markers;
use crate::planner::{Admission, End, Walk};

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
