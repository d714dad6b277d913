//! Ten thousand calls that wait for a person at once: what they take of memory, and whether any answer is lost.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench that cannot go on stops, and says what it found"
)]

use std::fs;
use std::time::Instant;

use knotrust_core::approval::Ending;
use knotrust_core::exact;
use knotrust_core::json::parse;
use knotrust_core::reason::Reason;
use knotrust_core::request;
use knotrust_core::ruleset::Approvals as Rules;
use knotrust_core::tier::Tier;
use knotrust_govern::approvals::{Answer, Approvals, Desk, Limits, Question, Verdict, Way};
use knotrust_govern::clock;
use knotrust_govern::home::Home;

const CALLS: usize = 10_000;
const RULES: Rules<'static> = Rules::DEFAULT;

fn main() {
    let scratch = tempfile::tempdir().unwrap();
    let home = Home::open(None, Some(scratch.path().as_os_str())).unwrap();
    let many = Limits {
        waiting: CALLS,
        a_minute: CALLS,
    };
    let now = clock::now().wall;
    let (mut approvals, _) = Approvals::open(&home, &RULES, "bench", many, now).unwrap();
    let before = resident();

    let started = Instant::now();
    (0..CALLS).for_each(|index| ask(&mut approvals, index));
    let asked = started.elapsed();
    let held = resident().saturating_sub(before);

    let started = Instant::now();
    for _ in 0..1000 {
        assert!(approvals.poll(now).unwrap().is_empty());
    }
    let glance = started.elapsed() / 1000;

    for pending in Desk::of(&home).list().unwrap() {
        let answer = Answer {
            verdict: Verdict::Approve,
            at: now,
            way: Way::Terminal,
            who: "bench".to_owned(),
            call: Some(pending.ticket.exact.clone()),
            consent: None,
        };
        pending.resolve(&RULES, &answer, now).unwrap();
    }
    let settled = approvals.poll(now).unwrap();
    let approved = settled.iter().filter(|one| one.ending == Ending::Approved);
    println!(
        "{CALLS} held calls: {held} KiB, {:?} each to ask",
        asked / 10_000
    );
    println!("a look that finds nothing: {glance:?}");
    println!("{} of {CALLS} answers arrived", approved.count());
}

fn ask(approvals: &mut Approvals<'_>, index: usize) {
    let text = format!(
        r#"{{"contractVersion":"1.0","requestId":"1","timestamp":"2027-01-15T08:00:00Z",
        "subject":{{"type":"user","id":"dev"}},"action":{{"name":"bank.transfer"}},
        "resource":{{"type":"account","id":"DE89370400440532013000"}},
        "context":{{"agent":{{"id":"claude-code","type":"ai_agent"}},
          "arguments":{{"to":"DE89370400440532013000","amount":{index},"memo":"rent for May"}},
          "env":{{"time":"2027-01-15T08:00:00Z","surfaceLocal":true}}}},
        "surface":{{"kind":"stdio_proxy","instanceId":"px_1","server":"bank"}}}}"#
    );
    let value = parse(text.as_bytes()).unwrap();
    let request = request::read(&value).unwrap();
    let hash = request.call_hash().ok();
    let question = Question {
        request: &request,
        exact: &exact::call_hash(&request),
        hash: hash.as_deref(),
        tier: Tier::Critical,
        reason: Reason::NoGrantCritical,
        roles: Vec::new(),
        expires: 900_000,
    };
    let now = clock::now().wall;
    let _ = approvals
        .ask(&question, &format!("01HELD{index:020}"), now)
        .unwrap();
}

/// The memory of this process that is in use, in KiB; nothing where the system does not say.
fn resident() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.trim().split(' ').next()?.parse().ok());
    number.unwrap_or_default()
}
