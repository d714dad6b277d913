//! Problems for code scanning: SARIF 2.1.0.

use serde_json::{Value, json};

use crate::{
    located::Span,
    problem::{Code, Problem, Problems},
    source::Sources,
};

/// All problems as one SARIF log with one run.
pub fn sarif(problems: &Problems) -> String {
    let results: Vec<Value> = problems
        .iter()
        .map(|problem| result(problems.sources(), problem))
        .collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "knotrust",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": Code::ALL.iter().map(|code| rule(*code)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    let mut text = serde_json::to_string_pretty(&log).unwrap_or_default();
    text.push('\n');
    text
}

fn rule(code: Code) -> Value {
    json!({
        "id": code.name(),
        "shortDescription": { "text": code.about() },
        "defaultConfiguration": { "level": code.severity().name() },
    })
}

fn result(sources: &Sources, problem: &Problem) -> Value {
    let mut message = problem.message.clone();
    for help in &problem.help {
        message.push_str("\nhelp: ");
        message.push_str(help);
    }
    let mut labels = problem.labels.iter();
    let locations: Vec<Value> = labels
        .next()
        .map(|label| location(sources, label.span, &label.text))
        .into_iter()
        .collect();
    let related: Vec<Value> = labels
        .map(|label| location(sources, label.span, &label.text))
        .collect();
    json!({
        "ruleId": problem.code.name(),
        "ruleIndex": Code::ALL.iter().position(|code| *code == problem.code),
        "level": problem.severity().name(),
        "message": { "text": message },
        "locations": locations,
        "relatedLocations": related,
    })
}

fn location(sources: &Sources, span: Span, text: &str) -> Value {
    let (start, end) = (sources.position(span), sources.end_position(span));
    let mut location = json!({
        "physicalLocation": {
            "artifactLocation": { "uri": uri(&sources.name(span.file)) },
            "region": {
                "startLine": start.line,
                "startColumn": start.column,
                "endLine": end.line,
                "endColumn": end.column,
            },
        },
    });
    if let (Some(location), false) = (location.as_object_mut(), text.is_empty()) {
        location.insert("message".to_owned(), json!({ "text": text }));
    }
    location
}

/// A path as a URI reference: what is not plain is escaped.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'-' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
