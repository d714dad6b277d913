//! JSON-RPC on a wire: lines, messages, ids, answers.
//!
//! Read [`frame`] for what a client may send, [`scan`] for how a server's line is followed while it still comes in, and
//! [`reply`] for what is said to the client in our own name.

pub mod frame;
pub mod id;
pub mod lines;
mod names;
pub mod refusal;
pub mod reply;
pub mod scan;
pub(crate) mod splice;
