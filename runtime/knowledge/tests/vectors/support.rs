//! What the tests over vectors share.

use std::fs;
use std::path::Path;

use knotrust_core::canonical::canonical;
use knotrust_core::json::{Value, parse};
use knotrust_knowledge::date::IsoDate;
use knotrust_knowledge::options::{Options, OptionsError};

/// The member `cases` of a file of vectors, and the whole file.
pub(crate) fn vectors(name: &str) -> Value<'static> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/vectors")
        .join(name);
    let text = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    parse(&text)
        .unwrap_or_else(|fault| panic!("{name}: {fault:?}"))
        .into_owned()
}

/// Runs a check on every case of a file and reports all that fail.
pub(crate) fn check_cases(name: &str, check: impl Fn(&Value<'_>) -> Result<(), String>) {
    let file = vectors(name);
    let cases = file
        .get("cases")
        .and_then(Value::as_array)
        .unwrap_or_default();
    assert!(!cases.is_empty(), "{name} is empty");
    let failed: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let label = case.get("name").and_then(Value::as_str).unwrap_or("?");
            check(case)
                .err()
                .map(|problem| format!("{label}: {problem}"))
        })
        .collect();
    assert!(
        failed.is_empty(),
        "{} of {} failed\n{}",
        failed.len(),
        cases.len(),
        failed.join("\n")
    );
}

/// Compares as JSON: members in any order, numbers by value.
pub(crate) fn same(found: &Value<'_>, expected: &Value<'_>) -> Result<(), String> {
    let (found, expected) = (canonical(found).unwrap(), canonical(expected).unwrap());
    if found == expected {
        Ok(())
    } else {
        Err(format!("\n  found    {found}\n  expected {expected}"))
    }
}

pub(crate) fn text<'v>(case: &'v Value<'_>, name: &str) -> &'v str {
    case.get(name)
        .and_then(Value::as_str)
        .unwrap_or_else(|| panic!("no text `{name}`"))
}

pub(crate) fn today() -> IsoDate {
    IsoDate::read("2026-07-06").unwrap()
}

pub(crate) fn options(case: &Value<'_>) -> Result<Options, OptionsError> {
    let none = Value::Object(Default::default());
    Options::from_json(case.get("options").unwrap_or(&none), &today())
}

/// Whether all that is expected is there, whatever else is.
pub(crate) fn includes(found: &Value<'_>, expected: &Value<'_>) -> Result<(), String> {
    match (found, expected) {
        (Value::Object(_), Value::Object(members)) => {
            members.iter().try_for_each(|(name, member)| {
                let name = name.as_str().unwrap_or_default();
                includes(found.get(name).unwrap_or(&Value::Null), member)
                    .map_err(|problem| format!("{name}: {problem}"))
            })
        }
        (Value::Array(found), Value::Array(members)) if found.len() == members.len() => found
            .iter()
            .zip(members)
            .try_for_each(|(found, member)| includes(found, member)),
        _ => same(found, expected),
    }
}

/// The object without one of its members.
pub(crate) fn without(value: &Value<'_>, dropped: &str) -> Value<'static> {
    let members = value
        .as_object()
        .unwrap()
        .iter()
        .filter(|(name, _)| name.as_str() != Some(dropped));
    Value::Object(
        members
            .map(|(name, member)| (name.clone().into_owned(), member.clone().into_owned()))
            .collect(),
    )
}
