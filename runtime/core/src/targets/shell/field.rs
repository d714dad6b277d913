//! From a word to what a program is given: braces, tildes, patterns.

use super::super::target::Why;
use super::super::wild::{Atom, Wild, class};
use super::tree::{Unit, Word};

/// One word as a program is given it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Field {
    units: Vec<Unit>,
}

/// What a field says.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Meaning {
    /// This text.
    Text(String),
    /// The names that a pattern stands for, and the pattern as it was written.
    Wild(Wild, String),
    /// The stream of other commands, which are followed where they stand.
    Stream,
    /// Something that only the shell will know; the text holds what is known.
    Open(Why, String),
}

/// The words that braces may make of one; more, and they stand for anything.
const MAX_FIELDS: usize = 256;

/// How many braces may follow each other or stand in each other, and how long a word with braces may be.
const MAX_DEPTH: usize = 24;
const MAX_UNITS: usize = 4_096;

impl Field {
    /// The fields of a word, braces multiplied out.
    pub(super) fn of(word: &Word) -> Vec<Self> {
        let has_braces = word.units.contains(&Unit::Bare('{'));
        let words = if has_braces {
            braces(&word.units, 0)
        } else {
            Some(vec![word.units.clone()])
        };
        match words {
            Some(words) => words.into_iter().map(|units| Self { units }).collect(),
            None => vec![Self {
                units: vec![Unit::Open(Why::Excess)],
            }],
        }
    }

    pub(super) fn text(text: &str) -> Self {
        Self {
            units: text.chars().map(Unit::Quoted).collect(),
        }
    }

    /// What `cd` goes to if nothing is named.
    pub(super) fn home() -> Self {
        Self {
            units: vec![Unit::Bare('~')],
        }
    }

    /// What the field says, with `home` for a tilde.
    pub(super) fn meaning(&self, home: Option<&str>) -> Meaning {
        let mut text = String::with_capacity(self.units.len());
        let mut open = None;
        let mut wild = false;
        let mut stream = false;
        let units = match self.tilde(home) {
            Ok(Some((start, rest))) => {
                text.push_str(&start);
                rest
            }
            Ok(None) => self.units.as_slice(),
            Err(why) => {
                open = Some(why);
                self.units.as_slice()
            }
        };
        for (at, unit) in units.iter().enumerate() {
            match unit {
                Unit::Bare('~') if follows_sign(units, at) => match home {
                    Some(home) => text.push_str(home),
                    None => open = Some(Why::Alias),
                },
                Unit::Bare(c) => {
                    wild |= matches!(c, '*' | '?' | '[');
                    text.push(*c);
                }
                Unit::Quoted(c) => text.push(*c),
                Unit::Nothing => {}
                Unit::Open(why) => open = Some(*why),
                Unit::Process => stream = true,
                Unit::Digits | Unit::Group => {
                    wild = true;
                    text.push('*');
                }
            }
        }
        match open {
            Some(why) => Meaning::Open(why, text),
            None if stream => Meaning::Stream,
            None if wild => {
                let start = text
                    .get(..text.len().saturating_sub(length(units)))
                    .unwrap_or("");
                Meaning::Wild(pattern(start, units), text)
            }
            None => Meaning::Text(text),
        }
    }

    /// The text, if all of it is known.
    pub(super) fn literal(&self) -> Option<String> {
        match self.meaning(None) {
            Meaning::Text(text) => Some(text),
            Meaning::Wild(..) | Meaning::Stream | Meaning::Open(..) => None,
        }
    }

    /// The folder that a tilde at the front stands for, and the rest. `~+` is the working folder, which relative paths start
    /// from anyhow.
    fn tilde(&self, home: Option<&str>) -> Result<Option<(String, &[Unit])>, Why> {
        let Some((Unit::Bare('~'), rest)) = self.units.split_first() else {
            return Ok(None);
        };
        let is_slash = |unit: &Unit| matches!(unit, Unit::Bare('/') | Unit::Quoted('/'));
        let end = rest.iter().position(is_slash).unwrap_or(rest.len());
        let (user, rest) = rest.split_at_checked(end).unwrap_or((&[], rest));
        match user {
            [] => home
                .map(|home| Some((home.to_owned(), rest)))
                .ok_or(Why::Alias),
            [Unit::Bare('+')] => Ok(Some((".".to_owned(), rest))),
            user if user.iter().all(
                |unit| matches!(unit, Unit::Bare(c) if c.is_alphanumeric() || "_.-".contains(*c)),
            ) =>
            {
                Err(Why::Alias)
            }
            _ => Ok(None),
        }
    }
}

/// Whether a tilde stands where the value of an assignment begins.
fn follows_sign(units: &[Unit], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| units.get(at));
    matches!(before, Some(Unit::Bare('=' | ':')))
        && matches!(
            units.get(at + 1),
            None | Some(Unit::Bare('/') | Unit::Quoted('/'))
        )
}

/// How many bytes of text units have.
fn length(units: &[Unit]) -> usize {
    units
        .iter()
        .map(|unit| match unit {
            Unit::Bare(c) | Unit::Quoted(c) => c.len_utf8(),
            Unit::Nothing | Unit::Open(_) | Unit::Process => 0,
            Unit::Digits | Unit::Group => 1,
        })
        .sum()
}

fn pattern(start: &str, units: &[Unit]) -> Wild {
    let mut wild = Wild::default();
    let mut atoms: Vec<Atom> = Vec::new();
    wild.rooted = start.starts_with('/')
        || (start.is_empty() && matches!(units.first(), Some(Unit::Bare('/') | Unit::Quoted('/'))));
    for c in start.chars() {
        match c {
            '/' => wild.push(std::mem::take(&mut atoms)),
            c => atoms.push(Atom::Char(c)),
        }
    }
    let mut rest = units;
    while let Some((unit, after)) = rest.split_first() {
        rest = after;
        match unit {
            Unit::Bare('/') | Unit::Quoted('/') => wild.push(std::mem::take(&mut atoms)),
            Unit::Bare('*') | Unit::Group => atoms.push(Atom::Star),
            Unit::Bare('?') => atoms.push(Atom::One),
            Unit::Bare('[') => match bracket(after) {
                Some((class, after)) => {
                    atoms.push(class);
                    rest = after;
                }
                None => atoms.push(Atom::Char('[')),
            },
            Unit::Digits => atoms.push(Atom::Digits),
            Unit::Bare(c) | Unit::Quoted(c) => atoms.push(Atom::Char(*c)),
            Unit::Nothing | Unit::Open(_) | Unit::Process => {}
        }
    }
    wild.push(atoms);
    wild
}

fn bracket(units: &[Unit]) -> Option<(Atom, &[Unit])> {
    // A class may hold quoted characters; its end is not quoted.
    let mut text = String::new();
    for (at, unit) in units.iter().enumerate() {
        match unit {
            Unit::Bare('/') | Unit::Quoted('/') => return None,
            Unit::Bare(']') if !matches!(text.as_str(), "" | "!" | "^") => {
                text.push(']');
                let (atom, _) = class(&text)?;
                return Some((atom, units.get(at + 1..)?));
            }
            Unit::Bare(c) => text.push(*c),
            Unit::Quoted(c) => {
                text.push('\\');
                text.push(*c);
            }
            Unit::Nothing => {}
            Unit::Open(_) | Unit::Digits | Unit::Group | Unit::Process => return None,
        }
    }
    None
}

/// Multiplies the braces of a word out; `None` if that makes too many, or if they are too many to look at.
fn braces(units: &[Unit], depth: usize) -> Option<Vec<Vec<Unit>>> {
    if depth > MAX_DEPTH || units.len() > MAX_UNITS {
        return None;
    }
    let Some((before, alternatives, after)) = first_braces(units) else {
        return Some(vec![units.to_vec()]);
    };
    let mut words = Vec::new();
    let tails = braces(after, depth + 1)?;
    for alternative in alternatives {
        for middle in braces(&alternative, depth + 1)? {
            for tail in &tails {
                words.push([before, &middle, tail].concat());
                if words.len() > MAX_FIELDS {
                    return None;
                }
            }
        }
    }
    Some(words)
}

/// What is before braces, what they stand for, and what is after.
type Braces<'u> = (&'u [Unit], Vec<Vec<Unit>>, &'u [Unit]);

/// The first braces that stand for several words.
fn first_braces(units: &[Unit]) -> Option<Braces<'_>> {
    for (start, unit) in units.iter().enumerate() {
        if *unit != Unit::Bare('{') {
            continue;
        }
        let inside = units.get(start + 1..)?;
        let Some(end) = closing(inside) else {
            continue;
        };
        let (body, after) = (inside.get(..end)?, inside.get(end + 1..)?);
        let alternatives = match split(body) {
            parts if parts.len() > 1 => parts,
            _ => match range(body) {
                Some(range) => range,
                None => continue,
            },
        };
        return Some((units.get(..start)?, alternatives, after));
    }
    None
}

fn closing(units: &[Unit]) -> Option<usize> {
    let mut open = 0_usize;
    for (at, unit) in units.iter().enumerate() {
        match unit {
            Unit::Bare('{') => open += 1,
            Unit::Bare('}') if open == 0 => return Some(at),
            Unit::Bare('}') => open -= 1,
            Unit::Bare(_)
            | Unit::Quoted(_)
            | Unit::Nothing
            | Unit::Open(_)
            | Unit::Digits
            | Unit::Group
            | Unit::Process => {}
        }
    }
    None
}

fn split(body: &[Unit]) -> Vec<Vec<Unit>> {
    let mut parts = vec![Vec::new()];
    let mut open = 0_usize;
    for unit in body {
        match unit {
            Unit::Bare('{') => open += 1,
            Unit::Bare('}') => open = open.saturating_sub(1),
            Unit::Bare(',') if open == 0 => {
                parts.push(Vec::new());
                continue;
            }
            Unit::Bare(_)
            | Unit::Quoted(_)
            | Unit::Nothing
            | Unit::Open(_)
            | Unit::Digits
            | Unit::Group
            | Unit::Process => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(*unit);
        }
    }
    parts
}

/// `{1..9}` and `{a..z..2}`: numbers are only known to be numbers, which is enough.
fn range(body: &[Unit]) -> Option<Vec<Vec<Unit>>> {
    let text: Option<String> = body
        .iter()
        .map(|unit| match unit {
            Unit::Bare(c) => Some(*c),
            Unit::Quoted(_)
            | Unit::Nothing
            | Unit::Open(_)
            | Unit::Digits
            | Unit::Group
            | Unit::Process => None,
        })
        .collect();
    let text = text?;
    let mut ends = text.split("..");
    let (from, to) = (ends.next()?, ends.next()?);
    if ends.clone().count() > 1 {
        return None;
    }
    let is_number = |text: &str| {
        let digits = text.trim_start_matches(['-', '+']);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    if is_number(from) && is_number(to) {
        return Some(vec![vec![Unit::Digits]]);
    }
    let mut letters = (from.chars(), to.chars());
    let (from, to) = (letters.0.next()?, letters.1.next()?);
    let single = letters.0.next().is_none() && letters.1.next().is_none();
    if !single || !from.is_ascii() || !to.is_ascii() {
        return None;
    }
    let (low, high) = if from <= to { (from, to) } else { (to, from) };
    Some((low..=high).map(|c| vec![Unit::Bare(c)]).collect())
}
