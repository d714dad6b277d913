//! Problems for programs.

use serde::Serialize;

use crate::{
    located::Span,
    problem::{Label, Problem, Problems},
    source::Sources,
};

/// All problems as one JSON document.
pub fn json(problems: &Problems) -> String {
    let report = Report {
        errors: problems.errors().count(),
        warnings: problems.warnings().count(),
        problems: problems
            .iter()
            .map(|problem| entry(problems.sources(), problem))
            .collect(),
    };
    let mut text = serde_json::to_string_pretty(&report).unwrap_or_default();
    text.push('\n');
    text
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    errors: usize,
    warnings: usize,
    problems: Vec<Entry<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry<'a> {
    code: &'static str,
    severity: &'static str,
    message: &'a str,
    #[serde(flatten)]
    place: Option<Place>,
    labels: Vec<Spot<'a>>,
    help: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Spot<'a> {
    #[serde(flatten)]
    place: Place,
    text: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Place {
    file: String,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
}

fn entry<'a>(sources: &Sources, problem: &'a Problem) -> Entry<'a> {
    Entry {
        code: problem.code.name(),
        severity: problem.severity().name(),
        message: &problem.message,
        place: problem.span().map(|span| place(sources, span)),
        labels: problem
            .labels
            .iter()
            .map(|label| spot(sources, label))
            .collect(),
        help: &problem.help,
    }
}

fn spot<'a>(sources: &Sources, label: &'a Label) -> Spot<'a> {
    Spot {
        place: place(sources, label.span),
        text: &label.text,
    }
}

fn place(sources: &Sources, span: Span) -> Place {
    let (start, end) = (sources.position(span), sources.end_position(span));
    Place {
        file: sources.name(span.file),
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
    }
}
