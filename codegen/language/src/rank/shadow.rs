//! Rules that can never decide.
//!
//! A rule can decide if there is a name, and there are conditions that hold or fail to, such that it is first among those left. To look at all
//! conditions is not needed: what helps a rule are those that hold and beat what stands before it, and none that stand before it
//! themselves, since what beats these beats what they beat. So, at a name, a rule is *blocked*
//!
//! - by an unconditional rule that beats it;
//! - by an unconditional rule before it, unless that is beaten by the rule itself or by one behind it that doesn't beat the rule;
//! - by an unconditional denial, and a pack's rule by any unconditional own one.
//!
//! If a name is known where it is not blocked, it can decide. The first name tried is one that few patterns match, and settles almost
//! every rule. Otherwise the blocking rule is taken out of the set, and the next name is sought in what remains.

use std::collections::BTreeMap;

use knotrust_core::ruleset::Source;

use super::Field;
use crate::pattern::{self, Effort, Set};

/// How much automata may do to settle all rules.
const EFFORT: Effort = Effort::of(50_000_000);

/// A rule that can never decide.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Shadowed {
    /// The rule.
    pub rule: usize,
    /// Those that decide in its stead, between them every name it matches; the first of them is as good as any to name.
    pub by: Vec<usize>,
}

impl Shadowed {
    pub(super) fn placed(self, order: &[usize]) -> Self {
        let placed = |rank: usize| order.get(rank).copied().unwrap_or(rank);
        Self {
            rule: placed(self.rule),
            by: self.by.into_iter().map(placed).collect(),
        }
    }
}

/// Finds them, by rank. A rule whose case can't be settled within bounds is taken for one that decides.
pub(super) fn find(field: &Field<'_, '_>) -> Vec<Shadowed> {
    let repeats = repeats(field);
    let mut judge = Judge {
        field,
        narrower: narrower(field),
        repeats: &repeats,
        effort: EFFORT,
    };
    let mut by = |rule: usize| match repeats.get(rule).copied().flatten() {
        Some(first) => Some(vec![first]),
        None => judge.judge(rule),
    };
    (0..field.rules.len())
        .filter_map(|rule| {
            Some(Shadowed {
                rule,
                by: by(rule)?,
            })
        })
        .collect()
}

/// For each rule one before it that matches the same names, whatever the arguments, if there is one. What such a rule does to
/// others the first of its kind does as well, so only that is looked at further.
fn repeats(field: &Field<'_, '_>) -> Vec<Option<usize>> {
    let mut repeats = vec![None; field.rules.len()];
    for set in 0..field.family.len() {
        let mut firsts: BTreeMap<(Source, bool), usize> = BTreeMap::new();
        for &rank in field.family.rules(set) {
            let Some(rule) = field.rules.get(rank).filter(|rule| !rule.conditional) else {
                continue;
            };
            let first = *firsts.entry((rule.source, rule.denies())).or_insert(rank);
            if let Some(repeat) = repeats.get_mut(rank).filter(|_| first != rank) {
                *repeat = Some(first);
            }
        }
    }
    repeats
}

/// For each set those that lie strictly within it.
fn narrower(field: &Field<'_, '_>) -> Vec<Vec<usize>> {
    let mut narrower = vec![Vec::new(); field.family.len()];
    for set in 0..field.family.len() {
        for around in field.family.wider(set) {
            if let Some(within) = narrower.get_mut(*around) {
                within.push(set);
            }
        }
    }
    narrower
}

struct Judge<'f, 'r, 'a> {
    field: &'f Field<'r, 'a>,
    narrower: Vec<Vec<usize>>,
    repeats: &'f [Option<usize>],
    effort: Effort,
}

impl<'r, 'a> Judge<'_, 'r, 'a> {
    /// The rules that block this one at every name, if they do.
    fn judge(&mut self, rule: usize) -> Option<Vec<usize>> {
        let own = self.field.family.set_of(rule);
        let set = self.field.family.get(own)?;
        let mut name = set.forms().first()?.witness();
        let mut blockers: Vec<usize> = Vec::new();
        loop {
            let mut matching = self.field.family.matching(&name);
            matching.retain(|other| self.is_first(*other));
            let found = self.blockers(rule, &matching);
            // The block is the same at all names of a rule that nothing behind this one can beat.
            let Some(&whole) = found
                .iter()
                .find(|blocker| self.blocks_wholly(rule, **blocker))
            else {
                return if found.is_empty() {
                    None
                } else {
                    self.judge_exactly(rule)
                };
            };
            blockers.push(whole);
            let around = self.field.family.set_of(whole);
            if around == own || self.field.family.is_within(own, around) {
                return Some(vec![whole]);
            }
            let taken: Vec<_> = blockers
                .iter()
                .filter_map(|blocker| self.set_of(*blocker))
                .collect();
            match pattern::any(&[set], &taken, &mut self.effort).ok()? {
                Some(next) => name = next,
                None => return Some(blockers),
            }
        }
    }

    /// Looks at every combination of the rules that have a name in common with this one.
    fn judge_exactly(&mut self, rule: usize) -> Option<Vec<usize>> {
        let set = self.set_of(rule)?;
        let mut effort = self.effort;
        let near: Vec<usize> = (0..self.field.rules.len())
            .filter(|other| *other != rule && self.is_first(*other))
            .filter(|other| self.meets(*other, set, &mut effort))
            .collect();
        let sets: Vec<_> = near
            .iter()
            .filter_map(|other| self.set_of(*other))
            .collect();
        let decides = |holding: &[usize]| {
            let matching = holding.iter().filter_map(|at| near.get(*at)).copied();
            self.blockers(rule, &matching.collect::<Vec<_>>())
                .is_empty()
        };
        let decided = pattern::any_where(set, &sets, &decides, &mut effort);
        let blockers = self.blockers(rule, &near);
        self.effort = effort;
        decided.is_ok_and(|name| name.is_none()).then_some(blockers)
    }

    fn meets(&self, rule: usize, set: &Set<'_>, effort: &mut Effort) -> bool {
        let own = self.set_of(rule);
        own.is_some_and(|own| own.overlaps(set, effort).unwrap_or(true))
    }

    fn is_first(&self, rule: usize) -> bool {
        self.repeats.get(rule).is_some_and(Option::is_none)
    }

    fn set_of(&self, rule: usize) -> Option<&'r Set<'a>> {
        self.field.family.get(self.field.family.set_of(rule))
    }

    /// The rules that block this one at a name, out of all that match there.
    fn blockers(&self, rule: usize, matching: &[usize]) -> Vec<usize> {
        matching
            .iter()
            .copied()
            .filter(|other| *other != rule && self.blocks(rule, *other, matching))
            .collect()
    }

    fn blocks(&self, rule: usize, other: usize, matching: &[usize]) -> bool {
        let (Some(blocked), Some(blocker)) =
            (self.field.rules.get(rule), self.field.rules.get(other))
        else {
            return false;
        };
        if blocker.conditional {
            return false;
        }
        if blocked.denies() {
            return blocker.denies() && self.outdoes(other, rule);
        }
        if blocker.denies() {
            return true;
        }
        if !self.competes(rule, other) {
            return false;
        }
        if blocker.source != blocked.source {
            return blocker.source == Source::Own;
        }
        if self.field.beats(other, rule) {
            return true;
        }
        other < rule
            && !self.field.beats(rule, other)
            && !matching
                .iter()
                .any(|helper| self.helps(rule, *helper, other))
    }

    /// Whether a rule that beats this blocker can match where `rule` is left.
    fn helps(&self, rule: usize, helper: usize, blocker: usize) -> bool {
        helper > rule
            && self.competes(rule, helper)
            && self.field.beats(helper, blocker)
            && !self.field.beats(helper, rule)
    }

    /// A denial makes another superfluous if it denies more, or as much and comes first.
    fn outdoes(&self, one: usize, other: usize) -> bool {
        self.field.is_within(other, one) || (one < other && !self.field.is_within(one, other))
    }

    /// Whether two rules are after the same thing: a rule that only allows leaves the tier to others.
    fn competes(&self, rule: usize, other: usize) -> bool {
        let (Some(rule), Some(other)) = (self.field.rules.get(rule), self.field.rules.get(other))
        else {
            return false;
        };
        !other.denies() && (other.sets_tier() || (!rule.sets_tier() && rule.source == other.source))
    }

    fn blocks_wholly(&self, rule: usize, blocker: usize) -> bool {
        let within = self
            .narrower
            .get(self.field.family.set_of(blocker))
            .into_iter()
            .flatten()
            .copied();
        let mut helpers = within
            .chain([self.field.family.set_of(blocker)])
            .flat_map(|set| self.field.family.rules(set));
        let settled = self
            .field
            .rules
            .get(blocker)
            .is_some_and(|blocker| blocker.denies())
            || self.field.beats(blocker, rule);
        settled || !helpers.any(|helper| self.helps(rule, *helper, blocker))
    }
}
