//! Calls that wait for a person.
//!
//! They wait on a thread of their own, so that nothing else waits with them.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use knotrust_govern::clock;
use knotrust_govern::permit::Held;

use super::session::Session;
use crate::enforce::Form;
use crate::wire::id::Id;

/// A call that waits.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) id: Id,
    pub(super) form: Form,
    pub(super) held: Held,
    pub(super) until: Duration,
}

/// What the thread is told.
#[derive(Debug)]
pub(super) enum Told {
    /// A call is to wait.
    Wait(Box<Waiting>),
    /// The client gives a call up; it has been taken out of the requests without an answer already.
    Cancelled(Id),
    /// The session ends.
    Over(Sender<()>),
}

/// Keeps calls until somebody answers for them, or nobody does.
pub(super) fn run(session: &Session, told: &Receiver<Told>) {
    let mut waiting: HashMap<Id, Waiting> = HashMap::new();
    loop {
        let now = clock::now().steady;
        let next = waiting.values().map(|call| call.until).min();
        let patience = next.map_or(Duration::MAX, |next| next.saturating_sub(now));
        match told.recv_timeout(patience) {
            Ok(Told::Wait(call)) => _ = waiting.insert(call.id.clone(), *call),
            Ok(Told::Cancelled(id)) => _ = waiting.remove(&id),
            Ok(Told::Over(done)) => {
                refuse_all(session, waiting.drain());
                let _ = done.send(());
                return;
            }
            Err(RecvTimeoutError::Timeout) => {
                let now = clock::now().steady;
                refuse_all(session, waiting.extract_if(|_, call| call.until <= now));
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Answers calls that waited in vain, the oldest first. Their questions stay open, and the same calls may be made again.
fn refuse_all(session: &Session, calls: impl Iterator<Item = (Id, Waiting)>) {
    let mut calls: Vec<Waiting> = calls.map(|(_, call)| call).collect();
    calls.sort_by_key(|call| call.until);
    for call in calls {
        if session.pending.give_up(&call.id) {
            session.write_to_client(&call.form.denied(&call.id, &call.held.denial));
        }
    }
}
