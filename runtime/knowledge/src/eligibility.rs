//! Whether a procedure may be invoked, and the scope that then binds.

use knotrust_core::json::Value;

use crate::gate::Gate;
use crate::manifest::{ActionScope, Kind, Manifest};
use crate::members::{Members, text};
use crate::options::Options;
use crate::planner::plan_unit;

/// What there is to say about invoking a unit.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Eligibility {
    /// Whether it may be invoked.
    pub eligible: bool,
    /// What the unit is, if there is one and it says so.
    pub kind: Option<String>,
    /// The scope that binds what follows.
    pub action_scope: Option<ActionScope>,
    /// Why, or why not.
    pub reason: String,
}

/// Asks whether a unit may be invoked.
///
/// Only skills and playbooks can be, and nothing else competes with the one that is asked for.
#[must_use]
pub fn eligibility(manifest: &Manifest, id: &str, options: &Options) -> Eligibility {
    let Some(unit) = manifest.unit(id) else {
        return Eligibility {
            eligible: false,
            kind: None,
            action_scope: None,
            reason: format!("there is no unit '{id}'"),
        };
    };
    let (eligible, reason) = match unit.kind {
        Kind::Undeclared | Kind::Knowledge(_) => (false, format!("'{id}' is no procedure")),
        Kind::Skill | Kind::Playbook => {
            let plan = plan_unit(manifest, id, options);
            match (plan.selected.first(), plan.skipped.first()) {
                (Some(selected), _) if selected.load_eligible => (true, "eligible".to_owned()),
                (Some(selected), _) => {
                    (false, selected.reasons.last().cloned().unwrap_or_default())
                }
                (None, skipped) => {
                    let reason = skipped.map(|skipped| skipped.reason.to_string());
                    (false, reason.unwrap_or_default())
                }
            }
        }
    };
    Eligibility {
        eligible,
        kind: unit.kind.as_str().map(str::to_owned),
        action_scope: unit.action_scope.clone(),
        reason,
    }
}

impl Eligibility {
    /// The answer as it is told and recorded.
    #[must_use]
    pub fn to_json(&self) -> Value<'static> {
        Members::new()
            .flag("eligible", self.eligible)
            .text("gate", Gate::SkillEligibility.name())
            .maybe("kind", self.kind.as_deref().map(text))
            .text("reason", &self.reason)
            .maybe(
                "actionScope",
                self.action_scope.as_ref().map(ActionScope::to_brief_json),
            )
            .done()
    }
}
