//! Requests, as they come in.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use knotrust_govern::clock;

/// What stands before the body of a request.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Head {
    pub(crate) method: String,
    pub(crate) target: String,
    headers: Vec<(String, String)>,
}

/// A header that must stand there once, and stands there several times.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Repeated;

/// Why there is no request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Fault {
    /// Nobody is there any more, or they take too long.
    Gone,
    /// It is too long.
    TooLong,
    /// It is no request.
    Malformed,
}

/// A connection, which has so much time and no more.
#[derive(Debug)]
pub(crate) struct Wire {
    stream: TcpStream,
    until: Duration,
    /// What was read beyond the head.
    rest: Vec<u8>,
}

impl Head {
    /// A header that stands there at most once. Names are compared without case.
    pub(crate) fn only(&self, name: &str) -> Result<Option<&str>, Repeated> {
        let mut found = self.all(name);
        match (found.next(), found.next()) {
            (first, None) => Ok(first),
            (_, Some(_)) => Err(Repeated),
        }
    }

    fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let named = move |(known, _): &&(String, String)| known.eq_ignore_ascii_case(name);
        self.headers
            .iter()
            .filter(named)
            .map(|(_, value)| value.as_str())
    }

    fn parse(bytes: &[u8]) -> Result<Option<(Self, usize)>, Fault> {
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut request = httparse::Request::new(&mut headers);
        let length = match request.parse(bytes) {
            Ok(httparse::Status::Complete(length)) => length,
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(httparse::Error::TooManyHeaders) => return Err(Fault::TooLong),
            Err(_) => return Err(Fault::Malformed),
        };
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).map_err(|_| Fault::Malformed);
        let named = |header: &httparse::Header<'_>| {
            Ok((
                header.name.to_owned(),
                text(header.value)?.trim().to_owned(),
            ))
        };
        let head = Self {
            method: request.method.ok_or(Fault::Malformed)?.to_owned(),
            target: request.path.ok_or(Fault::Malformed)?.to_owned(),
            headers: request
                .headers
                .iter()
                .map(named)
                .collect::<Result<_, _>>()?,
        };
        Ok(Some((head, length)))
    }
}

impl Wire {
    pub(crate) fn new(stream: TcpStream) -> Self {
        Self {
            stream,
            until: clock::now().steady + TO_ASK,
            rest: Vec::new(),
        }
    }

    /// Reads what stands before the body.
    pub(crate) fn head(&mut self) -> Result<Head, Fault> {
        let mut bytes = Vec::new();
        loop {
            if let Some((head, length)) = Head::parse(&bytes)? {
                self.rest = bytes.split_off(length);
                return Ok(head);
            }
            if bytes.len() >= LONGEST_HEAD {
                return Err(Fault::TooLong);
            }
            self.read_some(&mut bytes, LONGEST_HEAD)?;
        }
    }

    /// Reads a body of that length, which the caller has bounded.
    pub(crate) fn body(&mut self, length: usize) -> Result<Vec<u8>, Fault> {
        let mut body = std::mem::take(&mut self.rest);
        body.truncate(length);
        while body.len() < length {
            self.read_some(&mut body, length)?;
        }
        Ok(body)
    }

    /// Sends an answer, and lets go of the connection in a way that lets the answer arrive: whoever still sends is heard
    /// out for a while, since to hang up on them would take the answer back.
    pub(crate) fn answer(mut self, bytes: &[u8]) {
        self.until = clock::now().steady + TO_ANSWER;
        if self.send(bytes).is_err() || self.stream.shutdown(Shutdown::Write).is_err() {
            return;
        }
        self.until = clock::now().steady + TO_LINGER;
        let mut ignored = [0; 1 << 16];
        while self
            .limit(TcpStream::set_read_timeout)
            .and_then(|()| self.stream.read(&mut ignored))
            .is_ok_and(|count| count > 0)
        {}
    }

    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut left = bytes;
        while !left.is_empty() {
            self.limit(TcpStream::set_write_timeout)?;
            let sent = match self.stream.write(left) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(sent) => sent,
                Err(error) if error.kind() == ErrorKind::Interrupted => 0,
                Err(error) => return Err(error),
            };
            left = left.get(sent..).unwrap_or_default();
        }
        Ok(())
    }

    fn read_some(&mut self, bytes: &mut Vec<u8>, most: usize) -> Result<(), Fault> {
        let mut buffer = [0; 4096];
        let room = most.saturating_sub(bytes.len()).min(buffer.len());
        let buffer = buffer.get_mut(..room).unwrap_or_default();
        self.limit(TcpStream::set_read_timeout)
            .map_err(|_| Fault::Gone)?;
        match self.stream.read(buffer) {
            Ok(0) => Err(Fault::Gone),
            Ok(count) => {
                bytes.extend(buffer.iter().take(count));
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(()),
            Err(_) => Err(Fault::Gone),
        }
    }

    fn limit(&self, set: fn(&TcpStream, Option<Duration>) -> io::Result<()>) -> io::Result<()> {
        let left = self.until.checked_sub(clock::now().steady);
        let left = left.filter(|left| !left.is_zero());
        set(&self.stream, Some(left.ok_or(ErrorKind::TimedOut)?))
    }
}

const LONGEST_HEAD: usize = 16 << 10;
const MOST_HEADERS: usize = 64;

/// How long a request may take to come.
const TO_ASK: Duration = Duration::from_secs(10);
/// How long an answer may take to go: it holds all arguments of a call.
const TO_ANSWER: Duration = Duration::from_secs(60);
/// How long somebody who was answered is still heard out.
const TO_LINGER: Duration = Duration::from_secs(2);
