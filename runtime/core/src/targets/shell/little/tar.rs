//! `tar`: whether it packs, and so goes into folders, stands in letters with or without a dash.

use super::super::super::target::{Access, Why};
use super::super::field::Field;
use super::super::folders::Folders;
use super::super::habits::{Habit, Walk, Words};
use super::super::run::{Input, Run};

/// `tar letters [words]`.
pub(in super::super) fn tar(
    run: &mut Run<'_, '_, '_>,
    base: &str,
    rest: &[Field],
    folders: &Folders,
    input: &Input,
) {
    let packs = rest.iter().enumerate().any(|(at, field)| {
        let word = field.literal().unwrap_or("");
        match (word.strip_prefix("--"), word.strip_prefix('-')) {
            (Some(long), _) => matches!(long, "create" | "append" | "update"),
            (None, Some(letters)) => letters.contains(['c', 'r', 'u']),
            (None, None) => at == 0 && word.contains(['c', 'r', 'u']),
        }
    });
    let habit = Habit {
        access: Access::Unknown,
        walk: if packs { Walk::Named } else { Walk::Never },
        words: Words::Names,
    };
    run.operands(habit, base, rest, folders, input);
    let reads_names = |word: &str| word.starts_with("-T");
    if rest.iter().filter_map(Field::literal).any(reads_names) {
        run.judge.unknown(Why::Data, base);
    }
}
