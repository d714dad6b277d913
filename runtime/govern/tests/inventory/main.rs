//! What is known of the tools of a server, whatever the server does with its lists.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod lists;
mod scratch;
mod vectors;
mod words;
