//! Brings what was appended to the disk, soon and in the background.
//!
//! A write is seen by everyone at once and survives the death of the process; a flush makes it survive a loss of power.
//! It takes milliseconds, so a thread does it for many lines together.

use std::fs::File;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use std::{io, mem};

use super::mark::{self, Mark};

/// The thread, and what it is told.
#[derive(Debug)]
pub(super) struct Flusher {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    checkpoint: PathBuf,
    state: Mutex<State>,
    changed: Condvar,
    /// Whether there is an error in the state, so that an append need not look there.
    failed: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    file: Option<Arc<File>>,
    mark: Option<Mark>,
    /// Whether the thread waits for work, and must be woken.
    idle: bool,
    closing: bool,
    error: Option<io::Error>,
}

impl Flusher {
    pub(super) fn new(checkpoint: PathBuf) -> Self {
        let shared = Shared {
            checkpoint,
            state: Mutex::default(),
            changed: Condvar::new(),
            failed: AtomicBool::new(false),
        };
        Self {
            shared: Arc::new(shared),
            thread: None,
        }
    }

    /// Whether all flushes so far have worked.
    ///
    /// # Errors
    ///
    /// One has not: what was thought to be on the disk may not be. Told once.
    pub(super) fn check(&self) -> io::Result<()> {
        if !self.shared.failed.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.shared.failed.store(false, Ordering::Relaxed);
        self.shared.state().error.take().map_or(Ok(()), Err)
    }

    /// Tells that lines up to `mark` were written to `file`.
    pub(super) fn note(&mut self, file: &Arc<File>, mark: Mark) {
        let mut state = self.shared.state();
        if !state
            .file
            .as_ref()
            .is_some_and(|known| Arc::ptr_eq(known, file))
        {
            state.file = Some(Arc::clone(file));
        }
        state.mark = Some(mark);
        let wake = mem::take(&mut state.idle);
        drop(state);
        if wake {
            self.shared.changed.notify_one();
        }
        if self.thread.is_none() {
            self.start(file);
        }
    }

    fn start(&mut self, file: &File) {
        let shared = Arc::clone(&self.shared);
        let builder = thread::Builder::new()
            .name("audit flush".to_owned())
            .stack_size(STACK);
        match builder.spawn(move || shared.run()) {
            Ok(thread) => self.thread = Some(thread),
            // Without a thread each append waits for the disk: slower, and no less safe.
            Err(_) => self.shared.done(file.sync_data()),
        }
    }
}

impl Drop for Flusher {
    fn drop(&mut self) {
        self.shared.state().closing = true;
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            // It ends by itself; that it panicked would help nobody now.
            drop(thread.join());
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        while let Some((file, mark)) = self.next() {
            let flushed = file.sync_data();
            if flushed.is_ok() {
                // Without a checkpoint lost events may not be found; none is lost by it.
                drop(mark::advance(&self.checkpoint, &mark));
            }
            self.done(flushed);
        }
    }

    fn done(&self, flushed: io::Result<()>) {
        if let Err(error) = flushed {
            self.state().error = Some(error);
            self.failed.store(true, Ordering::Relaxed);
        }
    }

    /// Waits for work, and then a little longer for more of it. Nothing, once all is done and the log is closed.
    fn next(&self) -> Option<(Arc<File>, Mark)> {
        let mut state = self.state();
        while state.mark.is_none() && !state.closing {
            state.idle = true;
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        state.idle = false;
        if !state.closing {
            let waited = self
                .changed
                .wait_timeout_while(state, PAUSE, |state| !state.closing);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let mark = state.mark.take()?;
        state.file.clone().map(|file| (file, mark))
    }
}

// With the flush itself, within the 100 ms that are promised.
const PAUSE: Duration = Duration::from_millis(50);
// It calls nothing deep. The default of 2 MiB would be most of what a proxy takes.
const STACK: usize = 256 << 10;
