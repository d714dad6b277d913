//! Which rule wins: decided once, when a policy is compiled.
//!
//! Rules can't be put into one order that is right for every call: of two that overlap the stricter wins, but a rule that lies
//! within the stricter one beats it, and may be laxer than the other. So a rank alone is not enough. What is compiled is an order, own rules
//! before packs' and the strictest first, and beside each rule those that lie *around* it. At run time everything that lies around a
//! matching rule is beaten, and the first that is left decides. That is `ruleset.md` §3 read to the letter:
//!
//! - a rule loses to one that matches and whose names are strictly among its own; with the same names, one with conditions
//!   beats one without;
//! - of those left the strictest wins; a denial is never beaten;
//! - own rules and packs' rules beat only their like: an own rule that matches stands before every pack.
//!
//! Read [`containment`] for what lies within what, [`chain`] for how that is written down, [`shadow`], [`overlap`], [`lowering`] and [`routine`] for what is
//! worth a warning.

mod chain;
mod containment;
mod lowering;
mod overlap;
mod routine;
mod shadow;

use std::cmp::Reverse;

use knotrust_core::{
    ruleset::{Effect, Source},
    tier::Tier,
};

use thiserror::Error;

use crate::{
    pattern::{self, Effort, Set},
    problem::{Code, Problem, shown},
    resolved,
};
use containment::Family;
pub use lowering::Lowered;
pub use overlap::{Overlap, Overlaps};
pub use routine::NotRoutine;
pub use shadow::Shadowed;

/// What of a rule counts for its rank.
#[derive(Clone, Debug)]
pub struct RuleShape<'a> {
    /// The names it matches.
    pub set: Set<'a>,
    /// Whether the arguments must be like something.
    pub conditional: bool,
    /// What it says.
    pub effect: Effect,
    /// Whose it is.
    pub source: Source,
}

impl<'a> RuleShape<'a> {
    /// The shape of a rule as meant.
    pub fn of(rule: &'a resolved::Rule) -> Self {
        Self {
            set: Set::of(rule.patterns.iter().map(|bound| &bound.pattern)),
            conditional: rule.condition.is_some(),
            effect: rule.effect,
            source: rule.source,
        }
    }

    fn denies(&self) -> bool {
        self.effect == Effect::Deny
    }

    fn sets_tier(&self) -> bool {
        matches!(self.effect, Effect::Tier(_) | Effect::Allow(Some(_)))
    }
}

/// The rules in order, and what lies around each. In here a rule is its place among those that were given, unless it says rank.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// The rules by rank.
    pub order: Vec<usize>,
    /// For each rank the ranks of the rules next around it, ascending.
    pub wider: Vec<Vec<u32>>,
    /// Rules that can never decide.
    pub shadowed: Vec<Shadowed>,
    /// Rules of which either could decide, for want of a narrower one.
    pub overlaps: Overlaps,
    /// Own rules that say less of a name than a pack does.
    pub lowered: Vec<Lowered>,
    /// For each set that should be routine a name in it that is not.
    pub not_routine: Vec<Option<NotRoutine>>,
}

impl Ranked {
    /// The ranks of the rules next around the one of that rank.
    pub fn wider(&self, rank: usize) -> &[u32] {
        self.wider.get(rank).map_or(&[], Vec::as_slice)
    }
}

/// Two rules whose patterns are too entangled to say whether one lies within the other.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[error("the patterns of two rules are too entangled to compare")]
pub struct Entangled {
    /// The rules.
    pub rules: [usize; 2],
}

/// Ranks all rules, and looks for names that are not routine in sets of which all should be.
pub fn rank(rules: &[RuleShape<'_>], routine: &[Set<'_>]) -> Result<Ranked, Entangled> {
    let mut order: Vec<usize> = (0..rules.len()).collect();
    // The text, so that the order of the file does not count; its place only among rules that say the same.
    order.sort_by_cached_key(|at| {
        rules.get(*at).map(|rule| {
            let text: Vec<&str> = rule.set.globs().map(|glob| glob.text()).collect();
            (
                rule.source,
                Reverse(strictness(rule.effect)),
                text,
                Reverse(rule.conditional),
                *at,
            )
        })
    });
    let ranked: Vec<&RuleShape<'_>> = order.iter().filter_map(|at| rules.get(*at)).collect();
    let family = Family::of(&ranked).map_err(|entangled| entangled.placed(&order))?;
    let field = Field {
        rules: ranked,
        family,
    };
    let shadowed = shadow::find(&field).into_iter();
    let lowered = lowering::find(&field).into_iter();
    let not_routine = routine::find(&field, routine).into_iter();
    Ok(Ranked {
        wider: chain::wider(&field),
        shadowed: shadowed.map(|found| found.placed(&order)).collect(),
        overlaps: overlap::find(&field).placed(&order),
        lowered: lowered.map(|found| found.placed(&order)).collect(),
        not_routine: not_routine
            .map(|found| found.map(|found| found.placed(&order)))
            .collect(),
        order,
    })
}

impl Entangled {
    /// The problem that this is, in the rules that were ranked.
    pub(crate) fn problem(self, rules: &[resolved::Rule]) -> Option<Problem> {
        let [one, other] = self.rules.map(|rule| rules.get(rule));
        let (one, other) = (one?, other?);
        let message = format!(
            "`{}` and `{}` are too entangled to say which is narrower",
            shown(&one.text()),
            shown(&other.text())
        );
        let problem = Problem::new(Code::Entangled, message)
            .at(one.span, "this rule")
            .at(other.span, "and this one")
            .help("write them with fewer `?`, classes and alternatives, or as several rules");
        Some(problem)
    }

    fn placed(self, order: &[usize]) -> Self {
        let placed = |rank: usize| order.get(rank).copied().unwrap_or(rank);
        Self {
            rules: self.rules.map(placed),
        }
    }
}

/// How many rules may settle between them what some sets share.
const MOST_SETTLING: usize = 32;

/// The rules in rank order, and how their names relate.
struct Field<'r, 'a> {
    rules: Vec<&'r RuleShape<'a>>,
    family: Family<'r, 'a>,
}

impl Field<'_, '_> {
    /// Whether a match of one rule puts another out, both by rank.
    fn beats(&self, one: usize, other: usize) -> bool {
        let (Some(rule), Some(beaten)) = (self.rules.get(one), self.rules.get(other)) else {
            return false;
        };
        if rule.source != beaten.source || rule.denies() || beaten.denies() {
            return false;
        }
        let same = self.family.set_of(one) == self.family.set_of(other);
        if same {
            rule.conditional && !beaten.conditional
        } else {
            self.is_within(one, other)
        }
    }

    fn denies(&self, rank: usize) -> bool {
        self.rules.get(rank).is_some_and(|rule| rule.denies())
    }

    fn set(&self, rank: usize) -> Option<&Set<'_>> {
        self.family.get(self.family.set_of(rank))
    }

    /// A name that is in all of some sets, and that is not settled, whatever the arguments, by any rule that would settle it.
    fn contested(
        &self,
        sets: &[&Set<'_>],
        settles: &dyn Fn(usize) -> bool,
        effort: &mut Effort,
    ) -> Option<String> {
        let mut settled: Vec<&Set<'_>> = Vec::new();
        for _ in 0..MOST_SETTLING {
            let example = pattern::example(sets, &settled, effort).ok()??;
            let matching = self.family.matching(&example).into_iter();
            let mut settling = matching.filter(|rank| self.is_sure(*rank) && settles(*rank));
            match settling.next() {
                Some(rank) => settled.push(self.set(rank)?),
                None => return Some(example),
            }
        }
        None
    }

    /// Whether a rule holds whatever the arguments.
    fn is_sure(&self, rank: usize) -> bool {
        self.rules.get(rank).is_some_and(|rule| !rule.conditional)
    }

    /// Whether the names of one rule are strictly among those of another, both by rank.
    fn is_within(&self, one: usize, other: usize) -> bool {
        self.family
            .is_within(self.family.set_of(one), self.family.set_of(other))
    }
}

/// The stricter, the larger. Of two rules about one tier, the one that allows nothing is stricter.
fn strictness(effect: Effect) -> (Option<Tier>, bool) {
    match effect {
        Effect::Deny => (Some(Tier::Critical), true),
        Effect::Tier(tier) => (Some(tier), true),
        Effect::Allow(tier) => (tier, false),
    }
}

#[cfg(test)]
mod tests;
