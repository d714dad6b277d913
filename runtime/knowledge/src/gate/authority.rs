//! Whether a playbook's steps stay below everyone's authority (§3.13): the lowest ceiling counts.

use super::Case;
use crate::manifest::Unit;
use crate::members::Members;
use crate::procedure::acts;

use knotrust_core::json::Value;

/// The ceiling that binds, and who set it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Authority {
    /// The level.
    pub ceiling: String,
    /// `playbook authority_level`, `agent grant_ceiling`, or that of a step's skill.
    pub binding_source: String,
}

/// A step above its ceiling.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Violation {
    pub(crate) step: String,
    pub(crate) required: String,
    pub(crate) above: Authority,
}

/// The ceiling of a playbook, and the first of its steps that doesn't keep to it.
pub(crate) fn resolve(playbook: &Unit, case: Case<'_>) -> (Option<Authority>, Option<Violation>) {
    let scale = Scale::of(case);
    let own = playbook
        .authority_level
        .as_deref()
        .map(|level| (level, "playbook authority_level".to_owned()));
    let callers = case
        .options
        .grant_ceiling
        .as_deref()
        .map(|level| (level, "agent grant_ceiling".to_owned()));
    let common: Vec<_> = own.into_iter().chain(callers).collect();
    let violation = acts(playbook, case.manifest).into_iter().find_map(|act| {
        let required = act.step?.authority_level.as_deref()?;
        let of_skill = act.skill.and_then(|skill| {
            let level = skill.authority_level.as_deref()?;
            Some((level, format!("skill '{}' authority_level", skill.id)))
        });
        let above = scale.lowest(common.iter().cloned().chain(of_skill))?;
        let holds = scale
            .rank(required)
            .is_some_and(|rank| scale.rank(&above.ceiling) >= Some(rank));
        (!holds).then(|| Violation {
            step: act.name.to_owned(),
            required: required.to_owned(),
            above,
        })
    });
    let ceiling = scale
        .lowest(common.into_iter())
        .or_else(|| violation.as_ref().map(|found| found.above.clone()));
    (ceiling, violation)
}

impl Violation {
    pub(crate) fn reason(&self) -> String {
        format!(
            "step '{}' requires '{}' authority, above the resolved ceiling '{}' (bound by {}) — §3.13",
            self.step, self.required, self.above.ceiling, self.above.binding_source
        )
    }
}

impl Authority {
    pub(crate) fn to_json(&self) -> Value<'static> {
        Members::new()
            .text("ceiling", &self.ceiling)
            .text("bindingSource", &self.binding_source)
            .done()
    }
}

struct Scale<'a>(Vec<&'a str>);

impl<'a> Scale<'a> {
    fn of(case: Case<'a>) -> Self {
        Self(match &case.manifest.authority_scale {
            Some(levels) => levels.iter().map(String::as_str).collect(),
            None => DEFAULT_SCALE.to_vec(),
        })
    }

    /// Unknown levels have no rank, which is below every rank.
    fn rank(&self, level: &str) -> Option<usize> {
        self.0.iter().position(|known| *known == level)
    }

    /// The lowest of some ceilings; of equals the first.
    fn lowest<'l>(&self, sources: impl Iterator<Item = (&'l str, String)>) -> Option<Authority> {
        let (ceiling, binding_source) = sources.min_by_key(|(level, _)| self.rank(level))?;
        Some(Authority {
            ceiling: ceiling.to_owned(),
            binding_source,
        })
    }
}

const DEFAULT_SCALE: [&str; 5] = ["observe", "explain", "suggest", "prepare", "commit"];
