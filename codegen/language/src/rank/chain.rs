//! What lies around a rule, written down with as few numbers as will do.
//!
//! The reader follows the numbers from every matching rule and takes all it comes to for beaten. Rules with the same names become a
//! chain, those with conditions first, each in rank order; its end points to the chains of the next larger sets. So a rule comes to all it
//! beats, and beyond these only to some of its own chain that stand behind it: where it matches, either it is left and comes first, or
//! something beats it that beats them too.

use std::collections::BTreeMap;

use knotrust_core::ruleset::Source;

use super::Field;

pub(super) fn wider(field: &Field<'_, '_>) -> Vec<Vec<u32>> {
    let mut wider = vec![Vec::new(); field.rules.len()];
    for source in [Source::Own, Source::Pack] {
        link(field, source, &mut wider);
    }
    wider
}

fn link(field: &Field<'_, '_>, source: Source, wider: &mut [Vec<u32>]) {
    let chains = chains(field, source);
    for (set, chain) in &chains {
        for (rule, next) in chain.iter().zip(chain.iter().skip(1)) {
            add(wider, *rule, *next);
        }
        let heads = next_around(field, *set, &chains);
        for (end, head) in heads
            .into_iter()
            .filter_map(|head| Some((chain.last()?, head)))
        {
            add(wider, *end, head);
        }
    }
    wider.iter_mut().for_each(|ranks| ranks.sort_unstable());
}

fn add(wider: &mut [Vec<u32>], rule: usize, around: usize) {
    if let (Some(ranks), Ok(around)) = (wider.get_mut(rule), u32::try_from(around)) {
        ranks.push(around);
    }
}

/// The rules of a source that can be beaten, by their sets.
fn chains(field: &Field<'_, '_>, source: Source) -> BTreeMap<usize, Vec<usize>> {
    let mut chains: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for conditional in [true, false] {
        for (at, rule) in field.rules.iter().enumerate() {
            if rule.source == source && !rule.denies() && rule.conditional == conditional {
                chains.entry(field.family.set_of(at)).or_default().push(at);
            }
        }
    }
    chains
}

/// The heads of the chains around a set that no other chain lies between.
fn next_around(
    field: &Field<'_, '_>,
    set: usize,
    chains: &BTreeMap<usize, Vec<usize>>,
) -> Vec<usize> {
    let mut around: Vec<usize> = field
        .family
        .wider(set)
        .iter()
        .copied()
        .filter(|set| chains.contains_key(set))
        .collect();
    // What lies within more sets lies nearer.
    around.sort_by_key(|set| std::cmp::Reverse(field.family.wider(*set).len()));
    let mut behind: Vec<usize> = Vec::new();
    let mut heads = Vec::new();
    for set in around {
        if behind.binary_search(&set).is_err() {
            heads.extend(chains.get(&set).and_then(|chain| chain.first()));
            behind.extend(field.family.wider(set));
            behind.sort_unstable();
            behind.dedup();
        }
    }
    heads
}
