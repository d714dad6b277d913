//! Scopes, procedures and confidence, against vectors.

use knotrust_core::json::{Value, write};
use knotrust_knowledge::amount::Amount;
use knotrust_knowledge::assess::{Aggregate, Criteria, Judgement, Signal, Source, assess};
use knotrust_knowledge::eligibility::eligibility;
use knotrust_knowledge::manifest::{ActionScope, Manifest};
use knotrust_knowledge::options::Options;
use knotrust_knowledge::scope::{
    Conformance, Dimension, Enclosing, Observed, Prohibited, Purchase, conformance, matches_path,
};
use knotrust_knowledge::ticket::{Answer, Resolution};

use crate::support::{check_cases, includes, same, text, today, without};

#[test]
fn path_patterns_match_as_written() {
    check_cases("path-patterns.json", |case| {
        let found = matches_path(text(case, "pattern"), text(case, "path"));
        same(&Value::Bool(found), case.get("matches").unwrap())
    });
}

#[test]
fn actions_keep_to_their_scope() {
    check_cases("conformance.json", |case| {
        let observed = observed(case.get("action").unwrap());
        let scope = ActionScope::from_json(case.get("scope").unwrap());
        let playbook = case.get("playbook");
        let outer = playbook.map(|playbook| ActionScope::from_json(playbook.get("scope").unwrap()));
        let enclosing = outer.as_ref().map(|scope| Enclosing {
            id: text(playbook.unwrap(), "id"),
            step: playbook.unwrap().get("stepId").and_then(Value::as_str),
            scope,
        });
        let found: Conformance = conformance(&observed, &scope, enclosing);
        includes(&found.to_json(), case.get("expect").unwrap())
    });
}

fn observed(action: &Value<'_>) -> Observed {
    let texts = |name: &str| {
        let texts = action
            .get(name)
            .and_then(Value::as_array)
            .unwrap_or_default();
        texts
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect()
    };
    Observed {
        tool: text(action, "tool").to_owned(),
        paths: texts("paths"),
        urls: texts("urls"),
        capabilities: texts("capabilities"),
        purchase: action.get("purchase").and_then(Purchase::within),
    }
}

#[test]
fn procedures_are_invoked_only_if_they_may_be() {
    check_cases("eligibility.json", |case| {
        let manifest =
            Manifest::survey(text(case, "manifest")).map_err(|error| error.to_string())?;
        let found = eligibility(&manifest, text(case, "skill"), &Options::as_of(today())).to_json();
        same(&without(&found, "reason"), case.get("expect").unwrap())
    });
}

#[test]
fn answers_without_confidence_do_not_stand() {
    check_cases("confidence.json", |case| {
        let options = case.get("options").unwrap();
        let amount = |value: &Value<'_>, name: &str| {
            value.get(name)?.as_number().and_then(Amount::of_number)
        };
        let signal = |source: Source, value: &Value<'_>| Signal {
            source,
            score: amount(value, "score"),
            reasoning: text(value, "reasoning").to_owned(),
        };
        let criteria = Criteria {
            threshold: amount(options, "threshold").unwrap(),
            aggregate: match options.get("aggregate").and_then(Value::as_str) {
                Some("mean") => Aggregate::Mean,
                _ => Aggregate::Min,
            },
            severity: options
                .get("severity")
                .and_then(Value::as_str)
                .map(str::to_owned),
            include_self_report: options
                .get("includeSelfReport")
                .and_then(Value::as_bool)
                .unwrap_or(true),
            self_report: options
                .get("selfReport")
                .map(|value| signal(Source::Own, value)),
            as_of: text(options, "asOf").to_owned(),
        };
        let failed = case.get("evaluatorError").and_then(Value::as_str);
        let scored = case
            .get("evaluator")
            .map(|value| Judgement::Scored(signal(Source::Evaluator, value)));
        let judgement = failed
            .map(|words| Judgement::Failed(words.to_owned()))
            .or(scored);
        match assess(text(case, "answer"), &criteria, judgement) {
            Ok(verdict) => includes(
                &verdict.to_json(),
                case.get("expect").ok_or("should be an error")?,
            ),
            Err(error) => same(
                &Value::string(&error.to_string()),
                case.get("expectError").ok_or("is an error")?,
            ),
        }
    });
}

#[test]
fn attempts_and_answers_are_told_to_the_letter() {
    check_cases("wire.json", |case| {
        match (case.get("wire"), case.get("event")) {
            (Some(wire), Some(event)) => {
                let found = case
                    .get("verdict")
                    .and_then(|verdict| verdict.get("prohibited"))
                    .unwrap();
                let sources = found
                    .get("bindingSources")
                    .and_then(Value::as_array)
                    .unwrap_or_default();
                let by = |name: &str| sources.iter().any(|source| source.as_str() == Some(name));
                let maybe = |name: &str| found.get(name).and_then(Value::as_str).map(str::to_owned);
                let prohibited = Prohibited {
                    dimension: match text(found, "dimension") {
                        "tools" => Dimension::Tools,
                        "paths" => Dimension::Paths,
                        _ => Dimension::Capabilities,
                    },
                    token: text(found, "token").to_owned(),
                    by_skill: by("skill"),
                    by_playbook: by("playbook"),
                    matched_pattern: text(found, "matchedPattern").to_owned(),
                    playbook_id: maybe("playbookId"),
                    step_id: maybe("stepId"),
                };
                let unit = text(event.get("prohibited").unwrap(), "skillId");
                let correlation = event.get("correlationId").and_then(Value::as_str);
                same(
                    &prohibited.to_wire(unit, text(event, "timestamp"), correlation),
                    wire,
                )
            }
            (Some(_), None) => Ok(()),
            (None, _) => {
                let fields = case.get("fields").unwrap();
                let bytes = match text(case, "kind") {
                    "resolution" => {
                        let resolution = Resolution {
                            answer: Answer::Approved,
                            reviewer: text(fields, "reviewer").to_owned(),
                            role: None,
                            policy_ref: text(fields, "policyRef").to_owned(),
                            note: None,
                        };
                        let [id, target, tool, at] =
                            ["id", "target", "tool", "timestamp"].map(|name| text(fields, name));
                        resolution.statement(id, target, tool, at)
                    }
                    _ => {
                        let purchase = Purchase::within(fields).unwrap();
                        purchase.receipt(text(fields, "id"), text(fields, "timestamp"))
                    }
                };
                same(&Value::string(&bytes), case.get("bytes").unwrap())
                    .map_err(|problem| format!("{problem} {}", write(fields)))
            }
        }
    });
}
