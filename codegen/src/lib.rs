//! Turns a checked ruleset into Rust.
