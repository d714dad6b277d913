//! Plans and traces, against vectors.

use knotrust_core::json::{Object, Value};
use knotrust_knowledge::manifest::Manifest;
use knotrust_knowledge::plan::Plan;
use knotrust_knowledge::planner::plan;
use knotrust_knowledge::trace::trace;

use crate::support::{check_cases, options, same, text};

fn planned(case: &Value<'_>) -> Result<Plan, String> {
    let manifest =
        Manifest::read(text(case, "manifest")).map_err(|error| format!("manifest: {error}"))?;
    let options = options(case).map_err(|error| format!("options: {error}"))?;
    Ok(plan(&manifest, text(case, "task"), &options))
}

#[test]
fn outcomes_are_what_every_planner_says() {
    check_cases("outcomes.json", |case| {
        same(&planned(case)?.outcome_json(), case.get("expect").unwrap())
    });
}

#[test]
fn whole_plans_are_as_recorded() {
    check_cases("plans.json", |case| {
        same(&planned(case)?.to_json(), case.get("expect").unwrap())
    });
}

#[test]
fn traces_tell_every_verdict() {
    check_cases("traces.json", |case| {
        let found = traced(case);
        let kept = ["taskTerms", "asOf", "capabilities", "units", "gateSummary"];
        let found: Object<'_> = kept
            .into_iter()
            .map(|name| (name.into(), found.get(name).unwrap().clone()))
            .collect();
        same(&Value::Object(found), case.get("expect").unwrap())
    });
}

#[test]
fn traces_agree_with_the_outcomes() {
    check_cases("outcomes.json", |case| {
        let Some(expected) = case.get("trace") else {
            return Ok(());
        };
        let found = traced(case);
        let brief = found
            .get("units")
            .and_then(Value::as_array)
            .unwrap_or_default()
            .iter()
            .map(|unit| {
                let gates = unit
                    .get("gates")
                    .and_then(Value::as_array)
                    .map_or(0, <[_]>::len);
                let mut brief = Object::new();
                for name in ["id", "outcome", "rejectedBy"] {
                    if let Some(value) = unit.get(name) {
                        brief.insert(name, value.clone());
                    }
                }
                brief.insert("gates", Value::Number((gates as u64).into()));
                Value::Object(brief)
            });
        same(&Value::Array(brief.collect()), expected)
    });
}

fn traced(case: &Value<'_>) -> Value<'static> {
    let manifest = Manifest::read(text(case, "manifest")).unwrap();
    trace(&manifest, text(case, "task"), &options(case).unwrap()).to_json()
}

#[test]
fn what_a_lax_reader_lets_through_is_held() {
    check_cases("strict.json", |case| {
        let expect = case.get("expect").unwrap();
        let refused = |name: &str| expect.get(name).and_then(Value::as_bool) == Some(true);
        let manifest = match Manifest::read(text(case, "manifest")) {
            Ok(manifest) => manifest,
            Err(_) if refused("manifestError") => return Ok(()),
            Err(error) => return Err(format!("manifest: {error}")),
        };
        let options = match options(case) {
            Ok(options) => options,
            Err(_) if refused("error") => return Ok(()),
            Err(error) => return Err(format!("options: {error}")),
        };
        if refused("manifestError") || refused("error") {
            return Err("was not refused".to_owned());
        }
        let plan = plan(&manifest, text(case, "task"), &options);
        partly(&plan, expect)
    });
}

fn partly(plan: &Plan, expect: &Value<'_>) -> Result<(), String> {
    let ids = |eligible: bool| {
        let units = plan
            .selected
            .iter()
            .filter(move |unit| unit.load_eligible || !eligible);
        units.map(|unit| unit.id.as_str()).collect::<Vec<_>>()
    };
    let outcome = plan.outcome_json();
    if let Some(expected) = expect.get("loadable") {
        let mut expected: Vec<_> = expected
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let mut found = ids(true);
        expected.sort_unstable();
        found.sort_unstable();
        if found != expected {
            return Err(format!("loadable {found:?}, not {expected:?}"));
        }
    }
    if let Some(expected) = expect.get("listed") {
        let expected: Vec<_> = expected
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        if ids(false) != expected {
            return Err(format!("listed {:?}, not {expected:?}", ids(false)));
        }
    }
    for name in ["skipped", "warnings"] {
        if let Some(expected) = expect.get(name) {
            same(outcome.get(name).unwrap(), expected)?;
        }
    }
    if let Some(expected) = expect.get("federation").and_then(Value::as_object) {
        for (id, expected) in expected.iter() {
            let found = plan
                .federation
                .iter()
                .find(|reference| Some(reference.id.as_str()) == id.as_str());
            if found.map(|reference| reference.selected) != expected.as_bool() {
                return Err(format!("reference {id:?}: {found:?}"));
            }
        }
    }
    Ok(())
}
