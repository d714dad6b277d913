//! Which sets of names lie within which, among thousands.
//!
//! To compare every two would be too much. But if a set lies within another, then so does every name in it: one name of each glob, written so
//! that hardly any other glob matches it by accident, is looked up among all globs in one pass, and only the sets that hold it are compared.

use std::collections::BTreeMap;

use knotrust_core::{
    glob::Glob,
    names::{NamesBuilder, OwnedNames},
};

use super::{Entangled, RuleShape};
use crate::pattern::{Effort, Set, TooHard};

/// More pairs of a set and one around it are no policy.
const MOST_PAIRS: usize = 5_000_000;

/// How much automata may do to compare all of them.
const EFFORT: Effort = Effort::of(100_000_000);

/// The distinct sets of names of some rules.
pub(super) struct Family<'r, 'a> {
    sets: Vec<&'r Set<'a>>,
    /// The set of each rule, by rank.
    of_rule: Vec<usize>,
    /// The rules of each set, ascending.
    rules: Vec<Vec<usize>>,
    /// For each set those that strictly contain it, ascending.
    wider: Vec<Vec<usize>>,
    /// Every glob, with the set it belongs to. Sets that are spelled differently and hold the same names are looked up under several.
    names: OwnedNames,
    /// For each spelling its set.
    merged: Vec<usize>,
}

impl<'r, 'a> Family<'r, 'a> {
    pub(super) fn of(rules: &[&'r RuleShape<'a>]) -> Result<Self, Entangled> {
        let mut spellings: BTreeMap<Vec<Glob<'a>>, usize> = BTreeMap::new();
        let mut sets: Vec<&'r Set<'a>> = Vec::new();
        let mut of_rule = Vec::with_capacity(rules.len());
        for rule in rules {
            let fresh = sets.len();
            let set = *spellings.entry(rule.set.globs().collect()).or_insert(fresh);
            if set == fresh {
                sets.push(&rule.set);
            }
            of_rule.push(set);
        }
        let names = names(&sets);
        let around = around(&sets, &names).map_err(|pair| {
            let first = |set| of_rule.iter().position(|other| *other == set).unwrap_or(0);
            Entangled {
                rules: pair.map(first),
            }
        })?;
        let merged = merge(&around);
        let mut family = Self {
            rules: vec![Vec::new(); sets.len()],
            wider: Vec::new(),
            of_rule,
            sets,
            names,
            merged,
        };
        family.settle(&around);
        Ok(family)
    }

    /// Replaces every set by the first that holds the same names.
    fn settle(&mut self, around: &[Vec<usize>]) {
        let merged = |set: &usize| self.merged.get(*set).copied().unwrap_or(*set);
        self.of_rule = self.of_rule.iter().map(merged).collect();
        self.wider = around
            .iter()
            .enumerate()
            .map(|(set, around)| {
                let mut wider: Vec<usize> = around
                    .iter()
                    .map(merged)
                    .filter(|other| *other != merged(&set))
                    .collect();
                wider.sort_unstable();
                wider.dedup();
                wider
            })
            .collect();
        for (rule, set) in self.of_rule.iter().enumerate() {
            if let Some(rules) = self.rules.get_mut(*set) {
                rules.push(rule);
            }
        }
    }

    pub(super) fn set_of(&self, rule: usize) -> usize {
        self.of_rule.get(rule).copied().unwrap_or(usize::MAX)
    }

    pub(super) fn get(&self, set: usize) -> Option<&'r Set<'a>> {
        self.sets.get(set).copied()
    }

    pub(super) fn len(&self) -> usize {
        self.sets.len()
    }

    /// The rules that have this set, ascending.
    pub(super) fn rules(&self, set: usize) -> &[usize] {
        self.rules.get(set).map_or(&[], Vec::as_slice)
    }

    /// The sets that strictly contain this one, ascending.
    pub(super) fn wider(&self, set: usize) -> &[usize] {
        self.wider.get(set).map_or(&[], Vec::as_slice)
    }

    pub(super) fn is_within(&self, set: usize, other: usize) -> bool {
        self.wider(set).binary_search(&other).is_ok()
    }

    /// The rules whose sets hold this name, ascending.
    pub(super) fn matching(&self, name: &str) -> Vec<usize> {
        let mut found = Vec::new();
        self.names.lend().matching(name, &mut found);
        let spellings = found.iter().filter_map(|id| usize::try_from(*id).ok());
        let mut sets: Vec<usize> = spellings
            .filter_map(|spelling| self.merged.get(spelling))
            .copied()
            .collect();
        sets.sort_unstable();
        sets.dedup();
        let mut rules: Vec<usize> = sets
            .iter()
            .flat_map(|set| self.rules(*set))
            .copied()
            .collect();
        rules.sort_unstable();
        rules
    }
}

fn names(sets: &[&Set<'_>]) -> OwnedNames {
    let mut builder = NamesBuilder::new();
    for (id, set) in (0..).zip(sets) {
        set.globs().for_each(|glob| builder.add_glob(id, glob));
    }
    builder.build()
}

/// For each set the others that contain it, strictly or not. If that can't be said within bounds, the two sets last compared.
fn around(sets: &[&Set<'_>], names: &OwnedNames) -> Result<Vec<Vec<usize>>, [usize; 2]> {
    let mut effort = EFFORT;
    let mut left = MOST_PAIRS;
    let mut all = Vec::with_capacity(sets.len());
    for (at, set) in sets.iter().enumerate() {
        let mut around = Vec::new();
        for candidate in candidates(set, names) {
            let pair = [at, candidate];
            let other = sets.get(candidate).filter(|_| candidate != at);
            let contains = other.map(|other| other.contains(set, &mut effort));
            if contains.transpose().map_err(|TooHard| pair)? == Some(true) {
                left = left.checked_sub(1).ok_or(pair)?;
                around.push(candidate);
            }
        }
        all.push(around);
    }
    Ok(all)
}

/// The sets that can contain this one, ascending: those that hold one name of each of its globs.
fn candidates(set: &Set<'_>, names: &OwnedNames) -> Vec<usize> {
    let mut common: Option<Vec<u32>> = None;
    let mut found = Vec::new();
    for form in set.forms() {
        names.lend().matching(&form.witness(), &mut found);
        common = Some(match common {
            None => found.clone(),
            Some(common) => common
                .into_iter()
                .filter(|id| found.binary_search(id).is_ok())
                .collect(),
        });
    }
    let common = common.unwrap_or_default();
    common
        .into_iter()
        .filter_map(|id| usize::try_from(id).ok())
        .collect()
}

/// For each set the first with the same names: they contain each other.
fn merge(around: &[Vec<usize>]) -> Vec<usize> {
    let mutual = |set: usize, other: usize| {
        around
            .get(other)
            .is_some_and(|around| around.binary_search(&set).is_ok())
    };
    let first = |(set, around): (usize, &Vec<usize>)| {
        let equal = around.iter().copied().find(|other| mutual(set, *other));
        equal.map_or(set, |other| other.min(set))
    };
    around.iter().enumerate().map(first).collect()
}
