//! Standard input and output as plain descriptors: one system call a read or write, no buffer, no lock.

use std::io::{self, Read, Write};
use std::os::fd::BorrowedFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// Where the client's messages come from.
#[derive(Debug)]
pub(super) struct FromClient(BorrowedFd<'static>);

/// Where the client reads.
#[derive(Debug)]
pub(super) struct ToClient(BorrowedFd<'static>);

/// Standard input.
pub(super) fn from_client() -> FromClient {
    FromClient(rustix::stdio::stdin())
}

/// Standard output.
pub(super) fn to_client() -> ToClient {
    ToClient(rustix::stdio::stdout())
}

/// Whether anybody can still read what is written to the client. A client that was killed closes all of its ends at once,
/// and one that only has no more to say keeps this one.
pub(super) fn has_reader() -> bool {
    let stdout = rustix::stdio::stdout();
    let mut fds = [PollFd::new(&stdout, PollFlags::OUT)];
    let closed = PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL;
    match poll(&mut fds, Some(&Timespec::default())) {
        Ok(_) => fds.iter().all(|fd| !fd.revents().intersects(closed)),
        Err(_) => true,
    }
}

impl Read for FromClient {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        patiently(self.0, PollFlags::IN, || {
            rustix::io::read(self.0, &mut *buffer)
        })
    }
}

impl Write for ToClient {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        patiently(self.0, PollFlags::OUT, || rustix::io::write(self.0, bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Tries until it works. Whoever started us may have made the descriptor one that doesn't block; to change that would
/// change it for them too.
fn patiently(
    fd: BorrowedFd<'_>,
    ready: PollFlags,
    mut attempt: impl FnMut() -> Result<usize, Errno>,
) -> io::Result<usize> {
    loop {
        match attempt() {
            Ok(count) => return Ok(count),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => match poll(&mut [PollFd::new(&fd, ready)], None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            },
            Err(error) => return Err(error.into()),
        }
    }
}
