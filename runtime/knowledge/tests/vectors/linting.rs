//! What the linter says, against vectors.

use knotrust_core::json::{Object, Value};
use knotrust_knowledge::lint::{Level, Report, Surroundings, lint};

use crate::support::{check_cases, same, text, today};

fn report(case: &Value<'_>) -> Report {
    let today = today();
    lint(
        text(case, "manifest"),
        Surroundings {
            today: &today,
            exists: None,
        },
    )
}

#[test]
fn findings_come_in_order() {
    check_cases("lint.json", |case| {
        let findings = report(case).findings.into_iter().map(|finding| {
            let mut object = Object::new();
            object.insert("level", Value::string(finding.level.name()));
            object.insert("where", Value::String(finding.place.into()));
            object.insert("code", Value::string(finding.code));
            Value::Object(object)
        });
        same(
            &Value::Array(findings.collect()),
            case.get("expect").unwrap(),
        )
    });
}

#[test]
fn manifests_are_valid_or_not() {
    check_cases("validity.json", |case| {
        let report = report(case);
        let expect = case.get("expect").unwrap();
        let flag = |name: &str| expect.get(name).and_then(Value::as_bool);
        if flag("refused") == Some(true) {
            return if report.refused.is_some() {
                Ok(())
            } else {
                Err("was not refused".to_owned())
            };
        }
        if flag("valid").is_some_and(|valid| valid != report.is_ok()) {
            return Err(format!("{:?}", report.findings));
        }
        let warns = report
            .findings
            .iter()
            .any(|finding| finding.level == Level::Warning);
        if flag("warns") == Some(true) && !warns {
            return Err("no warning".to_owned());
        }
        let counts = [
            ("units", report.units),
            ("relationships", report.relationships),
        ];
        counts
            .into_iter()
            .filter_map(|(name, found)| Some((found, expect.get(name)?)))
            .try_for_each(|(found, expected)| same(&Value::Number((found as u64).into()), expected))
    });
}

#[test]
fn skills_get_the_codes_that_others_give_them() {
    check_cases("skill-codes.json", |case| {
        let mut found: Vec<_> = report(case)
            .findings
            .iter()
            .filter_map(|finding| finding.spec_code)
            .collect();
        found.sort_unstable();
        let found = found.into_iter().map(Value::string).collect();
        same(&Value::Array(found), case.get("lintCodes").unwrap())
    });
}

#[test]
fn files_that_are_not_there_are_missed() {
    let today = today();
    let exists = |path: &str| path == "a.md";
    let surroundings = Surroundings {
        today: &today,
        exists: Some(&exists),
    };
    let manifest = "kcp_version: '0.32'\nproject: p\nversion: 1.0.0\nunits:\n- {id: a, path: a.md, intent: A, audience: [agent], triggers: [a]}\n- {id: b, path: b.md, intent: B, audience: [agent], triggers: [b]}";
    let codes: Vec<_> = lint(manifest, surroundings)
        .findings
        .iter()
        .map(|finding| finding.code)
        .collect();
    assert_eq!(codes, ["path-not-found"]);
}
