//! Names that are not routine, in sets of which all should be.

use knotrust_core::{
    ruleset::{Effect, Source},
    tier::Tier,
};

use super::Field;
use crate::pattern::{Effort, Set};

/// How much automata may do for all sets.
const EFFORT: Effort = Effort::of(20_000_000);

/// A name that is not routine.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct NotRoutine {
    /// The name.
    pub name: String,
    /// The rule that makes it something else; without one, no rule makes it routine.
    pub rule: Option<usize>,
}

impl NotRoutine {
    pub(super) fn placed(self, order: &[usize]) -> Self {
        let placed = |rank: usize| order.get(rank).copied().unwrap_or(rank);
        Self {
            rule: self.rule.map(placed),
            ..self
        }
    }
}

/// For each set a name in it that is not routine, or is not whatever the arguments, as far as can be found within bounds. What is denied does not
/// count: it is not meant to pass.
pub(super) fn find(field: &Field<'_, '_>, sets: &[Set<'_>]) -> Vec<Option<NotRoutine>> {
    let mut effort = EFFORT;
    let mut find = |set| {
        let stricter = stricter(field, set, &mut effort);
        stricter.or_else(|| unruled(field, set, &mut effort))
    };
    sets.iter().map(&mut find).collect()
}

/// A name that a rule makes something else.
fn stricter(field: &Field<'_, '_>, set: &Set<'_>, effort: &mut Effort) -> Option<NotRoutine> {
    let raised = |rank: &usize| tier(field, *rank).is_some_and(|tier| tier > Tier::Routine);
    (0..field.rules.len()).filter(raised).find_map(|rank| {
        let own = field.set(rank)?;
        if own.overlaps(set, effort) != Ok(true) {
            return None;
        }
        let settles = |other: usize| {
            let milder = field.beats(other, rank) || overrules(field, other, rank);
            field.denies(other) || (milder && is_routine(field, other))
        };
        let name = field.contested(&[set, own], &settles, effort)?;
        Some(NotRoutine {
            name,
            rule: Some(rank),
        })
    })
}

/// A name of which no rule says what it is, whatever the arguments.
fn unruled(field: &Field<'_, '_>, set: &Set<'_>, effort: &mut Effort) -> Option<NotRoutine> {
    let settles = |rank: usize| field.denies(rank) || tier(field, rank).is_some();
    let name = field.contested(&[set], &settles, effort)?;
    Some(NotRoutine { name, rule: None })
}

fn overrules(field: &Field<'_, '_>, one: usize, other: usize) -> bool {
    let source = |rank: usize| field.rules.get(rank).map(|rule| rule.source);
    source(one) == Some(Source::Own) && source(other) == Some(Source::Pack)
}

fn is_routine(field: &Field<'_, '_>, rank: usize) -> bool {
    tier(field, rank) == Some(Tier::Routine)
}

fn tier(field: &Field<'_, '_>, rank: usize) -> Option<Tier> {
    match field.rules.get(rank)?.effect {
        Effect::Tier(tier) => Some(tier),
        Effect::Allow(tier) => tier,
        Effect::Deny => None,
    }
}
