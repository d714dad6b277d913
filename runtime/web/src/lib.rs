//! The approval page on the loopback address.
//!
//! A process that holds calls can show them to its person in a browser. The page is served by that very process, to this
//! machine alone, from when the first call waits. It promises that what a person sees is all of what will run, and that
//! nobody answers in their name who only lured their browser here.
//!
//! It decides nothing: an answer goes to the ticket's owner like one from a terminal ([`knotrust_govern::approvals`]). It
//! has no cookie and no resource of its own, and a script only where a passkey must be asked. A ticket's address is the
//! only key to it, is drawn at random, and is nowhere but in this process's memory and in front of the person.
//!
//! Read [`page`] first, then `guard` for what a request must be before anything looks at it, then `counter`. Commands that need a
//! passkey open an [`errand`].

mod counter;
pub mod errand;
mod guard;
mod http;
pub mod page;
mod register;
mod server;
mod view;
mod violations;
