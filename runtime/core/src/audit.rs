//! The audit log as values: what is recorded, how a line looks, and what makes lines a chain.
//!
//! A log is JSON Lines. Each line is the canonical form of one [`event::Event`]; it carries its number, the hash of the line
//! before, and its own: the SHA-256 of its canonical form without the member `hash`. Whoever changes, removes, inserts or
//! reorders lines breaks the chain at that line, and [`verify`] names it. Who cuts off the end breaks nothing, which is
//! why the end of the chain is also kept elsewhere, as a [`chain::Head`].
//!
//! Read [`event`] for what is said, [`line`](mod@line) for how, [`chain`] for the links, [`record`] for reading them back.

pub mod chain;
pub mod event;
pub mod filter;
pub mod line;
pub mod record;
pub mod verify;
