//! What is meant to pass when a decision breaks, and would not: only routine calls do.

use knotrust_core::{
    ruleset::{Effect, Source},
    tier::Tier,
};

use super::Shape;
use crate::{
    located::Span,
    pattern::{self, Effort, Set, TooHard},
    problem::{Code, Problem, shown},
    resolved::{Bound, Resolved},
};

/// How much automata may do to settle all of it.
const EFFORT: Effort = Effort::of(20_000_000);

/// Finds, for each pattern, a name that it covers in vain. Where that is too hard to say, nothing is said.
pub(super) fn find(resolved: &Resolved, shapes: &[Shape<'_>]) -> Vec<Problem> {
    let mut effort = EFFORT;
    let mut problems = Vec::new();
    for bound in &resolved.fail_open {
        if let Ok(Some(vain)) = vain(resolved, shapes, bound, &mut effort) {
            problems.push(problem(bound, &vain));
        }
    }
    problems
}

/// A name that is covered in vain, its tier, and where that tier is said.
struct Vain {
    name: String,
    tier: Tier,
    said: Option<Span>,
}

fn vain(
    resolved: &Resolved,
    shapes: &[Shape<'_>],
    bound: &Bound,
    effort: &mut Effort,
) -> Result<Option<Vain>, TooHard> {
    let covered = Set::of([&bound.pattern]);
    for shape in shapes {
        let Some(tier) = raised(shape.rule.effect) else {
            continue;
        };
        let milder: Vec<&Set<'_>> = milder(shape, shapes, effort)?;
        if let Some(name) = pattern::example(&[&covered, &shape.set], &milder, effort)? {
            return Ok(Some(Vain {
                name,
                tier,
                said: Some(shape.rule.span),
            }));
        }
    }
    for (floor, tier) in resolved
        .envelope
        .floors
        .iter()
        .filter(|(_, tier)| *tier > Tier::Routine)
    {
        if let Some(name) = pattern::example(&[&covered, &Set::of([&floor.pattern])], &[], effort)?
        {
            return Ok(Some(Vain {
                name,
                tier: *tier,
                said: Some(floor.span),
            }));
        }
    }
    let all: Vec<&Set<'_>> = shapes.iter().map(|shape| &shape.set).collect();
    let unknown = pattern::example(&[&covered], &all, effort)?;
    Ok(unknown.map(|name| Vain {
        name,
        tier: resolved.unknown_tool,
        said: None,
    }))
}

/// The tier above routine that a rule can lead to.
fn raised(effect: Effect) -> Option<Tier> {
    match effect {
        Effect::Tier(tier) => Some(tier).filter(|tier| *tier > Tier::Routine),
        Effect::Allow(_) => Some(Tier::Sensitive),
        // What is denied does not pass, and is not meant to.
        Effect::Deny => None,
    }
}

/// The routine rules that decide in place of another, whatever the arguments.
fn milder<'s, 'a>(
    shape: &Shape<'a>,
    shapes: &'s [Shape<'a>],
    effort: &mut Effort,
) -> Result<Vec<&'s Set<'a>>, TooHard> {
    let mut milder = Vec::new();
    for other in shapes {
        let routine =
            other.rule.effect == Effect::Tier(Tier::Routine) && other.rule.condition.is_none();
        let before = other.rule.source == Source::Own && shape.rule.source == Source::Pack;
        let peer = other.rule.source == shape.rule.source;
        let narrower = peer
            && shape.set.contains(&other.set, effort)?
            && !other.set.contains(&shape.set, effort)?;
        if routine && (before || narrower) {
            milder.push(&other.set);
        }
    }
    Ok(milder)
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
