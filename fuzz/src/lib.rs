//! What is fuzzed. The same functions run in `cargo test` over the seeds and over mutations of them (`tests/whole/fuzz.rs`).

pub mod entries;
