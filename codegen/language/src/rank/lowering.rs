//! Own rules that say less of a name than a pack does.
//!
//! That is an author's right, and what packs are for; but whoever reads a policy should be told.

use knotrust_core::{
    ruleset::{Effect, Source},
    tier::Tier,
};

use super::Field;
use crate::pattern::Effort;

/// How many pairs of rules are looked at.
const MOST_LOOKS: usize = 1_000_000;

/// How much automata may do to compare all pairs.
const EFFORT: Effort = Effort::of(50_000_000);

/// An own rule that says less than a pack's.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Lowered {
    /// The own rule, which decides.
    pub own: usize,
    /// The strictest rule of a pack that it overrules.
    pub pack: usize,
    /// A name that both match, and that the own rule decides.
    pub example: String,
}

impl Lowered {
    pub(super) fn placed(self, order: &[usize]) -> Self {
        let placed = |rank: usize| order.get(rank).copied().unwrap_or(rank);
        Self {
            own: placed(self.own),
            pack: placed(self.pack),
            example: self.example,
        }
    }
}

/// Finds them, by rank: for each own rule the first.
pub(super) fn find(field: &Field<'_, '_>) -> Vec<Lowered> {
    let packs: Vec<(usize, Tier)> = tiers(field, Source::Pack);
    let mut effort = EFFORT;
    let mut left = MOST_LOOKS;
    let mut lowered = Vec::new();
    for (own, tier) in tiers(field, Source::Own) {
        let stricter = packs.iter().filter(|(_, other)| *other > tier);
        for &(pack, _) in stricter {
            let Some(fewer) = left.checked_sub(1) else {
                return lowered;
            };
            left = fewer;
            if let Some(example) = overruled(field, own, pack, &mut effort) {
                lowered.push(Lowered { own, pack, example });
                break;
            }
        }
    }
    lowered
}

fn overruled(
    field: &Field<'_, '_>,
    own: usize,
    pack: usize,
    effort: &mut Effort,
) -> Option<String> {
    let (one, other) = (field.set(own)?, field.set(pack)?);
    if one.overlaps(other, effort) != Ok(true) {
        return None;
    }
    let settles = |third: usize| {
        let before = third < own && field.rules.get(third).is_some_and(|rule| rule.sets_tier());
        field.denies(third)
            || field.beats(third, own)
            || field.beats(third, pack)
            || (before && !field.beats(own, third))
    };
    field.contested(&[one, other], &settles, effort)
}

/// The rules of a source that set a tier, strictest first.
fn tiers(field: &Field<'_, '_>, source: Source) -> Vec<(usize, Tier)> {
    let tier = |(rank, rule): (usize, &&super::RuleShape<'_>)| match rule.effect {
        Effect::Tier(tier) | Effect::Allow(Some(tier)) if rule.source == source => {
            Some((rank, tier))
        }
        Effect::Tier(_) | Effect::Allow(_) | Effect::Deny => None,
    };
    field.rules.iter().enumerate().filter_map(tier).collect()
}
