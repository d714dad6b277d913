//! Whether an action that is planned is denied. A denial is final: no grant and no approval lifts it (RFC-0030).

use knotrust_core::json::Value;

use crate::manifest::{Denials, Unit};
use crate::members::Members;
use crate::options::ProposedAction;
use crate::procedure::Act;
use crate::scope::Dimension;

/// An attempt at what is denied.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ProhibitedAttempt {
    /// The step, or the unit.
    pub step: String,
    /// What kind of thing it is.
    pub dimension: Dimension,
    /// What was attempted.
    pub token: String,
    /// Who denies it.
    pub binding_source: String,
}

/// The first act that attempts what is denied.
pub(crate) fn find(
    acts: &[Act<'_>],
    proposed: Option<&ProposedAction>,
) -> Option<ProhibitedAttempt> {
    let proposed = proposed?;
    acts.iter().find_map(|act| attempt(act, proposed))
}

fn attempt(act: &Act<'_>, proposed: &ProposedAction) -> Option<ProhibitedAttempt> {
    let playbook = act
        .playbook
        .and_then(denials)
        .map(|deny| ("playbook action_scope.deny".to_owned(), deny));
    let skill = act.skill.and_then(|skill| {
        Some((
            format!("skill '{}' action_scope.deny", skill.id),
            denials(skill)?,
        ))
    });
    let sources: Vec<_> = playbook.into_iter().chain(skill).collect();
    let tokens = [
        (Dimension::Tools, &proposed.tool),
        (Dimension::Paths, &proposed.path),
        (Dimension::Capabilities, &proposed.capability),
    ];
    tokens.into_iter().find_map(|(dimension, token)| {
        let token = token.as_deref()?;
        let binding: Vec<&str> = sources
            .iter()
            .filter(|(_, deny)| dimension.denying(deny, token).is_some())
            .map(|(source, _)| source.as_str())
            .collect();
        (!binding.is_empty()).then(|| ProhibitedAttempt {
            step: act.name.to_owned(),
            dimension,
            token: token.to_owned(),
            binding_source: binding.join(" and "),
        })
    })
}

fn denials(unit: &Unit) -> Option<&Denials> {
    unit.action_scope.as_ref()?.deny.as_ref()
}

impl ProhibitedAttempt {
    pub(crate) fn reason(&self) -> String {
        format!(
            "step '{}' attempts '{}' ({}), denied by {} — refused finally, not grantable (§4.3b, RFC-0030)",
            self.step,
            self.token,
            self.dimension.name(),
            self.binding_source
        )
    }

    pub(crate) fn to_json(&self) -> Value<'static> {
        let note = format!(
            "prohibited attempt: '{}' ({}) matches {} — refused finally, not grantable; a grant against this event records acknowledgement and does not enact (§4.3b, RFC-0030)",
            self.token,
            self.dimension.name(),
            self.binding_source
        );
        Members::new()
            .text("step", &self.step)
            .text("dimension", self.dimension.name())
            .text("token", &self.token)
            .text("bindingSource", &self.binding_source)
            .text("note", &note)
            .done()
    }
}
