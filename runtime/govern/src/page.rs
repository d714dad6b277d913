//! The page on which a person sees and answers a question, as far as whoever asks knows of it.
//!
//! Nothing here knows how a page is made or served: whoever opens a governor may give it one.

use std::fmt;
use std::sync::Arc;

use crate::approvals::Ticket;

/// Shows tickets to a person.
pub trait Page: fmt::Debug + Send + Sync {
    /// Where a ticket that has just been asked can be seen; nothing if no page can be had.
    fn show(&self, ticket: &Arc<Ticket>) -> Option<Address>;
}

/// Where a ticket can be seen.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Address {
    /// For the person alone: whoever has it can answer.
    pub url: String,
    /// The port on the loopback address. No secret, and knotrust's own: calls that reach for it are denied.
    pub port: u16,
}
