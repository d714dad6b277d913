//! What the shell does itself: folders, scripts as words, tests.

use super::super::own;
use super::super::target::{Access, Why};
use super::field::{Field, Meaning};
use super::folders::{After, Folders};
use super::habits::Habit;
use super::program::named;
use super::run::{Input, Run};

impl Run<'_, '_, '_> {
    /// `cd`, `pushd`, `popd`.
    pub(super) fn change(&mut self, base: &str, rest: &[Field], folders: &Folders) -> After {
        let is_option = |field: &&Field| {
            field
                .literal()
                .is_some_and(|word| word.len() > 1 && word.starts_with('-') && word != "--")
        };
        let mut operands = rest
            .iter()
            .filter(|field| !is_option(field) && field.literal() != Some("--"));
        let mut after = After::unmoved(folders);
        match (operands.next().map(Field::meaning), base) {
            (Some(Meaning::Text(text)), _) if &**text == "-" || text.starts_with('+') => {
                self.go_back(folders, &mut after)
            }
            (Some(Meaning::Text(text)), _) => self.go_to(text, folders, &mut after),
            (Some(Meaning::Wild(_, text) | Meaning::Open(_, text)), _) => {
                self.judge.unknown(Why::Folder, text)
            }
            (Some(Meaning::Stream), _) => {}
            (None, "cd" | "chdir") => match self.home.clone() {
                Some(home) => self.go_to(&home, folders, &mut after),
                None => self.judge.unknown(Why::Folder, base),
            },
            // Without a name these go back to where the shell was.
            (None, _) => self.go_back(folders, &mut after),
        }
        after
    }

    fn go_to(&mut self, text: &str, folders: &Folders, after: &mut After) {
        self.value(text, named(Access::Read), folders);
        if self.has_cdpath && !text.starts_with(['/', '.']) {
            self.judge.unknown(Why::Folder, text);
        }
        if !self.visited.join(folders) {
            self.judge.unknown(Why::Folder, text);
        }
        after.success = self.enter(text, folders);
    }

    fn go_back(&mut self, folders: &Folders, after: &mut After) {
        if self.visited.is_never() {
            self.judge.unknown(Why::Folder, "");
        }
        after.success = self.visited.clone();
        self.join(&mut after.success, folders);
    }

    /// `eval`: what its words make is read once more, and may be anything.
    pub(super) fn evaluate(&mut self, rest: &[Field]) {
        let words: Vec<_> = rest.iter().filter_map(Field::literal).collect();
        let text = words.join(" ");
        self.judge.own |= own::mentions_program(&text);
        self.judge.unknown(Why::Program, &text);
    }

    /// `source`: the commands of a file become those of this shell, which may then be anywhere.
    pub(super) fn source(&mut self, base: &str, rest: &[Field], folders: &Folders, input: &Input) {
        self.operands(Habit::NAMES, base, rest, folders, input);
        self.judge.unknown(Why::Program, base);
    }

    /// `trap`: a script for later.
    pub(super) fn trap(&mut self, rest: &[Field], folders: &Folders) {
        match rest.first().map(Field::meaning) {
            Some(Meaning::Text(text)) => {
                self.text(text, folders, &Input::Inherited);
            }
            Some(Meaning::Open(why, text)) => self.judge.unknown(*why, text),
            Some(Meaning::Wild(..) | Meaning::Stream) | None => {}
        }
    }

    /// `alias`: names for the beginnings of commands.
    pub(super) fn aliases(&mut self, rest: &[Field], folders: &Folders) {
        for field in rest {
            match field.meaning() {
                Meaning::Text(text) => {
                    let command = text.split_once('=').map_or("", |(_, command)| command);
                    self.text(command, folders, &Input::Inherited);
                }
                Meaning::Open(why, text) => self.judge.unknown(*why, text),
                Meaning::Wild(..) | Meaning::Stream => {}
            }
        }
    }

    /// `test`, `[ … ]` and `[[ … ]]`: files are looked at, everything else is compared.
    pub(super) fn test(&mut self, rest: &[Field], folders: &Folders) {
        let word = |at: Option<usize>| at.and_then(|at| rest.get(at)).and_then(Field::literal);
        for (at, field) in rest.iter().enumerate() {
            let before = word(at.checked_sub(1));
            let compares = |word: &str| matches!(word, "-nt" | "-ot" | "-ef");
            let around = [before, word(at.checked_add(1))];
            let is_file =
                before.is_some_and(is_file_test) || around.into_iter().flatten().any(compares);
            let habit = if is_file {
                Habit::NAMES
            } else {
                Habit::PRINTED
            };
            self.operands(
                habit,
                "test",
                std::slice::from_ref(field),
                folders,
                &Input::Inherited,
            );
        }
    }
}

fn is_file_test(word: &str) -> bool {
    matches!(word.strip_prefix('-'), Some(letter) if letter.len() == 1 && "abcdefghkLNOprsStuwxG".contains(letter))
}
