//! What a decision costs by itself, from a request that has been read to the answer: no file, no log, no other process.
//!
//! Bounds, on the build machine: 2 µs with 10 rules and arguments of 1 KiB, 4 µs with 10,000 rules.

#![allow(
    missing_docs,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a bench that meets what it does not expect is to fail there"
)]

use std::fmt::Write as _;
use std::path::Path;

use divan::{Bencher, black_box};
use knotrust_core::cache::{Cache, Facts, Key};
use knotrust_core::case::{Case, Standing};
use knotrust_core::decide::decide;
use knotrust_core::evidence::Evidence;
use knotrust_core::exact::call_hash;
use knotrust_core::precedence::Outcome;
use knotrust_core::request::{self, DecisionRequest};
use knotrust_core::ruleset::Ruleset;
use knotrust_core::surroundings::{NoLinks, Os, Surroundings};
use knotrust_core::targets::{ground::Ground, own::Own};
use knotrust_core::{json, time::Timestamp};
use knotrust_language::check_str;

fn main() {
    divan::main();
}

const COUNTS: [u32; 3] = [10, 1_000, 10_000];

/// As the proxy decides: the policy beside the call, then the answer.
#[divan::bench(args = COUNTS)]
fn decision(bencher: Bencher<'_, '_>, rules: u32) {
    with(rules, |ruleset, request| {
        let arguments = request.arguments();
        let evidence = Evidence::none(Timestamp::default());
        let answer = || {
            let case = Case::of(ruleset, request, &arguments, Standing::default(), &around());
            decide(&case, &evidence)
        };
        assert_eq!(answer().outcome, Outcome::Deny);
        bencher.bench_local(|| black_box(answer()));
    });
}

/// The same, and the arguments are looked through for paths, URLs and commands.
#[divan::bench(args = COUNTS)]
fn decision_and_targets(bencher: Bencher<'_, '_>, rules: u32) {
    with(rules, |ruleset, request| {
        let around = around();
        let arguments = request.arguments();
        let evidence = Evidence::none(Timestamp::default());
        let ground = Ground::lay(ruleset.places, &Own::NOTHING, &around);
        bencher.bench_local(|| {
            let (case, _) = Case::on(&ground, ruleset, request, &arguments, false, &around);
            black_box(decide(&case, &evidence))
        });
    });
}

/// What the hash of a call takes, which its approval is bound to.
#[divan::bench]
fn canonical_hash(bencher: Bencher<'_, '_>) {
    with(10, |_, request| {
        bencher.bench_local(|| request.call_hash());
    });
}

/// An answer that is remembered: what the policy says of the call, the exact hash of the call, the key, and the look-up.
#[divan::bench(args = COUNTS)]
fn remembered(bencher: Bencher<'_, '_>, rules: u32) {
    with(rules, |ruleset, request| {
        let arguments = request.arguments();
        let now = Timestamp::default();
        let decided = |call: &str| {
            let case = Case::of(ruleset, request, &arguments, Standing::default(), &around());
            let facts = Facts {
                call,
                grants: 1,
                plans: 1,
                session: None,
            };
            (Key::of(&case, &facts), decide(&case, &Evidence::none(now)))
        };
        let (key, decision) = decided(&call_hash(request));
        let mut cache = Cache::new(1 << 20);
        cache.put(key, &decision, now, ruleset.settings.cache, None);
        assert!(cache.get(key, now).is_some());
        bencher.bench_local(|| {
            let hash = call_hash(request);
            let case = Case::of(ruleset, request, &arguments, Standing::default(), &around());
            let facts = Facts {
                call: &hash,
                grants: 1,
                plans: 1,
                session: None,
            };
            cache.get(Key::of(&case, &facts), now).is_some()
        });
    });
}

const fn around() -> Surroundings<'static> {
    Surroundings {
        cwd: "/home/dev/proj",
        home: "/home/dev",
        os: Os::Linux,
        naming: Os::Linux.naming(),
        links: &NoLinks,
    }
}

/// Asks about a call with arguments of 1 KiB, under a policy with that many rules.
fn with(rules: u32, then: impl FnOnce(&Ruleset<'_>, &DecisionRequest<'_>)) {
    let (checked, problems) = check_str("bench.yaml", &policy(rules), Path::new(""));
    let problems: Vec<_> = problems.errors().map(|problem| &problem.message).collect();
    let checked = checked.unwrap_or_else(|| panic!("{problems:?}"));
    let text = "The quick brown fox jumps over the lazy dog and runs. ".repeat(15);
    let request = format!(
        r#"{{"contractVersion":"1.0","requestId":"r","timestamp":"2026-07-03T00:00:00Z",
        "subject":{{"type":"user","id":"ann"}},"action":{{"name":"server7.update_record"}},
        "resource":{{"type":"record","id":"7"}},
        "context":{{"agent":{{"id":"a","type":"ai_agent"}},"env":{{"time":"2026-07-03T00:00:00Z","surfaceLocal":true}},
            "arguments":{{"title":"Release notes","body":"{text}","labels":["bug","help wanted"],"amount":700,
            "draft":false,"meta":{{"kind":"note","lang":"en"}}}}}},
        "surface":{{"kind":"stdio_proxy","instanceId":"i","server":"server7"}}}}"#
    );
    let value = json::parse(request.as_bytes()).unwrap();
    let request = request::read(&value).unwrap();
    checked.lend(|ruleset| then(ruleset, &request));
}

/// A policy whose rules are of all kinds, some of which match the call.
fn policy(rules: u32) -> String {
    let mut text = "apiVersion: knotrust/v1\nkind: Ruleset\nmetadata: { name: bench, version: 1 }\nunlistedServers: allow\ntiers:\n  rules:\n".to_owned();
    for number in 0..rules {
        let server = number / 10;
        let rule = match number % 10 {
            7 => format!(r#"match: "server{number}.update_*", tier: sensitive"#),
            8 => format!(
                r#"match: "server{}.update_record", when: {{ /amount: {{ lt: 500 }} }}, tier: routine"#,
                number - 1
            ),
            0 => format!(r#"match: "server{server}.*", tier: sensitive"#),
            1 => format!(r#"match: "server{server}.list_*", tier: routine"#),
            2 => format!(r#"match: "*.delete_record_{number}", tier: critical"#),
            3 => format!(r#"match: "server{server}.drop", deny: true"#),
            _ => format!(r#"match: "server{server}.tool_{number}", tier: routine"#),
        };
        let _ = writeln!(text, "    - {{ {rule} }}");
    }
    text
}
