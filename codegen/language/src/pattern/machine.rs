//! Globs as one automaton that may be in many states at once.

use knotrust_core::glob::{Glob, Kind, Token};

/// A state: where in which glob, and whether inside a folder's name or below the end.
pub(super) type State = usize;

/// The automaton of some globs, side by side.
pub(super) struct Machine<'a> {
    cells: Vec<Cell<'a>>,
    starts: Vec<State>,
}

#[derive(Clone, Copy)]
struct Cell<'a> {
    kind: Kind,
    glob: usize,
    /// What comes next; nothing at the end.
    token: Option<Token<'a>>,
    /// Two states a token: the second is inside what the token takes.
    inside: bool,
}

impl<'a> Machine<'a> {
    pub(super) fn of(globs: &[Glob<'a>]) -> Self {
        let mut machine = Self {
            cells: Vec::new(),
            starts: Vec::new(),
        };
        for (at, glob) in globs.iter().enumerate() {
            machine.starts.push(machine.cells.len());
            for token in glob.tokens().map(Some).chain([None]) {
                let cell = |inside| Cell {
                    kind: glob.kind(),
                    glob: at,
                    token,
                    inside,
                };
                machine.cells.extend([cell(false), cell(true)]);
            }
        }
        machine
    }

    /// The states before any character, of each glob.
    pub(super) fn start(&self) -> Vec<State> {
        let mut states = Vec::new();
        self.starts
            .iter()
            .for_each(|start| self.enter(*start, &mut states));
        self.settle(&mut states);
        states
    }

    /// The states after `c`, from one state.
    pub(super) fn step(&self, state: State, c: char, to: &mut Vec<State>) {
        let Some(Cell {
            kind,
            token: Some(token),
            inside,
            ..
        }) = self.cells.get(state).copied()
        else {
            return;
        };
        let outer = state - usize::from(inside);
        let within = kind == Kind::Name || c != '/';
        match token {
            Token::Char(expected) if c == expected => self.enter(state + 2, to),
            Token::One if within => self.enter(state + 2, to),
            Token::Class(class) if within && class.contains(c) => self.enter(state + 2, to),
            Token::Char(_) | Token::One | Token::Class(_) => {}
            Token::Star if c == '/' => {}
            Token::Star | Token::Deep => self.enter(state, to),
            Token::Folders if c == '/' => self.enter(outer, to),
            Token::Folders => to.push(outer + 1),
            Token::Below if inside || c == '/' => to.push(outer + 1),
            Token::Below => {}
        }
    }

    /// The states after `c`, from any of some.
    pub(super) fn step_all(&self, states: &[State], c: char) -> Vec<State> {
        let mut to = Vec::new();
        states
            .iter()
            .for_each(|state| self.step(*state, c, &mut to));
        self.settle(&mut to);
        to
    }

    /// Whether a text may end here.
    pub(super) fn accepts(&self, state: State) -> bool {
        self.cells
            .get(state)
            .is_some_and(|cell| matches!(cell.token, None | Some(Token::Below)))
    }

    /// The globs that match if the text ends in these states, ascending.
    pub(super) fn accepted(&self, states: &[State]) -> Vec<usize> {
        let accepting = states.iter().filter(|state| self.accepts(**state));
        let mut globs: Vec<_> = accepting
            .filter_map(|state| self.cells.get(*state))
            .map(|cell| cell.glob)
            .collect();
        globs.dedup();
        globs
    }

    /// Whether every text matches from here on.
    pub(super) fn is_endless(&self, states: &[State]) -> bool {
        states.iter().any(|state| {
            let last = self
                .cells
                .get(state + 2)
                .is_some_and(|cell| cell.token.is_none());
            last && self.is_deep(*state)
        })
    }

    /// Adds a state and those that are reached from it without a character.
    fn enter(&self, state: State, to: &mut Vec<State>) {
        let mut state = state;
        loop {
            to.push(state);
            match self.cells.get(state).and_then(|cell| cell.token) {
                Some(Token::Star | Token::Deep | Token::Folders) => state += 2,
                Some(Token::Char(_) | Token::One | Token::Class(_) | Token::Below) | None => return,
            }
        }
    }

    /// Sorts, and drops what adds nothing: whatever the states before an any-number-of-characters can still match, that one can.
    fn settle(&self, states: &mut Vec<State>) {
        states.sort_unstable();
        states.dedup();
        let mut deep = None;
        states.reverse();
        states.retain(|state| {
            let glob = self.cells.get(*state).map(|cell| cell.glob);
            let outdone = deep.is_some() && deep == glob;
            if self.is_deep(*state) {
                deep = glob;
            }
            !outdone
        });
        states.reverse();
    }

    fn is_deep(&self, state: State) -> bool {
        self.cells
            .get(state)
            .is_some_and(|cell| cell.token == Some(Token::Deep))
    }
}
