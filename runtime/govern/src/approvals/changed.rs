//! What has changed between two calls, value by value.

use knotrust_core::json::{Object, Value, write};

/// A value that is not what it was.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Where it is: a JSON Pointer.
    pub place: String,
    /// What it was.
    pub before: Before,
    /// What it is; nothing if it is not there any more.
    pub after: Option<Value<'static>>,
}

/// What a value was.
#[derive(Clone, Debug, PartialEq)]
pub enum Before {
    /// It was not there.
    Absent,
    /// This.
    Value(Value<'static>),
    /// Something else, which was not kept.
    Unkept,
}

/// What has changed from one value to another, in the order of the new one, then what is gone. Spellings count: `1.0` is
/// not `1`.
#[must_use]
pub fn changes(before: &Value<'_>, after: &Value<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    compare(Some(before), Some(after), "", &mut changes);
    changes
}

fn compare(
    before: Option<&Value<'_>>,
    after: Option<&Value<'_>>,
    place: &str,
    changes: &mut Vec<Change>,
) {
    match (before, after) {
        (Some(Value::Object(before)), Some(Value::Object(after))) => {
            members(before, after, place, changes);
        }
        (Some(Value::Array(before)), Some(Value::Array(after))) => {
            for index in 0..before.len().max(after.len()) {
                let place = format!("{place}/{index}");
                compare(before.get(index), after.get(index), &place, changes);
            }
        }
        (Some(before), Some(after)) if write(before) == write(after) => {}
        (before, after) => changes.push(Change {
            place: place.to_owned(),
            before: before.map_or(Before::Absent, |value| {
                Before::Value(value.clone().into_owned())
            }),
            after: after.map(|value| value.clone().into_owned()),
        }),
    }
}

fn members(before: &Object<'_>, after: &Object<'_>, place: &str, changes: &mut Vec<Change>) {
    let of = |object: &Object<'_>, name: &knotrust_core::json::Text<'_>| {
        let named = object.iter().find(|(known, _)| *known == name);
        named.map(|(_, value)| value.clone().into_owned())
    };
    let below = |name: &knotrust_core::json::Text<'_>| {
        let name = name.to_string_lossy().replace('~', "~0").replace('/', "~1");
        format!("{place}/{name}")
    };
    for (name, value) in after.iter() {
        compare(
            of(before, name).as_ref(),
            Some(value),
            &below(name),
            changes,
        );
    }
    for (name, value) in before.iter().filter(|(name, _)| of(after, name).is_none()) {
        compare(Some(value), None, &below(name), changes);
    }
}

#[cfg(test)]
mod tests {
    use knotrust_core::json::parse;

    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str, expected: &[&str]) {
        let read = |text: &str| parse(text.as_bytes()).unwrap().into_owned();
        let written = |value: &Option<Value<'_>>| value.as_ref().map_or("-".to_owned(), write);
        let changes = changes(&read(before), &read(after));
        let line = |change: &Change| {
            let before = match &change.before {
                Before::Absent => "-".to_owned(),
                Before::Value(value) => write(value),
                Before::Unkept => "?".to_owned(),
            };
            let after = written(&change.after);
            format!("{} {before} {after}", change.place)
        };
        assert_eq!(changes.iter().map(line).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn every_value_that_differs_is_named() {
        check(r#"{"a":1,"b":[1,2]}"#, r#"{"b":[1,2],"a":1}"#, &[]);
        check(
            r#"{"to":"ann","amount":400,"gone":null,"x":{"y":[1,{"z":2}]}}"#,
            r#"{"to":"ann","amount":4000,"x":{"y":[1,{"z":3},4]},"a/b~":true}"#,
            &[
                "/amount 400 4000",
                "/x/y/1/z 2 3",
                "/x/y/2 - 4",
                "/a~1b~0 - true",
                "/gone null -",
            ],
        );
        check(r#"{"a":1}"#, r#"{"a":1.0}"#, &["/a 1 1.0"]);
        check(r#"{"a":[]}"#, r#"{"a":{}}"#, &["/a [] {}"]);
        check("{}", "{}", &[]);
    }
}
