//! How long it takes to find the patterns that match a name, with few of them and with many.

use divan::{Bencher, black_box};
use knotrust_core::glob::Pattern;
use knotrust_core::names::{Names, NamesBuilder, OwnedNames};

const COUNTS: [u32; 4] = [10, 100, 1_000, 10_000];

/// The name of a tool that some of the patterns match.
const KNOWN: &str = "server7.update_record_7";
/// One that only the widest match.
const UNKNOWN: &str = "elsewhere.summarise_conversation_history";

fn main() {
    divan::main();
}

#[divan::bench(args = COUNTS)]
fn known(bencher: Bencher<'_, '_>, count: u32) {
    look_up(bencher, mixed(count).lend(), KNOWN);
}

#[divan::bench(args = COUNTS)]
fn unknown(bencher: Bencher<'_, '_>, count: u32) {
    look_up(bencher, mixed(count).lend(), UNKNOWN);
}

#[divan::bench(args = COUNTS)]
fn without_index(bencher: Bencher<'_, '_>, count: u32) {
    let owned = mixed(count);
    look_up(bencher, Names::packed(owned.packed(), &[]), KNOWN);
}

#[divan::bench(args = COUNTS, sample_count = 10)]
fn build(bencher: Bencher<'_, '_>, count: u32) {
    bencher.bench(|| mixed(black_box(count)));
}

fn look_up(bencher: Bencher<'_, '_>, names: Names<'_>, name: &str) {
    let mut ids = Vec::new();
    bencher.bench_local(|| {
        names.matching(black_box(name), &mut ids);
        ids.len()
    });
}

fn mixed(count: u32) -> OwnedNames {
    let mut builder = NamesBuilder::new();
    for id in 0..count {
        if let Ok(pattern) = Pattern::name(&pattern(id)) {
            builder.add(id, &pattern);
        }
    }
    builder.build()
}

fn pattern(id: u32) -> String {
    let server = id / 20;
    match id % 20 {
        0 => format!("server{server}.*"),
        1 => format!("server{server}.list_*"),
        2 => format!("server{server}.{{get,read}}_*"),
        3 => format!("*.delete_record_{id}"),
        4 => format!("*update_record_{id}*"),
        5 => format!("server{server}.*_secret_{id}"),
        6 => format!("server{server}.v?.put_[a-f]*"),
        7 => format!("server{id}.update_*"),
        _ => format!("server{server}.tool_number_{id}"),
    }
}
