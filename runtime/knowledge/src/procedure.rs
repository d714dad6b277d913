//! What a procedure would do: one act for a skill, one for each step of a playbook.

use crate::manifest::{ActionScope, Kind, Manifest, Step, Unit};

/// One act, and the scopes it lies in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Act<'a> {
    /// The step, or the unit where there are no steps.
    pub(crate) name: &'a str,
    pub(crate) step: Option<&'a Step>,
    /// The unit whose scope the act has: the skill a step uses, or the unit itself.
    pub(crate) skill: Option<&'a Unit>,
    /// The playbook around it.
    pub(crate) playbook: Option<&'a Unit>,
}

/// The acts of a unit, in order. Units of any kind have at least one.
pub(crate) fn acts<'a>(unit: &'a Unit, manifest: &'a Manifest) -> Vec<Act<'a>> {
    let steps = unit.steps.as_deref().unwrap_or_default();
    if unit.kind != Kind::Playbook {
        return vec![Act {
            name: &unit.id,
            step: None,
            skill: Some(unit),
            playbook: None,
        }];
    }
    if steps.is_empty() {
        return vec![Act {
            name: &unit.id,
            step: None,
            skill: None,
            playbook: Some(unit),
        }];
    }
    let act = |step: &'a Step| Act {
        name: &step.id,
        step: Some(step),
        skill: step.uses.as_deref().and_then(|id| manifest.unit(id)),
        playbook: Some(unit),
    };
    steps.iter().map(act).collect()
}

impl<'a> Act<'a> {
    /// The scope that says what the act may buy: the skill's, or the playbook's for an act written in place.
    pub(crate) fn buying_scope(&self) -> Option<&'a ActionScope> {
        let inline = self.step.is_none_or(|step| step.uses.is_none());
        match self.skill {
            Some(skill) => skill.action_scope.as_ref(),
            None if inline => self
                .playbook
                .and_then(|playbook| playbook.action_scope.as_ref()),
            None => None,
        }
    }
}
