//! What is true of the whole: one program, so that the tests are linked once.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop"
)]

#[path = "whole/adversary.rs"]
mod adversary;
#[path = "whole/boundaries.rs"]
mod boundaries;
#[path = "whole/commands.rs"]
mod commands;
#[path = "whole/fuzz.rs"]
mod fuzz;
#[path = "whole/goldens.rs"]
mod goldens;
#[path = "whole/schemas.rs"]
mod schemas;
