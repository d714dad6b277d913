//! Calls that wait for a person.
//!
//! They wait on a thread of their own, so that nothing else waits with them. When a person has said yes, the call is read
//! and ruled on again, and goes on only if that ruling allows it: an approval by itself lets nothing pass.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use knotrust_core::reason::Reason;
use knotrust_govern::clock;
use knotrust_govern::governor::Answered;
use knotrust_govern::permit::{Denial, Held, Ruling};

use super::pending::Forwarded;
use super::session::Session;
use crate::enforce::Form;
use crate::route::{Route, Watch, route};
use crate::translate;
use crate::wire::frame::Frame;
use crate::wire::id::Id;

/// How often it is looked whether somebody has answered: often enough that nobody notices, and for the price of one read.
const GLANCE: Duration = Duration::from_millis(2);

/// A call that waits.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) id: Id,
    pub(super) form: Form,
    pub(super) held: Held,
    /// The call, byte for byte.
    pub(super) line: Vec<u8>,
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
        let patience = if waiting.is_empty() {
            Duration::MAX
        } else {
            GLANCE
        };
        match told.recv_timeout(patience) {
            Ok(Told::Wait(call)) => _ = waiting.insert(call.id.clone(), *call),
            Ok(Told::Cancelled(id)) => {
                if let Some(call) = waiting.remove(&id) {
                    session.give_up(&call.held.ticket);
                }
            }
            Ok(Told::Over(done)) => {
                for call in in_order(waiting.drain()) {
                    session.give_up(&call.held.ticket);
                    refuse(session, call, Some(Reason::ApprovalCancelled));
                }
                let _ = done.send(());
                return;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        for answered in session.governor.settle() {
            let of_it = |_: &Id, call: &mut Waiting| call.held.ticket == answered.ticket;
            for call in in_order(waiting.extract_if(of_it)) {
                go_on(session, call, &answered);
            }
        }
        let now = clock::now().steady;
        for call in in_order(waiting.extract_if(|_, call| call.until <= now)) {
            // The question stands, and the same call may be made again.
            session.governor.leave(&call.held.ticket);
            refuse(session, call, None);
        }
    }
}

/// Calls, the oldest first.
fn in_order(calls: impl Iterator<Item = (Id, Waiting)>) -> Vec<Waiting> {
    let mut calls: Vec<Waiting> = calls.map(|(_, call)| call).collect();
    calls.sort_by_key(|call| call.until);
    calls
}

fn go_on(session: &Session, call: Waiting, answered: &Answered) {
    if let Some(reason) = answered.refusal {
        return refuse(session, call, Some(reason));
    }
    match ruled_again(session, &call.line) {
        Some(Ruling::Allow(permit)) => {
            let underway = permit.spend();
            let forwarded = Forwarded {
                watch: Watch::Nothing,
                receipt: Some(underway),
            };
            match session.pending.release(&call.id, forwarded) {
                Ok(()) => session.write_to_server(&call.line),
                // Nobody waits for it any more. The grant is spent, and nothing was done.
                Err(Forwarded { receipt, .. }) => {
                    if let Some(underway) = receipt {
                        session.ended(&underway, knotrust_core::audit::event::Ending::Cancelled);
                    }
                }
            }
        }
        Some(Ruling::Deny(denial)) => answer(session, &call, &denial),
        // One approval answers one call; another that waited under the same ticket would have to ask again.
        Some(Ruling::Hold(held)) => {
            session.give_up(&held.ticket);
            answer(session, &call, &held.denial);
        }
        None => refuse(session, call, Some(Reason::EnforcementError)),
    }
}

fn ruled_again(session: &Session, line: &[u8]) -> Option<Ruling> {
    match route(Frame::parse(line).ok()?) {
        Route::Call(call) => {
            let asked = translate::call(&session.options.server, call, &session.listing);
            Some(session.governor.rule(asked.call))
        }
        Route::Relay(_) | Route::Place(_) | Route::Cancel(_) | Route::Refuse(_) => None,
    }
}

/// Answers a call that waited in vain; without a reason, with what it still waits for.
fn refuse(session: &Session, mut call: Waiting, reason: Option<Reason>) {
    if let Some(reason) = reason {
        call.held.denial.decision = call.held.denial.decision.refused(reason);
    }
    let Waiting { id, form, held, .. } = call;
    if session.pending.give_up(&id) {
        session.write_to_client(&form.denied(&id, &held.denial));
    }
}

fn answer(session: &Session, call: &Waiting, denial: &Denial) {
    if session.pending.give_up(&call.id) {
        session.write_to_client(&call.form.denied(&call.id, denial));
    }
}
