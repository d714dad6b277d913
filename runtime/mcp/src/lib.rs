//! Speaks MCP and holds no opinion.
//!
//! This crate stands between a client and its servers: it reads their messages, asks [`knotrust_govern`] about every call
//! and carries out what it is told. It knows the words of the protocol and how its peers start, end and misbehave; it
//! knows nothing of tiers, grants or rules.

pub mod child;
pub mod elicit;
pub mod enforce;
pub mod listing;
pub mod revision;
pub mod route;
mod shown;
pub mod stdio;
pub mod translate;
pub mod wire;
