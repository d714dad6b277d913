//! What a task is about: its words, in order, repeats included.

use unicode_normalization::char::is_combining_mark;

/// The terms of a task.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Terms {
    all: Vec<String>,
    /// Each term once, and how often it was said: a repeated word counts again but need not be looked for again.
    distinct: Vec<(String, u32)>,
    /// All terms, each on a line of its own.
    lines: String,
    /// All pairs of bytes in them, sorted: most triggers begin with a pair that no term has.
    pairs: Vec<[u8; 2]>,
}

impl Terms {
    /// Lower-cases a task and splits it at whatever is neither letter nor number; short words and stopwords say nothing.
    pub(crate) fn of(task: &str) -> Self {
        let folded = task.to_lowercase();
        let words = folded.split(|character| !is_letter_or_number(character));
        let all: Vec<String> = words
            .filter(|word| says_something(word))
            .map(str::to_owned)
            .collect();
        let mut counts = std::collections::BTreeMap::new();
        for term in &all {
            *counts.entry(term.clone()).or_insert(0_u32) += 1;
        }
        let lines = all.join("\n");
        let bytes = lines.as_bytes();
        let mut pairs: Vec<[u8; 2]> = bytes
            .iter()
            .zip(bytes.iter().skip(1))
            .map(|(first, second)| [*first, *second])
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        Self {
            lines,
            pairs,
            distinct: counts.into_iter().collect(),
            all,
        }
    }

    pub(crate) fn all(&self) -> &[String] {
        &self.all
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(crate) fn distinct(&self) -> impl Iterator<Item = (&str, u32)> {
        self.distinct
            .iter()
            .map(|(term, count)| (term.as_str(), *count))
    }

    /// Whether some term occurs in the text, which is in lower case.
    pub(crate) fn occur_in(&self, folded: &str) -> bool {
        self.distinct
            .iter()
            .any(|(term, _)| folded.contains(term.as_str()))
    }

    /// Whether some term holds a trigger, which is in lower case and one line.
    pub(crate) fn hold(&self, trigger: &str) -> bool {
        let begins = match trigger.as_bytes() {
            [] => return false,
            [first] => self.lines.as_bytes().contains(first),
            [first, second, ..] => self.pairs.binary_search(&[*first, *second]).is_ok(),
        };
        begins && self.lines.contains(trigger)
    }
}

/// General categories L and N.
///
/// Alphabetic characters are these and some marks and symbols, so the latter are taken away again.
fn is_letter_or_number(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_alphanumeric();
    }
    (character.is_alphabetic() || character.is_numeric())
        && !is_combining_mark(character)
        && !matches!(character, 'Ⓐ'..='ⓩ' | '🄰'..='🅉' | '🅐'..='🅩' | '🅰'..='🆉')
}

fn says_something(word: &str) -> bool {
    // UTF-16 units, as every planner of these manifests counts.
    word.encode_utf16().nth(2).is_some() && !STOPWORDS.contains(&word)
}

const STOPWORDS: [&str; 38] = [
    "the", "a", "an", "is", "are", "was", "were", "do", "does", "how", "what", "why", "when",
    "where", "which", "who", "to", "of", "in", "on", "for", "and", "or", "i", "we", "you", "it",
    "this", "that", "with", "my", "our", "can", "should", "will", "be", "get", "getting",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(task: &str, expected: &[&str]) {
        assert_eq!(Terms::of(task).all(), expected, "{task:?}");
    }

    #[test]
    fn tasks_fall_into_terms() {
        check(
            "How do I deploy a release to production?",
            &["deploy", "release", "production"],
        );
        check("crane crane_arm ab the", &["crane", "crane", "arm"]);
        check("İstanbul", &["stanbul"]);
        check("cafe\u{301}s", &["cafe"]);
        check("電力網 電力", &["電力網"]);
        check("ⅧⅧⅧ", &["ⅷⅷⅷ"]);
        check("ⓐⓑⓒ x²³⁴", &["x²³⁴"]);
        check("𝒳𝒳 𝒳", &["𝒳𝒳"]);
        check("", &[]);
    }
}
