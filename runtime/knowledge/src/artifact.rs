//! Plans, trees and traces as they are kept in files and shown to people.

use std::fmt::Write;

use knotrust_core::json::{Object, Value, write};

use crate::federation::Tree;
use crate::gate::Gate;
use crate::members::text;
use crate::plan::{Plan, Selected};
use crate::trace::Trace;

/// What an artifact is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// A plan.
    Plan,
    /// The plans of a walk.
    Tree,
    /// A trace.
    Trace,
}

/// An artifact: the thing itself, and what tells it apart from others.
#[must_use]
pub fn artifact(kind: Kind, content: &Value<'static>, correlation: Option<&str>) -> Value<'static> {
    let kind = match kind {
        Kind::Plan => "plan",
        Kind::Tree => "tree",
        Kind::Trace => "trace",
    };
    let mut object = Object::new();
    object.insert("schemaVersion", Value::Number(1_u64.into()));
    object.insert("kind", text(kind));
    if let Some(correlation) = correlation {
        object.insert("correlationId", text(correlation));
    }
    for (name, member) in content
        .as_object()
        .into_iter()
        .flat_map(|content| content.iter())
    {
        object.insert(name.clone(), member.clone());
    }
    Value::Object(object)
}

/// JSON over several lines, two blanks a level, as artifacts are kept.
#[must_use]
pub fn pretty(value: &Value<'_>) -> String {
    let mut out = String::new();
    indent(&mut out, value, 0);
    out.push('\n');
    out
}

fn indent(out: &mut String, value: &Value<'_>, level: usize) {
    match value {
        Value::Array(elements) if !elements.is_empty() => {
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                begin_line(out, index, level + 1);
                indent(out, element, level + 1);
            }
            end_lines(out, level, ']');
        }
        Value::Object(object) if !object.is_empty() => {
            out.push('{');
            for (index, (name, member)) in object.iter().enumerate() {
                begin_line(out, index, level + 1);
                out.push_str(&write(&Value::String(name.clone())));
                out.push_str(": ");
                indent(out, member, level + 1);
            }
            end_lines(out, level, '}');
        }
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => out.push_str(&write(value)),
    }
}

fn begin_line(out: &mut String, index: usize, level: usize) {
    out.push_str(if index == 0 { "\n" } else { ",\n" });
    out.extend(std::iter::repeat_n("  ", level));
}

fn end_lines(out: &mut String, level: usize, close: char) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", level));
    out.push(close);
}

/// A plan for people.
#[must_use]
pub fn plan_text(plan: &Plan) -> String {
    let mut out = format!(
        "{} {} as of {}: {}\n",
        plan.manifest.project, plan.manifest.version, plan.options.as_of, plan.task
    );
    for unit in &plan.selected {
        line(&mut out, &selected_text(unit));
    }
    for unit in &plan.skipped {
        line(&mut out, &format!("  skip   {}: {}", unit.id, unit.reason));
    }
    for reference in &plan.federation {
        let word = if reference.selected {
            "follow"
        } else {
            "leave "
        };
        line(
            &mut out,
            &format!("  {word} {}: {}", reference.id, reference.reason),
        );
    }
    for warning in &plan.warnings {
        line(&mut out, &format!("  note   {warning}"));
    }
    out
}

fn selected_text(unit: &Selected) -> String {
    let word = if unit.load_eligible {
        "load  "
    } else {
        "listed"
    };
    let cost = unit
        .payment
        .cost
        .as_ref()
        .map(|cost| format!(", {cost}"))
        .unwrap_or_default();
    format!(
        "  {word} {} ({}, score {}{cost}): {}",
        unit.id,
        unit.path,
        unit.score,
        unit.reasons.join("; ")
    )
}

/// A trace for people: the plan, and what every gate said.
#[must_use]
pub fn trace_text(trace: &Trace) -> String {
    let mut out = plan_text(&trace.plan);
    for unit in &trace.units {
        let end = unit.rejected_by().map_or("listed", Gate::name);
        line(&mut out, &format!("{} → {end}", unit.id));
        for verdict in &unit.verdicts {
            let mark = if verdict.passed { "+" } else { "-" };
            line(
                &mut out,
                &format!("  {mark} {}: {}", verdict.gate.name(), verdict.detail),
            );
        }
    }
    out
}

/// A tree for people: its plans, each before those of the manifests it refers to.
#[must_use]
pub fn tree_text(tree: &Tree) -> String {
    let mut out = String::new();
    for node in tree.nodes() {
        line(&mut out, &format!("# {}", node.location.as_str()));
        match (&node.plan, &node.error) {
            (Some(plan), _) => out.push_str(&plan_text(plan)),
            (None, error) => line(
                &mut out,
                &format!("  dead   {}", error.as_deref().unwrap_or("nothing there")),
            ),
        }
        for left in &node.not_followed {
            line(&mut out, &format!("  leave  {}: {}", left.id, left.reason));
        }
    }
    out
}

fn line(out: &mut String, text: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{text}");
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::date::IsoDate;
    use crate::manifest::Manifest;
    use crate::options::Options;
    use crate::trace::trace;

    const MANIFEST: &str = "
project: yard
version: '2'
manifests: [{id: port, url: https://port.example/knowledge.yaml, context: [prod]}]
units:
- {id: crane, path: crane.md, intent: Lift with the crane, triggers: [lift]}
- {id: log, path: log.md, intent: Log of the crane, access: restricted}
- {id: tides, path: tides.md, intent: Tides}
";

    fn traced() -> Trace {
        let manifest = Manifest::read(MANIFEST).unwrap();
        trace(
            &manifest,
            "lift crane",
            &Options::as_of(IsoDate::read("2026-07-06").unwrap()),
        )
    }

    #[test]
    fn plans_can_be_read() {
        expect![[r#"
            yard 2 as of 2026-07-06: lift crane
              load   crane (crane.md, score 12): intent matches 2 term(s); triggers match 1 term(s); id/path matches 1 term(s)
              listed log (log.md, score 3): intent matches 1 term(s); access 'restricted': agent holds no credentials
              skip   tides: no task-relevance match
              leave  port: context ["prod"] requires a declared env; none given (fail-closed)
        "#]]
        .assert_eq(&plan_text(&traced().plan));
    }

    #[test]
    fn traces_end_where_the_unit_did() {
        let text = trace_text(&traced());
        assert!(
            text.contains("tides → relevance\n  + audience: no audience restriction\n"),
            "{text}"
        );
        assert!(
            text.ends_with("  - relevance: no task-relevance match\n"),
            "{text}"
        );
    }

    #[test]
    fn artifacts_say_what_they_are() {
        let plan = traced().plan.to_json();
        let kept = artifact(Kind::Plan, &plan, Some("c-1"));
        assert!(pretty(&kept).starts_with("{\n  \"schemaVersion\": 1,\n  \"kind\": \"plan\",\n  \"correlationId\": \"c-1\",\n  \"task\""));
        assert!(pretty(&kept).contains("\"credentials\": []"));
    }
}
