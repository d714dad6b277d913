//! Which tools a grant covers.

use crate::glob::Pattern;
use crate::json::Text;

/// Which tools a grant covers.
///
/// The first three are the reference's. There a star means something in two places only: alone, and after a last dot;
/// anywhere else it is a character like any other. [`ToolPattern::Rule`] is as wide as the patterns of rules, and stands
/// in a grant only beside a condition that other implementations refuse.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum ToolPattern {
    /// `*`.
    All,
    /// `github.*`: whatever begins with `github.`, further dots included.
    Namespace(String),
    /// This name.
    Exact(String),
    /// A pattern as rules have them.
    Rule(String),
}

impl ToolPattern {
    /// Reads a pattern as the reference does.
    #[must_use]
    pub fn read(text: String) -> Self {
        if text == "*" {
            return Self::All;
        }
        match text.strip_suffix('*') {
            Some(prefix) if prefix.ends_with('.') => Self::Namespace(prefix.to_owned()),
            Some(_) | None => Self::Exact(text),
        }
    }

    /// The pattern of exactly this name; `None` for a name that would be read as a pattern.
    #[must_use]
    pub fn exactly(name: &str) -> Option<Self> {
        match Self::read(name.to_owned()) {
            Self::Exact(name) if !name.is_empty() => Some(Self::Exact(name)),
            Self::Exact(_) | Self::All | Self::Namespace(_) | Self::Rule(_) => None,
        }
    }

    /// Reads a pattern as rules do; one that says the same in the reference is read as the reference's, so that the
    /// grant is good there too.
    ///
    /// # Errors
    ///
    /// The pattern is malformed.
    pub fn of_rule(text: &str) -> Result<Self, crate::glob::GlobError> {
        Pattern::name(text)?;
        let plain = |text: &str| !text.contains(['*', '?', '[', '{', '\\']);
        let space = text.strip_suffix(".*").unwrap_or(text);
        Ok(if text == "*" || plain(space) {
            Self::read(text.to_owned())
        } else {
            Self::Rule(text.to_owned())
        })
    }

    /// The pattern as it is written in a claim.
    #[must_use]
    pub fn to_text(&self) -> String {
        match self {
            Self::All => "*".to_owned(),
            Self::Namespace(prefix) => format!("{prefix}*"),
            Self::Exact(text) | Self::Rule(text) => text.clone(),
        }
    }

    /// Whether it covers the action name.
    #[must_use]
    pub fn matches(&self, name: &Text<'_>) -> bool {
        match self {
            Self::All => true,
            Self::Namespace(prefix) => name.as_bytes().starts_with(prefix.as_bytes()),
            Self::Exact(exact) => name.as_bytes() == exact.as_bytes(),
            Self::Rule(text) => {
                let pattern = Pattern::name(text);
                let matches = |name| pattern.is_ok_and(|pattern| pattern.matches(name));
                name.as_str().is_some_and(matches)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, expected: &ToolPattern, covered: &[&str], not: &[&str]) {
        let read = ToolPattern::of_rule(pattern).unwrap();
        assert_eq!(read, *expected);
        assert_eq!(read.to_text(), pattern);
        for name in covered {
            assert!(read.matches(&Text::from(*name)), "{pattern} covers {name}");
        }
        for name in not {
            assert!(!read.matches(&Text::from(*name)), "{pattern} leaves {name}");
        }
    }

    #[test]
    fn a_pattern_is_the_references_where_that_says_the_same() {
        let namespace = ToolPattern::Namespace("a.".to_owned());
        check("*", &ToolPattern::All, &["a.b", ""], &[]);
        check("a.*", &namespace, &["a.b", "a.b.c"], &["a", "ab.c"]);
        check(
            "a.b",
            &ToolPattern::Exact("a.b".to_owned()),
            &["a.b"],
            &["a.b*", "a.B"],
        );
    }

    #[test]
    fn a_tool_that_is_named_like_a_pattern_is_never_taken_for_one() {
        assert!(ToolPattern::exactly("a.b*").is_some());
        for name in ["*", "a.*", ""] {
            assert_eq!(ToolPattern::exactly(name), None, "{name}");
        }
    }

    #[test]
    fn wider_patterns_are_those_of_rules() {
        let rule = |text: &str| ToolPattern::Rule(text.to_owned());
        check("a.list_*", &rule("a.list_*"), &["a.list_b"], &["a.list"]);
        check("a.{x,y}", &rule("a.{x,y}"), &["a.x", "a.y"], &["a.z"]);
        check(
            "*.read",
            &rule("*.read"),
            &["a.read", "a.b.read"],
            &["a.reads"],
        );
        check("a?.*", &rule("a?.*"), &["ab.c"], &["a.c"]);
        assert!(ToolPattern::of_rule("a.[x").is_err());
    }
}
