//! A pipe to one of several servers. A server that does not read keeps nobody else waiting.
//!
//! What fits into the pipe is written at once; what does not is queued for a thread of its own.

use std::process::ChildStdin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::front::Outlet;

/// A pipe that is ready takes at least so much without blocking (`PIPE_BUF`).
const AT_ONCE: usize = if cfg!(target_os = "linux") { 4096 } else { 512 };
/// So much may wait for a server that does not read, beside the message that brings it over.
const MOST: usize = 16 << 20;

/// A pipe to a server.
pub(super) struct Feed {
    outlet: Arc<Mutex<Outlet<ChildStdin>>>,
    queue: Sender<Vec<u8>>,
    queued: Arc<AtomicUsize>,
}

/// The server does not read: what is written to it goes nowhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stuck;

impl Feed {
    /// Starts the thread that writes what has to wait.
    pub(super) fn start(stdin: ChildStdin) -> std::io::Result<Self> {
        let outlet = Arc::new(Mutex::new(Outlet::new(stdin)));
        let queued = Arc::new(AtomicUsize::new(0));
        let (queue, waiting) = channel();
        let (to, count) = (Arc::clone(&outlet), Arc::clone(&queued));
        let thread = thread::Builder::new().name("feed".to_owned());
        thread.spawn(move || run(&to, &waiting, &count))?;
        Ok(Self {
            outlet,
            queue,
            queued,
        })
    }

    /// Writes whole lines, in the order of the calls.
    pub(super) fn write(&self, lines: &[u8]) -> Result<(), Stuck> {
        if self.queued.load(Ordering::Acquire) == 0 && lines.len() <= AT_ONCE {
            let mut outlet = self.outlet.lock().unwrap_or_else(PoisonError::into_inner);
            if outlet.is_ready() {
                outlet.write(lines);
                return if outlet.is_broken() {
                    Err(Stuck)
                } else {
                    Ok(())
                };
            }
        }
        if self.queued.fetch_add(lines.len(), Ordering::AcqRel) > MOST {
            return Err(Stuck);
        }
        self.queue.send(lines.to_vec()).map_err(|_| Stuck)
    }
}

impl Outlet<ChildStdin> {
    fn is_ready(&self) -> bool {
        let mut fds = [PollFd::new(self.inner(), PollFlags::OUT)];
        matches!(poll(&mut fds, Some(&Timespec::default())), Ok(1))
    }
}

fn run(outlet: &Mutex<Outlet<ChildStdin>>, waiting: &Receiver<Vec<u8>>, queued: &AtomicUsize) {
    while let Ok(lines) = waiting.recv() {
        let mut outlet = outlet.lock().unwrap_or_else(PoisonError::into_inner);
        outlet.write(&lines);
        let is_broken = outlet.is_broken();
        drop(outlet);
        queued.fetch_sub(lines.len(), Ordering::AcqRel);
        if is_broken {
            return;
        }
    }
}

/// Where a session writes what is for its server.
pub(super) enum ToServer {
    /// To a server that is the only one: the client waits until it reads.
    Alone(Outlet<ChildStdin>),
    /// To one of several.
    Fed(Feed),
}

impl ToServer {
    /// Writes whole lines. False if nobody reads them.
    pub(super) fn write(&mut self, lines: &[u8]) -> bool {
        match self {
            Self::Alone(outlet) => {
                outlet.write(lines);
                !outlet.is_broken()
            }
            Self::Fed(feed) => feed.write(lines).is_ok(),
        }
    }
}
