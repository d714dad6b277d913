//! Calls that wait for a person.
//!
//! They wait on a thread of their own, so that nothing else waits with them. When a person has answered, the call starts
//! again at the decision, with the bytes it came with; the answer itself opens nothing.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use knotrust_core::audit::event::Ending;
use knotrust_core::json::{Object, Value};
use knotrust_core::number::Number;
use knotrust_core::reason::Reason;
use knotrust_govern::clock;
use knotrust_govern::governor::{Answered, Governor};
use knotrust_govern::permit::{Denial, Held, Ruling};

use super::pending::Forwarded;
use super::session::Session;
use crate::revision::Era;
use crate::translate;
use crate::wire::frame::{Frame, ToolCall};
use crate::wire::id::Id;
use crate::wire::reply;

/// How often it is looked whether somebody has answered. Costs one read.
const GLANCE: Duration = Duration::from_millis(10);
/// How often a client that asked for it hears that its call still waits.
const BEAT: Duration = Duration::from_secs(10);

/// A call that waits.
pub(super) struct Waiting {
    session: Arc<Session>,
    id: Id,
    line: Box<[u8]>,
    held: Held,
    since: Duration,
    until: Duration,
    beats: u32,
    progress_token: Option<Value<'static>>,
}

/// What the thread is told.
pub(super) enum Told {
    /// A call is to wait.
    Wait(Box<Waiting>),
    /// The client gives a call up; it has been taken out of the requests without an answer already.
    Cancelled(Id),
    /// The session ends.
    Over(Sender<()>),
}

impl Waiting {
    /// The call that came with this line.
    pub(super) fn new(session: &Arc<Session>, id: Id, line: &[u8], held: Held) -> Self {
        let since = clock::now().steady;
        let token = parsed(line).and_then(|call| call.meta().get("progressToken").cloned());
        Self {
            session: Arc::clone(session),
            id,
            line: line.into(),
            held,
            since,
            until: since + session.options.hold,
            beats: 0,
            progress_token: token.map(Value::into_owned),
        }
    }

    fn next_beat(&self) -> Duration {
        self.since + BEAT * (self.beats + 1)
    }
}

/// Keeps calls until somebody answers for them, or nobody does.
pub(super) fn run(governor: &Governor<'_>, told: &Receiver<Told>) {
    let mut waiting: HashMap<Id, Waiting> = HashMap::new();
    loop {
        let patience = if waiting.is_empty() {
            Duration::MAX
        } else {
            GLANCE
        };
        match told.recv_timeout(patience) {
            Ok(Told::Wait(call)) => _ = waiting.insert(call.id.clone(), *call),
            Ok(Told::Cancelled(id)) => {
                if let Some(call) = waiting.remove(&id) {
                    call.session.give_up(&call.held.ticket);
                }
            }
            Ok(Told::Over(done)) => {
                end_all(waiting);
                let _ = done.send(());
                return;
            }
            Err(RecvTimeoutError::Timeout) => look(governor, &mut waiting),
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

fn look(governor: &Governor<'_>, waiting: &mut HashMap<Id, Waiting>) {
    for answered in governor.settle() {
        settle(waiting, &answered);
    }
    let now = clock::now().steady;
    for call in in_order(waiting.extract_if(|_, call| call.until <= now)) {
        governor.leave(&call.held.ticket);
        refuse(&call, &call.held.denial);
    }
    for call in waiting.values_mut().filter(|call| call.next_beat() <= now) {
        call.beats += 1;
        beat(call, now);
    }
}

/// Carries out what a person has answered.
fn settle(waiting: &mut HashMap<Id, Waiting>, answered: &Answered) {
    let concerned = waiting.extract_if(|_, call| call.held.ticket == answered.ticket);
    for call in in_order(concerned) {
        match answered.refusal {
            None => {
                if let Some(call) = start_again(call) {
                    waiting.insert(call.id.clone(), call);
                }
            }
            Some(reason) => refuse_for(&call, reason),
        }
    }
}

/// Decides anew. Gives the call back if it is to wait on.
fn start_again(call: Waiting) -> Option<Waiting> {
    let session = &call.session;
    let question = translate::call(&session.options.server, parsed(&call.line)?);
    match session.rule(question) {
        Ruling::Allow(permit) => {
            let forwarded = Forwarded::call(session, permit);
            match session.pending.release(&call.id, forwarded) {
                Ok(()) => session.write_to_server(&call.line),
                // Nobody waits for it any more. The grant is spent, and nothing was done.
                Err(Forwarded { receipt, .. }) => receipt
                    .iter()
                    .for_each(|underway| session.ended(underway, Ending::Cancelled)),
            }
            None
        }
        Ruling::Deny(denial) => {
            refuse(&call, &denial);
            None
        }
        // One approval answers one call. Another that waited under the same ticket asks again.
        Ruling::Hold(held) => {
            session.prompt(&held);
            Some(Waiting { held, ..call })
        }
    }
}

/// Ends all that waits: nobody will be there to carry anything out.
fn end_all(mut waiting: HashMap<Id, Waiting>) {
    for call in in_order(waiting.drain()) {
        call.session.give_up(&call.held.ticket);
        refuse_for(&call, Reason::ApprovalCancelled);
    }
}

fn refuse_for(call: &Waiting, reason: Reason) {
    let waited = &call.held.denial;
    let denial = Denial {
        decision_id: waited.decision_id.clone(),
        decision: waited.decision.clone().refused(reason),
        how: None,
        approval_id: waited.approval_id.clone(),
    };
    refuse(call, &denial);
}

fn refuse(call: &Waiting, denial: &Denial) {
    let Some(tool_call) = parsed(&call.line) else {
        return;
    };
    let session = &call.session;
    if session.pending.give_up(&call.id) {
        let form = session.form(Era::of(tool_call.meta()), tool_call.name());
        session.write_to_client(&form.denied(&call.id, denial));
    }
}

fn beat(call: &Waiting, now: Duration) {
    if let Some(token) = &call.progress_token {
        let seconds = now.saturating_sub(call.since).as_secs();
        let mut params = Object::new();
        params.insert("progressToken", token.clone());
        params.insert("progress", Value::Number(Number::from(seconds)));
        params.insert("message", Value::string("waiting for a person's approval"));
        call.session
            .write_to_client(&reply::notification("notifications/progress", params));
    }
}

fn in_order(calls: impl Iterator<Item = (Id, Waiting)>) -> Vec<Waiting> {
    let mut calls: Vec<Waiting> = calls.map(|(_, call)| call).collect();
    calls.sort_by_key(|call| call.since);
    calls
}

// What waits was read once already, so it can be read again.
fn parsed(line: &[u8]) -> Option<ToolCall<'_>> {
    match Frame::parse(line) {
        Ok(Frame::Call(call)) => Some(call),
        Ok(Frame::Request(..) | Frame::Notification(_) | Frame::Response) | Err(_) => None,
    }
}
