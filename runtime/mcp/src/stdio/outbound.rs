//! From the server to the client.
//!
//! What the server writes is passed on as it was written, a block at a time. Whatever answers a request that the server
//! was never sent, or is no message at all, is left out. A large answer is passed on while it comes in: once its head shows
//! that it answers, its body passes, and the end of its line is kept back until it is known that all of it is the answer to
//! a request that the server has.

mod stream;

use std::io::Read;
use std::ops::Range;

use knotrust_core::audit::event::Ending;
use knotrust_govern::permit::Underway;
use memchr::memchr;

use super::pending::{Answered, Forwarded};
use super::session::Session;
use crate::route::Watch;
use crate::wire::id::Id;
use crate::wire::lines::BLOCK;
use crate::wire::reply;
use crate::wire::scan::{Answer, Message, Progress, Scanner};

/// From here on a message is not waited for.
const LARGE: usize = BLOCK / 2;
/// How much of a line that is no message is kept to be shown.
const SHOWN: usize = 1024;

/// Reads what a server writes.
pub(super) struct Outbound<'s, R> {
    session: &'s Session,
    source: R,
    buffer: Vec<u8>,
    filled: usize,
    scanned: usize,
    scanner: Scanner,
    /// How the line that is being read is to be taken.
    line: Line,
    answered: Vec<(Underway, Ending)>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Line {
    /// As a message, so far.
    Message,
    /// As no message; more of it was left out than is in the buffer.
    Stray { left_out: usize },
    /// As a message over the limit, of which nothing but whom it answers is still of interest.
    TooLong,
    /// As one that was dealt with before its end.
    Spoiled,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Room {
    /// There is room to read on.
    Enough,
    /// There may be whole lines again.
    Made,
}

enum Verdict {
    Pass,
    Drop,
    Replace(Vec<u8>),
}

impl From<Option<Vec<u8>>> for Verdict {
    fn from(changed: Option<Vec<u8>>) -> Self {
        changed.map_or(Self::Pass, Self::Replace)
    }
}

impl<'s, R: Read> Outbound<'s, R> {
    /// Reads from this source.
    pub(super) fn new(session: &'s Session, source: R) -> Self {
        Self {
            session,
            source,
            buffer: vec![0; BLOCK],
            filled: 0,
            scanned: 0,
            scanner: Scanner::default(),
            line: Line::Message,
            answered: Vec::new(),
        }
    }

    /// Passes on until the server closes its output.
    pub(super) fn run(mut self) {
        loop {
            self.pass_lines();
            if self.make_room() == Room::Made {
                continue;
            }
            if self.read() == 0 {
                break;
            }
        }
        if self.filled > 0 && self.line == Line::Message {
            self.session.stray(self.bytes(0..self.filled), 0);
        }
    }

    fn read(&mut self) -> usize {
        let free = self.buffer.get_mut(self.filled..).unwrap_or_default();
        let count = read_patiently(&mut self.source, free);
        self.filled += count;
        count
    }

    /// Passes on the lines that are whole, as few writes as there are gaps between them.
    fn pass_lines(&mut self) {
        let (mut start, mut from) = (0, 0);
        while let Some(end) = self.next_line() {
            let verdict = self.judge(start..end);
            self.scanner.reset();
            self.line = Line::Message;
            if !matches!(verdict, Verdict::Pass) {
                self.session.write_to_client(self.bytes(from..start));
                from = end;
            }
            if let Verdict::Replace(line) = verdict {
                self.session.write_to_client(&line);
            }
            start = end;
        }
        self.session.write_to_client(self.bytes(from..start));
        let several = self.answered.len() > 1;
        let together = several.then(|| self.session.governor.together());
        for (receipt, end) in self.answered.drain(..) {
            self.session.ended(&receipt, end);
        }
        drop(together);
        self.forget(start);
    }

    /// The end of the line that is being read, once it is there.
    fn next_line(&mut self) -> Option<usize> {
        loop {
            let fresh = self
                .buffer
                .get(self.scanned..self.filled)
                .unwrap_or_default();
            if !matches!(self.line, Line::Message | Line::TooLong) {
                let end = memchr(b'\n', fresh).map(|at| self.scanned + at + 1);
                self.scanned = end.unwrap_or(self.filled);
                return end;
            }
            match self.scanner.feed(fresh) {
                Progress::More => {
                    self.scanned = self.filled;
                    return None;
                }
                Progress::Body(count) => self.scanned += count,
                Progress::End(count) => {
                    self.scanned += count;
                    return Some(self.scanned);
                }
                Progress::Fault(count) => {
                    self.scanned += count;
                    self.line = match self.line {
                        Line::TooLong => Line::Spoiled,
                        Line::Message | Line::Stray { .. } | Line::Spoiled => {
                            Line::Stray { left_out: 0 }
                        }
                    };
                }
            }
        }
    }

    fn judge(&mut self, line: Range<usize>) -> Verdict {
        let message = match self.line {
            Line::Message => self.scanner.message(),
            Line::Stray { .. } => None,
            Line::TooLong => {
                self.session.answer_too_long(self.scanner.id());
                return Verdict::Drop;
            }
            Line::Spoiled => return Verdict::Drop,
        };
        match message {
            Some(Message::Request | Message::Notification | Message::Answer(None, _)) => {
                self.judge_upward(line)
            }
            Some(Message::Answer(Some(id), answer)) => self.judge_answer(&id, answer, line),
            None => {
                let left_out = match self.line {
                    Line::Stray { left_out } => left_out,
                    Line::Message | Line::TooLong | Line::Spoiled => 0,
                };
                self.session.stray(self.bytes(line), left_out);
                Verdict::Drop
            }
        }
    }

    /// What asks or tells the client something is passed on, unless the client has several servers behind us.
    fn judge_upward(&self, line: Range<usize>) -> Verdict {
        match &self.session.serving {
            None => Verdict::Pass,
            Some(serving) => (serving.above)(self.session, self.bytes(line))
                .map_or(Verdict::Drop, Verdict::Replace),
        }
    }

    fn judge_answer(&mut self, id: &Id, answer: Answer, line: Range<usize>) -> Verdict {
        match self.session.pending.answer(id) {
            Answered::Forwarded(Forwarded {
                watch,
                receipt,
                amend,
            }) => {
                let owed = receipt.map(|receipt| (receipt, call_end(answer)));
                self.answered.extend(owed);
                match watch {
                    Watch::Nothing => Verdict::Pass,
                    Watch::Own => {
                        self.session.own.deliver(id, self.bytes(line));
                        Verdict::Drop
                    }
                    Watch::Result => amend.apply(self.bytes(line)).into(),
                    Watch::Tools { .. } | Watch::Introduction => self.look_at(id, watch, line),
                }
            }
            Answered::Late => Verdict::Pass,
            Answered::Unasked => {
                self.session.unasked(id);
                Verdict::Drop
            }
        }
    }

    fn look_at(&self, id: &Id, watch: Watch, line: Range<usize>) -> Verdict {
        match self.session.look_at(watch, self.bytes(line)) {
            Ok(changed) => changed.into(),
            Err(message) => Verdict::Replace(reply::error(Some(id), -32603, message)),
        }
    }

    /// What is left is the beginning of a line. It is waited for, passed on, or given up, by what it is and how long.
    fn make_room(&mut self) -> Room {
        match self.line {
            Line::Message if self.filled >= LARGE && self.may_stream() => {
                self.stream();
                return Room::Made;
            }
            Line::Message if self.filled > self.session.options.limit.bytes => {
                self.line = self.too_long();
                self.filled = 0;
            }
            Line::Message if self.filled == self.buffer.len() => self.grow(),
            Line::Message => {}
            Line::Stray { left_out } => {
                let over = self.filled.saturating_sub(SHOWN);
                self.line = Line::Stray {
                    left_out: left_out + over,
                };
                self.filled -= over;
            }
            Line::TooLong | Line::Spoiled => self.filled = 0,
        }
        self.scanned = self.filled;
        Room::Enough
    }

    /// Answers what is over the limit, now if its id is known and else as soon as it is.
    fn too_long(&self) -> Line {
        match self.scanner.id() {
            Some(id) => {
                self.session.answer_too_long(Some(id));
                Line::Spoiled
            }
            None => Line::TooLong,
        }
    }

    fn grow(&mut self) {
        let limit = self.session.options.limit.bytes;
        let larger = (self.buffer.len() * 2)
            .min(limit + BLOCK)
            .max(self.filled + BLOCK);
        self.buffer.reserve_exact(larger - self.filled);
        self.buffer.resize(larger, 0);
    }

    /// Moves what is left to the front.
    fn forget(&mut self, spent: usize) {
        self.buffer.copy_within(spent..self.filled, 0);
        self.filled -= spent;
        self.scanned -= spent;
        if self.filled < BLOCK && self.buffer.len() > BLOCK {
            self.buffer.truncate(BLOCK);
            self.buffer.shrink_to_fit();
        }
    }

    fn bytes(&self, range: Range<usize>) -> &[u8] {
        self.buffer.get(range).unwrap_or_default()
    }
}

fn read_patiently(source: &mut impl Read, free: &mut [u8]) -> usize {
    loop {
        match source.read(free) {
            Ok(count) => return count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            // A pipe that can't be read is one that has ended.
            Err(_) => return 0,
        }
    }
}

const fn call_end(answer: Answer) -> Ending {
    match answer {
        Answer::Result => Ending::Answered,
        Answer::ToolError => Ending::ToolError,
        Answer::Error => Ending::ProtocolError,
    }
}
