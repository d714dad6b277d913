//! Shells and interpreters: programs whose words or input are programs.

use super::super::target::Why;
use super::super::{magic, own};
use super::field::{Field, Meaning};
use super::folders::Folders;
use super::habits::{Habit, Inline};
use super::run::{Input, Run};

impl Run<'_, '_, '_> {
    /// A shell: a script as a word, in a file, or from its input.
    pub(super) fn shell(&mut self, rest: &[Field], folders: &Folders, input: &Input) {
        let options = Options::of(rest);
        let (before, operands) = rest.split_at_checked(options.count).unwrap_or((rest, &[]));
        self.operands(Habit::NAMES, "", before, folders, input);
        let Some((script, arguments)) = operands
            .split_first()
            .filter(|_| options.inline || !options.from_input)
        else {
            self.operands(Habit::PRINTED, "", operands, folders, input);
            return self.read_script(folders, input);
        };
        self.operands(Habit::NAMES, "", arguments, folders, input);
        match script.meaning() {
            Meaning::Text(text) if options.inline => {
                self.text(text, folders, input);
            }
            Meaning::Text(text) if is_input(text) => self.read_script(folders, input),
            Meaning::Text(_) | Meaning::Wild(..) => {
                self.operands(
                    Habit::NAMES,
                    "",
                    std::slice::from_ref(script),
                    folders,
                    input,
                );
            }
            Meaning::Stream => self.judge.unknown(Why::Program, ""),
            Meaning::Open(_, text) => self.judge.unknown(Why::Program, text),
        }
    }

    /// A shell that reads its script from its input.
    fn read_script(&mut self, folders: &Folders, input: &Input) {
        match input {
            Input::Inherited => {}
            Input::Data => self.judge.unknown(Why::Program, ""),
            Input::File(file) if magic::is_magic(file) => self.judge.unknown(Why::Program, file),
            // The script is a file, and a file's commands are its own affair.
            Input::File(_) => {}
            Input::Text(text) => match text.literal() {
                Some(text) => {
                    self.text(&text, folders, &Input::Inherited);
                }
                None => self.judge.unknown(Why::Program, ""),
            },
        }
    }

    /// An interpreter of another language: a program in its words or from its input may do anything.
    pub(super) fn interpreter(
        &mut self,
        base: &str,
        rest: &[Field],
        inline: Inline,
        folders: &Folders,
        input: &Input,
    ) {
        self.operands(Habit::NAMES, base, rest, folders, input);
        let options = rest.iter().take_while(|field| {
            field
                .literal()
                .is_none_or(|word| word.len() > 1 && word.starts_with('-'))
                || inline.subcommand(field)
        });
        let given = options.clone().any(|field| inline.is_given(field));
        let first = rest.get(options.count());
        let fed = match input {
            Input::Data | Input::Text(_) => true,
            Input::File(file) => magic::is_magic(file),
            Input::Inherited => false,
        };
        let reads = first.is_none_or(|field| field.literal().is_some_and(is_input));
        let from_stream = first.is_some_and(|field| field.literal().is_none());
        if given || from_stream || (fed && reads && !shows_only(rest)) {
            let mentions = |text: &str| own::mentions_program(text);
            self.judge.own |= rest.iter().filter_map(Field::literal).any(mentions);
            if let Input::Text(text) = input {
                self.judge.own |= text.literal().is_some_and(|text| mentions(&text));
            }
            self.judge.unknown(Why::Program, base);
        }
    }
}

/// The options of a shell.
#[derive(Default)]
struct Options {
    count: usize,
    /// Whether the next word is a script.
    inline: bool,
    /// Whether the script comes from the input.
    from_input: bool,
}

impl Options {
    fn of(rest: &[Field]) -> Self {
        let mut options = Self::default();
        while let Some(word) = rest.get(options.count).and_then(Field::literal) {
            if word.len() < 2 || !word.starts_with(['-', '+']) {
                break;
            }
            options.count += 1;
            if word == "--" {
                break;
            }
            match word.strip_prefix("--") {
                Some(long) => {
                    options.inline |= long == "command";
                    options.count += usize::from(matches!(long, "rcfile" | "init-file"));
                }
                None => {
                    let is_set = word.starts_with('-');
                    options.inline |= is_set && word.contains('c');
                    options.from_input |= is_set && word.contains('s');
                    options.count += usize::from(word.ends_with(['o', 'O']));
                }
            }
        }
        options.count = options.count.min(rest.len());
        options
    }
}

fn is_input(word: &str) -> bool {
    matches!(word, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
}

/// Whether an interpreter is asked for its version or for help, or runs a module.
fn shows_only(rest: &[Field]) -> bool {
    let shows = |word: &str| matches!(word, "-V" | "-v" | "--version" | "-h" | "--help" | "-m");
    rest.iter().filter_map(Field::literal).any(shows)
}
