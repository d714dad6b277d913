//! The client's side of a session.
//!
//! There is one client, whatever stands behind us, and one thread on which calls wait for a person.

use std::collections::{HashSet, VecDeque};
use std::io::Write;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use knotrust_core::json::Object;
use knotrust_govern::channels::Reach;
use knotrust_govern::governor::Governor;

use super::hold::{self, Told};
use crate::elicit::{Asks, CAPABILITIES_KEY};
use crate::revision::Era;
use crate::wire::id::Id;

/// The client, and who rules on its calls.
pub(crate) struct Front {
    pub(crate) governor: Arc<Governor<'static>>,
    client: Mutex<Outlet<Box<dyn Write + Send>>>,
    holder: Mutex<Option<Sender<Told>>>,
    /// What an older client said when its session began.
    asks: Mutex<Asks>,
    questions: Mutex<Questions>,
}

/// Requests of ours to the client, whose answers are not for the server.
#[derive(Default)]
struct Questions {
    open: HashSet<Id>,
    /// Those that nobody waits for any more, in case the client answers them still.
    past: VecDeque<Id>,
}

/// What an answer of the client is to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Asked {
    /// A question of ours.
    Open,
    /// A question of ours that is over.
    Past,
    /// No question of ours.
    Never,
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

    /// The pipe itself.
    pub(super) const fn inner(&self) -> &W {
        &self.to
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
            asks: Mutex::default(),
            questions: Mutex::default(),
        })
    }

    /// The client has said what it can ask its person.
    pub(crate) fn hear_asks(&self, asks: Asks) {
        *self.asks.lock().unwrap_or_else(PoisonError::into_inner) = asks;
    }

    /// How a person can be reached in a call with this `_meta`.
    pub(super) fn reach(&self, meta: &Object<'_>) -> Reach {
        let era = Era::of(meta);
        let asks = match era {
            Era::Modern => Asks::of(meta.get(CAPABILITIES_KEY)),
            Era::Legacy => *self.asks.lock().unwrap_or_else(PoisonError::into_inner),
        };
        asks.reach(era)
    }

    /// A request of ours is on its way to the client.
    pub(super) fn ask(&self, id: Id) {
        self.questions().open.insert(id);
    }

    /// Takes the answer to a question of ours.
    pub(super) fn take_answer(&self, id: &Id) -> Asked {
        let mut questions = self.questions();
        if questions.open.remove(id) {
            questions.forget(id.clone());
            Asked::Open
        } else if questions.past.contains(id) {
            Asked::Past
        } else {
            Asked::Never
        }
    }

    /// Nobody waits for the answer to that question any more. False if it has been answered.
    pub(super) fn drop_question(&self, id: &Id) -> bool {
        self.take_answer(id) == Asked::Open
    }

    fn questions(&self) -> MutexGuard<'_, Questions> {
        self.questions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The client's pipe, for more than one write that belong together.
    pub(super) fn client(&self) -> MutexGuard<'_, Outlet<Box<dyn Write + Send>>> {
        self.client.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes whole lines to the client.
    pub(super) fn write(&self, lines: &[u8]) {
        self.client().write(lines);
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

impl Questions {
    fn forget(&mut self, id: Id) {
        self.past.push_back(id);
        if self.past.len() > PAST {
            self.past.pop_front();
        }
    }
}

/// So many questions that are over are remembered.
const PAST: usize = 256;
