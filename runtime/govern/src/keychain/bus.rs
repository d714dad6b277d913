//! A connection to the session's bus.

use std::io::{BufRead as _, BufReader, Error, ErrorKind, Read as _, Result, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::process::getuid;

use super::wire::{Call, Message, PREFIX, RETURN};

/// A connection. Nothing on it is waited for longer than [`PATIENCE`].
#[derive(Debug)]
pub(super) struct Bus {
    stream: BufReader<UnixStream>,
    serial: u32,
}

impl Bus {
    /// Says who we are, by the user of this process, and is let in.
    pub(super) fn enter(stream: UnixStream) -> Result<Self> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let mut bus = Self {
            stream: BufReader::new(stream),
            serial: 0,
        };
        let user = getuid().as_raw().to_string();
        let user: String = user.bytes().map(|byte| format!("{byte:02x}")).collect();
        bus.say(format!("\0AUTH EXTERNAL {user}\r\n").as_bytes())?;
        let mut line = Vec::new();
        (&mut bus.stream).take(1024).read_until(b'\n', &mut line)?;
        if !line.starts_with(b"OK ") {
            return Err(odd("the bus lets nobody in"));
        }
        bus.say(b"BEGIN\r\n")?;
        bus.call(Call {
            destination: "org.freedesktop.DBus",
            path: "/org/freedesktop/DBus",
            interface: "org.freedesktop.DBus",
            method: "Hello",
            signature: "",
            arguments: super::wire::Writer::default(),
        })?;
        Ok(bus)
    }

    /// Calls a method and returns what it answers.
    pub(super) fn call(&mut self, call: Call<'_>) -> Result<Vec<u8>> {
        self.serial += 1;
        let bytes = call.into_bytes(self.serial);
        self.say(&bytes)?;
        for _ in 0..MOST_OTHERS {
            let message = self.next()?;
            if message.answers != Some(self.serial) {
                continue;
            }
            return if message.kind == RETURN {
                Ok(message.body)
            } else {
                Err(odd("the keychain refuses"))
            };
        }
        Err(odd("the bus answers others"))
    }

    fn next(&mut self) -> Result<Message> {
        let mut bytes = vec![0; PREFIX];
        self.stream.read_exact(&mut bytes)?;
        let rest = bytes.first_chunk().and_then(Message::rest);
        let rest = rest.ok_or_else(|| odd("what came is no message"))?;
        (&mut self.stream)
            .take(rest as u64)
            .read_to_end(&mut bytes)?;
        Message::read(&bytes).ok_or_else(|| odd("what came is no message"))
    }

    fn say(&mut self, bytes: &[u8]) -> Result<()> {
        self.stream.get_mut().write_all(bytes)
    }
}

pub(super) fn odd(what: &'static str) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(2);
/// Signals and the like that may come between.
const MOST_OTHERS: usize = 64;
