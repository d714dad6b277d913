//! Rules of different strictness that overlap, and neither of which lies within the other.
//!
//! The stricter one decides what they share, which is safe and perhaps not meant. Where a third rule decides all of what two share, there is nothing
//! to say.

use std::collections::BTreeSet;

use knotrust_core::{ruleset::Source, tier::Tier};

use super::{Field, strictness};
use crate::pattern::{self, Effort, Form, Set};

/// More than so many would not be read.
const MOST_LISTED: usize = 50;

/// How many pairs of globs are looked at.
const MOST_LOOKS: usize = 1_000_000;

/// How much automata may do to compare all pairs.
const EFFORT: Effort = Effort::of(50_000_000);

/// Two rules that overlap.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Overlap {
    /// The one that decides.
    pub stricter: usize,
    /// The one that does not.
    pub laxer: usize,
    /// A name that both match, and that nothing narrower decides.
    pub example: String,
}

/// The overlaps that were found.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Overlaps {
    /// The first of them.
    pub listed: Vec<Overlap>,
    /// How many more pairs of patterns overlap.
    pub more: usize,
    /// Whether there may be yet more, which nobody counted.
    pub uncounted: bool,
}

impl Overlaps {
    pub(super) fn placed(mut self, order: &[usize]) -> Self {
        let placed = |rank: usize| order.get(rank).copied().unwrap_or(rank);
        for overlap in &mut self.listed {
            overlap.stricter = placed(overlap.stricter);
            overlap.laxer = placed(overlap.laxer);
        }
        self
    }
}

/// Finds them, by rank.
pub(super) fn find(field: &Field<'_, '_>) -> Overlaps {
    let mut overlaps = Overlaps::default();
    let mut seen = BTreeSet::new();
    let globs = globs(field);
    let mut looks = 0;
    let mut effort = EFFORT;
    for (at, one) in globs.iter().enumerate() {
        // What can start alike stands together: first a text, then all that begin with it.
        let alike = globs
            .iter()
            .skip(at + 1)
            .take_while(|two| two.start.starts_with(one.start));
        for two in alike {
            looks += 1;
            if looks > MOST_LOOKS {
                overlaps.uncounted = true;
                return overlaps;
            }
            let pair = (one.set.min(two.set), one.set.max(two.set));
            let Some((stricter, laxer)) = rivals(field, pair) else {
                continue;
            };
            let overlap = pattern::overlap(one.form, two.form, &mut effort);
            overlaps.uncounted |= overlap.is_err();
            if overlap != Ok(true) || !seen.insert(pair) {
                continue;
            }
            if overlaps.listed.len() == MOST_LISTED {
                overlaps.more += 1;
                continue;
            }
            let settles = |third| {
                field.denies(third) || field.beats(third, stricter) || field.beats(third, laxer)
            };
            let sets = [stricter, laxer].map(|rank| field.set(rank));
            let both: Vec<&Set<'_>> = sets.into_iter().flatten().collect();
            if let Some(example) = field.contested(&both, &settles, &mut effort) {
                overlaps.listed.push(Overlap {
                    stricter,
                    laxer,
                    example,
                });
            }
        }
    }
    overlaps
}

struct Placed<'f, 'a> {
    start: &'f str,
    set: usize,
    form: &'f Form<'a>,
}

/// The globs of all sets, by the text they start with.
fn globs<'f, 'a>(field: &'f Field<'_, 'a>) -> Vec<Placed<'f, 'a>> {
    let mut globs = Vec::new();
    for set in 0..field.family.len() {
        let named = !field.family.rules(set).is_empty();
        let forms = field
            .family
            .get(set)
            .filter(|_| named)
            .map_or(&[][..], Set::forms);
        globs.extend(forms.iter().map(|form| Placed {
            start: form.start(),
            set,
            form,
        }));
    }
    globs.sort_by(|one, two| one.start.cmp(two.start).then(one.set.cmp(&two.set)));
    globs
}

/// Two rules, one of either set, that differ in strictness: the stricter first.
fn rivals(field: &Field<'_, '_>, (one, two): (usize, usize)) -> Option<(usize, usize)> {
    if one == two || field.family.is_within(one, two) || field.family.is_within(two, one) {
        return None;
    }
    let rivals = |source| {
        let (one, two) = (extremes(field, one, source)?, extremes(field, two, source)?);
        let differ = |(a, b): &(usize, usize)| key(field, *a) != key(field, *b);
        let pairs = [(one.0, two.0), (one.0, two.1), (two.0, one.1)];
        pairs
            .into_iter()
            .find(differ)
            .map(|(a, b)| (a.min(b), a.max(b)))
    };
    rivals(Source::Own).or_else(|| rivals(Source::Pack))
}

/// The strictest and the laxest rule of a set that don't deny.
fn extremes(field: &Field<'_, '_>, set: usize, source: Source) -> Option<(usize, usize)> {
    let fitting = |rank: &usize| {
        field
            .rules
            .get(*rank)
            .is_some_and(|rule| rule.source == source && !rule.denies())
    };
    let mut rules = field.family.rules(set).iter().copied().filter(fitting);
    let first = rules.next()?;
    Some((first, rules.next_back().unwrap_or(first)))
}

fn key(field: &Field<'_, '_>, rank: usize) -> Option<(Option<Tier>, bool)> {
    field.rules.get(rank).map(|rule| strictness(rule.effect))
}
