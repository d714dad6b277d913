//! Calls that wait for a person, and the tickets by which any process of the home can answer them.
//!
//! Whoever holds a call is its ticket's *owner*: it keeps a folder of its own under `approvals`, with one file a ticket,
//! which says everything that is asked, and later one file for its end. The end is created exclusively, so the first of
//! a person at a terminal, a person at the page, the clock and the caller who gives up is the only one. Whoever ends a
//! ticket posts its id to the owner's [mailbox]; an owner that waits looks there every few milliseconds, for
//! the price of one read that finds nothing.
//!
//! Nothing in these files lets a call go. What a person agreed to is checked by the owner against what it holds in
//! memory; then the call is decided again, with a single-use grant for exactly this call, which is minted at that moment
//! and lies in no file. The secret of the page's address is not here either: it never leaves the memory of the owner.
//!
//! A lock on the mailbox, kept by the kernel, says that the owner lives. When it does not, its tickets end as denied.

mod answer;
mod approved;
mod changed;
mod desk;
mod earlier;
mod extent;
mod flood;
mod mailbox;
mod ticket;

pub use answer::{Answer, Verdict, Way};
pub use approved::Approved;
pub use changed::{Before, Change, changes};
pub use desk::{Desk, Pending, ResolveError};
pub use earlier::{Earlier, Keep, Since};
pub use extent::Extent;
pub use flood::{Flood, Limits};
pub use ticket::{Question, Ticket};

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use knotrust_core::approval::{Approval, Ending, Impossible};
use knotrust_core::ruleset;
use knotrust_core::time::Timestamp;

use crate::failure::{Cause, StoreError};
use crate::files::{self, Created};
use crate::home::Home;
use flood::Gauge;
use mailbox::Mailbox;

/// The calls that one process holds.
#[derive(Debug)]
pub struct Approvals<'a> {
    rules: &'a ruleset::Approvals<'a>,
    folder: PathBuf,
    mailbox: Mailbox,
    gauge: Gauge,
    waiting: BTreeMap<String, Waiting>,
    /// When the time of those that wait is over, the soonest first.
    deadlines: BTreeSet<(Timestamp, String)>,
    /// Waiting tickets by the exact hash of their call.
    by_call: HashMap<String, String>,
    /// Approved calls that have not come again yet, by their exact hash.
    ready: HashMap<String, Approved>,
}

#[derive(Debug)]
struct Waiting {
    ticket: Arc<Ticket>,
    life: Approval,
    callers: usize,
}

/// What became of asking.
#[derive(Debug)]
pub enum Asked {
    /// A new ticket waits.
    New(Arc<Ticket>),
    /// The same call waits already, under this ticket.
    Joined(Arc<Ticket>),
    /// Too many calls of this agent wait, or come at once.
    Refused(Flood),
}

/// A ticket that has ended.
#[derive(Clone, Debug)]
pub struct Settled {
    /// The ticket.
    pub ticket: Arc<Ticket>,
    /// How it ended.
    pub ending: Ending,
    /// Who or what ended it, and how.
    pub answer: Answer,
    /// What was wrong with an answer that claimed to be a yes.
    pub violation: Option<&'static str>,
}

impl<'a> Approvals<'a> {
    /// Opens the desk of this process, and ends the tickets of owners that are gone: those are handed out, for the log.
    ///
    /// `owner` names this run; it is one safe path segment.
    ///
    /// # Errors
    ///
    /// The home cannot be written.
    pub fn open(
        home: &Home,
        rules: &'a ruleset::Approvals<'a>,
        owner: &str,
        limits: Limits,
        now: Timestamp,
    ) -> Result<(Self, Vec<Settled>), StoreError> {
        let root = home.folder("approvals")?;
        let orphans = desk::sweep(&root, now)?;
        let (folder, mailbox) = Mailbox::open(home, owner)?;
        let approvals = Self {
            rules,
            mailbox,
            folder,
            gauge: Gauge::new(limits),
            waiting: BTreeMap::new(),
            deadlines: BTreeSet::new(),
            by_call: HashMap::new(),
            ready: HashMap::new(),
        };
        Ok((approvals, orphans))
    }

    /// Asks a person about a call. `id` is a ULID, and names the ticket as well as the only grant that may come of it.
    ///
    /// # Errors
    ///
    /// The ticket cannot be written down.
    pub fn ask(
        &mut self,
        question: &Question<'_>,
        id: &str,
        now: Timestamp,
    ) -> Result<Asked, StoreError> {
        if let Some(waiting) = self.waiting_for(question.exact) {
            waiting.callers += 1;
            return Ok(Asked::Joined(Arc::clone(&waiting.ticket)));
        }
        let agent = &*question.request.context.agent.id;
        if let Err(flood) = self.gauge.admit(agent, now) {
            return Ok(Asked::Refused(flood));
        }
        let ticket = Arc::new(Ticket::new(question, id, now));
        let path = self.folder.join(ticket.file());
        // Whoever writes no id twice finds none taken.
        if files::create_for_now(&path, ticket.to_text().as_bytes())? == Created::Exists {
            return Err(StoreError::new("create", &path, Cause::Content));
        }
        let mut life = Approval::requested(now, ticket.until);
        // From here on it is in every list of open tickets.
        let _ = life.put_before_somebody(now);
        let waiting = Waiting {
            ticket: Arc::clone(&ticket),
            life,
            callers: 1,
        };
        self.by_call.insert(ticket.exact.clone(), ticket.id.clone());
        self.deadlines.insert((ticket.until, ticket.id.clone()));
        self.waiting.insert(ticket.id.clone(), waiting);
        Ok(Asked::New(ticket))
    }

    /// The tickets that have ended since the last look. Costs one read when there is nothing new.
    ///
    /// # Errors
    ///
    /// The mailbox cannot be read, or an end cannot be written down. Ask again.
    pub fn poll(&mut self, now: Timestamp) -> Result<Vec<Settled>, StoreError> {
        let mut settled = Vec::new();
        for id in self.mailbox.collect()? {
            settled.extend(self.take_end(&id, now)?);
        }
        while let Some((until, id)) = self.deadlines.first().cloned() {
            if now < until {
                break;
            }
            settled.extend(self.end(&id, Ending::Expired, now)?);
            if self.waiting.contains_key(&id) {
                // Somebody's hand is in the folder. The next look tries again.
                break;
            }
            self.deadlines.remove(&(until, id));
        }
        self.ready.retain(|_, approved| !approved.has_lapsed(now));
        Ok(settled)
    }

    /// One caller has given up. When it was the last, the ticket is cancelled.
    ///
    /// # Errors
    ///
    /// The end cannot be written down.
    pub fn cancel(&mut self, id: &str, now: Timestamp) -> Result<Option<Settled>, StoreError> {
        let Some(waiting) = self.waiting.get_mut(id) else {
            return Ok(None);
        };
        waiting.callers = waiting.callers.saturating_sub(1);
        if waiting.callers > 0 {
            return Ok(None);
        }
        self.end(id, Ending::Cancelled, now)
    }

    /// One caller no longer waits, having been told that a person is being asked. The ticket goes on.
    pub fn leave(&mut self, id: &str) {
        if let Some(waiting) = self.waiting.get_mut(id) {
            waiting.callers = waiting.callers.saturating_sub(1);
        }
    }

    /// How many calls wait under a ticket.
    #[must_use]
    pub fn callers(&self, id: &str) -> usize {
        self.waiting.get(id).map_or(0, |waiting| waiting.callers)
    }

    /// Whether a person has agreed to exactly this call. Once: who asks next is told no.
    pub fn claim(&mut self, exact: &str, now: Timestamp) -> Option<Approved> {
        let approved = self.ready.remove(exact)?;
        (!approved.has_lapsed(now)).then_some(approved)
    }

    /// The tickets that wait, by id.
    pub fn waiting(&self) -> impl ExactSizeIterator<Item = &Arc<Ticket>> {
        self.waiting.values().map(|waiting| &waiting.ticket)
    }

    /// Ends all that wait, since nobody will be there to carry anything out.
    ///
    /// # Errors
    ///
    /// An end cannot be written down. The owner's death says the same.
    pub fn close(mut self, now: Timestamp) -> Result<Vec<Settled>, StoreError> {
        let mut settled = self.poll(now)?;
        for id in self.waiting.keys().cloned().collect::<Vec<_>>() {
            settled.extend(self.end(&id, Ending::Cancelled, now)?);
        }
        desk::clear(&self.folder)?;
        Ok(settled)
    }

    fn waiting_for(&mut self, exact: &str) -> Option<&mut Waiting> {
        let id = self.by_call.get(exact)?;
        self.waiting.get_mut(id)
    }

    /// Ends a ticket from here, unless somebody was first.
    fn end(
        &mut self,
        id: &str,
        ending: Ending,
        now: Timestamp,
    ) -> Result<Option<Settled>, StoreError> {
        let Some(waiting) = self.waiting.get(id) else {
            return Ok(None);
        };
        let answer = Answer::by_ourselves(ending, now);
        let path = self.folder.join(waiting.ticket.end_file());
        match files::create_for_now(&path, answer.to_text().as_bytes())? {
            Created::New => Ok(self.settle(id, ending, answer, None, now)),
            Created::Exists => self.take_end(id, now),
        }
    }

    /// Takes over an end that somebody has written down.
    fn take_end(&mut self, id: &str, now: Timestamp) -> Result<Option<Settled>, StoreError> {
        let Some(waiting) = self.waiting.get(id) else {
            return Ok(None);
        };
        let ticket = Arc::clone(&waiting.ticket);
        let Some(answer) = Answer::read_from(&self.folder.join(ticket.end_file()))? else {
            // A letter without an end: somebody wants to be looked at, and is not worth it.
            return Ok(None);
        };
        let (ending, violation) = match self.check(&ticket, &answer) {
            Ok(()) => (answer.verdict.ending(), None),
            Err(violation) => (Ending::Denied, Some(violation)),
        };
        Ok(self.settle(id, ending, answer, violation, now))
    }

    /// Whether an answer is one that this process may act on.
    fn check(&self, ticket: &Ticket, answer: &Answer) -> Result<(), &'static str> {
        if answer.verdict != Verdict::Approve {
            return Ok(());
        }
        if answer.call.as_deref() != Some(ticket.exact.as_str()) {
            return Err("the answer is about another call");
        }
        ticket.check_consent(self.rules, answer.consent.as_ref())
    }

    fn settle(
        &mut self,
        id: &str,
        ending: Ending,
        answer: Answer,
        violation: Option<&'static str>,
        now: Timestamp,
    ) -> Option<Settled> {
        let mut waiting = self.waiting.remove(id)?;
        let ticket = waiting.ticket;
        self.by_call.remove(&ticket.exact);
        self.deadlines.remove(&(ticket.until, ticket.id.clone()));
        self.gauge.release(&ticket.request.context.agent.id);
        // What comes after its time is expired, whoever wrote which end down.
        let ending = match waiting.life.end(ending, now) {
            Ok(()) => ending,
            Err(Impossible::Ended(known)) => known,
            Err(Impossible::NobodyAsked | Impossible::AlreadyAsked) => Ending::Denied,
        };
        if ending == Ending::Approved {
            let approved = Approved::new(Arc::clone(&ticket), answer.consent.clone(), now);
            self.ready.insert(ticket.exact.clone(), approved);
        }
        Some(Settled {
            ticket,
            ending,
            answer,
            violation,
        })
    }
}

#[cfg(test)]
mod tests;
