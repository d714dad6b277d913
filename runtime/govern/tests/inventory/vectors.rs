//! Lists and the changes that the reference reports. Where it passes words over, we must not.

use std::path::Path;

use knotrust_core::json::{self, Value};

use super::scratch::{Scratch, write};

#[test]
fn no_change_that_the_reference_reports_is_missed() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/tool-drift.json");
    let text = std::fs::read(file).unwrap();
    let cases = json::parse(&text).unwrap();
    for case in cases.as_array().unwrap() {
        check(case);
    }
    assert_eq!(cases.as_array().unwrap().len(), 9);
}

#[track_caller]
fn check(case: &Value<'_>) {
    let mut scratch = Scratch::new();
    let before = case.get("before").unwrap();
    if before.as_array().is_some() {
        scratch.list(&write(before));
    }
    scratch.list(&write(case.get("after").unwrap()));
    let name = case.get("name").unwrap().as_str().unwrap();
    let mut expected: Vec<_> = case
        .get("changes")
        .unwrap()
        .as_array()
        .unwrap()
        .iter()
        .map(said)
        .collect();
    if ["description only", "title and output schema"].contains(&name) {
        assert!(expected.is_empty());
        expected.push("tool_definition_changed fake.a".to_owned());
    }
    assert_eq!(scratch.told(), expected.join(", "), "{name}");
}

fn said(change: &Value<'_>) -> String {
    let text = |name| change.get(name).unwrap().as_str().unwrap();
    let kind = match text("changeKind") {
        "changed" => "tool_definition_changed",
        "added" => "tool_added",
        _ => "tool_removed",
    };
    format!("{kind} fake.{}", text("tool"))
}
