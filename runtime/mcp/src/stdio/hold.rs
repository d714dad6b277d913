//! Calls that wait for a person.
//!
//! They wait on a thread of their own, so that nothing else waits with them. When a person has answered, the call starts
//! again at the decision, with the bytes it came with; the answer itself opens nothing.

mod parked;
mod waiting;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use knotrust_core::json::Value;
use knotrust_core::reason::Reason;
use knotrust_core::ruleset::Channel;
use knotrust_govern::approvals::{Verdict, Way};
use knotrust_govern::clock;
use knotrust_govern::governor::{Answered, Governor};
use knotrust_govern::permit::Ruling;

use self::parked::Parked;
pub(super) use self::parked::Returned;
pub(super) use self::waiting::Waiting;
use super::late::{Late, LateOnes};
use super::pending::Forwarded;
use crate::elicit::{self, Said};
use crate::wire::frame::{Frame, ToolCall};
use crate::wire::id::Id;

/// How often it is looked whether somebody has answered. Costs one read, and is what a person's yes waits at most.
const GLANCE: Duration = Duration::from_millis(2);

/// What the thread is told.
pub(super) enum Told {
    /// A call is to wait.
    Wait(Box<Waiting>),
    /// A call has come again with what a person said.
    Again(Returned),
    /// The client has answered a question of ours; without a result if it could not.
    Said(Id, Option<Value<'static>>),
    /// A refusal is to be held back.
    Slow(Late),
    /// The client gives a call up; it has been taken out of the requests without an answer already.
    Cancelled(Id),
    /// The session ends.
    Over(Sender<()>),
}

/// Keeps calls until somebody answers for them, or nobody does.
pub(super) fn run(governor: &Arc<Governor<'static>>, told: &Receiver<Told>) {
    let mut keeper = Keeper {
        governor: Arc::clone(governor),
        waiting: HashMap::new(),
        parked: Parked::default(),
        late: LateOnes::default(),
    };
    loop {
        let patience = if keeper.waiting.is_empty() && keeper.late.is_empty() {
            Duration::MAX
        } else {
            GLANCE
        };
        match told.recv_timeout(patience) {
            Ok(Told::Wait(call)) => keeper.keep(*call),
            Ok(Told::Again(call)) => keeper.come_again(call),
            Ok(Told::Said(id, result)) => keeper.hear(&id, result.as_ref()),
            Ok(Told::Slow(late)) => keeper.late.add(late),
            Ok(Told::Cancelled(id)) => keeper.cancel(&id),
            Ok(Told::Over(done)) => {
                keeper.end_all();
                keeper.late.end();
                let _ = done.send(());
                return;
            }
            Err(RecvTimeoutError::Timeout) => {
                keeper.look();
                keeper.late.look(clock::now().steady);
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

struct Keeper {
    governor: Arc<Governor<'static>>,
    waiting: HashMap<Id, Waiting>,
    parked: Parked,
    late: LateOnes,
}

impl Keeper {
    /// Asks for a call, by the channel that was chosen, and keeps it.
    fn keep(&mut self, mut call: Waiting) {
        match (call.held.channel, call.held.question.clone()) {
            (Channel::InputRequired, Some(question)) => {
                self.governor.leave(&call.held.ticket);
                self.parked.send_back(call, question);
            }
            (Channel::ElicitationUrl | Channel::ElicitationForm, Some(question)) => {
                call.ask(question);
                self.waiting.insert(call.id.clone(), call);
            }
            (Channel::BlockAndWait, _) | (_, None) => {
                self.waiting.insert(call.id.clone(), call);
            }
        }
    }

    /// A call that was sent back with a question has come again.
    fn come_again(&mut self, call: Returned) {
        // Somebody else may have answered while nothing waited.
        self.look();
        let Some(parked) = self.parked.fetch(&call) else {
            return call.refuse();
        };
        let said = parsed(&call.line)
            .and_then(|call| elicit::brought_back(call.params(), &parked.question));
        let call = parked.take_up(&call);
        match (parked.end, said) {
            (Some(Some(reason)), _) => call.refuse_for(reason),
            (Some(None), _) => self.start_again(call),
            (None, None) => self.parked.send_back(call, parked.question),
            (None, Some(Said::Nothing)) => call.refuse(&call.held.denial),
            (None, Some(Said::Opened)) => _ = self.waiting.insert(call.id.clone(), call),
            (None, Some(Said::Yes)) => self.resolve(call, Verdict::Approve),
            (None, Some(Said::No)) => self.resolve(call, Verdict::Deny),
        }
    }

    /// Takes what a person said who was asked by the answer to a call. It comes back as any other answer does.
    fn resolve(&mut self, call: Waiting, verdict: Verdict) {
        call.resolve(verdict, Way::Input);
        self.waiting.insert(call.id.clone(), call);
    }

    /// The client has answered a question of ours.
    fn hear(&mut self, id: &Id, result: Option<&Value<'_>>) {
        let mut calls = self.waiting.values_mut();
        if let Some(call) = calls.find(|call| call.has_asked(id)) {
            call.hear(result);
        }
    }

    fn cancel(&mut self, id: &Id) {
        if let Some(mut call) = self.waiting.remove(id) {
            call.close_question();
            call.session.give_up(&call.held.ticket);
        }
    }

    fn look(&mut self) {
        for answered in self.governor.settle() {
            self.settle(&answered);
        }
        let now = clock::now().steady;
        for mut call in in_order(self.waiting.extract_if(|_, call| call.until <= now)) {
            self.governor.leave(&call.held.ticket);
            call.close_question();
            call.refuse(&call.held.denial);
        }
        for call in self.waiting.values_mut() {
            call.beat(now);
        }
    }

    /// Carries out what a person has answered.
    fn settle(&mut self, answered: &Answered) {
        self.parked.settle(answered);
        let concerned = self
            .waiting
            .extract_if(|_, call| call.held.ticket == answered.ticket);
        for mut call in in_order(concerned) {
            call.close_question();
            match answered.refusal {
                None => self.start_again(call),
                Some(reason) => call.refuse_for(reason),
            }
        }
    }

    /// Decides anew.
    fn start_again(&mut self, mut call: Waiting) {
        let session = Arc::clone(&call.session);
        let Some(question) = call.question() else {
            return;
        };
        match session.rule(question, call.reach) {
            Ruling::Allow(permit) => {
                let forwarded = Forwarded::call(&session, permit, call.era());
                match session.pending.release(&call.id, forwarded) {
                    Ok(()) => session.send(&call.line),
                    // Nobody waits for it any more, or nobody would answer it. The grant is spent, and nothing was done.
                    Err(Forwarded { receipt, .. }) => {
                        receipt
                            .iter()
                            .for_each(|underway| session.cancelled(underway));
                        if session.pending.give_up(&call.id) {
                            session.answer_gone(&call.id);
                        }
                    }
                }
            }
            Ruling::Deny(denial) => call.refuse(&denial),
            // One approval answers one call. Another that waited under the same ticket asks again.
            Ruling::Hold(held) => {
                session.prompt(&held);
                call.held = held;
                self.keep(call);
            }
        }
    }

    /// Ends all that waits: nobody will be there to carry anything out.
    fn end_all(&mut self) {
        for mut call in in_order(self.waiting.drain()) {
            call.close_question();
            call.session.give_up(&call.held.ticket);
            call.refuse_for(Reason::ApprovalCancelled);
        }
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
        Ok(Frame::Request(..) | Frame::Notification(_) | Frame::Response(_)) | Err(_) => None,
    }
}
