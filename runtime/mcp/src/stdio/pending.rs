//! Requests of the client that have no answer yet.
//!
//! Whoever takes an entry out answers it, so that every request is answered once: by the server, by a refusal, or by us
//! when the server is gone. What the server answers without having been asked finds no entry.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use knotrust_govern::permit::{Permit, Underway};

use super::amend::{Amend, Bridge};
use super::session::Session;
use crate::revision::Era;
use crate::route::Watch;
use crate::wire::id::Id;

// A server need not answer what was cancelled. So many of these are remembered, in case it does.
const CANCELLED: usize = 1024;

/// The requests without an answer. `R` is what is owed to the record for a call that was passed on.
#[derive(Debug)]
pub(super) struct Pending<R>(Mutex<Table<R>>);

#[derive(Debug)]
struct Table<R> {
    requests: HashMap<Id, Request<R>>,
    taken_on: u64,
    watched: usize,
    cancelled: usize,
    is_closed: bool,
}

#[derive(Debug)]
enum Request<R> {
    Held,
    /// With its place in the order in which requests were taken on.
    Forwarded(u64, Forwarded<R>),
    Cancelled,
}

/// A request that the server has.
#[derive(Debug)]
pub(super) struct Forwarded<R> {
    /// What is looked at in its answer.
    pub(super) watch: Watch,
    /// For a call, what is owed to the record.
    pub(super) receipt: Option<R>,
    /// What is changed in its answer.
    pub(super) amend: Amend,
}

/// Whether a request may be taken on.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Place {
    /// Nobody has this id.
    Free,
    /// Another request has this id.
    Taken,
    /// There is no server any more.
    Closed,
}

/// What becomes of a cancellation.
#[derive(Debug)]
pub(super) enum Cancelled<R> {
    /// The request was held: nothing of it reaches the server.
    Held,
    /// The server has the request.
    Forwarded(Option<R>),
    /// No such request.
    Unknown,
}

/// What the answer of a server is to.
#[derive(Debug)]
pub(super) enum Answered<R> {
    /// To a request it has.
    Forwarded(Forwarded<R>),
    /// To a request that was cancelled.
    Late,
    /// To nothing it was ever sent.
    Unasked,
}

impl<R> Forwarded<R> {
    /// A request that is no call of a tool.
    pub(super) fn request(watch: Watch, receipt: Option<R>) -> Self {
        Self {
            watch,
            receipt,
            amend: Amend::default(),
        }
    }

    /// The same, whose answer passes between two kinds of revisions.
    pub(super) fn over(mut self, bridge: Bridge) -> Self {
        if bridge != Bridge::None && self.watch == Watch::Nothing {
            self.watch = Watch::Result;
            self.amend.bridge = bridge;
        }
        self
    }
}

impl Forwarded<Underway> {
    /// A call of this era that may go on: the permit is spent.
    pub(super) fn call(session: &Session, permit: Permit, era: Era) -> Self {
        let amend = Amend {
            note: session.remark(&permit),
            bridge: session.bridge(era),
        };
        let watch = if amend.is_needed() {
            Watch::Result
        } else {
            Watch::Nothing
        };
        Self {
            watch,
            receipt: Some(permit.spend()),
            amend,
        }
    }
}

impl<R> Pending<R> {
    pub(super) fn new() -> Self {
        Self(Mutex::new(Table {
            requests: HashMap::new(),
            taken_on: 0,
            watched: 0,
            cancelled: 0,
            is_closed: false,
        }))
    }

    /// Whether a request with this id may be taken on. Only the thread that reads from the client takes requests on, so
    /// what is free stays free until it does; what is open may close.
    pub(super) fn place(&self, id: &Id) -> Place {
        let table = self.lock();
        match table.requests.get(id) {
            _ if table.is_closed => Place::Closed,
            None | Some(Request::Cancelled) => Place::Free,
            Some(Request::Held | Request::Forwarded(..)) => Place::Taken,
        }
    }

    /// Takes on a request that is about to be passed on; gives it back if there is no server any more.
    pub(super) fn forward(&self, id: Id, forwarded: Forwarded<R>) -> Result<(), Forwarded<R>> {
        let mut table = self.lock();
        if table.is_closed {
            return Err(forwarded);
        }
        table.watched += usize::from(forwarded.watch != Watch::Nothing);
        table.taken_on += 1;
        let request = Request::Forwarded(table.taken_on, forwarded);
        table.put(id, request);
        Ok(())
    }

    /// Takes on a call that waits for a person. False if there is no server any more.
    pub(super) fn hold(&self, id: Id) -> bool {
        let mut table = self.lock();
        if !table.is_closed {
            table.put(id, Request::Held);
        }
        !table.is_closed
    }

    /// Passes a held call on, now that it may go; gives it back if it is held no more, or there is no server any more.
    pub(super) fn release(&self, id: &Id, forwarded: Forwarded<R>) -> Result<(), Forwarded<R>> {
        let mut table = self.lock();
        let is_held = matches!(table.requests.get(id), Some(Request::Held));
        if table.is_closed || !is_held {
            return Err(forwarded);
        }
        table.taken_on += 1;
        let request = Request::Forwarded(table.taken_on, forwarded);
        table.put(id.clone(), request);
        Ok(())
    }

    /// Takes a held call out, to answer it. False if it is held no more.
    pub(super) fn give_up(&self, id: &Id) -> bool {
        let mut table = self.lock();
        let is_held = matches!(table.requests.get(id), Some(Request::Held));
        if is_held {
            table.requests.remove(id);
        }
        is_held
    }

    /// The server answers: takes the request out.
    pub(super) fn answer(&self, id: &Id) -> Answered<R> {
        let mut table = self.lock();
        if let None | Some(Request::Held) = table.requests.get(id) {
            return Answered::Unasked;
        }
        match table.take(id) {
            Some(Request::Forwarded(_, forwarded)) => Answered::Forwarded(forwarded),
            Some(Request::Cancelled) => Answered::Late,
            Some(Request::Held) | None => Answered::Unasked,
        }
    }

    /// Whether an answer could be passed on before it is read: it answers this request, or any, and nothing is looked at.
    pub(super) fn may_pass_unread(&self, id: Option<&Id>) -> bool {
        let table = self.lock();
        match id.map(|id| table.requests.get(id)) {
            None => table.watched == 0,
            Some(Some(Request::Forwarded(_, forwarded))) => forwarded.watch == Watch::Nothing,
            Some(Some(Request::Cancelled)) => true,
            Some(Some(Request::Held) | None) => false,
        }
    }

    /// The client gives a request up.
    pub(super) fn cancel(&self, id: &Id) -> Cancelled<R> {
        let mut table = self.lock();
        match table.take(id) {
            Some(Request::Held) => Cancelled::Held,
            Some(Request::Forwarded(_, forwarded)) => {
                table.put(id.clone(), Request::Cancelled);
                Cancelled::Forwarded(forwarded.receipt)
            }
            Some(Request::Cancelled) => {
                table.put(id.clone(), Request::Cancelled);
                Cancelled::Unknown
            }
            None => Cancelled::Unknown,
        }
    }

    /// Whether the client waits for the server.
    pub(super) fn is_awaited(&self) -> bool {
        let forwarded = |request: &Request<R>| matches!(request, Request::Forwarded(_, forwarded) if forwarded.watch != Watch::Own);
        self.lock().requests.values().any(forwarded)
    }

    /// There is no server any more: nothing is taken on from now on, and what the server has is handed out to be answered, in
    /// the order in which it was taken on.
    pub(super) fn close(&self) -> Vec<(Id, Option<R>)> {
        let mut table = self.lock();
        table.is_closed = true;
        let gone = |request: &Request<R>| !matches!(request, Request::Held);
        let gone: Vec<_> = table
            .requests
            .extract_if(|_, request| gone(request))
            .collect();
        let forwarded = |(id, request)| match request {
            Request::Forwarded(order, forwarded) => Some((order, id, forwarded.receipt)),
            Request::Held | Request::Cancelled => None,
        };
        let mut gone: Vec<_> = gone.into_iter().filter_map(forwarded).collect();
        gone.sort_by_key(|(order, ..)| *order);
        gone.into_iter()
            .map(|(_, id, receipt)| (id, receipt))
            .collect()
    }

    // A thread that panicked has not left the table half changed: no method here runs code of others.
    fn lock(&self) -> MutexGuard<'_, Table<R>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R> Table<R> {
    fn put(&mut self, id: Id, request: Request<R>) {
        if let Request::Cancelled = request {
            if self.cancelled >= CANCELLED {
                self.requests
                    .retain(|_, request| !matches!(request, Request::Cancelled));
                self.cancelled = 0;
            }
            self.cancelled += 1;
        }
        if let Some(Request::Cancelled) = self.requests.insert(id, request) {
            self.cancelled -= 1;
        }
    }

    fn take(&mut self, id: &Id) -> Option<Request<R>> {
        let request = self.requests.remove(id)?;
        match &request {
            Request::Forwarded(_, forwarded) if forwarded.watch != Watch::Nothing => {
                self.watched -= 1
            }
            Request::Forwarded(..) | Request::Held => {}
            Request::Cancelled => self.cancelled -= 1,
        }
        Some(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: i64) -> Id {
        Id::read(number.to_string().as_bytes()).unwrap()
    }

    fn forwarded(receipt: u8) -> Forwarded<u8> {
        Forwarded {
            watch: Watch::Nothing,
            receipt: Some(receipt),
            amend: Amend::default(),
        }
    }

    #[test]
    fn a_request_is_answered_once() {
        let pending = Pending::new();
        pending.forward(id(1), forwarded(7)).unwrap();
        assert_eq!(pending.place(&id(1)), Place::Taken);
        assert!(matches!(
            pending.answer(&id(1)),
            Answered::Forwarded(Forwarded {
                receipt: Some(7),
                ..
            })
        ));
        assert!(matches!(pending.answer(&id(1)), Answered::Unasked));
        assert_eq!(pending.place(&id(1)), Place::Free);
    }

    #[test]
    fn a_server_cannot_answer_what_it_does_not_have() {
        let pending = Pending::<u8>::new();
        assert!(pending.hold(id(1)));
        assert!(matches!(pending.answer(&id(1)), Answered::Unasked));
        assert!(!pending.may_pass_unread(Some(&id(1))));
        assert!(!pending.may_pass_unread(Some(&id(2))));
        assert!(pending.give_up(&id(1)));
    }

    #[test]
    fn a_held_call_has_one_end() {
        let pending = Pending::<u8>::new();
        pending.hold(id(1));
        assert!(matches!(pending.cancel(&id(1)), Cancelled::Held));
        assert!(!pending.give_up(&id(1)));
    }

    #[test]
    fn a_cancelled_request_may_be_answered_late_and_its_id_used_again() {
        let pending = Pending::new();
        pending.forward(id(1), forwarded(7)).unwrap();
        assert!(matches!(
            pending.cancel(&id(1)),
            Cancelled::Forwarded(Some(7))
        ));
        assert!(!pending.is_awaited());
        assert!(matches!(pending.answer(&id(1)), Answered::Late));
        assert!(matches!(pending.answer(&id(1)), Answered::Unasked));
        pending.forward(id(2), forwarded(7)).unwrap();
        let _ = pending.cancel(&id(2));
        assert_eq!(pending.place(&id(2)), Place::Free);
    }

    #[test]
    fn what_nobody_answers_is_forgotten_in_the_end() {
        let pending = Pending::new();
        for number in 0..5000 {
            pending.forward(id(number), forwarded(0)).unwrap();
            let _ = pending.cancel(&id(number));
        }
        assert!(pending.lock().requests.len() <= CANCELLED);
    }

    #[test]
    fn nothing_is_taken_on_once_the_server_is_gone() {
        let pending = Pending::new();
        pending.forward(id(1), forwarded(7)).unwrap();
        pending.hold(id(2));
        assert_eq!(pending.close(), vec![(id(1), Some(7))]);
        assert_eq!(pending.place(&id(3)), Place::Closed);
        assert!(pending.forward(id(3), forwarded(7)).is_err());
        assert!(!pending.hold(id(3)));
        assert!(pending.give_up(&id(2)));
        assert!(pending.close().is_empty());
    }

    #[test]
    fn an_answer_that_may_be_any_is_read_while_one_is_looked_at() {
        let pending = Pending::new();
        assert!(pending.may_pass_unread(None));
        let list = Forwarded {
            watch: Watch::Tools { from_start: true },
            receipt: None,
            amend: Amend::default(),
        };
        pending.forward(id(1), list).unwrap();
        pending.forward(id(2), forwarded(7)).unwrap();
        assert!(!pending.may_pass_unread(None));
        assert!(!pending.may_pass_unread(Some(&id(1))));
        assert!(pending.may_pass_unread(Some(&id(2))));
        let _ = pending.answer(&id(1));
        assert!(pending.may_pass_unread(None));
    }
}
