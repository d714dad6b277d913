//! The targets of the fuzzer, over their seeds and over what chance makes of those: few rounds, so that they cannot rot.

#[expect(unreachable_pub, reason = "they are public where they are fuzzed")]
#[path = "../../fuzz/src/entries.rs"]
mod entries;

use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;

/// How often each seed is spoilt.
const ROUNDS: u32 = 60;

#[track_caller]
fn check(target: &str, entry: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/seeds")
        .join(target);
    let seeds: Vec<Vec<u8>> = fs::read_dir(&folder)
        .unwrap()
        .map(|file| fs::read(file.unwrap().path()).unwrap())
        .collect();
    assert!(!seeds.is_empty());
    let mut chance = Chance(0x9E37_79B9_7F4A_7C15);
    for seed in &seeds {
        try_one(entry, seed);
        for _ in 0..ROUNDS {
            let mut bytes = seed.clone();
            for _ in 0..=chance.below(4) {
                chance.spoil(&mut bytes, &seeds);
            }
            try_one(entry, &bytes);
        }
    }
}

#[track_caller]
fn try_one(entry: fn(&[u8]), bytes: &[u8]) {
    let done = panic::catch_unwind(AssertUnwindSafe(|| entry(bytes)));
    assert!(done.is_ok(), "with {:?}", bytes.escape_ascii().to_string());
}

/// The same numbers at every run (xorshift).
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }

    /// Changes, removes, repeats or inserts a little, or goes on with another seed.
    fn spoil(&mut self, bytes: &mut Vec<u8>, seeds: &[Vec<u8>]) {
        let at = self.below(bytes.len() + 1);
        let end = (at + 1 + self.below(8)).min(bytes.len());
        match self.below(6) {
            0 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
            1 => drop(bytes.drain(at.min(end)..end)),
            2 => {
                let piece = bytes[at.min(end)..end].to_vec();
                bytes.splice(at..at, piece);
            }
            3 => bytes.truncate(at),
            4 => {
                let other = &seeds[self.below(seeds.len())];
                let from = self.below(other.len());
                bytes.truncate(at);
                bytes.extend_from_slice(&other[from..]);
            }
            _ => {
                const ODD: &[u8] = b"\"\\{}[]:,\n\r\t \0*?!&#|>-'`$(;/.%~e+0\xff\xc3\xe2";
                bytes.insert(at, ODD[self.below(ODD.len())]);
            }
        }
    }
}

#[test]
fn lines_have_one_meaning() {
    check("wire", entries::wire);
}

#[test]
fn json_is_read_strictly() {
    check("json", entries::json);
}

#[test]
fn policies_are_refused_or_sound() {
    check("policy", entries::policy);
}

#[test]
fn arguments_hide_nothing() {
    check("targets", entries::targets);
}

#[test]
fn only_the_signed_token_verifies() {
    let seed = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds/tokens/signed");
    expect_test::expect_file![seed].assert_eq(&entries::token());
    check("tokens", entries::tokens);
}

#[test]
fn patterns_match_what_they_say() {
    check("globs", entries::globs);
}
