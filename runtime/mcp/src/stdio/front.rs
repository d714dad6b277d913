//! The client's side of a session.
//!
//! There is one client, whatever stands behind us, and one thread on which calls wait for a person.

use std::io::Write;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use knotrust_govern::governor::Governor;

use super::hold::{self, Told};

/// The client, and who rules on its calls.
pub(crate) struct Front {
    pub(crate) governor: Arc<Governor<'static>>,
    client: Mutex<Outlet<Box<dyn Write + Send>>>,
    holder: Mutex<Option<Sender<Told>>>,
}

/// A pipe to a peer. Once it is broken, what is written to it is nobody's concern any more.
pub(super) struct Outlet<W> {
    to: W,
    is_broken: bool,
}

impl<W: Write> Outlet<W> {
    pub(super) const fn new(to: W) -> Self {
        Self {
            to,
            is_broken: false,
        }
    }

    /// Writes all of it, and waits for as long as that takes.
    pub(super) fn write(&mut self, bytes: &[u8]) {
        if !self.is_broken && !bytes.is_empty() {
            self.is_broken = self.to.write_all(bytes).is_err();
        }
    }

    /// Whether nobody reads what is written.
    pub(super) const fn is_broken(&self) -> bool {
        self.is_broken
    }
}

impl Front {
    /// The side of the client that reads from this pipe.
    pub(crate) fn new(governor: Governor<'static>, client: Box<dyn Write + Send>) -> Arc<Self> {
        Arc::new(Self {
            governor: Arc::new(governor),
            client: Mutex::new(Outlet::new(client)),
            holder: Mutex::new(None),
        })
    }

    /// The client's pipe, for more than one write that belong together.
    pub(super) fn client(&self) -> MutexGuard<'_, Outlet<Box<dyn Write + Send>>> {
        self.client.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the thread that keeps the calls which wait; starts it for the first of them.
    pub(super) fn tell_holder(&self, told: Told) -> std::io::Result<()> {
        let mut holder = self.holder();
        let sender = match holder.take() {
            Some(sender) => sender,
            None => self.start_holding()?,
        };
        // It ends only when it is told to.
        let _ = sender.send(told);
        *holder = Some(sender);
        Ok(())
    }

    /// Refuses all calls that are held, and waits until that is done.
    pub(crate) fn end_holds(&self, patience: Duration) {
        if let Some(holder) = self.holder().take() {
            let (done, over) = mpsc::channel();
            let _ = holder.send(Told::Over(done));
            let _ = over.recv_timeout(patience);
        }
    }

    fn start_holding(&self) -> std::io::Result<Sender<Told>> {
        let (tell, told) = mpsc::channel();
        let governor = Arc::clone(&self.governor);
        let thread = thread::Builder::new().name("hold".to_owned());
        thread.spawn(move || hold::run(&governor, &told))?;
        Ok(tell)
    }

    fn holder(&self) -> MutexGuard<'_, Option<Sender<Told>>> {
        self.holder.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
