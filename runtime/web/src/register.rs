//! Which address leads to which ticket. It is in memory and nowhere else.

use std::collections::HashMap;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use knotrust_core::time::Timestamp;
use knotrust_govern::approvals::Ticket;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The tickets of this process, by the hashes of their tokens: how long a look takes says nothing of a token.
#[derive(Debug, Default)]
pub(crate) struct Register {
    entries: HashMap<[u8; 32], Entry>,
}

/// A ticket that can be seen.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) ticket: Arc<Ticket>,
    /// Whoever holds its call.
    pub(crate) owner: String,
    /// What every form of this ticket holds, and no other site can read. It is one for all tabs.
    pub(crate) secret: String,
}

impl Register {
    /// Draws a token for a ticket; nothing if the system has no randomness to give.
    pub(crate) fn add(
        &mut self,
        ticket: &Arc<Ticket>,
        owner: &str,
        now: Timestamp,
    ) -> Option<String> {
        self.entries
            .retain(|_, entry| now < entry.ticket.until.plus_millis(REMEMBERED));
        let (token, secret) = (draw()?, draw()?);
        let entry = Entry {
            ticket: Arc::clone(ticket),
            owner: owner.to_owned(),
            secret,
        };
        self.entries.insert(hash(&token), entry);
        Some(token)
    }

    /// The ticket that a token leads to.
    pub(crate) fn find(&self, token: &str) -> Option<Entry> {
        self.entries.get(&hash(token)).cloned()
    }
}

impl Entry {
    /// Whether a form came from a page of this ticket.
    pub(crate) fn knows(&self, secret: &str) -> bool {
        self.secret.as_bytes().ct_eq(secret.as_bytes()).into()
    }
}

// Neither the secret nor the arguments belong into any log.
impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Entry").field(&self.ticket.id).finish()
    }
}

pub(crate) fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token).into()
}

/// A text that nobody guesses; nothing if the system has no randomness to give.
pub(crate) fn draw() -> Option<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).ok()?;
    Some(URL_SAFE_NO_PAD.encode(bytes))
}

/// How long a page still says what was decided, after the last moment of its ticket, in milliseconds.
const REMEMBERED: i64 = 600_000;
