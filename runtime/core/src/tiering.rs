//! Which tier is a call of, and which rule said so?
//!
//! Of the rules that match and whose conditions hold, a rule is beaten when a narrower one matches too; of the rest, own
//! ones stand before packs' and the strictest decides (`ruleset.md` §3). Rules are in rank order, strictest first within
//! their source, and each names those that lie around it, so the winner is found by walking up once.

mod verbs;

pub use verbs::{looks_destructive, moves};

use crate::case::TierSource;
use crate::json::Value;
use crate::predicate;
use crate::ruleset::{Effect, Rule, Rules, Source};
use crate::surroundings::Surroundings;
use crate::tier::Tier;

/// The rules that speak about one call.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Matching {
    /// Ranks of the rules that match by name and whose conditions hold, strongest first.
    pub holding: Vec<u32>,
    /// Of those, the ones that no narrower rule beats.
    pub unbeaten: Vec<u32>,
    /// Ranks of rules that match by name, but whose conditions do not hold.
    pub failing: Vec<u32>,
}

impl Matching {
    /// Sorts out the rules whose patterns match the name.
    #[must_use]
    pub fn among(
        rules: Rules<'_>,
        mut ranks: Vec<u32>,
        arguments: &Value<'_>,
        around: &Surroundings<'_>,
    ) -> Self {
        ranks.sort_unstable();
        ranks.dedup();
        let holds = |rank: &u32| {
            let steps = rules.get(*rank).map(|rule| rule.when);
            steps.is_some_and(|steps| predicate::holds(steps, arguments, around))
        };
        let (holding, failing): (Vec<_>, Vec<_>) = ranks.into_iter().partition(holds);
        let beaten = beaten(rules, &holding);
        let unbeaten = holding
            .iter()
            .copied()
            .filter(|rank| !beaten.contains(rank))
            .collect();
        Self {
            holding,
            unbeaten,
            failing,
        }
    }

    /// The first rule that denies. Nothing beats a denial.
    #[must_use]
    pub fn denial(&self, rules: Rules<'_>) -> Option<u32> {
        let denies = |rule: Rule<'_>| rule.effect == Effect::Deny;
        self.holding
            .iter()
            .copied()
            .find(|rank| rules.get(*rank).is_some_and(denies))
    }

    /// The rule that sets the tier: the strongest unbeaten own one, else the strongest unbeaten one of a pack.
    ///
    /// A rule that only allows sets none, and leaves it to those it beats.
    #[must_use]
    pub fn tier(&self, rules: Rules<'_>) -> Option<(u32, Tier)> {
        self.tier_from(rules, Source::Own)
            .or_else(|| self.tier_from(rules, Source::Pack))
    }

    /// The rule that allows: an own rule that allows, if it is the one that decides.
    #[must_use]
    pub fn permission(&self, rules: Rules<'_>) -> Option<u32> {
        let own = |rank: &u32| rules.get(*rank).filter(|rule| rule.source == Source::Own);
        let speaks = |rule: &Rule<'_>| rule.effect != Effect::Deny;
        let first = self
            .unbeaten
            .iter()
            .copied()
            .find(|rank| own(rank).as_ref().is_some_and(speaks))?;
        matches!(own(&first)?.effect, Effect::Allow(_)).then_some(first)
    }

    fn tier_from(&self, rules: Rules<'_>, source: Source) -> Option<(u32, Tier)> {
        let sets = |rank: u32| {
            let rule = rules.get(rank).filter(|rule| rule.source == source)?;
            match rule.effect {
                Effect::Tier(tier) | Effect::Allow(Some(tier)) => Some((rank, tier)),
                Effect::Deny | Effect::Allow(None) => None,
            }
        };
        // Without the rules that set no tier, others may be unbeaten.
        let setting: Vec<u32> = self
            .holding
            .iter()
            .copied()
            .filter(|rank| sets(*rank).is_some())
            .collect();
        let beaten = beaten(rules, &setting);
        setting
            .into_iter()
            .filter(|rank| !beaten.contains(rank))
            .find_map(sets)
    }
}

// Everything that lies around a matching rule, however far, is beaten. Packs' rules never lie around own ones.
fn beaten(rules: Rules<'_>, holding: &[u32]) -> Vec<u32> {
    let mut beaten = Vec::new();
    let note = |beaten: &mut Vec<u32>, rank: u32| {
        let wider = rules.get(rank).map(|rule| rule.wider);
        for wider in wider.iter().flat_map(|wider| wider.iter()) {
            if !beaten.contains(&wider) {
                beaten.push(wider);
            }
        }
    };
    holding.iter().for_each(|rank| note(&mut beaten, *rank));
    let mut done = 0;
    while let Some(rank) = beaten.get(done).copied() {
        note(&mut beaten, rank);
        done += 1;
    }
    beaten
}

/// What is found about the tier of a call before any floor.
pub(crate) struct Base {
    pub(crate) tier: Tier,
    pub(crate) source: TierSource,
}

impl Base {
    pub(crate) fn of_rule((rank, tier): (u32, Tier)) -> Self {
        Self {
            tier,
            source: TierSource::Rule(rank),
        }
    }
}
