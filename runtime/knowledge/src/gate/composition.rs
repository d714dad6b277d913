//! Whether a granted procedure can be carried out as it is written (§4.3b, §4.3c).

use std::collections::{BTreeMap, BTreeSet};

use crate::manifest::{Kind, Step, Unit};

/// How units are found by name.
pub(crate) type Find<'f, 'u> = &'f dyn Fn(&str) -> Option<&'u Unit>;

/// The first thing that keeps a granted procedure from being one.
pub(crate) fn objection(unit: &Unit, find: Find<'_, '_>) -> Option<String> {
    match unit.kind {
        Kind::Skill => scope_objection(unit),
        Kind::Playbook => playbook_objection(unit, find),
        Kind::Undeclared | Kind::Knowledge(_) => None,
    }
}

/// A grant without bounds is no grant.
fn scope_objection(skill: &Unit) -> Option<String> {
    match &skill.action_scope {
        Some(scope) if scope.is_malformed() => Some(
            "action_scope cannot be read, so nothing says what the grant covers (§4.3c)".to_owned(),
        ),
        Some(scope) if !scope.grants_nothing() => None,
        Some(_) | None => Some(
            "granted without an action_scope, so nothing says what the grant covers (§4.3c)"
                .to_owned(),
        ),
    }
}

fn playbook_objection(playbook: &Unit, find: Find<'_, '_>) -> Option<String> {
    let steps = playbook.steps.as_deref().unwrap_or_default();
    if steps.is_empty() {
        return Some("playbook has no steps (§4.3b)".to_owned());
    }
    if playbook
        .action_scope
        .as_ref()
        .is_some_and(|scope| scope.malformed)
    {
        return Some(
            "action_scope cannot be read, so nothing says what is denied (§4.3b)".to_owned(),
        );
    }
    names_objection(steps)
        .or_else(|| steps.iter().find_map(|step| step_objection(step, find)))
        .or_else(|| order_objection(steps))
}

fn names_objection(steps: &[Step]) -> Option<String> {
    let mut seen = BTreeSet::new();
    steps.iter().find_map(|step| match step.id.as_str() {
        "" => Some("a step has no id (§4.3b)".to_owned()),
        id if !seen.insert(id) => Some(format!("step '{id}' occurs twice (§4.3b)")),
        _ => None,
    })
}

fn step_objection(step: &Step, find: Find<'_, '_>) -> Option<String> {
    let id = &step.id;
    let uses = match (&step.uses, &step.action) {
        (Some(uses), None) => uses,
        (None, Some(_)) => {
            return Some(format!(
                "step '{id}' acts in place, which a grant does not cover (§4.3c)"
            ));
        }
        (None, None) => return Some(format!("step '{id}' neither uses a skill nor acts (§4.3b)")),
        (Some(_), Some(_)) => {
            return Some(format!(
                "step '{id}' both uses a skill and acts in place (§4.3b)"
            ));
        }
    };
    let Some(skill) = find(uses) else {
        return Some(format!(
            "step '{id}' uses '{uses}', which is not in this manifest (§4.3b)"
        ));
    };
    match skill.kind {
        Kind::Playbook => Some(format!(
            "step '{id}' uses '{uses}', which is a playbook itself (§4.3b)"
        )),
        _ if !skill.load_eligible
            || (skill.kind == Kind::Skill && scope_objection(skill).is_some()) =>
        {
            Some(format!(
                "step '{id}' uses '{uses}', which is not invoke-eligible — a grant on a playbook does not compose to the units its steps name (§4.3c)"
            ))
        }
        Kind::Skill => None,
        Kind::Undeclared | Kind::Knowledge(_) => Some(format!(
            "step '{id}' uses '{uses}', which is no skill (§4.3c)"
        )),
    }
}

/// Dependencies must name steps, and must not lead back.
fn order_objection(steps: &[Step]) -> Option<String> {
    let mut open: BTreeMap<&str, &[String]> = BTreeMap::new();
    for step in steps {
        if step.depends_on.is_malformed() {
            return Some(format!(
                "step '{}' has dependencies that are no list (§4.3b)",
                step.id
            ));
        }
        open.insert(&step.id, step.depends_on.texts());
    }
    let unknown = |step: &Step| {
        step.depends_on
            .texts()
            .iter()
            .find(|id| !open.contains_key(id.as_str()))
            .cloned()
    };
    if let Some((step, id)) = steps
        .iter()
        .find_map(|step| unknown(step).map(|id| (step, id)))
    {
        return Some(format!(
            "step '{}' depends on '{id}', which is no step (§4.3b)",
            step.id
        ));
    }
    // Steps whose dependencies are all done are done; what remains when none is left waits for itself.
    loop {
        let waits = |needed: &[String]| needed.iter().any(|id| open.contains_key(id.as_str()));
        let ready: Vec<&str> = open
            .iter()
            .filter(|(_, needed)| !waits(needed))
            .map(|(id, _)| *id)
            .collect();
        if ready.is_empty() {
            break;
        }
        for id in ready {
            open.remove(id);
        }
    }
    open.keys()
        .next()
        .map(|id| format!("step '{id}' waits for itself (§4.3b)"))
}
