//! What a command line says, as a tree.

use std::rc::Rc;

use super::super::target::Why;

/// A whole command line.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Tree {
    pub(super) script: Script,
    /// The texts of its here-documents, wherever in it they are asked for.
    pub(super) texts: Vec<Word>,
}

/// A list of commands.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Script {
    pub(super) chains: Vec<Chain>,
}

/// Pipelines joined by `&&` and `||`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Chain {
    pub(super) first: Pipeline,
    pub(super) rest: Vec<(Junction, Pipeline)>,
    /// Whether `&` ends it, so that it runs in a shell of its own.
    pub(super) background: bool,
}

/// What joins two pipelines.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Junction {
    And,
    Or,
}

/// Commands joined by `|`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Pipeline {
    pub(super) negated: bool,
    pub(super) first: Command,
    pub(super) rest: Vec<Command>,
}

/// One command and its redirections.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Command {
    pub(super) body: Body,
    pub(super) redirects: Vec<Redirect>,
}

/// What a command consists of.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Body {
    /// Assignments, then words.
    Simple {
        assignments: Vec<Assignment>,
        words: Vec<Word>,
    },
    /// `{ …; }`
    Group(Script),
    /// `( … )`
    Subshell(Script),
    /// `if`, with all its conditions, and `else`.
    If {
        arms: Vec<(Script, Script)>,
        otherwise: Option<Script>,
    },
    /// `while` and `until`.
    While { condition: Script, body: Script },
    /// `for` and `select`.
    For { words: Vec<Word>, body: Script },
    /// `case`; the words are the subject and the patterns.
    Case { words: Vec<Word>, arms: Vec<Script> },
    /// `[[ … ]]`
    Test(Vec<Word>),
    /// `(( … ))`, and the commands in it.
    Arithmetic(Word),
    /// `name() …`
    Function { name: String, body: Box<Command> },
    /// `coproc …`
    Coproc(Box<Command>),
}

/// `name=word`, or `name=(word …)`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Assignment {
    pub(super) name: String,
    pub(super) values: Vec<Word>,
}

/// A redirection.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Redirect {
    pub(super) kind: Flow,
    /// Whether it is the standard input that is redirected.
    pub(super) is_input: bool,
    /// The file, or the text of a here-string.
    pub(super) target: Word,
}

/// What a redirection does.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Flow {
    Read,
    Write,
    /// Both, as `<>` does, and `>&` if no descriptor follows.
    Both,
    /// Another descriptor, or none.
    Descriptor,
    /// The word as a text.
    Text,
    /// A here-document, by its number.
    Here(usize),
}

/// A word before expansion.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Word {
    /// The text of a word in which nothing is special; there are no units then.
    pub(super) plain: Option<Rc<str>>,
    pub(super) units: Vec<Unit>,
    /// The commands that run to make it.
    pub(super) inner: Vec<Script>,
}

/// One part of a word.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Unit {
    /// A character that the shell may take for more than itself.
    Bare(char),
    /// A character that stands for itself.
    Quoted(char),
    /// Quotes with nothing in them: they make a word where none would be.
    Nothing,
    /// What only the shell will know.
    Open(Why),
    /// A number that only the shell will know.
    Digits,
    /// A pattern in parentheses: any characters but `/`.
    Group,
    /// The stream of a process substitution.
    Process,
}

impl Word {
    /// The word, if nothing in it is to be expanded.
    pub(super) fn literal(&self) -> Option<String> {
        if let Some(plain) = &self.plain {
            return Some(plain.as_ref().to_owned());
        }
        let character = |unit: &Unit| match unit {
            Unit::Bare(c) | Unit::Quoted(c) => Some(Some(*c)),
            Unit::Nothing => Some(None),
            Unit::Open(_) | Unit::Digits | Unit::Group | Unit::Process => None,
        };
        let characters: Option<Vec<_>> = self.units.iter().map(character).collect();
        Some(characters?.into_iter().flatten().collect())
    }
}
