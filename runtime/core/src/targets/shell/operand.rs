//! The words of a program: what each could name.

use super::super::judge::Usage;
use super::super::path::Folder;
use super::super::reading::Manner;
use super::super::target::{Access, Reach};
use super::super::{own, url};
use super::field::{Field, Meaning};
use super::folders::Folders;
use super::habits::{self, Habit, Walk, Words};
use super::program::named;
use super::run::{Input, Run};

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
        let inside = self.moved(base, rest, folders);
        let folders = inside.as_ref().unwrap_or(folders);
        let walks = walks(habit.walk, rest);
        if walks && names_nothing(habit.walk, base, rest) && !reads_input(base, input) {
            let usage = below(habit.access);
            folders
                .iter()
                .for_each(|folder| self.judge.path("", folder, usage));
        }
        let last = rest.iter().rposition(|field| !is_option(field));
        let gathers = rest.iter().any(|field| {
            field
                .literal()
                .is_some_and(|word| word == "-t" || word.starts_with("--target-directory"))
        });
        let mut prose = false;
        for (at, field) in rest.iter().enumerate() {
            let word = field.literal();
            if std::mem::take(&mut prose)
                || word.as_deref().is_some_and(|word| holds_prose(base, word))
            {
                continue;
            }
            prose = word.as_deref().is_some_and(|word| takes_prose(base, word));
            let is_end = habit.words == Words::Transfer && Some(at) == last && !gathers;
            let reach = if walks && !is_end {
                Reach::Below
            } else {
                Reach::Named
            };
            let usage = Usage {
                access: if is_end { Access::Write } else { habit.access },
                reach,
                by_server: false,
            };
            self.operand(field, habit.words, base, usage, folders);
        }
        if habit.words == Words::Transfer && !gathers {
            self.arrivals(rest, last, folders);
        }
        if habit.words == Words::Any || base == "docker" {
            self.inner_program_of(rest, folders, input);
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
        match self.meaning(field) {
            Meaning::Text(text) => {
                // `export HOME=…`, `read HOME`, `printf -v HOME …`.
                if words == Words::Printed {
                    self.set(text.split('=').next().unwrap_or(&text));
                }
                self.value(&text, usage, folders);
                if words != Words::Printed {
                    self.blanks(&text, words, base, usage, folders);
                }
                if names_processes(base) {
                    self.judge.own |= own::mentions_program(&text);
                }
            }
            Meaning::Wild(wild, text) => {
                for folder in folders.iter() {
                    self.judge.wild(&wild, &text, folder, usage);
                    if let Some((_, value)) =
                        text.split_once('=').filter(|(_, value)| !value.is_empty())
                    {
                        self.judge.pattern(value, folder, usage);
                    }
                }
            }
            Meaning::Stream => {}
            Meaning::Open(why, text) => {
                if words != Words::Printed {
                    self.judge.unknown(why, &text);
                }
            }
        }
    }

    /// Judges a word in every reading: whole, behind an option's letters, and between the signs that programs take apart.
    pub(super) fn value(&mut self, text: &str, usage: Usage, folders: &Folders) {
        if text.is_empty() || text == "-" {
            return;
        }
        let manner = Manner {
            usage,
            whatwg: false,
            files: true,
        };
        let folders: Vec<Folder> = folders.iter().map(|folder| (**folder).clone()).collect();
        if self.judge.address(text, &folders, manner) {
            return;
        }
        if text.starts_with('-') && !text.contains('=') && !text.starts_with("--") {
            // `-fdocs/a`, `-Idocs`: where the letters end and the value begins, only the program knows.
            let starts = text
                .char_indices()
                .skip(2)
                .map(|(at, _)| at)
                .take(MAX_LETTERS);
            for at in starts {
                self.parts(text.get(at..).unwrap_or(""), &folders, manner);
            }
            return;
        }
        self.parts(text, &folders, manner);
    }

    fn parts(&mut self, text: &str, folders: &[Folder], manner: Manner) {
        if !text.starts_with("--") {
            self.each(text, folders, manner);
        }
        if !text.contains(SIGNS) {
            return;
        }
        for (at, sign) in text.match_indices(SIGNS).take(MAX_PARTS) {
            let rest = text.get(at + sign.len()..).unwrap_or("");
            if rest.is_empty() {
                continue;
            }
            if !self.judge.address(rest, folders, manner) {
                self.each(rest, folders, manner);
                let part = rest.split(SIGNS).next().unwrap_or(rest);
                if part.len() < rest.len() && !part.is_empty() {
                    self.each(part, folders, manner);
                }
            }
        }
        let first = text.split(SIGNS).next().unwrap_or(text);
        if !first.is_empty() && !first.starts_with('-') {
            self.each(first, folders, manner);
        }
    }

    fn each(&mut self, text: &str, folders: &[Folder], manner: Manner) {
        for folder in folders {
            self.judge.path(text, folder, manner.usage);
        }
    }

    /// A word with blanks: a name, or a little program.
    fn blanks(&mut self, text: &str, words: Words, base: &str, usage: Usage, folders: &Folders) {
        if !text.contains(char::is_whitespace) {
            return;
        }
        let script = script_in(text);
        if begins_like_command(script) {
            self.text(script, folders, &Input::Inherited);
        } else if words == Words::Any || !habits::is_known(base) {
            let manner = Manner {
                usage,
                whatwg: false,
                files: true,
            };
            let folders: Vec<Folder> = folders.iter().map(|folder| (**folder).clone()).collect();
            let pieces =
                text.split(|c: char| c.is_whitespace() || "'\"`()<>|;&,{}[]=:!".contains(c));
            for piece in pieces.filter(|piece| !piece.is_empty()).take(MAX_PIECES) {
                self.each(piece, &folders, manner);
            }
            if url::scheme(text).is_none() {
                let addresses = text
                    .split_whitespace()
                    .filter(|piece| piece.contains("://"));
                for address in addresses.take(MAX_PIECES) {
                    self.judge
                        .address(address.trim_matches(['\'', '"']), &folders, manner);
                }
            }
        }
    }

    /// A program that an unknown one seems to be given: a shell or an interpreter anywhere, any other after `--`.
    fn inner_program_of(&mut self, rest: &[Field], folders: &Folders, input: &Input) {
        let mut separated = false;
        for (at, field) in rest.iter().enumerate() {
            let word = field.literal().unwrap_or_default();
            let base = word.rsplit('/').next().unwrap_or(&word);
            let runs = habits::is_shell(base)
                || habits::interpreter(base).is_some()
                || own::is_program(&word);
            if runs || (separated && habits::is_known(base)) {
                self.program(rest.get(at..).unwrap_or(&[]), folders, input);
                return;
            }
            separated = word == "--";
        }
    }

    /// The folders that options of the program itself lead to: `git -C`, `make -C`, `tar -C`, `--directory=`.
    fn moved(&mut self, base: &str, rest: &[Field], folders: &Folders) -> Option<Folders> {
        let mut inside = folders.clone();
        let mut moved = false;
        for (at, field) in rest.iter().enumerate() {
            let Some(word) = field.literal() else {
                continue;
            };
            let next = || rest.get(at + 1).and_then(Field::literal);
            let raw = match word.as_str() {
                "-C" | "--directory" | "--chdir" | "--cwd" | "--work-tree" | "--prefix"
                | "--dir" | "--base-directory" => next(),
                word => FOLDER_OPTIONS
                    .iter()
                    .find_map(|option| word.strip_prefix(option))
                    .map(str::to_owned),
            };
            if let Some(raw) = raw.filter(|raw| !raw.is_empty() && base != "grep" && base != "rg") {
                let entered = self.enter(&raw, folders);
                moved |= inside.join(&entered);
            }
        }
        moved.then_some(inside)
    }

    /// What arrives where files are copied or moved to: `cp -r /tmp/docs .` writes `./docs`.
    fn arrivals(&mut self, rest: &[Field], last: Option<usize>, folders: &Folders) {
        let Some(end) =
            last.and_then(|at| rest.get(at))
                .and_then(|field| match self.meaning(field) {
                    Meaning::Text(text) => Some(text),
                    Meaning::Wild(..) | Meaning::Stream | Meaning::Open(..) => None,
                })
        else {
            return;
        };
        for field in rest
            .iter()
            .take(last.unwrap_or(0))
            .filter(|field| !is_option(field))
        {
            let source = field.literal().unwrap_or_default();
            let name = source
                .trim_end_matches('/')
                .rsplit(['/', ':'])
                .next()
                .unwrap_or("");
            if !name.is_empty() && !name.starts_with('.') {
                for folder in folders.iter() {
                    self.judge
                        .path(&format!("{end}/{name}"), folder, named(Access::Write));
                }
            }
        }
    }
}

const fn below(access: Access) -> Usage {
    Usage {
        access,
        reach: Reach::Below,
        by_server: false,
    }
}

fn is_option(field: &Field) -> bool {
    field
        .literal()
        .is_some_and(|word| word.len() > 1 && word.starts_with('-'))
}

/// Whether the program goes into folders, with these words.
fn walks(walk: Walk, rest: &[Field]) -> bool {
    let letters = match walk {
        Walk::Never => return false,
        Walk::Here | Walk::Named => return true,
        Walk::With(letters) | Walk::HereWith(letters) => letters,
    };
    let words = rest.iter().filter_map(Field::literal);
    let options = words.take_while(|word| word != "--");
    options
        .filter(|word| word.starts_with('-'))
        .any(|word| match word.strip_prefix("--") {
            Some(long) => matches!(
                long,
                "recursive" | "archive" | "dereference-recursive" | "directories=recurse"
            ),
            None => word.chars().skip(1).any(|c| letters.contains(c)),
        })
}

/// Whether a program that starts at the working folder is named no other.
fn names_nothing(walk: Walk, base: &str, rest: &[Field]) -> bool {
    if !matches!(walk, Walk::Here | Walk::HereWith(_)) {
        return false;
    }
    let pattern = takes_pattern(base);
    let mut needed = usize::from(pattern);
    let mut operands = 0;
    let mut valued = false;
    let mut ended = false;
    for field in rest {
        let word = field.literal();
        let word = word.as_deref().unwrap_or("?");
        if std::mem::take(&mut valued) {
            continue;
        }
        if ended || word == "-" || !word.starts_with('-') {
            operands += 1;
        } else if word == "--" {
            ended = true;
        } else {
            if pattern && gives_pattern(word) {
                needed = 0;
            }
            valued = has_value(base, word);
        }
    }
    operands <= needed
}

fn takes_pattern(base: &str) -> bool {
    matches!(
        base,
        "grep" | "egrep" | "fgrep" | "zgrep" | "rg" | "ag" | "ack" | "ripgrep" | "ugrep"
    )
}

fn gives_pattern(word: &str) -> bool {
    word == "--files"
        || word.starts_with("--regexp")
        || word.starts_with("--file=")
        || word == "--file"
        || (!word.starts_with("--")
            && word.contains(['e', 'f'])
            && !word.starts_with("-A")
            && !word.starts_with("-B"))
}

/// Whether an option is followed by a word of its own.
fn has_value(base: &str, word: &str) -> bool {
    if word.contains('=') {
        return false;
    }
    if let Some(long) = word.strip_prefix("--") {
        return matches!(
            long,
            "regexp"
                | "file"
                | "glob"
                | "iglob"
                | "type"
                | "type-not"
                | "max-count"
                | "context"
                | "after-context"
                | "before-context"
                | "max-depth"
                | "replace"
                | "threads"
                | "sort"
                | "sortr"
                | "pre"
                | "ignore-file"
                | "encoding"
                | "max-columns"
                | "colors"
                | "color"
                | "include"
                | "exclude"
                | "exclude-dir"
                | "exclude-from"
                | "label"
                | "depth"
                | "level"
                | "filelimit"
        );
    }
    let last = word.chars().last().unwrap_or(' ');
    match base {
        "tree" => "LPIoT".contains(last) && word.len() == 2,
        "du" => "dtB".contains(last) && word.len() == 2,
        "ls" | "eza" | "exa" => "IwTL".contains(last) && word.len() == 2,
        "rg" | "ripgrep" | "ag" | "ack" => "efgtTABCmMjrEd".contains(last),
        _ => "efABCmD".contains(last),
    }
}

/// Whether a searching program reads what another writes rather than the working folder.
fn reads_input(base: &str, input: &Input) -> bool {
    matches!(base, "rg" | "ag" | "ack" | "ripgrep" | "ugrep") && !matches!(input, Input::Inherited)
}

fn keeps_messages(base: &str) -> bool {
    matches!(
        base,
        "git-commit" | "gh" | "glab" | "hub" | "hg" | "svn" | "jj"
    )
}

/// Whether the next word is a message.
fn takes_prose(base: &str, word: &str) -> bool {
    if !keeps_messages(base) {
        return false;
    }
    match word.strip_prefix("--") {
        Some(long) => matches!(
            long,
            "message"
                | "title"
                | "body"
                | "notes"
                | "subject"
                | "description"
                | "comment"
                | "trailer"
        ),
        None => {
            word.starts_with('-') && word.ends_with('m')
                || (base != "git-commit" && matches!(word, "-t" | "-b" | "-n"))
        }
    }
}

/// Whether a word holds a message behind its option.
fn holds_prose(base: &str, word: &str) -> bool {
    keeps_messages(base)
        && (["--message=", "--title=", "--body=", "--notes="]
            .iter()
            .any(|option| word.starts_with(option))
            || (word.starts_with("-m") && word.len() > 2))
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
    let word = word.trim_start_matches(['(', '{', '!', '\\']);
    let base = word.rsplit('/').next().unwrap_or(word);
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
const SIGNS: [char; 4] = ['=', ':', ',', '@'];
const FOLDER_OPTIONS: [&str; 7] = [
    "--directory=",
    "--chdir=",
    "--cwd=",
    "--work-tree=",
    "--prefix=",
    "--dir=",
    "-C",
];
const MAX_LETTERS: usize = 12;
const MAX_PARTS: usize = 16;
const MAX_PIECES: usize = 128;
