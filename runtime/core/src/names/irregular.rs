//! Which names are names.

use std::fmt;

use crate::json::Text;

/// The most characters a tool's name may have.
pub const MAX_LENGTH: usize = 128;

/// What is wrong with the name of a tool.
///
/// A name with such a fault never profits from a rule that lowers a tier, however well the pattern matches: what a person takes
/// for `read_note` may be a different name.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Irregular {
    /// It is empty.
    Empty,
    /// It has more characters than [`MAX_LENGTH`].
    TooLong {
        /// How many.
        length: usize,
    },
    /// It has characters that names don't have: these code points, as they occur, none twice.
    Characters(Vec<u32>),
}

/// Says what is wrong with the name of a tool: it must be 1 to 128 characters out of `A-Z a-z 0-9 _ - .`.
///
/// With nothing but these, no name can mix scripts, hide a character or look like another.
#[must_use]
pub fn irregular(name: &Text<'_>) -> Option<Irregular> {
    let (mut length, mut odd) = (0, Vec::new());
    for unit in name.chars() {
        length += 1;
        let code_point = unit.map_or_else(u32::from, u32::from);
        if !unit.is_ok_and(is_regular) && odd.len() < MAX_LENGTH && !odd.contains(&code_point) {
            odd.push(code_point);
        }
    }
    match length {
        0 => Some(Irregular::Empty),
        _ if !odd.is_empty() => Some(Irregular::Characters(odd)),
        _ if length > MAX_LENGTH => Some(Irregular::TooLong { length }),
        _ => None,
    }
}

/// Whether names have this character.
#[must_use]
pub const fn is_regular(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// For the record and for people: characters as code points, never as themselves.
impl fmt::Display for Irregular {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("empty"),
            Self::TooLong { length } => write!(f, "{length} characters"),
            Self::Characters(odd) => {
                for (at, code_point) in odd.iter().enumerate() {
                    let separator = if at == 0 { "" } else { " " };
                    write!(f, "{separator}U+{code_point:04X}")?;
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: &str) {
        assert_eq!(
            irregular(&Text::from(name))
                .map(|fault| fault.to_string())
                .unwrap_or_default(),
            expected,
            "{name:?}"
        );
    }

    #[test]
    fn names_that_only_look_regular_are_not() {
        check("read_note", "");
        check("admin.read-note2", "");
        check("read_n\u{43e}te", "U+043E");
        check("read_note\u{200b}", "U+200B");
        check("\u{feff}read_note", "U+FEFF");
        check("read_\u{2060}note", "U+2060");
        check("read_note\u{202e}", "U+202E");
        check("read_note\u{e0041}", "U+E0041");
        check("\u{ff52}ead_note", "U+FF52");
        check("read_not\u{301}e", "U+0301");
        check("read_note\u{ad}", "U+00AD");
        check("read_note ", "U+0020");
        check("read\u{a0}note", "U+00A0");
        check("read_note\n", "U+000A");
        check("read_note\0", "U+0000");
        check("read_note\u{115f}", "U+115F");
        check("read_\u{131}d", "U+0131");
        check("caf\u{e9}", "U+00E9");
        check("cafe\u{301}", "U+0301");
        check("a/b:c/", "U+002F U+003A");
    }

    #[test]
    fn half_a_surrogate_pair_is_a_code_point() {
        let value = crate::json::parse(br#""read\ud83dnote""#).unwrap();
        let crate::json::Value::String(name) = value else {
            panic!("a string was given");
        };
        assert_eq!(irregular(&name), Some(Irregular::Characters(vec![0xd83d])));
    }

    #[test]
    fn length_counts() {
        check("", "empty");
        check(&"a".repeat(128), "");
        check(&"a".repeat(129), "129 characters");
    }
}
