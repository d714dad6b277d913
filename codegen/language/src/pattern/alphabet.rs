//! The characters that matter.

use std::collections::BTreeMap;

use knotrust_core::{
    glob::{Class, Glob, Token},
    names::is_regular,
};

/// One character for each kind that some globs tell apart, those that read well first.
///
/// The dot is always a kind of its own, since it ends the name of a server, and so is the slash.
pub(super) fn alphabet<'a>(globs: impl Iterator<Item = Glob<'a>> + Clone) -> Vec<char> {
    let mut distinct = Distinct {
        bounds: vec!['\0'],
        classes: Vec::new(),
    };
    distinct.character('.');
    distinct.character('/');
    for token in globs.flat_map(Glob::tokens) {
        match token {
            Token::Char(c) => distinct.character(c),
            Token::Class(class) => distinct.class(class),
            Token::One | Token::Star | Token::Deep | Token::Folders | Token::Below => {}
        }
    }
    distinct.representatives()
}

struct Distinct<'a> {
    /// Where a stretch of like characters starts.
    bounds: Vec<char>,
    classes: Vec<Class<'a>>,
}

impl<'a> Distinct<'a> {
    fn character(&mut self, c: char) {
        self.range(c, c);
    }

    fn class(&mut self, class: Class<'a>) {
        if !self.classes.contains(&class) {
            self.classes.push(class);
            class.ranges().for_each(|(from, to)| self.range(from, to));
        }
    }

    fn range(&mut self, from: char, to: char) {
        self.bounds.push(from);
        self.bounds.extend((to..=char::MAX).nth(1));
    }

    fn representatives(mut self) -> Vec<char> {
        self.bounds.sort_unstable();
        self.bounds.dedup();
        let ends = self
            .bounds
            .iter()
            .skip(1)
            .map(|next| before(*next))
            .chain([char::MAX]);
        let mut kinds: BTreeMap<(Option<char>, Vec<bool>), char> = BTreeMap::new();
        for (&from, to) in self.bounds.iter().zip(ends) {
            // A stretch of one character may be one that a glob names.
            let single = (from == to).then_some(from);
            let within = self
                .classes
                .iter()
                .map(|class| class.contains(from))
                .collect();
            let best = best(from, to);
            let kept = kinds.entry((single, within)).or_insert(best);
            if appeal(best) < appeal(*kept) {
                *kept = best;
            }
        }
        let mut characters: Vec<_> = kinds.into_values().collect();
        characters.sort_unstable_by_key(|c| appeal(*c));
        characters
    }
}

/// The character before `c`, past the gap of the surrogates.
fn before(c: char) -> char {
    ('\0'..c).next_back().unwrap_or('\0')
}

/// The best to read of a stretch.
fn best(from: char, to: char) -> char {
    let plain = |start: char, end: char| {
        let (start, end) = (start.max(from), end.min(to));
        (start <= end).then_some(start)
    };
    plain('x', 'z')
        .or_else(|| plain('a', 'w'))
        .or_else(|| plain('0', '9'))
        .or_else(|| plain('A', 'Z'))
        .or_else(|| {
            ['_', '-', '.']
                .into_iter()
                .find(|c| (from..=to).contains(c))
        })
        .or_else(|| plain('!', '~'))
        .or_else(|| plain('\u{a1}', '\u{24f}'))
        .unwrap_or(from)
}

/// The smaller, the better a character reads in an example.
fn appeal(c: char) -> (u8, char) {
    let rank = match c {
        'x'..='z' => 0,
        'a'..='w' => 1,
        '0'..='9' => 2,
        'A'..='Z' => 3,
        c if is_regular(c) => 4,
        '!'..='~' => 5,
        _ => 6,
    };
    (rank, c)
}
