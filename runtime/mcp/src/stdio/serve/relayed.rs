//! Requests of servers that the client has, under ids of ours.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use knotrust_core::json::Object;

use crate::stdio::session::Session;
use crate::wire::id::Id;
use crate::wire::reply;

/// The requests of servers without an answer.
#[derive(Default)]
pub(super) struct Relayed(Mutex<Table>);

#[derive(Default)]
struct Table {
    count: u64,
    open: HashMap<Id, Origin>,
}

/// Whose request it is.
pub(super) struct Origin {
    owner: usize,
    session: Weak<Session>,
    /// What its server calls it.
    pub(super) id: Id,
}

impl Origin {
    /// The session that it belongs to, if that is not over.
    pub(super) fn session(&self) -> Option<Arc<Session>> {
        self.session.upgrade()
    }
}

impl Relayed {
    /// Takes a request of a server on, and gives the id that it has towards the client.
    pub(super) fn take_on(&self, owner: usize, session: &Arc<Session>, id: Id) -> Id {
        let mut table = self.lock();
        table.count += 1;
        // A number: there are clients that take nothing else.
        let ours = Id::numbered(table.count);
        let origin = Origin {
            owner,
            session: Arc::downgrade(session),
            id,
        };
        table.open.insert(ours.clone(), origin);
        ours
    }

    /// The client has answered: whose request it was.
    pub(super) fn answer(&self, id: &Id) -> Option<Origin> {
        self.lock().open.remove(id)
    }

    /// The server gives its request up: the id that the client knows it by.
    pub(super) fn cancel(&self, owner: usize, id: &Id) -> Option<Id> {
        let mut table = self.lock();
        let mut open = table.open.iter();
        let is_it = |(_, origin): &(&Id, &Origin)| origin.owner == owner && origin.id == *id;
        let ours = open.find(is_it).map(|(ours, _)| ours.clone())?;
        table.open.remove(&ours);
        Some(ours)
    }

    /// Whether a server waits for the client.
    pub(super) fn has_of(&self, owner: usize) -> bool {
        self.lock()
            .open
            .values()
            .any(|origin| origin.owner == owner)
    }

    /// The server is gone: what tells the client that its answers are not needed.
    pub(super) fn drop_of(&self, owner: usize) -> Vec<Vec<u8>> {
        let mut table = self.lock();
        let gone = table.open.extract_if(|_, origin| origin.owner == owner);
        gone.map(|(id, _)| cancellation(&id)).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What tells a client that a request is given up.
pub(super) fn cancellation(id: &Id) -> Vec<u8> {
    let mut params = Object::new();
    params.insert("requestId", id.to_value());
    reply::notification("notifications/cancelled", params)
}
