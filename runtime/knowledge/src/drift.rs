//! What time, or another manifest, has made of a plan.

use knotrust_core::json::Value;

use crate::date::IsoDate;
use crate::diff::{PlanDiff, diff};
use crate::manifest::Manifest;
use crate::members::{Members, count};
use crate::options::Options;
use crate::plan::{Covering, Plan};
use crate::planner::{plan, plan_path, plan_unit};

/// A plan beside the plan that would be made now.
#[derive(Clone, Debug, PartialEq)]
pub struct Drift {
    /// The plan that would be made now.
    pub now: Plan,
    /// What differs.
    pub diff: PlanDiff,
}

/// Makes a plan again, for another moment or from another manifest.
#[must_use]
pub fn recheck(before: &Plan, manifest: &Manifest, as_of: &IsoDate) -> Drift {
    let options = Options {
        as_of: as_of.clone(),
        ..before.options.clone()
    };
    let now = match &before.covering {
        None => plan(manifest, &before.task, &options),
        Some(Covering::Path(path)) => plan_path(manifest, path, &options),
        Some(Covering::Unit(id)) => plan_unit(manifest, id, &options),
    };
    let diff = diff(&before.to_json(), &now.to_json());
    Drift { now, diff }
}

impl Drift {
    /// Whether the plan is no longer the one that would be made.
    #[must_use]
    pub fn has_drifted(&self) -> bool {
        !self.diff.is_identical()
    }

    /// The units that may no longer be loaded, though they could be.
    #[must_use]
    pub fn lost(&self) -> Vec<&str> {
        self.diff
            .moves
            .iter()
            .filter(|moved| moved.out)
            .map(|moved| moved.id.as_str())
            .collect()
    }

    /// What has changed, in a sentence.
    #[must_use]
    pub fn summary(&self) -> String {
        if !self.has_drifted() {
            return "the plan still holds".to_owned();
        }
        let moved = |out: bool| {
            self.diff
                .moves
                .iter()
                .filter(|moved| moved.out == out)
                .count()
        };
        format!(
            "{} unit(s) no longer selected, {} newly selected, {} score change(s), {} changed otherwise",
            moved(true),
            moved(false),
            self.diff.score_changes.len(),
            self.diff.presence.len()
                + self.diff.reason_changes.len()
                + self.diff.budget_shifts.len()
        )
    }

    /// The drift as it is recorded.
    #[must_use]
    pub fn to_json(&self) -> Value<'static> {
        Members::new()
            .flag("drifted", self.has_drifted())
            .text("summary", &self.summary())
            .set("movedUnits", count(self.diff.moves.len()))
            .text("newPlanAsOf", self.now.options.as_of.as_str())
            .set("diff", self.diff.to_json())
            .done()
    }
}
