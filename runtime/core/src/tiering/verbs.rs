//! Names of tools that destroy.

/// Words in a tool's name that say it destroys something.
///
/// Whole words only: `undelete_note` is none of them, `deleteNote`, `note_delete`, `purge-all` and `drop.table` are.
const DESTRUCTIVE: [&str; 27] = [
    "clear",
    "deactivate",
    "del",
    "delete",
    "deprovision",
    "destroy",
    "discard",
    "drop",
    "empty",
    "erase",
    "evict",
    "expunge",
    "kill",
    "nuke",
    "obliterate",
    "overwrite",
    "prune",
    "purge",
    "remove",
    "reset",
    "revoke",
    "rm",
    "rmdir",
    "shred",
    "truncate",
    "uninstall",
    "wipe",
];

/// Whether the tool's own name, without its server, has a word that says it destroys something.
///
/// Words end where letters end, and where a capital follows a small letter.
#[must_use]
pub fn looks_destructive(tool: &str) -> bool {
    words(tool).any(|word| DESTRUCTIVE.contains(&word.as_str()))
}

/// Whether the tool's own name has a word that says it moves something away from where it is.
#[must_use]
pub fn moves(tool: &str) -> bool {
    words(tool).any(|word| ["move", "mv", "rename"].contains(&word.as_str()))
}

fn words(name: &str) -> impl Iterator<Item = String> {
    let mut words = vec![String::new()];
    let mut previous = ' ';
    let mut characters = name.chars().peekable();
    while let Some(character) = characters.next() {
        let starts = character.is_uppercase()
            && (previous.is_lowercase()
                || characters.peek().is_some_and(|next| next.is_lowercase()));
        if !character.is_alphabetic() || starts {
            words.push(String::new());
        }
        if character.is_alphabetic()
            && let Some(word) = words.last_mut()
        {
            word.extend(character.to_lowercase());
        }
        previous = character;
    }
    words.into_iter().filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_count_however_they_are_joined() {
        for name in [
            "deleteNote",
            "note_delete",
            "purge-all",
            "drop.table",
            "DELETE",
            "HTTPDelete",
            "rm2",
            "fs/remove",
            "deleteAll",
            "RemoveDBRow",
            "Wipe",
        ] {
            assert!(looks_destructive(name), "{name}");
        }
        for name in [
            "undelete_note",
            "read_note",
            "dropdown",
            "clearance",
            "deleted",
            "list_killers",
            "",
        ] {
            assert!(!looks_destructive(name), "{name}");
        }
    }
}
