//! What manifests, plans and all that stands around them mean, as data.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a vector that can't be read is a failed test"
)]

mod around;
mod conforming;
mod governing;
mod linting;
mod over_time;
mod planning;
mod support;
