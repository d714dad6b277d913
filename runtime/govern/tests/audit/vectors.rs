//! Logs of the reference, whole and damaged, and what is found first.

use std::fs;
use std::path::Path;

use knotrust_core::json::{self, Value};

use super::scratch::{Scratch, put};

#[test]
fn the_first_break_is_the_one_that_the_reference_finds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/audit-chain");
    let mut seen = 0;
    for case in fs::read_dir(folder).unwrap() {
        check(&case.unwrap().path());
        seen += 1;
    }
    assert_eq!(seen, 19);
}

#[track_caller]
fn check(case: &Path) {
    let scratch = Scratch::new();
    let audit = scratch.home.folder("audit").unwrap();
    for file in fs::read_dir(case).unwrap() {
        let file = file.unwrap();
        if file.file_name() != "expected.json" {
            put(audit.join(file.file_name()), fs::read(file.path()).unwrap());
        }
    }
    let expected = fs::read(case.join("expected.json")).unwrap();
    assert_eq!(
        scratch.verified(),
        said(&json::parse(&expected).unwrap()),
        "{}",
        case.display()
    );
}

fn said(expected: &Value<'_>) -> String {
    let number = |value: Option<&Value<'_>>| value.unwrap().as_number().unwrap().as_u64().unwrap();
    match expected.get("breakAt") {
        None => format!("intact, {} events", number(expected.get("events"))),
        Some(at) => format!(
            "{} line {}: {}, event {}",
            at.get("file").unwrap().as_str().unwrap(),
            number(at.get("line")),
            at.get("kind").unwrap().as_str().unwrap(),
            number(at.get("seq"))
        ),
    }
}
