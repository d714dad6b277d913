//! Follows one line of a server while it comes in.
//!
//! A result of many megabytes is passed on as it comes, so what it is must be known before it is over; and it must stay
//! known: a line that begins as the answer to one request must not end as the answer to another. The scanner checks the
//! grammar of every byte, keeps what the envelope says, and builds nothing. It is one machine for lines that are there
//! whole and for lines of which only the head is.

use memchr::memchr3;

use self::state::{Bracket, Numeral, State};
use super::id::Id;
use super::names;

mod state;
mod void;

pub use self::void::{VOID_ID, void_after_body};

const MEMBERS: &[&str] = &["jsonrpc", "id", "method", "params", "result", "error"];
// Deeper than any reader goes; a bound, so that brackets can't eat memory.
const MAX_DEPTH: usize = 10_000;
// An id or a member name longer than this is none that we sent or know.
const MAX_TOKEN: usize = 64 * 1024;

/// What a line is so far.
#[derive(Debug, Default)]
pub struct Scanner {
    state: State,
    nesting: Vec<Bracket>,
    token: Vec<u8>,
    capturing: bool,
    member: Option<Member>,
    seen: u8,
    id: SeenId,
    is_version_2: bool,
    has_method: bool,
    at_error_flag: bool,
    is_tool_error: bool,
    is_lenient: bool,
    has_failed: bool,
}

/// How far [`Scanner::feed`] came.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Progress {
    /// All bytes belong to the line, which goes on.
    More,
    /// The object or array that is the `result` or `error` ends before this offset.
    Body(usize),
    /// The line ends before this offset; its line feed is the byte before.
    End(usize),
    /// The byte at this offset can't be part of a message.
    Fault(usize),
}

/// What a whole line is.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Message {
    /// Answers a request; an error may come without an id.
    Answer(Option<Id>, Answer),
    /// Asks for an answer.
    Request,
    /// Tells something.
    Notification,
}

/// How a request was answered.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Answer {
    /// By a result.
    Result,
    /// By a result that says that the tool failed.
    ToolError,
    /// By a protocol error.
    Error,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Member {
    Version,
    Id,
    Method,
    Params,
    Result,
    Error,
}

#[derive(Clone, Debug, Default, Eq, PartialEq)]
enum SeenId {
    #[default]
    Absent,
    Null,
    Known(Id),
    Odd,
}

enum Step {
    Next,
    Again,
    Body,
    End,
    Fault,
}

impl Scanner {
    /// Looks at a message that is refused anyway, or at the head of one, to see whom to tell.
    ///
    /// Repeated members are let pass, but an id counts only if it stands there once.
    #[must_use]
    pub fn glance(refused: &[u8]) -> Self {
        let mut scanner = Self {
            is_lenient: true,
            ..Self::default()
        };
        let mut rest = refused;
        while let Progress::Body(end) = scanner.feed(rest) {
            rest = rest.get(end..).unwrap_or_default();
        }
        scanner
    }

    /// Makes the scanner ready for the next line.
    pub fn reset(&mut self) {
        let (mut nesting, mut token) = (
            std::mem::take(&mut self.nesting),
            std::mem::take(&mut self.token),
        );
        nesting.clear();
        token.clear();
        *self = Self {
            nesting,
            token,
            ..Self::default()
        };
    }

    /// Reads on. After [`Progress::Body`] the rest of the bytes is to be fed again; after an end or a fault nothing is.
    pub fn feed(&mut self, bytes: &[u8]) -> Progress {
        let mut at = 0;
        loop {
            let rest = bytes.get(at..).unwrap_or_default();
            if let State::Text { .. } = self.state {
                let run = memchr3(b'"', b'\\', b'\n', rest).unwrap_or(rest.len());
                self.capture(rest.get(..run).unwrap_or_default());
                at += run;
            }
            let Some(byte) = bytes.get(at) else {
                return Progress::More;
            };
            match self.step(*byte) {
                Step::Next => at += 1,
                Step::Again => {}
                Step::Body => return Progress::Body(at + 1),
                Step::End => return Progress::End(at + 1),
                Step::Fault => {
                    self.has_failed = true;
                    return Progress::Fault(at);
                }
            }
        }
    }

    /// Whether all of the object has been read, and nothing but blanks after it.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.state == State::Done && !self.has_failed
    }

    /// What the line is, once it has ended; nothing if it is no message of JSON-RPC 2.0.
    #[must_use]
    pub fn message(&self) -> Option<Message> {
        if !self.is_whole() || !self.is_version_2 {
            return None;
        }
        let has = |member| self.has(member);
        match (
            &self.id,
            has(Member::Method),
            has(Member::Result),
            has(Member::Error),
        ) {
            (SeenId::Odd, ..) => None,
            (SeenId::Known(_), true, false, false) if self.has_method => Some(Message::Request),
            (SeenId::Absent, true, false, false) if self.has_method => Some(Message::Notification),
            (SeenId::Known(id), false, true, false) => {
                Some(Message::Answer(Some(id.clone()), self.result()))
            }
            (SeenId::Known(id), false, false, true) => {
                Some(Message::Answer(Some(id.clone()), Answer::Error))
            }
            (SeenId::Absent | SeenId::Null, false, false, true) => {
                Some(Message::Answer(None, Answer::Error))
            }
            (SeenId::Absent | SeenId::Null | SeenId::Known(_), ..) => None,
        }
    }

    /// The id, once it has been read.
    #[must_use]
    pub const fn id(&self) -> Option<&Id> {
        match &self.id {
            SeenId::Known(id) => Some(id),
            SeenId::Absent | SeenId::Null | SeenId::Odd => None,
        }
    }

    /// Whether the scanner stands inside an object that answers a request, with nothing before it that speaks against.
    #[must_use]
    pub fn is_in_answer(&self) -> bool {
        let body = matches!(self.member, Some(Member::Result | Member::Error));
        let inside = self.nesting.len() >= 2 && self.nesting.get(1) == Some(&Bracket::Object);
        let odd = self.has(Member::Method) || matches!(self.id, SeenId::Null | SeenId::Odd);
        body && inside && !odd && (self.is_version_2 || !self.has(Member::Version))
    }

    const fn result(&self) -> Answer {
        if self.is_tool_error {
            Answer::ToolError
        } else {
            Answer::Result
        }
    }

    const fn has(&self, member: Member) -> bool {
        self.seen & (1 << member as u8) != 0
    }

    fn step(&mut self, byte: u8) -> Step {
        if byte == b'\n' {
            return Step::End;
        }
        match self.state {
            State::Text { name } => self.in_text(name, byte),
            State::Escape { name } => self.in_escape(name, byte),
            State::Hex { name, left } => self.in_hex(name, left, byte),
            State::Number(numeral) => self.in_number(numeral, byte),
            State::Word { rest, truth } => self.in_word(rest, truth, byte),
            State::Start
            | State::FirstName
            | State::Name
            | State::Colon
            | State::FirstElement
            | State::Value
            | State::AfterValue
            | State::Done => self.between(byte),
        }
    }

    fn between(&mut self, byte: u8) -> Step {
        if matches!(byte, b' ' | b'\t' | b'\r') {
            return Step::Next;
        }
        match (self.state, byte) {
            (State::Start, b'{') => self.open(Bracket::Object),
            (State::FirstName | State::Name, b'"') => self.begin_name(),
            (State::FirstName, b'}') | (State::FirstElement, b']') => self.close(byte),
            (State::Colon, b':') => self.go(State::Value),
            (State::FirstElement | State::Value, _) => self.begin_value(byte),
            (State::AfterValue, b',') => match self.nesting.last() {
                Some(Bracket::Object) => self.go(State::Name),
                Some(Bracket::Array) | None => self.go(State::Value),
            },
            (State::AfterValue, b'}' | b']') => self.close(byte),
            _ => Step::Fault,
        }
    }

    fn begin_name(&mut self) -> Step {
        let deciding = match self.nesting.len() {
            1 => true,
            2 => self.member == Some(Member::Result),
            _ => false,
        };
        self.capturing = deciding;
        self.token.clear();
        self.at_error_flag = false;
        self.go(State::Text { name: true })
    }

    fn begin_value(&mut self, byte: u8) -> Step {
        if self.nesting.len() == 1 {
            self.token.clear();
            self.capturing = matches!(self.member, Some(Member::Version | Member::Id));
            self.has_method |= self.member == Some(Member::Method) && byte == b'"';
        }
        self.capture(&[byte]);
        match byte {
            b'"' => self.go(State::Text { name: false }),
            b'{' => self.open(Bracket::Object),
            b'[' => self.open(Bracket::Array),
            b't' => self.go(State::Word {
                rest: b"rue",
                truth: true,
            }),
            b'f' => self.go(State::Word {
                rest: b"alse",
                truth: false,
            }),
            b'n' => self.go(State::Word {
                rest: b"ull",
                truth: false,
            }),
            _ => match Numeral::begin(byte) {
                Some(numeral) => self.go(State::Number(numeral)),
                None => Step::Fault,
            },
        }
    }

    fn open(&mut self, bracket: Bracket) -> Step {
        if self.nesting.len() >= MAX_DEPTH {
            return Step::Fault;
        }
        self.nesting.push(bracket);
        self.go(match bracket {
            Bracket::Object => State::FirstName,
            Bracket::Array => State::FirstElement,
        })
    }

    fn close(&mut self, byte: u8) -> Step {
        let matching = match self.nesting.last() {
            Some(Bracket::Object) => b'}',
            Some(Bracket::Array) => b']',
            None => return Step::Fault,
        };
        if byte != matching {
            return Step::Fault;
        }
        self.nesting.pop();
        if self.nesting.is_empty() {
            return self.go(State::Done);
        }
        let ends_body =
            self.nesting.len() == 1 && matches!(self.member, Some(Member::Result | Member::Error));
        self.end_value();
        if ends_body { Step::Body } else { Step::Next }
    }

    fn in_text(&mut self, name: bool, byte: u8) -> Step {
        match byte {
            b'"' if name => self.end_name(),
            b'"' => {
                self.capture(b"\"");
                self.end_value();
                Step::Next
            }
            b'\\' => {
                self.capture(b"\\");
                self.go(State::Escape { name })
            }
            _ => self.go(State::Text { name }),
        }
    }

    fn in_escape(&mut self, name: bool, byte: u8) -> Step {
        self.capture(&[byte]);
        match byte {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.go(State::Text { name }),
            b'u' => self.go(State::Hex { name, left: 4 }),
            _ => Step::Fault,
        }
    }

    fn in_hex(&mut self, name: bool, left: u8, byte: u8) -> Step {
        self.capture(&[byte]);
        match left {
            _ if !byte.is_ascii_hexdigit() => Step::Fault,
            0 | 1 => self.go(State::Text { name }),
            _ => self.go(State::Hex {
                name,
                left: left - 1,
            }),
        }
    }

    fn in_number(&mut self, numeral: Numeral, byte: u8) -> Step {
        match numeral.next(byte) {
            Some(numeral) => {
                self.capture(&[byte]);
                self.go(State::Number(numeral))
            }
            None if numeral.is_whole() => {
                self.end_value();
                Step::Again
            }
            None => Step::Fault,
        }
    }

    fn in_word(&mut self, rest: &'static [u8], truth: bool, byte: u8) -> Step {
        self.capture(&[byte]);
        match rest.split_first() {
            Some((expected, [])) if byte == *expected => {
                self.is_tool_error |= truth && self.at_error_flag && self.nesting.len() == 2;
                self.end_value();
                Step::Next
            }
            Some((expected, rest)) if byte == *expected => self.go(State::Word { rest, truth }),
            _ => Step::Fault,
        }
    }

    fn end_name(&mut self) -> Step {
        let deciding = std::mem::take(&mut self.capturing);
        self.state = State::Colon;
        if !deciding {
            return Step::Next;
        }
        let decoded = decode(&self.token);
        let name = decoded.as_deref().unwrap_or(&self.token);
        if self.nesting.len() == 2 {
            self.at_error_flag = name == b"isError";
            return Step::Next;
        }
        let member = Member::named(name);
        let is_odd = member.is_none() && names::is_look_alike(name, MEMBERS);
        let is_repeated = member.is_some_and(|member| self.has(member));
        if (is_odd || is_repeated) && !self.is_lenient {
            return Step::Fault;
        }
        if is_odd && name.eq_ignore_ascii_case(b"id") {
            self.id = SeenId::Odd;
        }
        self.member = member;
        self.seen |= member.map_or(0, |member| 1 << member as u8);
        Step::Next
    }

    fn end_value(&mut self) {
        self.state = State::AfterValue;
        if self.nesting.len() != 1 {
            return;
        }
        self.capturing = false;
        match self.member {
            Some(Member::Version) => self.is_version_2 = self.token == b"\"2.0\"",
            Some(Member::Id) if self.id == SeenId::Absent => self.id = SeenId::of(&self.token),
            Some(Member::Id) => self.id = SeenId::Odd,
            Some(Member::Method | Member::Params | Member::Result | Member::Error) | None => {}
        }
    }

    fn capture(&mut self, bytes: &[u8]) {
        if self.capturing && self.token.len() < MAX_TOKEN {
            self.token.extend_from_slice(bytes);
        }
    }

    const fn go(&mut self, state: State) -> Step {
        self.state = state;
        Step::Next
    }
}

impl Member {
    fn named(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"jsonrpc" => Self::Version,
            b"id" => Self::Id,
            b"method" => Self::Method,
            b"params" => Self::Params,
            b"result" => Self::Result,
            b"error" => Self::Error,
            _ => return None,
        })
    }
}

impl SeenId {
    fn of(token: &[u8]) -> Self {
        match Id::read(token) {
            Some(id) => Self::Known(id),
            None if token == b"null" => Self::Null,
            None => Self::Odd,
        }
    }
}

/// The name without its escapes, if it has any.
fn decode(name: &[u8]) -> Option<Vec<u8>> {
    use knotrust_core::json;
    memchr::memchr(b'\\', name)?;
    let quoted = [b"\"", name, b"\""].concat();
    let text = json::parse(&quoted).ok()?;
    text.as_text().map(|text| text.as_bytes().to_vec())
}

#[cfg(test)]
mod tests;
