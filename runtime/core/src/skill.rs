//! Calls that invoke a skill, and how they name it.

use crate::json::Value;

/// A call that invokes a skill or playbook of governed domains.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Invoked {
    /// Its name, if the call gives one.
    pub id: Option<String>,
    /// The domains it belongs to, by index, ascending, each once.
    pub domains: Vec<u32>,
}

/// Whether agents use a tool of that name to invoke skills of any name.
pub(crate) fn is_runner(tool: &str) -> bool {
    RUNNERS
        .iter()
        .any(|runner| tool.eq_ignore_ascii_case(runner))
}

/// The skill that arguments name.
pub(crate) fn named(arguments: &Value<'_>) -> Option<String> {
    let texts = MEMBERS
        .iter()
        .filter_map(|name| arguments.get(name)?.as_str());
    let mut given = texts.map(str::trim).filter(|text| !text.is_empty());
    given.next().map(str::to_owned)
}

const RUNNERS: [&str; 2] = ["skill", "kcp_skill"];

/// Where a skill's name stands, the likeliest first.
const MEMBERS: [&str; 5] = ["skill", "skillId", "skill_id", "id", "name"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn the_likeliest_member_names_the_skill() {
        let named = |text: &str| named(&parse(text.as_bytes()).unwrap());
        assert_eq!(
            named(r#"{"name": "b", "skill": " a "}"#).as_deref(),
            Some("a")
        );
        assert_eq!(named(r#"{"skill": "", "id": "c"}"#).as_deref(), Some("c"));
        assert_eq!(named(r#"{"skill": ["a"]}"#), None);
        assert!(is_runner("SKILL") && !is_runner("skills"));
    }
}
