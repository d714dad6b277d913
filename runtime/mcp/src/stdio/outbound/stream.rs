//! A large answer, passed on while it comes in.

use std::io::Read;

use knotrust_core::audit::event::Ending;
use knotrust_govern::permit::Underway;

use super::{Line, Outbound, call_end, read_patiently};
use crate::route::Watch;
use crate::stdio::pending::{Answered, Forwarded};
use crate::wire::id::Id;
use crate::wire::lines::BLOCK;
use crate::wire::scan::{Message, Progress, void_after_body};

/// An envelope that goes on for longer than this after its body is none.
const TAIL: usize = BLOCK;

/// How passing an answer on came to its end.
enum End {
    /// All but the end of its envelope has been passed on.
    Body,
    /// It broke off, and the line with it.
    Line,
    /// It broke off, and the rest of the line is still to come.
    Middle,
    /// It grew over the limit, and the rest of the line is still to come.
    TooLong,
}

/// What an answer is, once all of it is there.
enum TurnedOut {
    /// The answer to a request that the server has, and what is owed to the record.
    Answer(Option<(Underway, Ending)>),
    /// An answer to nothing that the server was ever sent.
    Unasked(Id),
    /// The answer to a request whose answer is looked at before it is passed on.
    Unread(Id, Option<Underway>),
    /// No answer.
    Broken,
}

impl<R: Read> Outbound<'_, R> {
    /// Whether what is there of a line is enough to pass it on as it comes.
    pub(super) fn may_stream(&self) -> bool {
        self.scanner.is_in_answer() && self.session.pending.may_pass_unread(self.scanner.id())
    }

    /// Passes on the answer that the buffer holds the beginning of.
    ///
    /// The client's pipe is ours until the line is over: nothing may come between two parts of it.
    pub(super) fn stream(&mut self) {
        let session = self.session;
        let mut client = session.client();
        client.write(self.bytes(0..self.filled));
        let mut end = self.pass_body(|part| client.write(part));
        let mut turned_out = TurnedOut::Broken;
        if let End::Body = end {
            let mut tail = Vec::new();
            end = self.read_tail(&mut tail);
            turned_out = self.turned_out(&end);
            match turned_out {
                TurnedOut::Answer(_) => client.write(&tail),
                TurnedOut::Broken | TurnedOut::Unasked(_) | TurnedOut::Unread(..) => {
                    client.write(void_after_body().as_bytes());
                }
            }
        }
        drop(client);
        match turned_out {
            TurnedOut::Answer(Some((underway, ending))) => session.ended(&underway, ending),
            TurnedOut::Answer(None) => {}
            TurnedOut::Unasked(id) => session.unasked(&id),
            TurnedOut::Unread(id, underway) => session.answer_unread(&id, underway.as_ref()),
            TurnedOut::Broken if matches!(end, End::TooLong) => {}
            TurnedOut::Broken => session.answer_broken(self.scanner.id()),
        }
        self.line = match end {
            End::Body | End::Line => Line::Message,
            End::Middle => Line::Spoiled,
            End::TooLong => self.too_long(),
        };
        if self.line != Line::TooLong {
            self.scanner.reset();
        }
        self.forget(self.scanned);
    }

    /// Passes on what follows of the body; if it breaks off, ends it so that it answers nothing.
    fn pass_body(&mut self, mut write: impl FnMut(&[u8])) -> End {
        let mut length = self.filled;
        let mut last = Last::default();
        last.note(self.bytes(0..self.filled));
        loop {
            length += self.refill();
            let fresh = self.buffer.get(..self.filled).unwrap_or_default();
            let (passed, spent, end) = if fresh.is_empty() {
                (0, 0, Some(End::Middle))
            } else if length > self.session.options.limit.bytes {
                (0, 0, Some(End::TooLong))
            } else {
                match self.scanner.feed(fresh) {
                    Progress::More => (fresh.len(), fresh.len(), None),
                    Progress::Body(at) => (at, at, Some(End::Body)),
                    Progress::End(at) => (at - 1, at, Some(End::Line)),
                    Progress::Fault(at) => (at, at, Some(End::Middle)),
                }
            };
            let passed = self.bytes(0..passed);
            write(passed);
            last.note(passed);
            self.scanned = spent;
            match end {
                None => {}
                Some(End::Body) => return End::Body,
                Some(end @ (End::Line | End::Middle | End::TooLong)) => {
                    write(&self.scanner.void(&last.0));
                    return end;
                }
            }
        }
    }

    /// Reads the end of the envelope.
    fn read_tail(&mut self, tail: &mut Vec<u8>) -> End {
        loop {
            let fresh = self
                .buffer
                .get(self.scanned..self.filled)
                .unwrap_or_default();
            let (count, end) = match self.scanner.feed(fresh) {
                Progress::More if fresh.len() + tail.len() > TAIL => {
                    (fresh.len(), Some(End::Middle))
                }
                Progress::More => (fresh.len(), None),
                Progress::Body(count) => (count, None),
                Progress::End(count) => (count, Some(End::Line)),
                Progress::Fault(count) => (count, Some(End::Middle)),
            };
            tail.extend(fresh.iter().take(count));
            self.scanned += count;
            if let Some(end) = end {
                return end;
            }
            if self.scanned == self.filled && self.refill() == 0 {
                return End::Middle;
            }
        }
    }

    fn turned_out(&self, end: &End) -> TurnedOut {
        let message = match end {
            End::Line => self.scanner.message(),
            End::Body | End::Middle | End::TooLong => None,
        };
        let Some(Message::Answer(Some(id), answer)) = message else {
            return TurnedOut::Broken;
        };
        match self.session.pending.answer(&id) {
            Answered::Forwarded(Forwarded {
                watch: Watch::Nothing,
                receipt,
                ..
            }) => TurnedOut::Answer(receipt.map(|receipt| (receipt, call_end(answer)))),
            Answered::Forwarded(Forwarded { receipt, .. }) => TurnedOut::Unread(id, receipt),
            Answered::Late => TurnedOut::Answer(None),
            Answered::Unasked => TurnedOut::Unasked(id),
        }
    }

    fn refill(&mut self) -> usize {
        self.scanned = 0;
        self.filled = read_patiently(&mut self.source, &mut self.buffer);
        self.filled
    }
}

/// The last bytes that were passed on, in case they are the beginning of a character.
#[derive(Default)]
struct Last([u8; 3]);

impl Last {
    fn note(&mut self, passed: &[u8]) {
        let mut last = [
            self.0.as_slice(),
            passed.last_chunk::<3>().map_or(passed, |last| last),
        ]
        .concat();
        last.drain(..last.len().saturating_sub(3));
        self.0 = last.try_into().unwrap_or_default();
    }
}
