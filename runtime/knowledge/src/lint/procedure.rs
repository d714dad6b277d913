//! Skills and playbooks, and what they may touch.

use super::{Findings, Read};
use crate::gate::composition;
use crate::manifest::node::Node;
use crate::manifest::path::escapes;
use crate::manifest::{ActionScope, Denials, Draft, Kind, Step, Unit};
use crate::scope::{Dimension, matches_path};

pub(super) fn look(read: &Read<'_>, place: &str, draft: &Draft, findings: &mut Findings) {
    if read.unit.kind.is_procedure() {
        look_at_shape(read, place, findings);
    }
    if read.unit.kind == Kind::Skill {
        look_at_grant(read.unit, place, findings);
    }
    if let Some(scope) = &read.unit.action_scope {
        look_at_denials(scope, place, findings);
    }
    if read.unit.kind == Kind::Playbook {
        look_at_steps(read.unit, place, draft, findings);
    }
}

/// Members of a scope that are not what they must be.
fn look_at_shape(read: &Read<'_>, place: &str, findings: &mut Findings) {
    let Some(scope) = read.node.get("action_scope") else {
        return;
    };
    if !matches!(scope, Node::Map(_)) {
        findings.error(
            place,
            "scope-member-malformed",
            "action_scope is no mapping",
        );
        return;
    }
    let parsed = read.unit.action_scope.clone().unwrap_or_default();
    for (name, listing) in [
        ("tools", &parsed.tools),
        ("paths", &parsed.paths),
        ("capabilities", &parsed.capabilities),
    ] {
        if listing.is_malformed() {
            findings.error(
                place,
                "scope-member-malformed",
                format!("action_scope.{name} is no list of names"),
            );
        }
    }
    for name in ["spend", "deny"] {
        if scope
            .get(name)
            .is_some_and(|value| !matches!(value, Node::Map(_)))
        {
            findings.error(
                place,
                "scope-member-malformed",
                format!("action_scope.{name} is no mapping"),
            );
        }
    }
    if parsed.spend.as_ref().is_some_and(|spend| spend.unreadable) {
        findings.error(
            place,
            "spend-unreadable",
            "action_scope.spend has a bound that cannot be read, so nothing can be bought",
        );
    }
    for path in parsed
        .paths
        .texts()
        .iter()
        .filter(|path| path.starts_with(['/', '\\']) || escapes(path))
    {
        findings.error(
            place,
            "scope-path-escapes",
            format!("`{path}` leads out of the manifest's folder"),
        );
    }
    for (name, _) in scope
        .members()
        .iter()
        .filter(|(name, _)| !SCOPE_MEMBERS.contains(&name.as_str()))
    {
        findings.warning(
            place,
            "scope-member-unknown",
            format!("action_scope has no member `{name}`"),
        );
    }
}

fn look_at_grant(skill: &Unit, place: &str, findings: &mut Findings) {
    let grants_nothing = skill
        .action_scope
        .as_ref()
        .is_none_or(ActionScope::grants_nothing);
    if grants_nothing && skill.load_eligible {
        findings.error(
            place,
            "granted-skill-without-scope",
            "the skill may be invoked, and nothing says what for",
        );
    } else if grants_nothing {
        findings.warning(
            place,
            "skill-without-scope",
            "nothing says what the skill may touch",
        );
    }
}

fn look_at_denials(scope: &ActionScope, place: &str, findings: &mut Findings) {
    let Some(deny) = &scope.deny else {
        return;
    };
    if deny.is_empty() {
        findings.warning(place, "deny-empty", "`deny` denies nothing");
    }
    for dimension in DIMENSIONS {
        let denied = dimension.denied(deny);
        for token in allowed(scope, dimension)
            .iter()
            .filter(|token| denied.contains(token))
        {
            let message = format!(
                "`{token}` is both in {} and denied; denials win",
                dimension.name()
            );
            findings.warning(place, "allow-neutralised-by-deny", message);
        }
    }
}

fn look_at_steps(playbook: &Unit, place: &str, draft: &Draft, findings: &mut Findings) {
    let scope = playbook.action_scope.as_ref();
    if let Some(deny) = scope.and_then(|scope| scope.deny.as_ref()) {
        for step in playbook.steps.iter().flatten() {
            if let Some(dimension) = nullified(step, deny, draft) {
                let message = format!(
                    "step `{}` is left without {}: all of its skill's are denied",
                    step.id,
                    dimension.name()
                );
                findings.warning(place, "step-self-nullified", message);
            }
        }
    }
    if playbook.load_eligible
        && let Some(reason) = composition::objection(playbook, &|id| {
            draft.units.iter().find(|unit| unit.id == id)
        })
    {
        findings.error(place, "playbook-not-enactable", reason);
    }
}

/// The dimension on which the playbook denies all that the step's skill has.
fn nullified(step: &Step, deny: &Denials, draft: &Draft) -> Option<Dimension> {
    let uses = step.uses.as_deref()?;
    let skill = draft.units.iter().find(|unit| unit.id == uses)?;
    let scope = skill.action_scope.as_ref()?;
    DIMENSIONS.into_iter().find(|dimension| {
        let allowed = allowed(scope, *dimension);
        let denied = dimension.denied(deny);
        let is_denied = |token: &String| match dimension {
            Dimension::Tools | Dimension::Capabilities => denied.contains(token),
            Dimension::Paths => denied
                .iter()
                .any(|pattern| pattern == token || matches_path(pattern, token)),
        };
        !allowed.is_empty() && allowed.iter().all(is_denied)
    })
}

fn allowed(scope: &ActionScope, dimension: Dimension) -> &[String] {
    match dimension {
        Dimension::Tools => scope.tools.texts(),
        Dimension::Paths => scope.paths.texts(),
        Dimension::Capabilities => scope.capabilities.texts(),
    }
}

const DIMENSIONS: [Dimension; 3] = [Dimension::Tools, Dimension::Paths, Dimension::Capabilities];
const SCOPE_MEMBERS: [&str; 5] = ["tools", "paths", "capabilities", "spend", "deny"];
