//! Calls that were sent back to the client with a question, and come again with the answer.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use knotrust_core::json::Value;
use knotrust_core::reason::Reason;
use knotrust_govern::channels::Reach;
use knotrust_govern::governor::Answered;
use knotrust_govern::permit::Question;

use super::parsed;
use super::waiting::Waiting;
use crate::elicit;
use crate::stdio::session::Session;
use crate::wire::id::Id;
use crate::wire::refusal::Flaw;
use crate::wire::reply;
use crate::wire::splice::{Edits, at, root};

/// A call that has come again; it is one that waits, as far as the client's requests go.
pub(in crate::stdio) struct Returned {
    session: Arc<Session>,
    id: Id,
    pub(super) line: Box<[u8]>,
    reach: Reach,
}

impl Returned {
    pub(in crate::stdio) fn new(session: &Arc<Session>, id: Id, line: &[u8], reach: Reach) -> Self {
        Self {
            session: Arc::clone(session),
            id,
            line: line.into(),
            reach,
        }
    }

    /// Answers a call that came with a state which is not its own.
    pub(super) fn refuse(&self) {
        if self.session.pending.give_up(&self.id) {
            let flaw = Flaw::State;
            self.session.record_refusal(flaw);
            let line = reply::error(Some(&self.id), flaw.code(), &flaw.to_string());
            self.session.write_to_client(&line);
        }
    }
}

/// The calls that were sent back, by the state that they are to come again with.
#[derive(Default)]
pub(super) struct Parked {
    calls: HashMap<String, Entry>,
    /// The states, the oldest first.
    order: VecDeque<String>,
}

/// A call that was sent back.
pub(super) struct Entry {
    call: Waiting,
    pub(super) question: Question,
    /// How its ticket ended, if it has: with a yes, or with a reason to refuse.
    pub(super) end: Option<Option<Reason>>,
}

impl Parked {
    /// Answers a call with the question.
    pub(super) fn send_back(&mut self, call: Waiting, question: Question) {
        let Ok(secret) = call.session.governor.fresh_id() else {
            return call.refuse(&call.held.denial);
        };
        if !call.session.pending.give_up(&call.id) {
            return;
        }
        let state = elicit::state(&secret);
        let line = elicit::input_required(&call.id, &question, &state);
        call.session.write_to_client(&line);
        self.order.push_back(state.clone());
        let entry = Entry {
            call,
            question,
            end: None,
        };
        self.calls.insert(state, entry);
        if self.order.len() > MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.calls.remove(&oldest);
        }
    }

    /// The call that this one is again. Once.
    pub(super) fn fetch(&mut self, again: &Returned) -> Option<Entry> {
        let call = parsed(&again.line)?;
        let state = call.params().get("requestState").and_then(Value::as_str)?;
        let parked = &self.calls.get(state)?.call;
        let before = parsed(&parked.line)?;
        let is_same = Arc::ptr_eq(&parked.session, &again.session)
            && before.name() == call.name()
            && before.arguments() == call.arguments();
        if !is_same {
            return None;
        }
        self.order.retain(|known| known != state);
        self.calls.remove(state)
    }

    /// Remembers how a ticket ended.
    pub(super) fn settle(&mut self, answered: &Answered) {
        let concerned = |entry: &&mut Entry| entry.call.held.ticket == answered.ticket;
        for entry in self.calls.values_mut().filter(concerned) {
            entry.end = Some(answered.refusal);
        }
    }
}

impl Entry {
    /// The call as it came first, under the id and with the `_meta` of its return. What answered our question is gone, and
    /// what the client had to say to the server is back.
    pub(super) fn take_up(&self, again: &Returned) -> Waiting {
        let (first, now) = (&self.call.line, &again.line);
        let mut edits = Edits::default();
        let written = |path: &[&str]| {
            let place = at(now, path)?;
            now.get(place)
                .and_then(|text| std::str::from_utf8(text).ok())
        };
        if let Some(id) = written(&["id"]) {
            edits.set(first, &root(first), "id", id);
        }
        if let (Some(meta), Some(params)) = (written(&["params", "_meta"]), at(first, &["params"]))
        {
            edits.set(first, &params, "_meta", meta);
        }
        let held = self.call.held.clone();
        Waiting::new(
            &again.session,
            again.id.clone(),
            &edits.apply(first),
            held,
            again.reach,
        )
    }
}

/// So many calls that were sent back are remembered. Who comes too late asks anew.
const MOST: usize = 1024;
