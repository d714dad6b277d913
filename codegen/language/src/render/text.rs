//! Problems for people: the source with what is wrong underlined.

use std::fmt::Write as _;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::{
    problem::{Code, Label, Problem, Problems, Severity, is_visible},
    source::{FileId, Sources},
};

/// Whether the text is for a terminal that shows colours.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Colour {
    /// Plain text.
    Never,
    /// Escape sequences for colours. Nothing is said by colour alone.
    Always,
}

/// All problems, one below the other, and a line that counts them. Empty if there are none.
pub fn text(problems: &Problems, colour: Colour) -> String {
    let renderer = match colour {
        Colour::Never => Renderer::plain(),
        Colour::Always => Renderer::styled(),
    };
    let mut out = String::new();
    for problem in problems.iter() {
        out.push_str(&draw(&renderer, problems.sources(), problem));
        out.push_str("\n\n");
    }
    let (errors, warnings) = (problems.errors().count(), problems.warnings().count());
    let counted = |count: usize, what: &str| match count {
        0 => None,
        1 => Some(format!("1 {what}")),
        _ => Some(format!("{count} {what}s")),
    };
    let counts: Vec<String> = [counted(errors, "error"), counted(warnings, "warning")]
        .into_iter()
        .flatten()
        .collect();
    if !counts.is_empty() {
        let _ = writeln!(out, "{}", counts.join(", "));
    }
    out
}

/// Lines this near to each other are shown together.
const NEAR: u32 = 4;
/// A line longer than this is not shown: no terminal could.
const WIDEST: usize = 1000;

fn draw(renderer: &Renderer, sources: &Sources, problem: &Problem) -> String {
    let level = match problem.severity() {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = Group::with_title(
        level
            .primary_title(problem.message.as_str())
            .id(problem.code.name()),
    );
    for cluster in clusters(sources, &problem.labels) {
        group = match snippet(sources, &cluster) {
            Some(snippet) => group.element(snippet),
            None => group.elements(origin(sources, &cluster)),
        };
    }
    for help in &problem.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    renderer.render(&[group])
}

/// Labels that are shown in one piece of source, with their lines.
struct Cluster<'a> {
    file: FileId,
    first: u32,
    last: u32,
    labels: Vec<(&'a Label, bool)>,
}

fn clusters<'a>(sources: &Sources, labels: &'a [Label]) -> Vec<Cluster<'a>> {
    let mut clusters: Vec<Cluster<'a>> = Vec::new();
    for (number, label) in labels.iter().enumerate() {
        let first = sources.position(label.span).line;
        let last = sources.end_position(label.span).line.max(first);
        let near = clusters.iter_mut().find(|cluster| {
            cluster.file == label.span.file
                && first <= cluster.last + NEAR
                && last + NEAR >= cluster.first
        });
        match near {
            Some(cluster) => {
                cluster.first = cluster.first.min(first);
                cluster.last = cluster.last.max(last);
                cluster.labels.push((label, number == 0));
            }
            None => {
                let labels = vec![(label, number == 0)];
                clusters.push(Cluster {
                    file: label.span.file,
                    first,
                    last,
                    labels,
                });
            }
        }
    }
    clusters
}

/// A text in which every character can be seen, and none moves its neighbours.
fn visible(text: &str) -> String {
    let seen = |char| {
        if matches!(char, '\n' | '\t') || is_visible(char) {
            char
        } else {
            char::REPLACEMENT_CHARACTER
        }
    };
    text.replace("\r\n", "\n").chars().map(seen).collect()
}

/// A piece of source. `None` if its lines are too long to be shown.
fn snippet<'a>(sources: &Sources, cluster: &Cluster<'a>) -> Option<Snippet<'a, Annotation<'a>>> {
    let text = sources.text(cluster.file);
    let start = sources.line(cluster.file, cluster.first).start;
    // A value over many lines is shown by its beginning.
    let last = cluster.last.min(cluster.first + 3 * NEAR);
    let end = sources.line(cluster.file, last).end.max(start);
    let shown = text.get(start..end)?;
    if shown.lines().any(|line| line.len() > WIDEST) {
        return None;
    }
    let place = |offset: u32| {
        let offset = shown.floor_char_boundary((offset as usize).clamp(start, end) - start);
        visible(shown.get(..offset).unwrap_or("")).len()
    };
    let annotations = cluster.labels.iter().map(|(label, primary)| {
        let kind = if *primary {
            AnnotationKind::Primary
        } else {
            AnnotationKind::Context
        };
        let from = place(label.span.start);
        let annotation = kind.span(from..place(label.span.end).max(from));
        if label.text.is_empty() {
            annotation
        } else {
            annotation.label(label.text.as_str())
        }
    });
    let annotations: Vec<_> = annotations.collect();
    Some(
        Snippet::source(visible(shown))
            .path(sources.name(cluster.file))
            .line_start(cluster.first as usize)
            .annotations(annotations),
    )
}

fn origin<'a>(sources: &Sources, cluster: &Cluster<'a>) -> Vec<Origin<'a>> {
    let origins = cluster.labels.iter().map(|(label, _)| {
        let position = sources.position(label.span);
        Origin::path(sources.name(cluster.file))
            .line(position.line as usize)
            .char_column(position.column as usize)
    });
    origins.collect()
}

/// A line for a place that shows no more, such as `cargo::error=`.
pub fn line(problems: &Problems) -> String {
    let first = problems
        .errors()
        .find(|problem| problem.code != Code::TooManyErrors);
    let Some(problem) = first else {
        return String::new();
    };
    let count = problems.errors().count();
    let more = if count > 1 {
        format!(" (and {} more)", count - 1)
    } else {
        String::new()
    };
    match problem.span() {
        Some(span) => {
            let position = problems.sources().position(span);
            let name = problems.sources().name(span.file);
            format!(
                "{name}:{}:{}: {}{more}",
                position.line, position.column, problem.message
            )
        }
        None => format!("{}{more}", problem.message),
    }
}
