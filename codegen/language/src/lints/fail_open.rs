//! What is meant to pass when a decision breaks, and would not: only routine calls do.

use knotrust_core::{ruleset::Effect, tier::Tier};

use crate::{
    located::Span,
    pattern::{self, Effort, Set},
    problem::{Code, Problem, shown},
    rank::{NotRoutine, Ranked},
    resolved::{Bound, Resolved},
};

/// Finds, for each pattern, a name that it covers in vain. Where that is too hard to say, nothing is said.
pub(super) fn find(resolved: &Resolved, ranked: &Ranked, problems: &mut Vec<Problem>) {
    for (bound, found) in resolved.fail_open.iter().zip(&ranked.not_routine) {
        let ruled = found.as_ref().and_then(|found| by_rules(resolved, found));
        let vain = ruled.or_else(|| by_floors(resolved, bound));
        problems.extend(vain.map(|vain| problem(bound, &vain)));
    }
}

/// A name that is covered in vain, its tier, and where that tier is said.
struct Vain {
    name: String,
    tier: Tier,
    said: Option<Span>,
}

fn by_rules(resolved: &Resolved, found: &NotRoutine) -> Option<Vain> {
    let name = found.name.clone();
    let Some(rule) = found.rule else {
        let tier = resolved.unknown_tool;
        return Some(Vain {
            name,
            tier,
            said: None,
        });
    };
    let rule = resolved.rules.get(rule)?;
    let (Effect::Tier(tier) | Effect::Allow(Some(tier))) = rule.effect else {
        return None;
    };
    Some(Vain {
        name,
        tier,
        said: Some(rule.span),
    })
}

fn by_floors(resolved: &Resolved, bound: &Bound) -> Option<Vain> {
    let covered = Set::of([&bound.pattern]);
    let floors = resolved.envelope.floors.iter();
    let mut raising = floors.filter(|(_, tier)| *tier > Tier::Routine);
    raising.find_map(|(floor, tier)| {
        let floored = Set::of([&floor.pattern]);
        let mut effort = Effort::ONE_QUESTION;
        let name = pattern::example(&[&covered, &floored], &[], &mut effort).ok()??;
        Some(Vain {
            name,
            tier: *tier,
            said: Some(floor.span),
        })
    })
}

fn problem(bound: &Bound, vain: &Vain) -> Problem {
    let Vain { name, tier, said } = vain;
    let message = format!(
        "`failOpen` covers `{}`, which is {tier}, and only routine calls pass when something fails",
        shown(name)
    );
    let problem =
        Problem::new(Code::FailsClosed, message).at(bound.span, "covers more than what is routine");
    let problem = match said {
        Some(span) => problem.at(*span, format!("{tier} by this")),
        None => problem,
    };
    problem.help("name only tools that are routine, whatever their arguments")
}
