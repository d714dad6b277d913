//! The order of rules, and which lies within which, as far as can be told without comparing automata: a pattern lies within
//! another that matches its text, stars and all.

use knotrust_core::{ruleset::Effect, tier::Tier};

use crate::resolved::Rule;

/// The order of rules, and which lies within which.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ranking {
    order: Vec<usize>,
    wider: Vec<Vec<u32>>,
}

impl Ranking {
    /// Ranks rules.
    pub(crate) fn of(rules: &[Rule]) -> Self {
        let mut order: Vec<usize> = (0..rules.len()).collect();
        order.sort_by_key(|index| {
            rules.get(*index).map(|rule| {
                (
                    rule.source,
                    std::cmp::Reverse(strictness(rule.effect)),
                    *index,
                )
            })
        });
        let ranked: Vec<&Rule> = order.iter().filter_map(|index| rules.get(*index)).collect();
        let wider = ranked
            .iter()
            .map(|rule| {
                (0..)
                    .zip(&ranked)
                    .filter(|(_, other)| is_within(rule, other))
                    .map(|(rank, _)| rank)
                    .collect()
            })
            .collect();
        Self { order, wider }
    }

    pub(crate) fn order(&self) -> &[usize] {
        &self.order
    }

    pub(crate) fn wider(&self, rank: usize) -> &[u32] {
        self.wider.get(rank).map(Vec::as_slice).unwrap_or_default()
    }
}

fn strictness(effect: Effect) -> u8 {
    match effect {
        Effect::Deny => 4,
        Effect::Tier(Tier::Critical) => 3,
        Effect::Tier(Tier::Sensitive) => 2,
        Effect::Allow(_) => 1,
        Effect::Tier(Tier::Routine) => 0,
    }
}

fn is_within(narrow: &Rule, wide: &Rule) -> bool {
    let there = contains(wide, narrow);
    let back = contains(narrow, wide);
    narrow.source == wide.source
        && there
        && (!back || (narrow.condition.is_some() && wide.condition.is_none()))
}

fn contains(wide: &Rule, narrow: &Rule) -> bool {
    narrow
        .patterns
        .iter()
        .flat_map(|bound| bound.pattern.globs())
        .all(|narrow| {
            wide.patterns
                .iter()
                .flat_map(|bound| bound.pattern.globs())
                .any(|wide| wide.matches(narrow.text()))
        })
}
