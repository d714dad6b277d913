//! Compiles the policy: one call.

fn main() {}
