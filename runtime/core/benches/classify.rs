//! What a call costs that touches nothing: the price that every call pays.
//!
//! Bounds, on the build machine: a call of 1 KiB against 10,000 governed prefixes under 3 µs, a command of 4 KiB under
//! 150 µs. Links are not looked at here; what that costs is the file system's affair.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    reason = "a bench that meets what it does not expect is to fail there"
)]

use divan::Bencher;
use knotrust_core::classify::classify;
use knotrust_core::json;
use knotrust_core::surroundings::{NoLinks, Os, Surroundings};
use knotrust_core::targets::building::{Builder, OwnedPlaces};
use knotrust_core::targets::ground::Ground;
use knotrust_core::targets::own::Own;
use knotrust_core::targets::place::Holder;

fn main() {
    divan::main();
}

const SIZES: [u32; 3] = [10, 1_000, 10_000];

fn places(count: u32) -> OwnedPlaces {
    let mut builder = Builder::default();
    for number in 0..count {
        let holder = Holder::Domain(number % 20);
        builder
            .path(&format!("docs/area{}/unit{number}/", number % 97), holder)
            .unwrap();
        if number % 10 == 0 {
            builder
                .path(&format!("/srv/share{number}/"), holder)
                .unwrap();
            builder
                .url(&format!("https://host{number}.example.com/docs"), holder)
                .unwrap();
        }
    }
    builder.finish()
}

fn bench(bencher: Bencher<'_, '_>, count: u32, tool: &str, arguments: &str) {
    let around = Surroundings {
        cwd: "/home/dev/proj",
        home: "/home/dev",
        os: Os::Linux,
        naming: Os::Linux.naming(),
        links: &NoLinks,
    };
    let own = Own {
        home: Some("/home/dev/.knotrust"),
        program: Some("/usr/bin/knotrust"),
        ports: &[7411],
    };
    let arguments = json::parse(arguments.as_bytes()).unwrap();
    places(count).lend(|places| {
        let ground = Ground::lay(places, &own, &around);
        let touched = classify(&ground, &NoLinks, tool, &arguments);
        assert!(touched.targets().is_empty(), "{:?}", touched.targets());
        bencher.bench_local(|| classify(&ground, &NoLinks, tool, &arguments));
    });
}

#[divan::bench(args = SIZES)]
fn a_read(bencher: Bencher<'_, '_>, count: u32) {
    bench(
        bencher,
        count,
        "read_file",
        r#"{"path":"/home/dev/proj/src/lib.rs","head":20}"#,
    );
}

/// Members of many kinds, 1 KiB together.
#[divan::bench(args = SIZES)]
fn a_call_of_1_kib(bencher: Bencher<'_, '_>, count: u32) {
    let text = "The quick brown fox jumps over the lazy dog and runs. ".repeat(14);
    let arguments = format!(
        r#"{{"title":"Release notes","body":"{text}","labels":["bug","help wanted"],"assignee":"octocat",
        "path":"src/app/main.rs","owner":"acme","repo":"web","url":"https://www.example.com/a/b?c=d",
        "draft":false,"number":42,"meta":{{"kind":"note","lang":"en"}}}}"#
    );
    assert!(
        (1_000..1_200).contains(&arguments.len()),
        "{}",
        arguments.len()
    );
    bench(bencher, count, "post_issue", &arguments);
}

/// A file's text of 1 KiB.
#[divan::bench(args = SIZES)]
fn a_write_of_1_kib(bencher: Bencher<'_, '_>, count: u32) {
    let text = "fn main() { println!(\\\"hello\\\"); } // a/b/c ".repeat(21);
    let arguments = format!(r#"{{"path":"src/main.rs","content":"{text}"}}"#);
    bench(bencher, count, "write_file", &arguments);
}

#[divan::bench(args = SIZES)]
fn a_short_command(bencher: Bencher<'_, '_>, count: u32) {
    bench(
        bencher,
        count,
        "run",
        r#"{"command":"cargo test -p core --lib 2>&1 | tail -n 20"}"#,
    );
}

#[divan::bench(args = SIZES)]
fn a_command_of_4_kib(bencher: Bencher<'_, '_>, count: u32) {
    let line = r#"cat src/a.md 'x y' | grep -c \"word\" > /tmp/out && find src -name '*.md' -exec cat {} +\n"#;
    let command = line.repeat(4_096 / (line.len() - 3));
    bench(
        bencher,
        count,
        "run",
        &format!(r#"{{"command":"{command}"}}"#),
    );
}
