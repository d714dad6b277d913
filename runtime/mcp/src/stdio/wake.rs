//! Waking a thread that waits in `poll`.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;

use rustix::event::{PollFd, PollFlags, poll};

/// Wakes the thread that has the other end.
#[derive(Debug)]
pub(super) struct Waker(UnixStream);

/// A waker and what it wakes.
pub(super) fn pair() -> io::Result<(Waker, UnixStream)> {
    let (waking, woken) = UnixStream::pair()?;
    waking.set_nonblocking(true)?;
    woken.set_nonblocking(true)?;
    Ok((Waker(waking), woken))
}

impl Waker {
    /// Wakes. If the pipe is full, the thread has been woken often enough.
    pub(super) fn wake(&self) {
        let _ = (&self.0).write(&[0]);
    }

    /// Another waker of the same thread.
    pub(super) fn another(&self) -> io::Result<UnixStream> {
        self.0.try_clone()
    }
}

/// Forgets all that it was woken by so far.
pub(super) fn clear(woken: &mut UnixStream) {
    let mut rest = [0; 64];
    while woken.read(&mut rest).is_ok_and(|count| count == rest.len()) {}
}

/// Waits until somebody wakes this thread.
pub(super) fn wait(woken: &mut UnixStream) {
    let _ = poll(&mut [PollFd::new(&*woken, PollFlags::IN)], None);
    clear(woken);
}
