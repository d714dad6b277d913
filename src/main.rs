//! The binary that holds one policy.

#![forbid(unsafe_code)]

use std::process::ExitCode;

#[rustfmt::skip]
mod ruleset {
    //! The policy, as `build.rs` compiled it.
    include!(concat!(env!("OUT_DIR"), "/ruleset.rs"));
}

fn main() -> ExitCode {
    knotrust_cli::main(&ruleset::RULESET)
}
