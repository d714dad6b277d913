//! Turns a checked ruleset into Rust.
//!
//! [`build_script()`] is what the root's `build.rs` calls. It decides nothing: everything that can be settled was settled
//! by the language, and the module that comes out is one literal of the core's own types, for a person to read from top
//! to bottom. Tables too large for the compiler are linked as bytes instead.
//!
//! Read [`build_script()`], then [`emit`].
#![forbid(unsafe_code)]

mod build_script;
pub mod emit;

pub use build_script::build_script;
