//! The words of a program: what each could name.

use super::super::judge::Usage;
use super::super::marks::Marks;
use super::super::reading::Manner;
use super::super::target::{Access, Reach, Why};
use super::super::{own, url};
use super::field::{Field, Meaning};
use super::folders::Folders;
use super::habits::{self, Habit, Words};
use super::messages;
use super::program::named;
use super::run::{Input, Run};
use super::walking;

impl Run<'_, '_, '_> {
    /// Judges the words of a program.
    pub(super) fn operands(
        &mut self,
        habit: Habit,
        base: &str,
        rest: &[Field],
        folders: &Folders,
        input: &Input,
    ) {
        let has_options = rest
            .iter()
            .any(|field| field.literal().is_some_and(|word| word.starts_with('-')));
        let inside = if has_options {
            self.moved(base, rest, folders)
        } else {
            None
        };
        let folders = inside.as_ref().unwrap_or(folders);
        let walks = walking::walks(habit.walk, rest);
        if walks && walking::starts_here(habit.walk, base, rest, input) {
            self.file("", below(habit.access), folders);
        }
        let end = (habit.words == Words::Transfer)
            .then(|| end_of(rest))
            .flatten();
        let mut is_message = false;
        for (at, field) in rest.iter().enumerate() {
            let word = field.literal().unwrap_or("");
            if std::mem::take(&mut is_message) || (has_options && messages::holds(base, word)) {
                continue;
            }
            is_message = has_options && messages::follows(base, word);
            if word.starts_with("--files-from") || word.starts_with("--files0-from") {
                self.judge.unknown(Why::Data, word);
            }
            let is_end = end == Some(at);
            let usage = Usage {
                access: if is_end { Access::Write } else { habit.access },
                reach: if walks && !is_end {
                    Reach::Below
                } else {
                    Reach::Named
                },
                by_server: false,
            };
            self.operand(field, habit.words, base, usage, folders);
        }
        if let Some(end) = end {
            self.arrivals(rest, end, folders);
        }
        if habit.words == Words::Any {
            self.inner_program_of(rest, folders, input);
        }
        if let Input::Text(text) = input
            && habits::takes_commands(base)
        {
            let text = text.literal().unwrap_or_default();
            self.pieces(&text, named(Access::Unknown), folders);
        }
    }

    fn operand(
        &mut self,
        field: &Field,
        words: Words,
        base: &str,
        usage: Usage,
        folders: &Folders,
    ) {
        match field.meaning() {
            Meaning::Text(text) => {
                if words == Words::Printed {
                    // `export HOME=…`, `read HOME`, `printf -v HOME …`.
                    self.set(text.split('=').next().unwrap_or(text));
                }
                // What is printed is words, unless it looks like nothing but a path.
                let is_path = text.contains('/') && !text.contains(char::is_whitespace);
                if words != Words::Printed || is_path {
                    self.value(text, usage, folders);
                }
                if words != Words::Printed {
                    self.blanks(text, words, base, usage, folders);
                }
                if names_processes(base) {
                    self.judge.own |= own::mentions_program(text);
                }
            }
            Meaning::Wild(wild, text) => {
                self.files(wild, text, usage, folders);
                let value = text.split_once('=').map_or("", |(_, value)| value);
                for folder in folders.as_slice().iter().filter(|_| !value.is_empty()) {
                    self.judge.pattern(value, folder, usage);
                }
            }
            Meaning::Stream => {}
            Meaning::Open(why, text) => {
                if words != Words::Printed {
                    self.judge.unknown(*why, text);
                }
            }
        }
    }

    /// Judges a word in every reading: whole, behind an option's letters, and between the signs that programs take apart.
    pub(super) fn value(&mut self, text: &str, usage: Usage, folders: &Folders) {
        if text.is_empty() || text == "-" {
            return;
        }
        let manner = plain(usage);
        let marks = Marks::of(text);
        let is_name = !marks.has(ADDRESS_SIGNS) && !text.eq_ignore_ascii_case("localhost");
        if !is_name && self.judge.address(text, folders.as_slice(), manner) {
            return;
        }
        let letters = text
            .strip_prefix('-')
            .filter(|letters| !letters.starts_with('-'));
        match letters.filter(|letters| !letters.contains('=')) {
            // `-fdocs/a`, `-Idocs`: where the letters end and the value begins, only the program knows.
            Some(letters) => {
                for (at, _) in letters.char_indices().skip(1).take(MAX_LETTERS) {
                    self.parts(letters.get(at..).unwrap_or(""), folders, manner);
                }
            }
            None if !marks.has(Marks::SIGN) && !text.starts_with("--") => {
                self.file(text, usage, folders);
            }
            None => self.parts(text, folders, manner),
        }
    }

    fn parts(&mut self, text: &str, folders: &Folders, manner: Manner) {
        if !text.starts_with("--") {
            self.file(text, manner.usage, folders);
        }
        let mut parts = text.split(SIGNS).filter(|part| part.len() < text.len());
        let Some(first) = parts.next() else {
            return;
        };
        if !first.starts_with('-') {
            self.file(first, manner.usage, folders);
        }
        if parts.clone().nth(MAX_PARTS).is_some() {
            return self.judge.unknown(Why::Excess, text);
        }
        let values = text
            .match_indices(SIGNS)
            .filter_map(|(at, sign)| text.get(at + sign.len()..));
        for part in values.take(MAX_VALUES).chain(parts) {
            let is_address = self.judge.address(part, folders.as_slice(), manner);
            if !part.is_empty() && !is_address {
                self.file(part, manner.usage, folders);
            }
        }
    }

    /// A word with blanks: a name, or a little program.
    pub(super) fn blanks(
        &mut self,
        text: &str,
        words: Words,
        base: &str,
        usage: Usage,
        folders: &Folders,
    ) {
        if !text.contains(char::is_whitespace) {
            return;
        }
        let script = script_in(text);
        if begins_like_command(script) {
            self.text(script, folders, &Input::Inherited);
        } else if words == Words::Any || !habits::is_known(base) {
            self.pieces(text, usage, folders);
        }
    }

    /// A text in a language that is not known here: every piece of it counts.
    fn pieces(&mut self, text: &str, usage: Usage, folders: &Folders) {
        let between = |c: char| c.is_whitespace() || "'\"`()<>|;&,{}[]=:!".contains(c);
        let pieces = text.split(between).filter(|piece| !piece.is_empty());
        if pieces.clone().nth(MAX_PIECES).is_some() {
            self.judge.unknown(Why::Excess, text);
        }
        for piece in pieces.take(MAX_PIECES) {
            self.file(piece, usage, folders);
        }
        let addresses = text
            .split_whitespace()
            .filter(|piece| piece.contains("://"));
        for address in addresses
            .take(MAX_PIECES)
            .filter(|_| url::scheme(text).is_none())
        {
            let address = address.trim_matches(['\'', '"']);
            self.judge
                .address(address, folders.as_slice(), plain(usage));
        }
    }

    /// A program that an unknown one seems to be given: a shell or an interpreter anywhere, any other after `--`.
    fn inner_program_of(&mut self, rest: &[Field], folders: &Folders, input: &Input) {
        let mut separated = false;
        for (at, field) in rest.iter().enumerate() {
            let word = field.literal().unwrap_or("");
            let base = habits::base(word);
            let runs = habits::is_shell(base)
                || habits::interpreter(base).is_some()
                || own::is_program(word);
            if runs || (separated && habits::is_known(base)) {
                self.program(rest.get(at..).unwrap_or(&[]), folders, input);
                return;
            }
            separated = word == "--";
        }
    }

    /// The folders that options of the program itself lead to: `git -C`, `make -C`, `tar -C`, `--directory=`.
    fn moved(&mut self, base: &str, rest: &[Field], folders: &Folders) -> Option<Folders> {
        let mut inside: Option<Folders> = None;
        for (at, field) in rest.iter().enumerate() {
            let Some(option) = field.literal().filter(|word| word.starts_with('-')) else {
                continue;
            };
            let attached = || {
                FOLDER_VALUES
                    .iter()
                    .find_map(|name| option.strip_prefix(name))
            };
            let next = || rest.get(at + 1).and_then(Field::literal);
            let raw = if FOLDER_OPTIONS.contains(&option) {
                next()
            } else {
                attached()
            };
            // With these the letter means context.
            let raw = raw.filter(|raw| !raw.is_empty() && !walking::takes_pattern(base));
            if let Some(raw) = raw {
                let entered = self.enter(raw, folders);
                let all = inside.get_or_insert_with(|| folders.clone());
                self.join(all, &entered);
            }
        }
        inside
    }

    /// What arrives where files are copied or moved to: `cp -r /tmp/docs .` writes `./docs`.
    fn arrivals(&mut self, rest: &[Field], end: usize, folders: &Folders) {
        let Some(to) = rest.get(end).and_then(Field::literal) else {
            return;
        };
        for source in rest.iter().take(end).filter_map(Field::literal) {
            let name = source
                .trim_end_matches('/')
                .rsplit(['/', ':'])
                .next()
                .unwrap_or("");
            if !name.is_empty() && !name.starts_with(['.', '-']) {
                self.file(&format!("{to}/{name}"), named(Access::Write), folders);
            }
        }
    }
}

const fn plain(usage: Usage) -> Manner {
    Manner {
        usage,
        whatwg: false,
        files: true,
    }
}

const fn below(access: Access) -> Usage {
    Usage {
        access,
        reach: Reach::Below,
        by_server: false,
    }
}

/// The word that says where the others go: the last, unless an option says it.
fn end_of(rest: &[Field]) -> Option<usize> {
    let gathers = |word: &str| word == "-t" || word.starts_with("--target-directory");
    if rest.iter().filter_map(Field::literal).any(gathers) {
        return None;
    }
    let is_option = |field: &Field| {
        field
            .literal()
            .is_some_and(|word| word.len() > 1 && word.starts_with('-'))
    };
    rest.iter().rposition(|field| !is_option(field))
}

fn names_processes(base: &str) -> bool {
    matches!(
        base,
        "pgrep" | "pkill" | "killall" | "pidof" | "kill" | "which" | "whereis" | "type" | "hash"
    )
}

/// A word without an option in front: `-O'cat x'`, `--pre=cat x`, `core.pager=cat x`.
fn script_in(text: &str) -> &str {
    let head = text.split_whitespace().next().unwrap_or("");
    if let Some((name, _)) = head.split_once('=') {
        return text.get(name.len() + 1..).unwrap_or(text);
    }
    if head.starts_with('-') && !head.starts_with("--") && head.len() > 2 {
        return text.get(2..).unwrap_or(text);
    }
    text
}

/// Whether a word with blanks begins as commands do, and not as sentences do.
fn begins_like_command(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or("");
    let base = habits::base(word.trim_start_matches(['(', '{', '!', '\\']));
    let is_sentence = SENTENCES.contains(&base) && !text.contains(['/', '|', ';', '$']);
    habits::is_known(base) && !is_sentence
}

/// Programs whose names begin sentences as well.
const SENTENCES: &[&str] = &[
    ":", ".", "[", "test", "find", "sort", "head", "make", "look", "file", "read", "set", "type",
    "time", "open", "say", "help", "which", "host", "install", "split", "link", "join", "let",
    "more", "less", "date", "go", "cut", "script", "local", "export", "true", "false", "history",
    "yes", "command", "exit", "return", "watch", "touch", "kill", "wait",
];

/// Signs of which one is in every address.
const ADDRESS_SIGNS: Marks = Marks::COLON
    .and(Marks::DOT)
    .and(Marks::OTHER)
    .and(Marks::VALUE);

/// What programs take words apart at.
const SIGNS: [char; 4] = ['=', ':', ',', '@'];
const FOLDER_OPTIONS: [&str; 8] = [
    "-C",
    "--directory",
    "--chdir",
    "--cwd",
    "--work-tree",
    "--prefix",
    "--dir",
    "--base-directory",
];
const FOLDER_VALUES: [&str; 7] = [
    "--directory=",
    "--chdir=",
    "--cwd=",
    "--work-tree=",
    "--prefix=",
    "--dir=",
    "-C",
];
const MAX_LETTERS: usize = 12;
const MAX_PARTS: usize = 4_096;
const MAX_VALUES: usize = 16;
const MAX_PIECES: usize = 2_000;
