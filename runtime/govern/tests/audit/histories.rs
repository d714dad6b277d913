//! Whatever happens in whatever order: no line is glued, no number comes twice to who knows it, nothing acknowledged is
//! missing that nobody has removed.

use std::fs::{self, OpenOptions};
use std::io::Write as _;

use knotrust_core::audit::record::Record;
use knotrust_govern::audit::Receipt;
use proptest::prelude::*;

use super::scratch::{Scratch, append_at};

#[derive(Clone, Debug)]
enum Step {
    /// One of two processes appends, so many days later.
    Append { by: usize, days: u64 },
    /// A process ends, and another takes its place.
    Restart(usize),
    /// Bytes appear at the end of the newest file.
    Rubbish(Vec<u8>),
    /// The newest file is cut to this part of its length, in thousandths.
    Cut(u64),
    /// The newest file goes.
    Remove,
}

fn harmless() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..2_usize, 0..40_u64).prop_map(|(by, days)| Step::Append { by, days }),
        1 => (0..2_usize).prop_map(Step::Restart),
        1 => rubbish().prop_map(Step::Rubbish),
    ]
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => harmless(),
        1 => (0..1000_u64).prop_map(Step::Cut),
        1 => Just(Step::Remove),
    ]
}

fn rubbish() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![Just(b'\n'), Just(b'{'), Just(b'}'), Just(0), any::<u8>()];
    proptest::collection::vec(byte, 1..40)
}

/// Takes the steps, and checks after each append that it is what the newest file ends with.
fn run(steps: &[Step]) -> (Scratch, Vec<Receipt>) {
    let scratch = Scratch::new();
    let mut logs = [scratch.log(), scratch.log()];
    let mut receipts: Vec<Receipt> = Vec::new();
    // The number that each process has seen last.
    let mut known = [0, 0];
    let mut hours = 0;
    // What is found, is found by the next append; so each history ends with one.
    let end = Step::Append { by: 0, days: 0 };
    for step in steps.iter().chain([&end]) {
        match step {
            Step::Append { by, days } => {
                hours += days * 24;
                let (month, day) = (1 + hours / 24 / 28 % 12, 1 + hours / 24 % 28);
                let year = 2026 + hours / 24 / 28 / 12;
                let wall = format!("{year:04}-{month:02}-{day:02}T00:00:00Z");
                // The steady clock runs as the wall clock does, but for whole months, which are jumps.
                let receipt = append_at(&mut logs[*by], "event", &wall, hours * 3_600_000).unwrap();
                let line = last_line(&scratch);
                let record = Record::parse(line.as_bytes()).unwrap();
                assert_eq!(
                    (record.seq(), record.hash()),
                    (receipt.seq(), receipt.hash())
                );
                assert!(known[*by] < receipt.seq());
                known[*by] = receipt.seq();
                receipts.push(receipt);
            }
            Step::Restart(which) => {
                logs[*which] = scratch.log();
                known[*which] = 0;
            }
            Step::Rubbish(bytes) => {
                if let Some(mut file) = newest(&scratch) {
                    file.write_all(bytes).unwrap();
                }
            }
            Step::Cut(part) => {
                if let Some(file) = newest(&scratch) {
                    file.set_len(file.metadata().unwrap().len() * part / 1000)
                        .unwrap();
                }
            }
            Step::Remove => {
                if let Some(name) = names(&scratch).pop() {
                    fs::remove_file(scratch.at("audit").join(name)).unwrap();
                }
            }
        }
    }
    (scratch, receipts)
}

fn names(scratch: &Scratch) -> Vec<String> {
    let mut names = knotrust_govern::files::names(&scratch.at("audit")).unwrap();
    names.retain(|name| name.ends_with(".jsonl"));
    names
}

fn newest(scratch: &Scratch) -> Option<fs::File> {
    let name = names(scratch).pop()?;
    OpenOptions::new()
        .append(true)
        .open(scratch.at("audit").join(name))
        .ok()
}

fn last_line(scratch: &Scratch) -> String {
    let name = names(scratch).pop().unwrap();
    let text = fs::read_to_string(scratch.at("audit").join(name)).unwrap();
    assert!(text.ends_with('\n'));
    text.lines().last().unwrap().to_owned()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_nobody_has_cut_verifies(steps in proptest::collection::vec(harmless(), 1..40)) {
        let (scratch, receipts) = run(&steps);
        let verified = scratch.verified();
        prop_assert!(verified.starts_with("intact, "), "{}", verified);
        let told = scratch.told();
        for receipt in receipts {
            let event = format!("{} decision event", receipt.seq());
            prop_assert!(told.lines().any(|line| line == event), "{} is missing", event);
        }
    }

    #[test]
    fn no_process_gives_a_number_out_twice(steps in proptest::collection::vec(any_step(), 1..40)) {
        run(&steps);
    }
}
