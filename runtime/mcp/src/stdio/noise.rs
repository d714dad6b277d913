//! Standard error: what the server says beside the protocol, and what we have to say.
//!
//! Nobody may ever be held up by it. The server's error output is always read; what the client does not take is kept up to
//! a bound and then dropped, with a count.

use std::collections::VecDeque;
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::process::ChildStderr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::wake::Waker;

/// How much is kept for a client that does not read.
const KEPT: usize = 256 * 1024;
/// A pipe that is ready takes at least so much without blocking (`PIPE_BUF`).
const AT_ONCE: usize = if cfg!(target_os = "linux") { 4096 } else { 512 };
/// How long a client that has been reading may pause before it counts as one that does not read.
const PAUSE: Duration = Duration::from_millis(50);

/// What waits to be written to standard error.
#[derive(Debug)]
pub(super) struct Noise {
    server: String,
    queue: Mutex<Queue>,
    waker: Waker,
}

#[derive(Debug, Default)]
struct Queue {
    bytes: VecDeque<u8>,
    dropped: u64,
    is_closing: bool,
}

impl Noise {
    /// The noise of this server, and what its thread is woken by.
    pub(super) fn new(server: &str) -> std::io::Result<(Self, UnixStream)> {
        let (waker, woken) = super::wake::pair()?;
        let noise = Self {
            server: server.to_owned(),
            queue: Mutex::default(),
            waker,
        };
        Ok((noise, woken))
    }

    /// Says something of our own, on a line of its own.
    pub(super) fn say(&self, text: &str) {
        let line = format!("knotrust: {text}\n");
        self.push(line.as_bytes());
        self.waker.wake();
    }

    /// No more will come: what is left is written if that is possible at once.
    pub(super) fn close(&self) {
        self.lock().is_closing = true;
        self.waker.wake();
    }

    fn push(&self, bytes: &[u8]) {
        let mut queue = self.lock();
        queue.tell_dropped(&self.server);
        if queue.dropped > 0 || queue.bytes.len() + bytes.len() > KEPT {
            queue.dropped += bytes.len() as u64;
        } else {
            queue.bytes.extend(bytes);
        }
    }

    /// Passes on until the server's error output is closed and [`Self::close`] was called; calls `closed` for the former.
    pub(super) fn run(
        &self,
        mut errors: Option<ChildStderr>,
        mut woken: UnixStream,
        closed: impl FnOnce(),
    ) {
        let out = rustix::stdio::stderr();
        let mut block = vec![0; 16 * 1024];
        let mut closed = Some(closed);
        let mut patience = PAUSE;
        loop {
            if errors.is_none()
                && let Some(closed) = closed.take()
            {
                closed();
            }
            // A client that reads is not outrun, and one that does not is waited for once.
            while self.is_filling() {
                patience = if self.write_some(out, patience) {
                    PAUSE
                } else {
                    Duration::ZERO
                };
                if patience.is_zero() {
                    break;
                }
            }
            let (is_empty, is_closing) = self.state();
            if is_closing && (is_empty || !self.write_some(out, patience)) {
                return;
            }
            let ready = wait(&woken, errors.as_ref(), (!is_empty).then_some(out));
            if ready.woken {
                super::wake::clear(&mut woken);
            }
            if ready.out {
                self.write_some(out, Duration::ZERO);
            }
            if ready.errors {
                self.read_some(&mut errors, &mut block);
            }
        }
    }

    fn read_some(&self, errors: &mut Option<ChildStderr>, block: &mut [u8]) {
        match errors.as_mut().map(|errors| errors.read(block)) {
            Some(Ok(count)) if count > 0 => self.push(block.get(..count).unwrap_or_default()),
            Some(Err(error)) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Some(Ok(_) | Err(_)) | None => *errors = None,
        }
    }

    /// Writes as much as goes without blocking. False if nothing does.
    fn write_some(&self, out: BorrowedFd<'_>, patience: Duration) -> bool {
        let patience = Timespec {
            tv_sec: 0,
            tv_nsec: patience.subsec_nanos().into(),
        };
        let mut ready = [PollFd::new(&out, PollFlags::OUT)];
        if !matches!(poll(&mut ready, Some(&patience)), Ok(1)) {
            return false;
        }
        let mut queue = self.lock();
        let (front, _) = queue.bytes.as_slices();
        let some: Vec<u8> = front.get(..AT_ONCE).unwrap_or(front).to_vec();
        drop(queue);
        let written = match rustix::io::write(out, &some) {
            Ok(written) => written,
            Err(Errno::INTR | Errno::AGAIN) => 0,
            // Nobody will ever read it.
            Err(_) => usize::MAX,
        };
        queue = self.lock();
        let written = written.min(queue.bytes.len());
        queue.bytes.drain(..written);
        queue.tell_dropped(&self.server);
        true
    }

    fn is_filling(&self) -> bool {
        self.lock().bytes.len() > KEPT / 2
    }

    fn state(&self) -> (bool, bool) {
        let queue = self.lock();
        (queue.bytes.is_empty(), queue.is_closing)
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    /// Says how much was dropped, once half of what is kept has been taken.
    fn tell_dropped(&mut self, server: &str) {
        if self.dropped > 0 && self.bytes.len() <= KEPT / 2 {
            let dropped = std::mem::take(&mut self.dropped);
            let notice = format!(
                "\nknotrust: {dropped} bytes of the error output of `{server}` were dropped: nobody read them\n"
            );
            self.bytes.extend(notice.as_bytes());
        }
    }
}

#[derive(Clone, Copy)]
struct Ready {
    woken: bool,
    errors: bool,
    out: bool,
}

fn wait(woken: &UnixStream, errors: Option<&ChildStderr>, out: Option<BorrowedFd<'_>>) -> Ready {
    let nothing = woken.as_fd();
    let in_and = |fd: Option<BorrowedFd<'_>>, flags| fd.map_or(PollFlags::empty(), |_| flags);
    let errors = errors.map(AsFd::as_fd);
    let (reading, writing) = (in_and(errors, PollFlags::IN), in_and(out, PollFlags::OUT));
    let mut fds = [
        PollFd::from_borrowed_fd(woken.as_fd(), PollFlags::IN),
        PollFd::from_borrowed_fd(errors.unwrap_or(nothing), reading),
        PollFd::from_borrowed_fd(out.unwrap_or(nothing), writing),
    ];
    let _ = poll(&mut fds, None);
    let [woken, errors_now, out_now] = fds.map(|fd| !fd.revents().is_empty());
    Ready {
        woken,
        errors: errors_now && errors.is_some(),
        out: out_now && out.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_reads_is_dropped_with_a_count() {
        let (noise, _woken) = Noise::new("fake").unwrap();
        for _ in 0..10 {
            noise.push(&[b'x'; 100_000]);
        }
        let mut queue = noise.lock();
        assert!(queue.bytes.len() <= KEPT);
        assert_eq!(queue.dropped, 800_000);
        queue.bytes.drain(..150_000);
        queue.tell_dropped("fake");
        let text = String::from_utf8(queue.bytes.iter().copied().collect()).unwrap();
        assert!(
            text.contains("800000 bytes of the error output of `fake` were dropped"),
            "{}",
            text.len()
        );
        assert_eq!(queue.dropped, 0);
    }
}
