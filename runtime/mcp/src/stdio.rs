//! One client and one server, over pipes.
//!
//! The client has started us in the server's place. Two threads pass messages on, one in each direction; a third reads what
//! the server writes to its error output; the one that called [`run`] watches over all of it and ends the session when one
//! of the two is gone. Calls that wait for a person wait on a fifth, which is started for the first of them.

mod amend;
mod feed;
mod front;
mod hold;
mod inbound;
mod late;
mod noise;
mod outbound;
mod own;
mod pending;
pub mod serve;
mod session;
mod shown;
mod streams;
mod wake;
mod watch;

use std::fmt;
use std::time::Duration;

use crate::child::Launch;

pub use self::watch::run;

/// What a session is to know.
#[derive(Clone, Debug)]
pub struct Options {
    /// The logical name of the server, which its tools are decided under.
    pub server: String,
    /// How it is started.
    pub launch: Launch,
    /// How long a message may be.
    pub limit: Limit,
    /// How long a call is held open for a person.
    pub hold: Duration,
}

/// How long a message may be, and what a person does about one that is longer.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The bytes of a line, its line feed not counted.
    pub bytes: usize,
    /// How to raise the limit, as in "raise it with `--message-limit`".
    pub raised_with: &'static str,
}

impl Limit {
    /// What is enough for anything that anybody sends on purpose.
    pub const DEFAULT_BYTES: usize = 64 * 1024 * 1024;
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bytes, raised_with } = self;
        if bytes % (1024 * 1024) == 0 {
            write!(
                f,
                "the limit of {} MiB ({bytes} bytes)",
                bytes / (1024 * 1024)
            )?;
        } else {
            write!(f, "the limit of {bytes} bytes")?;
        }
        write!(f, "; raise it with {raised_with}")
    }
}
