//! Two definitions side by side, for a person.

use knotrust_core::json::{self, Object, Text, Value};

/// One place where two definitions differ.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Difference {
    /// Where: a JSON Pointer, empty for the whole.
    pub at: String,
    /// What was there, as JSON; nothing if it is new.
    pub before: Option<String>,
    /// What is there now, as JSON; nothing if it is gone.
    pub after: Option<String>,
}

/// All places where two definitions differ, each as deep as both go.
pub(super) fn between(before: &Value<'_>, after: &Value<'_>) -> Vec<Difference> {
    let mut found = Vec::new();
    compare(&mut found, String::new(), Some(before), Some(after));
    found
}

fn compare(
    found: &mut Vec<Difference>,
    at: String,
    before: Option<&Value<'_>>,
    after: Option<&Value<'_>>,
) {
    match (before, after) {
        (Some(before), Some(after)) if before == after => {}
        (Some(Value::Object(before)), Some(Value::Object(after))) => {
            members(found, &at, before, after);
        }
        (Some(Value::Array(before)), Some(Value::Array(after))) => {
            for index in 0..before.len().max(after.len()) {
                compare(
                    found,
                    format!("{at}/{index}"),
                    before.get(index),
                    after.get(index),
                );
            }
        }
        (before, after) => {
            found.push(Difference {
                at,
                before: before.map(json::write),
                after: after.map(json::write),
            });
        }
    }
}

fn members(found: &mut Vec<Difference>, at: &str, before: &Object<'_>, after: &Object<'_>) {
    let new = after
        .iter()
        .filter(|(name, _)| !before.iter().any(|(known, _)| known == *name));
    for (name, _) in before.iter().chain(new) {
        let step = name.to_string_lossy().replace('~', "~0").replace('/', "~1");
        compare(
            found,
            format!("{at}/{step}"),
            member(before, name),
            member(after, name),
        );
    }
}

fn member<'v>(object: &'v Object<'v>, name: &Text<'_>) -> Option<&'v Value<'v>> {
    object
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str, expected: Expect) {
        let parse = |text: &str| json::parse(text.as_bytes()).unwrap().into_owned();
        let differences = between(&parse(before), &parse(after));
        let line = |one: &Difference| {
            let side = |side: &Option<String>| side.clone().unwrap_or_else(|| "-".to_owned());
            format!(
                "{}: {} -> {}\n",
                one.at,
                side(&one.before),
                side(&one.after)
            )
        };
        expected.assert_eq(&differences.iter().map(line).collect::<String>());
    }

    #[test]
    fn only_what_differs_is_shown() {
        check(
            r#"{"name":"a","inputSchema":{"properties":{"id":{"type":"string"}}},"x/y":[1,2]}"#,
            r#"{"name":"a","title":"t","inputSchema":{"properties":{"id":{"type":"string","enum":["a"]}}},"x/y":[1]}"#,
            expect![[r#"
                /inputSchema/properties/id/enum: - -> ["a"]
                /x~1y/1: 2 -> -
                /title: - -> "t"
            "#]],
        );
    }
}
