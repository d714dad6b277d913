//! From a word to what a program is given: braces, tildes, patterns.

use std::rc::Rc;

use super::super::target::Why;
use super::super::wild::{Atom, Wild, class};
use super::tree::{Unit, Word};

/// One word as a program is given it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Field {
    meaning: Meaning,
}

/// What a field says.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Meaning {
    /// This text.
    Text(Rc<str>),
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
    /// Adds the fields of a word, braces multiplied out, with `home` for a tilde.
    pub(super) fn expand(word: &Word, home: Option<&str>, fields: &mut Vec<Self>) {
        if let Some(plain) = &word.plain {
            fields.push(Self {
                meaning: Meaning::Text(Rc::clone(plain)),
            });
            return;
        }
        if !word.units.contains(&Unit::Bare('{')) {
            fields.push(Self::of(&word.units, home));
            return;
        }
        match braces(&word.units, 0) {
            Some(words) => fields.extend(words.iter().map(|units| Self::of(units, home))),
            None => fields.push(Self::of(&[Unit::Open(Why::Excess)], home)),
        }
    }

    /// A field that says just this.
    pub(super) fn text(text: &str) -> Self {
        Self {
            meaning: Meaning::Text(Rc::from(text)),
        }
    }

    fn of(units: &[Unit], home: Option<&str>) -> Self {
        Self {
            meaning: meaning(units, home),
        }
    }

    /// What the field says.
    pub(super) const fn meaning(&self) -> &Meaning {
        &self.meaning
    }

    /// The text, if all of it is known.
    pub(super) fn literal(&self) -> Option<&str> {
        match &self.meaning {
            Meaning::Text(text) => Some(text),
            Meaning::Wild(..) | Meaning::Stream | Meaning::Open(..) => None,
        }
    }
}

fn meaning(units: &[Unit], home: Option<&str>) -> Meaning {
    let mut text = String::with_capacity(units.len());
    let mut open = None;
    let mut wild = false;
    let mut stream = false;
    let rest = match tilde(units, home) {
        Ok(Some((start, rest))) => {
            text.push_str(start);
            rest
        }
        Ok(None) => units,
        Err(why) => {
            open = Some(why);
            units
        }
    };
    let start = text.len();
    for (at, unit) in rest.iter().enumerate() {
        match unit {
            Unit::Bare('~') if follows_sign(rest, at) => match home {
                Some(home) => text.push_str(home),
                None => open = Some(Why::Alias),
            },
            Unit::Bare(c) => {
                wild |= match c {
                    '*' | '?' => true,
                    '[' => rest.get(at + 1..).and_then(bracket).is_some(),
                    _ => false,
                };
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
            let wild = pattern(text.get(..start).unwrap_or(""), rest);
            Meaning::Wild(wild, text)
        }
        None => Meaning::Text(Rc::from(text)),
    }
}

/// The folder that a tilde at the front stands for, and the rest. `~+` is the working folder, which relative paths start
/// from anyhow.
fn tilde<'h, 'u>(
    units: &'u [Unit],
    home: Option<&'h str>,
) -> Result<Option<(&'h str, &'u [Unit])>, Why> {
    let Some((Unit::Bare('~'), rest)) = units.split_first() else {
        return Ok(None);
    };
    let is_slash = |unit: &Unit| matches!(unit, Unit::Bare('/') | Unit::Quoted('/'));
    let end = rest.iter().position(is_slash).unwrap_or(rest.len());
    let (user, rest) = rest.split_at_checked(end).unwrap_or((&[], rest));
    let is_name =
        |unit: &Unit| matches!(unit, Unit::Bare(c) if c.is_alphanumeric() || "_.-".contains(*c));
    match user {
        [] => home.map(|home| Some((home, rest))).ok_or(Why::Alias),
        [Unit::Bare('+')] => Ok(Some((".", rest))),
        user if user.iter().all(is_name) => Err(Why::Alias),
        _ => Ok(None),
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
            Unit::Bare(']') if !matches!(text.as_str(), "" | "!" | "^") && !is_named(&text) => {
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

/// Whether a bracket would only close a class of classes, `[[:alpha:]`.
fn is_named(class: &str) -> bool {
    let after = class.rfind("[:").and_then(|at| class.get(at + 2..));
    after.is_some_and(|name| name.ends_with(':') && !name.contains(']'))
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
