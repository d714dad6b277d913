//! What it costs to record a call.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench that cannot go on stops"
)]

use divan::Bencher;
use knotrust_core::audit::chain::Head;
use knotrust_core::audit::event::{Event, Kind};
use knotrust_core::audit::line::Scribe;
use knotrust_core::audit::record::Record;
use knotrust_core::json::Text;
use knotrust_core::precedence::{Layer, Outcome};
use knotrust_core::tier::Tier;
use knotrust_core::time::Timestamp;
use knotrust_govern::audit::Log;
use knotrust_govern::clock;
use knotrust_govern::home::Home;

fn main() {
    divan::main();
}

const DIGEST: &str = "sha256:015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862";

/// The event of an allowed call, with everything it has.
fn event<'a>(tool: &'a Text<'a>) -> Event<'a> {
    Event {
        surface: "stdio_proxy",
        subject: "dev@example.com",
        agent: "claude-code",
        tool: Some(tool),
        args_hash: Some(DIGEST),
        decision_id: Some("01J9Z3NDEKTSV4RRFFQ69G5FAV"),
        latency_micros: Some(3),
        layer: Some(Layer::TierDefault),
        outcome: Some(Outcome::Allow),
        policy_digest: Some(DIGEST),
        reason: Some("routine_default_allow"),
        request_id: Some("01J9Z3NDEKTSV4RRFFQ69G5FAW"),
        rule: Some("knotrust.yaml:31"),
        server: Some("filesystem"),
        session: Some("01J9Z3NDEKTSV4RRFFQ69G5FAX"),
        tier: Some(Tier::Routine),
        ..Event::of(Kind::Decision)
    }
}

/// The line alone: written and hashed, in memory.
#[divan::bench]
fn line(bencher: Bencher<'_, '_>) {
    let tool = Text::from("filesystem.read_text_file");
    let event = event(&tool);
    let mut scribe = Scribe::default();
    let mut head = Head::GENESIS;
    bencher.bench_local(|| head = scribe.write(&event, &head, Timestamp::from_millis(1)));
}

/// A line read back, as it is when another process has appended.
#[divan::bench]
fn read_back(bencher: Bencher<'_, '_>) {
    let tool = Text::from("filesystem.read_text_file");
    let mut scribe = Scribe::default();
    scribe.write(&event(&tool), &Head::GENESIS, Timestamp::from_millis(1));
    let line = scribe.line().trim_end().as_bytes();
    bencher.bench_local(|| Record::parse(line).unwrap().head());
}

/// The whole append by one process.
#[divan::bench(sample_count = 2000, sample_size = 10)]
fn append(bencher: Bencher<'_, '_>) {
    let scratch = tempfile::tempdir().unwrap();
    let home = Home::open(None, Some(scratch.path().as_os_str())).unwrap();
    let mut log = Log::of(&home);
    let tool = Text::from("filesystem.read_text_file");
    let event = event(&tool);
    bencher.bench_local(|| log.append(&event, clock::now()).unwrap());
}

/// The first append of a process, to a log that exists: what it adds to a start.
#[divan::bench(sample_count = 200)]
fn first_append(bencher: Bencher<'_, '_>) {
    let scratch = tempfile::tempdir().unwrap();
    let home = Home::open(None, Some(scratch.path().as_os_str())).unwrap();
    let tool = Text::from("filesystem.read_text_file");
    let event = event(&tool);
    let first = |mut log: Log| {
        log.append(&event, clock::now()).unwrap();
        log
    };
    bencher
        .with_inputs(|| Log::of(&home))
        .bench_local_values(first);
}

/// The whole append, where another process has appended before each.
#[divan::bench(sample_count = 1000, sample_size = 10)]
fn append_in_turns(bencher: Bencher<'_, '_>) {
    let scratch = tempfile::tempdir().unwrap();
    let home = Home::open(None, Some(scratch.path().as_os_str())).unwrap();
    let (mut one, mut other) = (Log::of(&home), Log::of(&home));
    let tool = Text::from("filesystem.read_text_file");
    let event = event(&tool);
    bencher.bench_local(|| {
        std::mem::swap(&mut one, &mut other);
        one.append(&event, clock::now()).unwrap()
    });
}
