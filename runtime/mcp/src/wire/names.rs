//! Member names that a lenient reader takes for others.

use knotrust_core::json::{Object, Text};

/// A member whose name only looks like one of the known names, if there is one.
///
/// Readers of several languages match member names without regard to case, some by Unicode's rules: beside `params` they
/// take `PARAMS`, and `param\u{17f}`, for the same member, and the last one wins.
pub(super) fn look_alike<'o>(object: &'o Object<'_>, known: &[&str]) -> Option<&'o Text<'o>> {
    let names = object.iter().map(|(name, _)| name);
    names
        .into_iter()
        .find(|name| is_look_alike(name.as_bytes(), known))
}

/// Whether a reader without regard to case would take this name for a known one that it is not.
pub(super) fn is_look_alike(name: &[u8], known: &[&str]) -> bool {
    known
        .iter()
        .any(|known| name != known.as_bytes() && folds_to(name, known))
}

fn folds_to(name: &[u8], known: &str) -> bool {
    if name.is_ascii() {
        return name.eq_ignore_ascii_case(known.as_bytes());
    }
    let Ok(name) = std::str::from_utf8(name) else {
        return false;
    };
    name.chars().map(fold).eq(known.chars().map(fold))
}

/// Folds to the lower-case ASCII letter, for every character that some library folds to one.
const fn fold(character: char) -> char {
    match character {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        '\u{130}' | '\u{131}' => 'i',
        _ => character.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[&str] = &["params", "id", "_meta", "task"];

    #[test]
    fn case_twins_are_look_alikes() {
        for name in [
            "Params",
            "PARAMS",
            "param\u{17f}",
            "ID",
            "\u{131}d",
            "_META",
            "tas\u{212a}",
        ] {
            assert!(is_look_alike(name.as_bytes(), KNOWN), "{name}");
        }
    }

    #[test]
    fn the_names_themselves_and_others_are_not() {
        for name in ["params", "id", "param", "params2", "paramş", "", "\u{212a}"] {
            assert!(!is_look_alike(name.as_bytes(), KNOWN), "{name}");
        }
    }
}
