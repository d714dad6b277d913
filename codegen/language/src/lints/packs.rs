//! Own rules that say less of a tool than a pack does.

use knotrust_core::{ruleset::Effect, tier::Tier};

use crate::{
    problem::{Code, Problem, shown},
    rank::{Lowered, Ranked},
    resolved::{Resolved, Rule},
};

/// Finds, for each own rule, the strictest pack's rule that it lowers.
pub(super) fn find(resolved: &Resolved, ranked: &Ranked, problems: &mut Vec<Problem>) {
    let found = ranked.lowered.iter();
    problems.extend(found.filter_map(|found| problem(&resolved.rules, found)));
}

fn problem(rules: &[Rule], found: &Lowered) -> Option<Problem> {
    let (own, pack) = (rules.get(found.own)?, rules.get(found.pack)?);
    let (lower, higher) = (tier(own.effect)?, tier(pack.effect)?);
    let message = format!(
        "this rule makes `{}` {lower}, and a pack makes it {higher}",
        shown(&found.example)
    );
    let problem = Problem::new(Code::LowersPack, message)
        .at(own.span, "decides")
        .at(pack.span, "has no say")
        .help("the ruleset's own rules stand before those of packs");
    Some(problem)
}

fn tier(effect: Effect) -> Option<Tier> {
    match effect {
        Effect::Tier(tier) | Effect::Allow(Some(tier)) => Some(tier),
        Effect::Allow(None) | Effect::Deny => None,
    }
}
