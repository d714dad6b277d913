//! What can be wrong with a policy, as values: a stable code, a message, the places it is about, and what to do.

mod code;

use std::{cmp::Ordering, fmt::Write as _};

use crate::{
    located::Span,
    source::{FileId, Sources},
};

pub use code::{Code, Severity};

/// One thing that is wrong, or hardly meant.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Problem {
    /// The stable name of the fault.
    pub code: Code,
    /// What is wrong: lower case, no full stop, the user's words in backticks.
    pub message: String,
    /// Where: the first is the place itself, the others explain it.
    pub labels: Vec<Label>,
    /// What to do about it.
    pub help: Vec<String>,
}

/// A place, and what there is to say about it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// A few words, or none.
    pub text: String,
}

impl Problem {
    /// A problem without a place.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            labels: Vec::new(),
            help: Vec::new(),
        }
    }

    /// Adds a place. The first one added is where the problem is.
    #[must_use]
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label {
            span,
            text: text.into(),
        });
        self
    }

    /// Adds a way out.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// Where the problem is.
    pub fn span(&self) -> Option<Span> {
        self.labels.first().map(|label| label.span)
    }

    /// Whether it stops the policy from being compiled.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }
}

/// All that was found, with the texts it was found in.
#[derive(Clone, Debug)]
pub struct Problems {
    list: Vec<Problem>,
    sources: Sources,
}

/// More than this many would not be read by anyone, and a hostile file could make millions.
const MOST: usize = 100;

impl Problems {
    /// Sorts what was found by its place, and cuts the list where nobody would read on.
    pub(crate) fn new(mut list: Vec<Problem>, sources: Sources) -> Self {
        list.sort_by(in_reading_order);
        list.dedup();
        let surplus = list.len().saturating_sub(MOST);
        let at_least = if enough(&list) { "at least " } else { "" };
        if surplus > 0 {
            // A cut must not turn a policy with errors into one with warnings.
            list.sort_by_key(Problem::severity);
            let dropped = list.split_off(MOST);
            list.sort_by(in_reading_order);
            if let Some(worst) = dropped.iter().map(Problem::severity).min() {
                list.push(Problem::new(
                    Code::too_many(worst),
                    format!("{at_least}{surplus} more like these"),
                ));
            }
        }
        Self { list, sources }
    }

    /// True if nothing was found, not even a warning.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Everything, in the order of the text.
    pub fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.list.iter()
    }

    /// What stops the policy from being compiled.
    pub fn errors(&self) -> impl Iterator<Item = &Problem> {
        self.iter()
            .filter(|problem| problem.severity() == Severity::Error)
    }

    /// What is legal and hardly meant.
    pub fn warnings(&self) -> impl Iterator<Item = &Problem> {
        self.iter()
            .filter(|problem| problem.severity() == Severity::Warning)
    }

    /// The texts that the problems point into.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }
}

/// True if more problems would not be read by anyone, and there is an error among those at hand: only then may the search end.
pub(crate) fn enough(problems: &[Problem]) -> bool {
    const ENOUGH: usize = 10 * MOST;
    problems.len() >= ENOUGH
        && problems
            .iter()
            .any(|problem| problem.severity() == Severity::Error)
}

/// The main file first, then its packs as they were read; within a file from top to bottom.
fn in_reading_order(one: &Problem, other: &Problem) -> Ordering {
    let place = |problem: &Problem| problem.span().map(|span| (span.file, span.start));
    let by_place = place(one).cmp(&place(other));
    by_place
        .then(one.severity().cmp(&other.severity()))
        .then(one.code.cmp(&other.code))
}

/// The user's words as they may be shown: on one line, of bounded length, and nothing in them that a terminal would obey or an eye overlook.
pub(crate) fn shown(text: &str) -> String {
    const LONGEST: usize = 80;
    let mut out = String::new();
    for char in text.chars().take(LONGEST) {
        if is_visible(char) {
            out.push(char);
        } else {
            let _ = write!(out, "<{}>", code_point(char));
        }
    }
    if text.chars().nth(LONGEST).is_some() {
        out.push('…');
    }
    out
}

/// `U+200B`, as Unicode names code points.
pub(crate) fn code_point(char: char) -> String {
    format!("U+{:04X}", u32::from(char))
}

/// False for what has no shape of its own, or changes how its neighbours are read.
pub(crate) fn is_visible(char: char) -> bool {
    !matches!(char,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{a0}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{1680}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}'
        | '\u{2800}' | '\u{3000}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Two places in one text are told apart by line; across files the name is needed too.
pub(crate) fn place(sources: &Sources, span: Span, seen_from: FileId) -> String {
    let line = sources.position(span).line;
    if span.file == seen_from {
        format!("line {line}")
    } else {
        format!("line {line} of `{}`", shown(&sources.name(span.file)))
    }
}
