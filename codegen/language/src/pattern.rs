//! What patterns have to do with each other: does one contain the other, do they overlap, and on which name?
//!
//! A pattern is an automaton over characters, and these questions are questions about products of automata. All of Unicode is
//! one alphabet: characters that no pattern in question tells apart are one symbol, so there are a few dozen at most. The answers
//! are exact. Containment means to make one side deterministic, which for patterns such as `*a????????????????????` takes more
//! states than there is room for: the search then ends in [`TooHard`], never in a guess.
//!
//! Most pairs of patterns in a real ruleset need no automaton: see [`quick`].

mod alphabet;
mod machine;
mod quick;
mod search;

use knotrust_core::glob::{Glob, Kind, Pattern};
use thiserror::Error;

pub(crate) use quick::Form;
use search::{Among, Search};

/// The patterns are too entangled to say how they relate.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[error("these patterns are too entangled to compare")]
pub struct TooHard;

/// How much may still be done to compare patterns, counted in states of automata looked at: a hundred million take a second or two.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    left: usize,
}

impl Effort {
    /// Enough for any one question about patterns that people write, and a fraction of a second.
    pub const ONE_QUESTION: Self = Self::of(8_000_000);

    pub(crate) const fn of(left: usize) -> Self {
        Self { left }
    }

    fn spend(&mut self, amount: usize) -> Result<(), TooHard> {
        self.left = self.left.checked_sub(amount).ok_or(TooHard)?;
        Ok(())
    }

    /// Does something with no more than is meant for one question.
    fn ask<T>(
        &mut self,
        question: impl FnOnce(&mut Self) -> Result<T, TooHard>,
    ) -> Result<T, TooHard> {
        let mut one = Self::of(self.left.min(Self::ONE_QUESTION.left));
        let before = one.left;
        let answer = question(&mut one);
        // Without an answer all of it is gone.
        let spent = if answer.is_ok() {
            before - one.left
        } else {
            before
        };
        self.left -= spent;
        answer
    }
}

/// The names, or the paths, that any of some patterns match.
#[derive(Clone, Debug, Default)]
pub struct Set<'a> {
    forms: Vec<Form<'a>>,
}

impl<'a> Set<'a> {
    /// What any of these patterns match. All are of one kind.
    pub fn of(patterns: impl IntoIterator<Item = &'a Pattern>) -> Self {
        let mut globs: Vec<_> = patterns.into_iter().flat_map(Pattern::globs).collect();
        globs.sort_unstable();
        globs.dedup();
        Self {
            forms: globs.into_iter().map(Form::of).collect(),
        }
    }

    /// The globs, sorted, none twice.
    pub fn globs(&self) -> impl ExactSizeIterator<Item = Glob<'a>> + Clone {
        self.forms.iter().map(|form| form.glob)
    }

    pub(crate) fn forms(&self) -> &[Form<'a>] {
        &self.forms
    }

    /// Whether it holds this name.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        self.globs().any(|glob| glob.matches(name))
    }

    /// Whether it holds every name that `other` holds.
    pub fn contains(&self, other: &Set<'_>, effort: &mut Effort) -> Result<bool, TooHard> {
        for form in &other.forms {
            if !self.contains_form(form, effort)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn contains_form(&self, form: &Form<'_>, effort: &mut Effort) -> Result<bool, TooHard> {
        let mut unknown = self.forms.len() > 1;
        for own in &self.forms {
            match own.contains(form) {
                Some(true) => return Ok(true),
                Some(false) => {}
                None => unknown = true,
            }
        }
        // Several together can hold what none of them holds.
        if !unknown {
            return Ok(false);
        }
        let none: Vec<_> = self.globs().collect();
        let outside = effort.ask(|effort| {
            Search {
                every: &[&[form.glob]],
                none: &none,
                among: Among::All,
            }
            .find(effort)
        })?;
        Ok(outside.is_none())
    }

    /// Whether some name is in both.
    pub fn overlaps(&self, other: &Set<'_>, effort: &mut Effort) -> Result<bool, TooHard> {
        for one in &self.forms {
            for two in &other.forms {
                if overlap(one, two, effort)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

pub(crate) fn overlap(
    one: &Form<'_>,
    two: &Form<'_>,
    effort: &mut Effort,
) -> Result<bool, TooHard> {
    if let Some(overlap) = one.overlaps(two) {
        return Ok(overlap);
    }
    let found = effort.ask(|effort| {
        Search {
            every: &[&[one.glob], &[two.glob]],
            none: &[],
            among: Among::All,
        }
        .find(effort)
    })?;
    Ok(found.is_some())
}

/// Whether there is a name in every one of some sets and in none of others; which, does not matter.
pub(crate) fn any(
    every: &[&Set<'_>],
    none: &[&Set<'_>],
    effort: &mut Effort,
) -> Result<Option<String>, TooHard> {
    find(every, none, Among::All, effort)
}

/// A name in a set for which the places of the `others` that hold it as well satisfy a condition.
pub(crate) fn any_where(
    set: &Set<'_>,
    others: &[&Set<'_>],
    wanted: &dyn Fn(&[usize]) -> bool,
    effort: &mut Effort,
) -> Result<Option<String>, TooHard> {
    let every: Vec<_> = set.globs().collect();
    let owners: Vec<usize> = others
        .iter()
        .enumerate()
        .flat_map(|(at, set)| set.globs().map(move |_| at))
        .collect();
    let globs: Vec<_> = others.iter().flat_map(|set| set.globs()).collect();
    let by_owner = |matched: &[usize]| {
        let mut holding: Vec<usize> = matched
            .iter()
            .filter_map(|at| owners.get(*at))
            .copied()
            .collect();
        holding.dedup();
        wanted(&holding)
    };
    effort.ask(|effort| {
        Search {
            every: &[&every],
            none: &globs,
            among: Among::All,
        }
        .find_where(&by_owner, effort)
    })
}

fn find(
    every: &[&Set<'_>],
    none: &[&Set<'_>],
    among: Among,
    effort: &mut Effort,
) -> Result<Option<String>, TooHard> {
    let every: Vec<Vec<Glob<'_>>> = every.iter().map(|set| set.globs().collect()).collect();
    let every: Vec<&[Glob<'_>]> = every.iter().map(Vec::as_slice).collect();
    let none: Vec<Glob<'_>> = none.iter().flat_map(|set| set.globs()).collect();
    effort.ask(|effort| {
        Search {
            every: &every,
            none: &none,
            among,
        }
        .find(effort)
    })
}

/// A short name that is in every one of some sets, and in none of others.
///
/// It looks like the name of an action if there is such a one, else like a tool's name, else it is whatever there is.
pub fn example(
    every: &[&Set<'_>],
    none: &[&Set<'_>],
    effort: &mut Effort,
) -> Result<Option<String>, TooHard> {
    let paths = every
        .iter()
        .flat_map(|set| set.globs())
        .any(|glob| glob.kind() == Kind::Path);
    let among: &[Among] = if paths {
        &[Among::All]
    } else {
        &[Among::Actions, Among::Regular, Among::All]
    };
    for &among in among {
        let found = find(every, none, among, effort)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests;
