//! The clock goes over the month, and back, and far away.

use std::fs;

use expect_test::expect;
use knotrust_core::audit::filter::Filter;
use knotrust_govern::audit::read::Reader;

use super::scratch::{Scratch, append_at};

#[test]
fn months_turn_and_clocks_jump_and_the_chain_holds() {
    let scratch = Scratch::new();
    let (mut one, mut two) = (scratch.log(), scratch.log());
    append_at(&mut one, "a", "2026-11-30T23:59:59.999Z", 0).unwrap();
    append_at(&mut two, "b", "2026-12-01T00:00:00.000Z", 1).unwrap();
    append_at(&mut one, "c", "2026-11-30T23:59:30.000Z", 2).unwrap();
    append_at(&mut two, "d", "2026-12-01T00:00:05.000Z", 5_001).unwrap();
    append_at(&mut two, "e", "1970-01-01T00:00:00.000Z", 6_001).unwrap();
    append_at(&mut two, "f", "2100-01-01T00:00:00.000Z", 7_001).unwrap();
    append_at(&mut two, "g", "2026-12-01T00:00:10.000Z", 10_001).unwrap();
    let mut told = String::new();
    for name in knotrust_govern::files::names(&scratch.at("audit")).unwrap() {
        for line in fs::read_to_string(scratch.at("audit").join(&name))
            .unwrap()
            .lines()
        {
            let value = knotrust_core::json::parse(line.as_bytes()).unwrap();
            let text = |name| {
                value
                    .get(name)
                    .and_then(|value| value.as_str())
                    .unwrap_or("")
            };
            told += &format!(
                "{name} {} {} {}\n",
                text("ts"),
                text("reason"),
                text("wall")
            );
        }
    }
    expect![[r#"
        202611.jsonl 2026-11-30T23:59:59.999Z a 
        202612.jsonl 2026-12-01T00:00:00.000Z b 
        202612.jsonl 2026-12-01T00:00:00.000Z c 
        202612.jsonl 2026-12-01T00:00:05.000Z d 
        202612.jsonl 2026-12-01T00:00:05.000Z the clock was set 1970-01-01T00:00:00.000Z
        202612.jsonl 2026-12-01T00:00:05.000Z e 
        202612.jsonl 2026-12-01T00:00:05.000Z the clock was set 2100-01-01T00:00:00.000Z
        202612.jsonl 2026-12-01T00:00:05.000Z f 
        202612.jsonl 2026-12-01T00:00:10.000Z the clock was set 2026-12-01T00:00:10.000Z
        202612.jsonl 2026-12-01T00:00:10.000Z g 
    "#]]
    .assert_eq(&told);
    assert_eq!(scratch.verified(), "intact, 10 events");
}

#[test]
fn since_finds_what_later_months_hold() {
    let scratch = Scratch::new();
    let mut log = scratch.log();
    append_at(&mut log, "a", "2026-10-30T00:00:00Z", 0).unwrap();
    append_at(&mut log, "b", "2026-11-30T00:00:00Z", 2_678_400_000).unwrap();
    append_at(&mut log, "c", "2026-12-30T00:00:00Z", 5_270_400_000).unwrap();
    let since = knotrust_core::time::Timestamp::parse("2026-11-30T00:00:00Z");
    let filter = Filter {
        since,
        ..Filter::default()
    };
    let reader = Reader::of(&scratch.home);
    let found: Vec<_> = reader
        .events(filter.clone())
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(found.len(), 2);
    assert_eq!(reader.last(5, &filter).unwrap(), found);
    assert_eq!(reader.last(1, &Filter::default()).unwrap(), found[1..]);
}

#[test]
fn a_follower_sees_each_event_once_over_the_month() {
    let scratch = Scratch::new();
    let mut follower = Reader::of(&scratch.home).follow(Filter::default()).unwrap();
    assert!(follower.poll().unwrap().is_empty());
    let mut log = scratch.log();
    append_at(&mut log, "a", "2026-11-30T00:00:00Z", 0).unwrap();
    append_at(&mut log, "b", "2026-11-30T00:00:01Z", 1000).unwrap();
    assert_eq!(follower.poll().unwrap().len(), 2);
    append_at(&mut log, "c", "2026-11-30T00:00:02Z", 2000).unwrap();
    append_at(&mut log, "d", "2026-12-01T00:00:02Z", 86_402_000).unwrap();
    assert_eq!(follower.poll().unwrap().len(), 2);
    assert!(follower.poll().unwrap().is_empty());
    let mut late = Reader::of(&scratch.home).follow(Filter::default()).unwrap();
    assert!(late.poll().unwrap().is_empty());
}

#[test]
fn a_person_may_believe_the_clock() {
    let scratch = Scratch::with_events(1);
    let mut log = scratch.log();
    let now = knotrust_govern::clock::Moment {
        wall: knotrust_core::time::Timestamp::parse("2099-01-01T00:00:00Z").unwrap(),
        steady: std::time::Duration::ZERO,
    };
    let receipt = log.believe_clock(now).unwrap();
    assert_eq!(receipt.seq(), 2);
    assert!(scratch.at("audit/209901.jsonl").exists());
    assert_eq!(scratch.verified(), "intact, 2 events");
}
