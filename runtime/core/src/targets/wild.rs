//! Paths with wildcards in a call: which governed paths could be among those they stand for?
//!
//! A pattern that a call names is never expanded: what exists is not known here, and may change before the call runs. It is
//! compared with governed paths instead, segment by segment, as a set of positions that are all still possible.

use crate::glob::{Casing, Glob};
use crate::surroundings::fold;

/// One character position of a segment.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Atom {
    /// This character.
    Char(char),
    /// Any one character.
    One,
    /// One character of the class, or outside it.
    Class {
        /// Outside.
        negated: bool,
        /// From and to, both included.
        ranges: Vec<(char, char)>,
    },
    /// Any characters, also none.
    Star,
    /// Digits and signs, also none: what arithmetic leaves.
    Digits,
}

/// One segment of a pattern.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Step {
    /// Any number of folders.
    Deep,
    /// A name.
    Name(Vec<Atom>),
}

/// A path with wildcards.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Wild {
    /// Whether it starts at the root.
    pub(super) rooted: bool,
    pub(super) steps: Vec<Step>,
    /// Whether it climbs out of a folder that could be any.
    climbs: bool,
}

/// The positions in a pattern that are possible after some segments of a path.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Positions(u64);

/// More steps, or more atoms in one, than this and everything is possible.
const LIMIT: usize = 63;

impl Wild {
    /// Reads a glob as tools take it: `*`, `?`, `[a-z]`, `**`, and `\` before a character that means itself.
    pub(super) fn read(text: &str) -> Self {
        let mut wild = Self::default();
        let mut atoms = Vec::new();
        let mut characters = text.chars();
        wild.rooted = text.starts_with('/');
        while let Some(c) = characters.next() {
            match c {
                '/' => wild.push(std::mem::take(&mut atoms)),
                '*' => atoms.push(Atom::Star),
                '?' => atoms.push(Atom::One),
                '[' => match class(characters.as_str()) {
                    Some((class, rest)) => {
                        atoms.push(class);
                        characters = rest.chars();
                    }
                    None => atoms.push(Atom::Char('[')),
                },
                '\\' => atoms.push(Atom::Char(characters.next().unwrap_or('\\'))),
                c => atoms.push(Atom::Char(c)),
            }
        }
        wild.push(atoms);
        wild
    }

    /// Appends a segment, folding `.` and `..`; two stars alone are any number of folders.
    pub(super) fn push(&mut self, atoms: Vec<Atom>) {
        match atoms.as_slice() {
            [] | [Atom::Char('.')] => {}
            [Atom::Char('.'), Atom::Char('.')] => {
                let above = |step: &Step| matches!(step, Step::Name(name) if *name == atoms);
                match self.steps.last() {
                    None if self.rooted => {}
                    None => self.steps.push(Step::Name(atoms)),
                    Some(last) if above(last) => self.steps.push(Step::Name(atoms)),
                    Some(Step::Deep) => self.climbs = true,
                    Some(Step::Name(_)) => {
                        self.steps.pop();
                    }
                }
            }
            [Atom::Star, Atom::Star] => self.steps.push(Step::Deep),
            _ => self.steps.push(Step::Name(atoms)),
        }
    }

    /// The pattern below a folder, which is absolute and has no wildcards.
    pub(super) fn below(&self, folder: &str) -> Self {
        if self.rooted {
            return self.clone();
        }
        let mut wild = Self {
            rooted: true,
            steps: Vec::new(),
            climbs: self.climbs,
        };
        let names = folder
            .split('/')
            .map(|name| name.chars().map(Atom::Char).collect());
        names.for_each(|atoms| wild.push(atoms));
        for step in &self.steps {
            match step {
                Step::Deep => wild.steps.push(Step::Deep),
                Step::Name(atoms) => wild.push(atoms.clone()),
            }
        }
        wild
    }

    /// The folder above the first wildcard.
    pub(super) fn fixed(&self) -> String {
        let names = self.steps.iter().map_while(|step| match step {
            Step::Name(atoms) => literal(atoms),
            Step::Deep => None,
        });
        names.fold(String::new(), |folder, name| folder + "/" + &name)
    }

    /// The same pattern below another folder than the fixed one.
    pub(super) fn moved(&self, folder: &str) -> Self {
        let fixed = |step: &Step| matches!(step, Step::Name(atoms) if literal(atoms).is_some());
        let wild = Self {
            rooted: false,
            steps: self
                .steps
                .iter()
                .skip_while(|step| fixed(step))
                .cloned()
                .collect(),
            climbs: self.climbs,
        };
        wild.below(folder)
    }

    /// Whether it cannot be said what it stands for.
    pub(super) const fn is_unclear(&self) -> bool {
        self.climbs
    }

    /// Where every match starts.
    pub(super) fn start(&self) -> Positions {
        self.closure(1)
    }

    /// The positions after one more segment.
    pub(super) fn after(
        &self,
        positions: Positions,
        name: &str,
        casing: Casing,
        hidden: bool,
    ) -> Positions {
        if self.steps.len() > LIMIT {
            return positions;
        }
        let mut next = 0;
        for (at, step) in self.steps.iter().enumerate() {
            if positions.0 & (1 << at) == 0 {
                continue;
            }
            match step {
                Step::Deep if hidden || !name.starts_with('.') => next |= 1 << at,
                Step::Deep => {}
                Step::Name(atoms) if matches(atoms, name, casing, hidden) => next |= 1 << (at + 1),
                Step::Name(_) => {}
            }
        }
        self.closure(next)
    }

    /// Whether the pattern is complete at one of the positions.
    pub(super) fn is_complete(&self, positions: Positions) -> bool {
        self.steps.len() > LIMIT || positions.0 & (1 << self.steps.len()) != 0
    }

    /// Whether something that the glob matches could be among what is left, or below it if `deep`.
    pub(super) fn meets(
        &self,
        positions: Positions,
        glob: &[Step],
        casing: Casing,
        deep: bool,
    ) -> bool {
        if self.steps.len() > LIMIT {
            return true;
        }
        let starts = (0..=self.steps.len()).filter(|at| positions.0 & (1 << at) != 0);
        starts.into_iter().any(|at| {
            let rest = self.steps.get(at..).unwrap_or(&[]);
            steps_meet(rest, glob, casing, deep, &mut 0)
        })
    }

    fn closure(&self, mut positions: u64) -> Positions {
        for (at, step) in self.steps.iter().take(LIMIT).enumerate() {
            if *step == Step::Deep && positions & (1 << at) != 0 {
                positions |= 1 << (at + 1);
            }
        }
        Positions(positions)
    }
}

impl Positions {
    /// Whether nothing is possible any more.
    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// The steps of a glob of the ruleset.
pub(super) fn steps_of(glob: Glob<'_>) -> Vec<Step> {
    Wild::read(glob.text()).steps
}

/// The one name that these atoms stand for.
pub(super) fn literal(atoms: &[Atom]) -> Option<String> {
    let character = |atom: &Atom| match atom {
        Atom::Char(c) => Some(*c),
        Atom::One | Atom::Class { .. } | Atom::Star | Atom::Digits => None,
    };
    atoms.iter().map(character).collect()
}

/// Reads the class after a `[`.
pub(super) fn class(text: &str) -> Option<(Atom, &str)> {
    let mut characters = text.chars().peekable();
    let mut used = 0;
    let negated = matches!(characters.peek(), Some('!' | '^'));
    if negated {
        used += characters.next().map_or(0, char::len_utf8);
    }
    let mut members = Vec::new();
    loop {
        let c = characters.next()?;
        used += c.len_utf8();
        match c {
            ']' if !members.is_empty() && !names_class(&members) => break,
            '/' => return None,
            '\\' => {
                let c = characters.next()?;
                used += c.len_utf8();
                members.push(c);
            }
            c => members.push(c),
        }
    }
    Some((
        Atom::Class {
            negated,
            ranges: ranges(&members),
        },
        text.get(used..)?,
    ))
}

/// Whether a bracket would only close a class of classes, `[[:alpha:]`.
fn names_class(members: &[char]) -> bool {
    let opens = members.windows(2).rposition(|pair| pair == ['[', ':']);
    let name = opens.and_then(|at| members.get(at + 2..));
    name.is_some_and(|name| name.last() == Some(&':') && !name.contains(&']'))
}

fn ranges(members: &[char]) -> Vec<(char, char)> {
    // A class of classes, `[:alpha:]`, could be anything.
    if members.contains(&':') && members.contains(&'[') {
        return vec![('\0', char::MAX)];
    }
    let mut ranges = Vec::new();
    let mut rest = members;
    while let Some((first, after)) = rest.split_first() {
        rest = match after {
            ['-', last, after @ ..] => {
                ranges.push((*first, *last));
                after
            }
            after => {
                ranges.push((*first, *first));
                after
            }
        };
    }
    ranges
}

fn matches(atoms: &[Atom], name: &str, casing: Casing, hidden: bool) -> bool {
    if !hidden && name.starts_with('.') && !matches!(atoms.first(), Some(Atom::Char('.'))) {
        return false;
    }
    if atoms.len() > LIMIT {
        return true;
    }
    let spread = |states: u64| {
        atoms.iter().enumerate().fold(states, |states, (at, atom)| {
            let skips = matches!(atom, Atom::Star | Atom::Digits) && states & (1 << at) != 0;
            if skips {
                states | 1 << (at + 1)
            } else {
                states
            }
        })
    };
    let mut states = spread(1);
    for c in name.chars() {
        let mut next = 0_u64;
        for (at, atom) in atoms.iter().enumerate() {
            if states & (1 << at) != 0 && takes(atom, c, casing) {
                let stays = matches!(atom, Atom::Star | Atom::Digits);
                next |= 1 << (if stays { at } else { at + 1 });
            }
        }
        states = spread(next);
    }
    states & (1 << atoms.len()) != 0
}

fn takes(atom: &Atom, c: char, casing: Casing) -> bool {
    match atom {
        Atom::Char(own) => alike(*own, c, casing),
        Atom::One | Atom::Star => true,
        Atom::Digits => c.is_ascii_digit() || c == '-',
        Atom::Class { negated, ranges } => {
            let has = |c: char| ranges.iter().any(|(from, to)| (*from..=*to).contains(&c));
            let either = || has(c) || c.to_lowercase().any(has) || c.to_uppercase().any(has);
            match casing {
                Casing::Exact => has(c) != *negated,
                Casing::Folded => *negated || either(),
            }
        }
    }
}

fn alike(one: char, other: char, casing: Casing) -> bool {
    one == other
        || (casing == Casing::Folded
            && fold(one.encode_utf8(&mut [0; 4])) == fold(other.encode_utf8(&mut [0; 4])))
}

/// The comparisons after which two patterns are taken to meet.
const BUDGET: usize = 4_096;

fn steps_meet(wild: &[Step], glob: &[Step], casing: Casing, deep: bool, spent: &mut usize) -> bool {
    *spent += 1;
    if *spent > BUDGET {
        return true;
    }
    let go = |wild: &[Step], glob: &[Step], spent: &mut usize| {
        steps_meet(wild, glob, casing, deep, spent)
    };
    match (wild.split_first(), glob.split_first()) {
        (None, None) => true,
        // A walk from what the pattern names meets what lies below.
        (None, Some((Step::Deep, []))) => true,
        (None, Some(_)) => deep,
        (Some((Step::Deep, rest)), None) => go(rest, glob, spent),
        (Some((Step::Name(_), _)), None) => false,
        (Some((Step::Deep, rest)), Some((Step::Deep, others))) => {
            go(rest, glob, spent) || go(wild, others, spent)
        }
        (Some((Step::Deep, rest)), Some((Step::Name(_), others))) => {
            go(rest, glob, spent) || go(wild, others, spent)
        }
        (Some((Step::Name(_), rest)), Some((Step::Deep, others))) => {
            go(wild, others, spent) || go(rest, glob, spent)
        }
        (Some((Step::Name(one), rest)), Some((Step::Name(other), others))) => {
            names_meet(one, other, casing, spent) && go(rest, others, spent)
        }
    }
}

fn names_meet(one: &[Atom], other: &[Atom], casing: Casing, spent: &mut usize) -> bool {
    *spent += 1;
    if *spent > BUDGET {
        return true;
    }
    let (Some((a, one_rest)), Some((b, other_rest))) = (one.split_first(), other.split_first())
    else {
        let skippable = |atom: &Atom| matches!(atom, Atom::Star | Atom::Digits);
        return one.iter().chain(other).all(skippable);
    };
    let spans = |atom: &Atom| matches!(atom, Atom::Star | Atom::Digits);
    match (spans(a), spans(b)) {
        (true, _) if names_meet(one_rest, other, casing, spent) => true,
        (_, true) if names_meet(one, other_rest, casing, spent) => true,
        (true, true) => false,
        (true, false) => meets(a, b, casing) && names_meet(one, other_rest, casing, spent),
        (false, true) => meets(b, a, casing) && names_meet(one_rest, other, casing, spent),
        (false, false) => meets(a, b, casing) && names_meet(one_rest, other_rest, casing, spent),
    }
}

fn meets(one: &Atom, other: &Atom, casing: Casing) -> bool {
    match (one, other) {
        (Atom::Char(c), atom) | (atom, Atom::Char(c)) => takes(atom, *c, casing),
        // Two sets of characters: to say that they are apart is not worth it.
        (
            Atom::One | Atom::Class { .. } | Atom::Star | Atom::Digits,
            Atom::One | Atom::Class { .. } | Atom::Star | Atom::Digits,
        ) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reaches(pattern: &str, path: &str) -> bool {
        let wild = Wild::read(pattern);
        let walk = |positions, name: &str| wild.after(positions, name, Casing::Exact, true);
        !path.split('/').fold(wild.start(), walk).is_empty()
    }

    #[test]
    fn a_pattern_reaches_what_it_could_stand_for() {
        for pattern in [
            "d*/a.md",
            "doc?/a.md",
            "[d]ocs/p*",
            "**/a.md",
            "*/*",
            "docs",
            "src/../docs/*",
            "./do*/x",
            "**",
        ] {
            assert!(reaches(pattern, "docs"), "{pattern}");
        }
        for pattern in [
            "doc[a-d]/a.md",
            "*.md",
            "src/*",
            "d/*",
            "docs/../x",
            "doc[!s]/x",
            "??",
        ] {
            assert!(!reaches(pattern, "docs"), "{pattern}");
        }
    }

    #[test]
    fn patterns_meet_if_one_path_fits_both() {
        let meets = |one: &str, other: &str| {
            let wild = Wild::read(one);
            wild.meets(wild.start(), &Wild::read(other).steps, Casing::Exact, false)
        };
        assert!(meets("src/*.md", "**/*.md"));
        assert!(!meets("src/*.md", "**/.env"));
        assert!(meets("**/x", "a/b/x"));
        assert!(meets("*/.env", "**/.env"));
        assert!(!meets("a/*", "b/*"));
    }
}
