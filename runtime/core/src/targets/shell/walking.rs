//! Programs that go down into folders: do they, and from where?

use super::field::Field;
use super::habits::Walk;
use super::run::Input;

/// Whether the program goes into folders, with these words.
pub(super) fn walks(walk: Walk, rest: &[Field]) -> bool {
    let letters = match walk {
        Walk::Never => return false,
        Walk::Here | Walk::Named => return true,
        Walk::With(letters) | Walk::HereWith(letters) => letters,
    };
    let words = rest
        .iter()
        .filter_map(Field::literal)
        .take_while(|word| *word != "--");
    let options = words.filter_map(|word| word.strip_prefix('-'));
    options
        .into_iter()
        .any(|option| match option.strip_prefix('-') {
            Some(long) => matches!(
                long,
                "recursive" | "archive" | "dereference-recursive" | "directories=recurse"
            ),
            None => option.contains(|c| letters.contains(c)),
        })
}

/// Whether a program that goes into folders starts at the working folder.
pub(super) fn starts_here(walk: Walk, base: &str, rest: &[Field], input: &Input) -> bool {
    let fed = !matches!(input, Input::Inherited) && reads_input(base);
    matches!(walk, Walk::Here | Walk::HereWith(_)) && !fed && names_nothing(base, rest)
}

/// Whether the first word of a program is a pattern, and its options those of a search.
pub(super) fn takes_pattern(base: &str) -> bool {
    matches!(base, "grep" | "egrep" | "fgrep" | "zgrep") || reads_input(base)
}

/// Whether a searching program reads what another writes rather than the working folder.
fn reads_input(base: &str) -> bool {
    matches!(base, "rg" | "ag" | "ack" | "ripgrep" | "ugrep")
}

fn names_nothing(base: &str, rest: &[Field]) -> bool {
    let pattern = takes_pattern(base);
    let mut needed = usize::from(pattern);
    let mut operands = 0;
    let mut is_value = false;
    let mut ended = false;
    for field in rest {
        let word = field.literal().unwrap_or("?");
        if std::mem::take(&mut is_value) {
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
            is_value = has_value(base, word);
        }
    }
    operands <= needed
}

/// Whether an option gives the pattern, so that every word without one is a place.
fn gives_pattern(word: &str) -> bool {
    match word.strip_prefix("--") {
        Some(long) => {
            long == "files"
                || long.starts_with("regexp")
                || long == "file"
                || long.starts_with("file=")
        }
        None => !word.starts_with("-A") && !word.starts_with("-B") && word.contains(['e', 'f']),
    }
}

/// Whether an option is followed by a word of its own.
fn has_value(base: &str, word: &str) -> bool {
    if let Some(long) = word.strip_prefix("--") {
        return LONG.contains(&long);
    }
    let last = word.chars().last().unwrap_or(' ');
    match base {
        "tree" => word.len() == 2 && "LPIoT".contains(last),
        "du" => word.len() == 2 && "dtB".contains(last),
        "ls" | "eza" | "exa" | "lsd" => word.len() == 2 && "IwT".contains(last),
        base if reads_input(base) => "efgtTABCmMjrEd".contains(last),
        _ => "efABCmD".contains(last),
    }
}

const LONG: &[&str] = &[
    "regexp",
    "file",
    "glob",
    "iglob",
    "type",
    "type-not",
    "max-count",
    "context",
    "after-context",
    "before-context",
    "max-depth",
    "replace",
    "threads",
    "sort",
    "sortr",
    "pre",
    "ignore-file",
    "encoding",
    "max-columns",
    "colors",
    "color",
    "include",
    "exclude",
    "exclude-dir",
    "exclude-from",
    "label",
    "depth",
    "level",
    "filelimit",
];
