//! Own rules that say less of a tool than a pack does.

use knotrust_core::{
    ruleset::{Effect, Source},
    tier::Tier,
};

use super::Shape;
use crate::{
    pattern::{self, Effort},
    problem::{Code, Problem, shown},
};

/// How much automata may do to settle all of it.
const EFFORT: Effort = Effort::of(20_000_000);
/// How many pairs of rules are looked at.
const MOST_LOOKS: usize = 1_000_000;

/// Finds, for each own rule, the strictest pack's rule that it lowers. Where that is too hard to say, nothing is said.
pub(super) fn find(shapes: &[Shape<'_>]) -> Vec<Problem> {
    let mut effort = EFFORT;
    let mut looks = 0;
    let mut problems = Vec::new();
    for own in shapes
        .iter()
        .filter(|shape| shape.rule.source == Source::Own)
    {
        let Some(lower) = tier(own.rule.effect) else {
            continue;
        };
        let mut worst: Option<(Tier, &Shape<'_>, String)> = None;
        for pack in shapes
            .iter()
            .filter(|shape| shape.rule.source == Source::Pack)
        {
            let least = worst.as_ref().map_or(lower, |(tier, ..)| *tier);
            let Some(higher) = tier(pack.rule.effect).filter(|higher| *higher > least) else {
                continue;
            };
            looks += 1;
            if looks > MOST_LOOKS {
                return problems;
            }
            if let Ok(Some(name)) = pattern::example(&[&own.set, &pack.set], &[], &mut effort) {
                worst = Some((higher, pack, name));
            }
        }
        problems.extend(worst.map(|(higher, pack, name)| {
            let message = format!(
                "this rule makes `{}` {lower}, and a pack makes it {higher}",
                shown(&name)
            );
            Problem::new(Code::LowersPack, message)
                .at(own.rule.span, "decides")
                .at(pack.rule.span, "has no say")
                .help("the ruleset's own rules stand before those of packs")
        }));
    }
    problems
}

fn tier(effect: Effect) -> Option<Tier> {
    match effect {
        Effect::Tier(tier) | Effect::Allow(Some(tier)) => Some(tier),
        Effect::Allow(None) | Effect::Deny => None,
    }
}
