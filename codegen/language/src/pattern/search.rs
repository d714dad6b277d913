//! The shortest name that some globs match and others do not.
//!
//! A breadth-first walk over the product of the automata. Of the globs that must match, each is followed in one of its states at a time; those
//! that must not match are followed in all of theirs at once. If a place was reached before, and with no more of the latter, to
//! come there again leads to nothing new.

use std::collections::BTreeMap;

use knotrust_core::{glob::Glob, names::is_regular};

use super::{
    Effort, TooHard,
    alphabet::alphabet,
    machine::{Machine, State},
};

/// Which names to look at.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Among {
    /// Those of actions: a server without dots, a dot, a tool, all in the characters that names have.
    Actions,
    /// Those in the characters that names have.
    Regular,
    /// All texts.
    All,
}

pub(super) struct Search<'s, 'g> {
    /// Of each of these, one must match.
    pub(super) every: &'s [&'s [Glob<'g>]],
    /// None of these may match.
    pub(super) none: &'s [Glob<'g>],
    pub(super) among: Among,
}

impl<'g> Search<'_, 'g> {
    pub(super) fn find(&self, effort: &mut Effort) -> Result<Option<String>, TooHard> {
        self.walk(None, effort)
    }

    /// Finds a name by which of the globs in `none` match it, given by their places.
    pub(super) fn find_where(
        &self,
        wanted: &Wanted<'_>,
        effort: &mut Effort,
    ) -> Result<Option<String>, TooHard> {
        self.walk(Some(wanted), effort)
    }

    fn walk(
        &self,
        wanted: Option<&Wanted<'_>>,
        effort: &mut Effort,
    ) -> Result<Option<String>, TooHard> {
        let every: Vec<Machine<'g>> = self.every.iter().map(|globs| Machine::of(globs)).collect();
        let globs = self
            .every
            .iter()
            .copied()
            .flatten()
            .chain(self.none)
            .copied();
        let mut walk = Walk {
            alphabet: alphabet(globs),
            none: Machine::of(self.none),
            among: self.among,
            wanted,
            places: Vec::new(),
            effort,
            seen: BTreeMap::new(),
            every,
        };
        walk.alphabet
            .retain(|c| self.among == Among::All || is_regular(*c));
        walk.run()
    }
}

type Wanted<'w> = dyn Fn(&[usize]) -> bool + 'w;

struct Walk<'g, 'e> {
    every: Vec<Machine<'g>>,
    none: Machine<'g>,
    alphabet: Vec<char>,
    among: Among,
    wanted: Option<&'e Wanted<'e>>,
    places: Vec<Place>,
    effort: &'e mut Effort,
    /// For each place where the walk was, what the forbidden globs could be in.
    seen: BTreeMap<(Vec<State>, Part), Vec<Vec<State>>>,
}

struct Place {
    every: Vec<State>,
    none: Vec<State>,
    part: Part,
    /// Where it was reached from, and by which character.
    from: Option<(usize, char)>,
}

/// How much of the name of an action has been read.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Part {
    Nothing,
    Server,
    Dot,
    Tool,
}

impl Walk<'_, '_> {
    fn run(&mut self) -> Result<Option<String>, TooHard> {
        let starts: Vec<_> = self.every.iter().map(Machine::start).collect();
        let none = self.none.start();
        for every in product(&starts) {
            self.visit(every, none.clone(), Part::Nothing, None)?;
        }
        let mut at = 0;
        while let Some(place) = self.places.get(at) {
            if self.is_wanted(place) {
                return Ok(Some(self.spell(at)));
            }
            let (every, none, part) = (place.every.clone(), place.none.clone(), place.part);
            for c in self.alphabet.clone() {
                let Some(part) = self.advance(part, c) else {
                    continue;
                };
                let Some(next) = self.step(&every, c) else {
                    continue;
                };
                let none = self.none.step_all(&none, c);
                for every in product(&next) {
                    self.visit(every, none.clone(), part, Some((at, c)))?;
                }
            }
            at += 1;
        }
        Ok(None)
    }

    fn visit(
        &mut self,
        every: Vec<State>,
        none: Vec<State>,
        part: Part,
        from: Option<(usize, char)>,
    ) -> Result<(), TooHard> {
        let seen = self.seen.entry((every.clone(), part)).or_default();
        self.effort.spend((1 + none.len()) * (1 + seen.len()))?;
        let known = match self.wanted {
            None => self.none.is_endless(&none) || seen.iter().any(|known| is_subset(known, &none)),
            Some(_) => seen.contains(&none),
        };
        if known {
            return Ok(());
        }
        seen.push(none.clone());
        self.places.push(Place {
            every,
            none,
            part,
            from,
        });
        Ok(())
    }

    fn is_wanted(&self, place: &Place) -> bool {
        let matched = place
            .every
            .iter()
            .zip(&self.every)
            .all(|(state, machine)| machine.accepts(*state));
        let whole = self.among != Among::Actions || place.part == Part::Tool;
        if !matched || !whole {
            return false;
        }
        let forbidden = self.none.accepted(&place.none);
        match self.wanted {
            None => forbidden.is_empty(),
            Some(wanted) => wanted(&forbidden),
        }
    }

    /// The states that each of the required globs can be in; `None` if one can be in none.
    fn step(&self, every: &[State], c: char) -> Option<Vec<Vec<State>>> {
        let next = every.iter().zip(&self.every).map(|(state, machine)| {
            let mut to = Vec::new();
            machine.step(*state, c, &mut to);
            (!to.is_empty()).then_some(to)
        });
        next.collect()
    }

    fn advance(&self, part: Part, c: char) -> Option<Part> {
        if self.among != Among::Actions {
            return Some(part);
        }
        match (part, c) {
            (Part::Nothing, '.') => None,
            (Part::Nothing, _) => Some(Part::Server),
            (Part::Server, '.') => Some(Part::Dot),
            (Part::Server, _) => Some(Part::Server),
            (Part::Dot | Part::Tool, _) => Some(Part::Tool),
        }
    }

    fn spell(&self, at: usize) -> String {
        let mut characters = Vec::new();
        let mut from = self.places.get(at).and_then(|place| place.from);
        while let Some((at, c)) = from {
            characters.push(c);
            from = self.places.get(at).and_then(|place| place.from);
        }
        characters.iter().rev().collect()
    }
}

/// Every way to take one of each.
fn product(choices: &[Vec<State>]) -> Vec<Vec<State>> {
    choices.iter().fold(vec![Vec::new()], |all, choice| {
        all.iter()
            .flat_map(|taken| {
                choice
                    .iter()
                    .map(|state| [taken.as_slice(), &[*state]].concat())
            })
            .collect()
    })
}

/// Whether all of some sorted states are among others.
fn is_subset(few: &[State], many: &[State]) -> bool {
    let mut many = many.iter();
    few.iter().all(|state| many.any(|other| other == state))
}
