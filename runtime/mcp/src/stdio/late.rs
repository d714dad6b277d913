//! Refusals that are held back: whoever tries and tries again is answered later and later, and nobody else with them.

use std::sync::Arc;
use std::time::Duration;

use super::session::Session;
use crate::wire::id::Id;

/// A refusal that waits for its time.
pub(super) struct Late {
    session: Arc<Session>,
    id: Id,
    answer: Vec<u8>,
    due: Duration,
}

/// The refusals that wait.
#[derive(Default)]
pub(super) struct LateOnes(Vec<Late>);

impl Late {
    /// The refusal of that call, which is kept among those without an answer until then.
    pub(super) fn new(session: &Arc<Session>, id: Id, answer: Vec<u8>, due: Duration) -> Self {
        Self {
            session: Arc::clone(session),
            id,
            answer,
            due,
        }
    }

    fn send(self) {
        // Whoever has given the call up meanwhile is owed nothing.
        if self.session.pending.give_up(&self.id) {
            self.session.write_to_client(&self.answer);
        }
    }
}

impl LateOnes {
    pub(super) fn add(&mut self, late: Late) {
        self.0.push(late);
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Sends what is due.
    pub(super) fn look(&mut self, now: Duration) {
        self.0
            .extract_if(.., |late| late.due <= now)
            .for_each(Late::send);
    }

    /// Sends all: the session ends.
    pub(super) fn end(&mut self) {
        self.look(Duration::MAX);
    }
}
