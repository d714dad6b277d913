//! The binary that holds one policy.

fn main() {}
