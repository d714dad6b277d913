//! How long planning takes, with few units and with many.

use std::fmt::Write;

use divan::{Bencher, black_box};
use knotrust_knowledge::date::IsoDate;
use knotrust_knowledge::governing::{Domain, Question, Session, ask};
use knotrust_knowledge::manifest::Manifest;
use knotrust_knowledge::options::Options;
use knotrust_knowledge::planner::plan;
use knotrust_knowledge::trace::trace;

const COUNTS: [usize; 4] = [10, 100, 1_000, 10_000];
const TASK: &str =
    "how do I rotate the signing key of the payment service before the audit in production?";

fn main() {
    divan::main();
}

/// Units of which one in ten has to do with the task.
#[divan::bench(args = COUNTS)]
fn few_relevant(bencher: Bencher<'_, '_>, count: usize) {
    let (manifest, options) = (manifest(count, 10), options());
    bencher.bench(|| plan(black_box(&manifest), TASK, &options));
}

/// Units all of which do.
#[divan::bench(args = COUNTS)]
fn all_relevant(bencher: Bencher<'_, '_>, count: usize) {
    let (manifest, options) = (manifest(count, 1), options());
    bencher.bench(|| plan(black_box(&manifest), TASK, &options));
}

#[divan::bench(args = COUNTS, sample_count = 20)]
fn traced(bencher: Bencher<'_, '_>, count: usize) {
    let (manifest, options) = (manifest(count, 10), options());
    bencher.bench(|| trace(black_box(&manifest), TASK, &options));
}

#[divan::bench(args = COUNTS, sample_count = 20)]
fn read(bencher: Bencher<'_, '_>, count: usize) {
    let text = text(count, 10);
    bencher.bench(|| Manifest::read(black_box(&text)));
}

/// A call that touches what was approved before.
#[divan::bench(args = COUNTS)]
fn plan_first(bencher: Bencher<'_, '_>, count: usize) {
    let (manifest, options) = (manifest(count, 10), options());
    let domain = Domain {
        name: "d",
        manifest: Ok(&manifest),
        urls: &[],
        options: &options,
    };
    let mut session = Session::default();
    let question = Question {
        tool: "Read".to_owned(),
        paths: vec!["docs/folder/unit-7.md".to_owned()],
        ..Question::default()
    };
    assert!(ask(domain, &mut session, &question).approved);
    bencher.bench_local(|| ask(domain, &mut session, black_box(&question)));
}

/// A call that touches what nobody asked for before.
#[divan::bench(args = COUNTS)]
fn auto_plan(bencher: Bencher<'_, '_>, count: usize) {
    let (manifest, options) = (manifest(count, 10), options());
    let domain = Domain {
        name: "d",
        manifest: Ok(&manifest),
        urls: &[],
        options: &options,
    };
    let question = Question {
        tool: "Read".to_owned(),
        paths: vec!["docs/folder/unit-7.md".to_owned()],
        ..Question::default()
    };
    bencher.bench_local(|| ask(domain, &mut Session::default(), black_box(&question)));
}

fn options() -> Options {
    Options::as_of(IsoDate::read("2026-07-06").unwrap_or_else(|| std::process::abort()))
}

fn manifest(count: usize, every: usize) -> Manifest {
    Manifest::read(&text(count, every)).unwrap_or_else(|_| std::process::abort())
}

fn text(count: usize, every: usize) -> String {
    let mut text = "project: p\nversion: '1'\nunits:\n".to_owned();
    for number in 0..count {
        let topic = if number % every == 0 {
            "rotate the signing key"
        } else {
            "describe the weather station"
        };
        // Writing to a string can't fail.
        let _ = write!(
            text,
            "  - id: unit-{number}\n    path: docs/folder/unit-{number}.md\n    intent: How to {topic} number {number} of the harbour\n    audience: [agent, developer]\n    triggers: [harbour, crane, weather, station, {number}-th]\n    not_for: [tax returns]\n    temporal: {{valid_from: 2026-01-01, valid_until: 2027-01-01}}\n    size_tokens: 120\n"
        );
    }
    text
}
