//! One call that waits.

use std::sync::Arc;
use std::time::Duration;

use knotrust_core::json::{Object, Value};
use knotrust_core::number::Number;
use knotrust_core::reason::Reason;
use knotrust_govern::approvals::{Verdict, Way};
use knotrust_govern::caller::Call;
use knotrust_govern::channels::Reach;
use knotrust_govern::clock;
use knotrust_govern::permit::{Denial, Held, Question};

use super::parsed;
use crate::elicit::{self, Said};
use crate::revision::Era;
use crate::stdio::session::Session;
use crate::translate;
use crate::wire::id::Id;
use crate::wire::reply;

/// How often a client that asked for it hears that its call still waits.
const BEAT: Duration = Duration::from_secs(10);

/// A call that waits.
pub(in crate::stdio) struct Waiting {
    pub(super) session: Arc<Session>,
    pub(super) id: Id,
    pub(super) line: Box<[u8]>,
    pub(super) held: Held,
    pub(super) reach: Reach,
    pub(super) since: Duration,
    pub(super) until: Duration,
    beats: u32,
    progress_token: Option<Value<'static>>,
    asked: Option<Asked>,
}

/// A question that the client was sent.
struct Asked {
    id: Id,
    question: Question,
}

impl Waiting {
    /// The call that came with this line.
    pub(in crate::stdio) fn new(
        session: &Arc<Session>,
        id: Id,
        line: &[u8],
        held: Held,
        reach: Reach,
    ) -> Self {
        let since = clock::now().steady;
        let token = parsed(line).and_then(|call| call.meta().get("progressToken").cloned());
        Self {
            session: Arc::clone(session),
            id,
            line: line.into(),
            held,
            reach,
            since,
            until: since + session.options.hold,
            beats: 0,
            progress_token: token.map(Value::into_owned),
            asked: None,
        }
    }

    /// The question that the call is to the decision.
    pub(super) fn question(&self) -> Option<Call<'_>> {
        let call = parsed(&self.line)?;
        Some(translate::call(&self.session.options.server, call))
    }

    /// The kind of revision that it follows.
    pub(super) fn era(&self) -> Era {
        parsed(&self.line).map_or(Era::Legacy, |call| Era::of(call.meta()))
    }

    /// Puts a question to the client.
    pub(super) fn ask(&mut self, question: Question) {
        // The decision is this call's own, so that nobody else could have asked under that name.
        let id = Id::named(&format!("knotrust:{}", self.held.denial.decision_id));
        let front = &self.session.front;
        front.ask(id.clone());
        self.session
            .write_to_client(&elicit::request(&id, &question));
        self.asked = Some(Asked { id, question });
    }

    pub(super) fn has_asked(&self, id: &Id) -> bool {
        self.asked.as_ref().is_some_and(|asked| asked.id == *id)
    }

    /// Takes what the client answers.
    pub(super) fn hear(&mut self, result: Option<&Value<'_>>) {
        let Some(asked) = &self.asked else {
            return;
        };
        match elicit::said(result, &asked.question) {
            Said::Yes => self.resolve(Verdict::Approve, Way::Form),
            Said::No => self.resolve(Verdict::Deny, Way::Form),
            Said::Opened => {}
            // The page and the terminal are still there.
            Said::Nothing => self.asked = None,
        }
    }

    /// Hands an answer in. What becomes of it is seen like that of any other.
    pub(super) fn resolve(&self, verdict: Verdict, way: Way) {
        let governor = &self.session.governor;
        if let Err(error) = governor.answer(&self.held.ticket, verdict, way) {
            let what = format!("an answer to {} is not taken: {error}", self.held.ticket);
            self.session.noise.say(&what);
        }
    }

    /// Nobody needs the client's answer any more.
    pub(super) fn close_question(&mut self) {
        let Some(Asked { id, question }) = self.asked.take() else {
            return;
        };
        if self.session.front.drop_question(&id) {
            let mut params = Object::new();
            params.insert("requestId", id.to_value());
            let line = reply::notification("notifications/cancelled", params);
            self.session.write_to_client(&line);
        } else if question.page.is_some() {
            self.session.write_to_client(&elicit::complete(&id));
        }
    }

    /// Answers the call with a refusal for this reason.
    pub(super) fn refuse_for(&self, reason: Reason) {
        let waited = &self.held.denial;
        self.refuse(&Denial {
            decision_id: waited.decision_id.clone(),
            decision: waited.decision.clone().refused(reason),
            how: None,
            approval_id: waited.approval_id.clone(),
        });
    }

    /// Answers the call with a refusal, unless it has been answered.
    pub(super) fn refuse(&self, denial: &Denial) {
        let Some(tool_call) = parsed(&self.line) else {
            return;
        };
        let session = &self.session;
        if session.pending.give_up(&self.id) {
            let form = session.form(Era::of(tool_call.meta()), tool_call.name());
            session.write_to_client(&form.denied(&self.id, denial));
        }
    }

    /// Tells a client that asked for it how long its call has waited, when it is time to.
    pub(super) fn beat(&mut self, now: Duration) {
        if self.since + BEAT * (self.beats + 1) > now {
            return;
        }
        self.beats += 1;
        if let Some(token) = &self.progress_token {
            let seconds = now.saturating_sub(self.since).as_secs();
            let mut params = Object::new();
            params.insert("progressToken", token.clone());
            params.insert("progress", Value::Number(Number::from(seconds)));
            params.insert("message", Value::string("waiting for a person's approval"));
            self.session
                .write_to_client(&reply::notification("notifications/progress", params));
        }
    }
}
