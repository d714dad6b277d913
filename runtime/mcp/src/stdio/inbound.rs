//! From the client to the server.
//!
//! One thread reads a line, decides, and writes it to the server, byte for byte as it came. Nothing that takes long happens
//! here but waiting for the server to read, which is the back-pressure that the client would feel without us.

use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use knotrust_core::audit::event::Ending;
use knotrust_core::json::Value;
use knotrust_govern::governor::Together;
use knotrust_govern::permit::{Ruling, Underway};
use memchr::memchr;

use super::front::Asked;
use super::hold::Told;
use super::pending::{Cancelled, Forwarded, Place as Vacancy};
use super::session::{Happened, Session};
use crate::elicit;
use crate::enforce;
use crate::revision::Era;
use crate::route::{Place, Relay, Route, Watch, route};
use crate::translate;
use crate::wire::frame::{Frame, Response, ToolCall};
use crate::wire::id::Id;
use crate::wire::lines::{Batch, Lines};
use crate::wire::refusal::{Flaw, Refusal, ReplyTo};
use crate::wire::reply;
use crate::wire::scan::Scanner;

/// How many lines go on in one write at most, so that the first is not kept waiting by the last.
const TOGETHER: usize = 16;

/// Passes on until the client closes its end.
pub(super) fn run(session: &Arc<Session>, source: impl Read) {
    let mut lines = Lines::new(source, session.options.limit.bytes);
    loop {
        match lines.wait() {
            Ok(Batch::Lines(batch)) => Inbound::new(session, batch).pass_on(),
            Ok(Batch::TooLong(head)) => too_long(session, head),
            Ok(Batch::End { .. }) | Err(_) => break,
        }
    }
    // Told first, so that the server's end, if it ends on this, is not taken for one of its own accord.
    session.tell(Happened::ClientLeft);
    session.close_server_input();
}

/// Passes one line on, as if the client had sent it to this server alone.
pub(super) fn pass_on(session: &Arc<Session>, line: &[u8]) {
    Inbound::new(session, line).pass_on();
}

/// The first of some lines, with its line feed; none if there is nothing.
fn first_line(lines: &[u8]) -> Option<&[u8]> {
    let end = memchr(b'\n', lines).map_or(lines.len(), |at| at + 1);
    lines.get(..end).filter(|line| !line.is_empty())
}

fn too_long(session: &Session, head: &[u8]) {
    let scanner = Scanner::glance(head);
    session.record_refusal(Flaw::TooLong);
    let message = format!("the message is over {}", session.options.limit);
    session.write_to_client(&reply::error(scanner.id(), Flaw::TooLong.code(), &message));
}

/// Lines that came together. Those that go on next to each other go on in one write.
struct Inbound<'s, 'b> {
    session: &'s Arc<Session>,
    batch: &'b [u8],
    run: Range<usize>,
    lines: usize,
    is_last: bool,
    together: Option<Together<'s, 'static>>,
}

impl<'s, 'b> Inbound<'s, 'b> {
    const fn new(session: &'s Arc<Session>, batch: &'b [u8]) -> Self {
        Self {
            session,
            batch,
            run: 0..0,
            lines: 0,
            is_last: false,
            together: None,
        }
    }

    fn pass_on(mut self) {
        self.session.hear();
        let mut start = 0;
        while let Some(line) = first_line(self.batch.get(start..).unwrap_or_default()) {
            let end = start + line.len();
            self.is_last = end == self.batch.len();
            if self.goes_on(line) {
                self.run.end = end;
                self.lines += 1;
                if self.lines == TOGETHER {
                    self.flush();
                }
            } else {
                self.flush();
                self.run = end..end;
            }
            start = end;
        }
        self.flush();
    }

    /// Ends that calls are ruled on together. Before whatever may have to wait for somebody: nobody else is to wait with us.
    fn part(&mut self) {
        self.together = None;
    }

    fn flush(&mut self) {
        self.part();
        let run = self.batch.get(self.run.clone()).unwrap_or_default();
        if !run.is_empty() {
            self.session.send(run);
        }
        self.run.start = self.run.end;
        self.lines = 0;
    }

    /// Whether a line is to be passed on; if not, it has been dealt with.
    fn goes_on(&mut self, line: &'b [u8]) -> bool {
        if line.iter().all(u8::is_ascii_whitespace) {
            return false;
        }
        let routed = Frame::parse(line).map(route);
        if !matches!(routed, Ok(Route::Call(_))) {
            self.part();
        }
        match routed {
            Ok(Route::Relay(Relay::OneWay)) => true,
            Ok(Route::Relay(Relay::Request(id, watch))) => self.relay(id, watch),
            Ok(Route::Relay(Relay::Opening(id, asks))) => {
                self.session.front.hear_asks(asks);
                self.relay(id, Watch::Introduction)
            }
            Ok(Route::Answer(response)) => self.answer(response),
            Ok(Route::Call(call)) => self.call(call, line),
            Ok(Route::Place(place)) => self.place(&place),
            Ok(Route::Cancel(id)) => self.cancel(&id),
            Ok(Route::Refuse(refusal)) | Err(refusal) => {
                self.session.refuse(&refusal);
                false
            }
        }
    }
}

impl<'b> Inbound<'_, 'b> {
    fn relay(&mut self, id: Id, watch: Watch) -> bool {
        self.is_free(&id) && self.take_on(id, Forwarded::request(watch, None))
    }

    /// Whether an answer is for the server.
    fn answer(&self, response: Response<'b>) -> bool {
        let Some(id) = response.id else {
            return true;
        };
        match self.session.front.take_answer(&id) {
            Asked::Never => true,
            Asked::Past => false,
            Asked::Open => {
                let result = response.result.map(Value::into_owned);
                self.session.tell_holder(Told::Said(id, result));
                false
            }
        }
    }

    fn call(&mut self, call: ToolCall<'b>, line: &[u8]) -> bool {
        if !self.is_free(call.id()) {
            return false;
        }
        let session = self.session;
        let (id, era, tool) = (call.id().clone(), Era::of(call.meta()), call.name().clone());
        let reach = session.front.reach(call.meta());
        if elicit::has_state(call.params()) {
            self.part();
            session.come_again(id, line, reach);
            return false;
        }
        let question = translate::call(&session.options.server, call);
        if !self.is_last && self.together.is_none() {
            self.together = Some(session.governor.together());
        }
        let ruling = session.rule(question, reach);
        if !matches!(ruling, Ruling::Allow(_)) {
            self.part();
        }
        match ruling {
            Ruling::Allow(permit) => self.take_on(id, Forwarded::call(session, permit, era)),
            Ruling::Deny(denial) => {
                let form = session.form(era, &tool);
                session.refuse_call(&id, form.denied(&id, &denial));
                false
            }
            Ruling::Hold(held) => {
                session.hold(id, line, held, reach);
                false
            }
        }
    }

    fn place(&mut self, place: &Place<'b>) -> bool {
        if place.id.as_ref().is_some_and(|id| !self.is_free(id)) {
            return false;
        }
        let session = self.session;
        let asked = translate::place(&session.options.server, place);
        let underway = match session.governor.rule_place(asked) {
            None => None,
            Some(Ruling::Allow(permit)) => Some(permit.spend()),
            // What is no call of a tool has no result that could tell of a wait.
            Some(ruling @ (Ruling::Deny(_) | Ruling::Hold(_))) => {
                let denial = match ruling {
                    Ruling::Hold(held) => {
                        session.give_up(&held.ticket);
                        held.denial
                    }
                    Ruling::Deny(denial) => denial,
                    Ruling::Allow(_) => return false,
                };
                if let Some(id) = &place.id {
                    session.write_to_client(&enforce::denied_place(id, &denial));
                }
                return false;
            }
        };
        match (place.id.clone(), underway) {
            (Some(id), underway) => {
                let forwarded = Forwarded::request(Watch::Nothing, underway);
                return self.take_on(id, forwarded.over(session.bridge(place.era())));
            }
            // Nothing ever answers a notification, so nobody learns how it ends.
            (None, Some(underway)) => session.ended(&underway, Ending::Unknown),
            (None, None) => {}
        }
        true
    }

    /// Whether the cancellation is for the server. One that comes too late for its request, or too early, is not: a server
    /// that kept it could take it for the next request with that id.
    fn cancel(&self, id: &Id) -> bool {
        match self.session.pending.cancel(id) {
            Cancelled::Forwarded(underway) => {
                if let Some(underway) = underway {
                    self.session.ended(&underway, Ending::Cancelled);
                }
                true
            }
            Cancelled::Held => {
                self.session.cancel_hold(id);
                false
            }
            Cancelled::Unknown => false,
        }
    }

    /// Whether a request with this id may be taken on; if not, it has been answered.
    fn is_free(&mut self, id: &Id) -> bool {
        let place = self.session.pending.place(id);
        if matches!(place, Vacancy::Free) {
            return true;
        }
        self.part();
        match place {
            Vacancy::Free => {}
            Vacancy::Taken => {
                let to = ReplyTo::Caller(id.clone());
                self.session.refuse(&Refusal::new(Flaw::DuplicateId, to));
            }
            Vacancy::Closed => self.session.answer_gone(id),
        }
        false
    }

    /// Whether a request is on its way; if not, it has been answered.
    fn take_on(&mut self, id: Id, forwarded: Forwarded<Underway>) -> bool {
        let forwarded = self.session.pending.forward(id.clone(), forwarded);
        let Err(Forwarded { receipt, .. }) = forwarded else {
            return true;
        };
        self.part();
        self.session.answer_gone(&id);
        if let Some(underway) = receipt {
            self.session.ended(&underway, Ending::Unknown);
        }
        false
    }
}
