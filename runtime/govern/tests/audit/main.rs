//! The audit log in a home: what it promises, whatever disk, clock and other people do.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod clock;
mod foreign;
mod full;
mod histories;
mod processes;
mod recovery;
mod scratch;
mod vectors;
