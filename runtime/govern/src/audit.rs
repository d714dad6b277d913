//! The audit log in the home: one hash chain, appended to by any number of processes.
//!
//! `audit/<yyyymm>.jsonl` holds the events of a month. To append is to lock the newest file, to look whether it is still
//! as it was left, to write one line in one go, and to unlock: four system calls. Who has several events to tell sits down
//! to it ([`Log::sit`]), and pays for the lock and the look once. Only when something is different is anything read: what
//! others have appended, or, when the file is not what it was, the end of the log anew.
//!
//! | what happened | what follows |
//! |---|---|
//! | others appended | their lines are read, and the chain goes on from the last |
//! | a crash left half a line | it is put aside in `<file>.torn`; an event names the last good number |
//! | the disk is full | the line is cut off again and the append fails; it works again once there is room |
//! | the file was removed, cut, replaced or put back | the chain goes on from the last hash known, and an event says so |
//! | the month is over | a new file, whose first event carries the last hash of the old one, which becomes read-only |
//! | the wall clock jumped | time goes on from the last event, and an event keeps both times |
//!
//! Read [`Log::append`] first; `attach` finds the end of a log in whatever state, `timekeeper` gives events their time.

mod attach;
mod flusher;
pub(crate) mod mark;
pub(crate) mod month;
mod place;
pub mod read;
mod tail;
mod timekeeper;
mod torn;

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use knotrust_core::audit::chain::{Hash, Head};
use knotrust_core::audit::event::{Event, Kind};
use knotrust_core::audit::line::Scribe;
use knotrust_core::precedence::Outcome;
use knotrust_core::time::Timestamp;

use crate::clock::Moment;
use crate::failure::{Cause, StoreError};
use crate::home::Home;
use attach::{Attached, Finding};
use flusher::Flusher;
use mark::Mark;
use month::Month;
use place::{Look, Make, Place};
use timekeeper::Timekeeper;

/// Proof that an event is in the chain. It comes from [`Log::append`] alone.
///
/// ```compile_fail
/// let receipt = knotrust_govern::audit::Receipt { seq: 1 };
/// ```
#[derive(Debug)]
pub struct Receipt {
    seq: u64,
    hash: Hash,
    kind: Kind,
    outcome: Option<Outcome>,
    at: Timestamp,
}

impl Receipt {
    /// The time of the event, which is never before that of an earlier one.
    #[must_use]
    pub const fn at(&self) -> Timestamp {
        self.at
    }

    /// The number of the event.
    #[must_use]
    pub const fn seq(&self) -> u64 {
        self.seq
    }

    /// The hash of the event.
    #[must_use]
    pub const fn hash(&self) -> Hash {
        self.hash
    }

    /// What the event tells of.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// The decision that was recorded, if it was one.
    #[must_use]
    pub const fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }
}

/// The log of a home.
#[derive(Debug)]
pub struct Log {
    home: Home,
    checkpoint: PathBuf,
    /// The file appended to; none before the first append, and after anything went wrong.
    place: Option<Place>,
    /// How far the chain is known to go.
    known: Option<Mark>,
    /// Whether an append has failed since the last that did not.
    troubled: bool,
    timekeeper: Timekeeper,
    scribe: Scribe,
    flusher: Flusher,
    /// How many have sat down to append more than once: meanwhile the lock is kept.
    sitters: u32,
    /// Whether the lock is held between two appends.
    is_seated: bool,
}

impl Log {
    /// The log of this home. Nothing is opened before the first append, and nothing can fail here.
    #[must_use]
    pub fn of(home: &Home) -> Self {
        let checkpoint = home.at(CHECKPOINT);
        Self {
            home: home.clone(),
            checkpoint: checkpoint.clone(),
            place: None,
            known: None,
            troubled: false,
            timekeeper: Timekeeper::default(),
            scribe: Scribe::default(),
            flusher: Flusher::new(checkpoint),
            sitters: 0,
            is_seated: false,
        }
    }

    /// From the next append on, keeps the lock of the log until [`Log::rise`]: for some events that come one on another.
    /// Other processes wait meanwhile, so nothing that may take long happens in between.
    pub fn sit(&mut self) {
        self.sitters += 1;
    }

    /// Gives the lock back, once everybody who sat down has risen.
    pub fn rise(&mut self) {
        self.sitters = self.sitters.saturating_sub(1);
        if self.sitters == 0 && self.is_seated {
            self.is_seated = false;
            // A file that cannot be unlocked is closed, which unlocks it as well.
            if self
                .place
                .as_ref()
                .is_some_and(|place| place.release().is_err())
            {
                self.place = None;
            }
        }
    }

    /// Puts an event at the end of the chain.
    ///
    /// It is there for every reader, and survives the death of this process, when this returns; a loss of power, within
    /// 100 ms after, or once [`Barrier::pass`] has returned.
    ///
    /// # Errors
    ///
    /// The event could not be recorded, so that what it tells of must not happen. The log stays usable: when the cause is
    /// gone, the next append says what happened and works.
    pub fn append(&mut self, event: &Event<'_>, now: Moment) -> Result<Receipt, StoreError> {
        let appended = self.try_append(event, now);
        if appended.is_err() {
            // Closing the file gives its lock back, whatever has failed.
            self.place = None;
            self.is_seated = false;
            self.troubled = true;
        }
        appended
    }

    /// Says that the wall clock is right, however far it is from the last event.
    ///
    /// # Errors
    ///
    /// As [`Log::append`].
    pub fn believe_clock(&mut self, now: Moment) -> Result<Receipt, StoreError> {
        self.timekeeper.believe(now);
        self.append(
            &jump_event(now, "a person says that the clock is right"),
            now,
        )
    }

    /// What to pass before an effect that must not outlive its record in a loss of power.
    #[must_use]
    pub fn barrier(&self) -> Option<Barrier> {
        self.place.as_ref().map(|place| Barrier {
            file: Arc::clone(&place.file),
            path: place.path.clone(),
        })
    }

    fn try_append(&mut self, event: &Event<'_>, now: Moment) -> Result<Receipt, StoreError> {
        self.flusher
            .check()
            .map_err(|error| StoreError::new("flush", &self.checkpoint, error))?;
        let Seized {
            mut place,
            mut head,
            at,
            jumped,
            finding,
        } = self.seize(now)?;
        let finding = finding.or(self.troubled.then(|| Finding::since("append failed", head)));
        if let Some(finding) = finding {
            head = self.write(&mut place, &finding.event(), head, at)?;
        }
        if jumped {
            head = self.write(&mut place, &jump_event(now, "the clock was set"), head, at)?;
        }
        head = self.write(&mut place, event, head, at)?;
        self.is_seated = self.sitters > 0;
        if !self.is_seated {
            place.release()?;
        }
        self.place = Some(place);
        self.troubled = false;
        Ok(Receipt {
            seq: head.seq,
            hash: head.hash,
            kind: event.kind,
            outcome: event.outcome,
            at: head.at,
        })
    }

    fn write(
        &mut self,
        place: &mut Place,
        event: &Event<'_>,
        head: Head,
        at: Timestamp,
    ) -> Result<Head, StoreError> {
        let head = self.scribe.write(event, &head, at);
        place.write(self.scribe.line().as_bytes())?;
        let mark = Mark {
            head,
            month: place.month,
            end: place.length,
        };
        self.known = Some(mark);
        self.flusher.note(&place.file, mark);
        Ok(head)
    }

    /// Locks the file that the next event belongs into, and finds the end of the chain and the time of the event.
    fn seize(&mut self, now: Moment) -> Result<Seized, StoreError> {
        let (mut jumped, mut finding) = (false, None);
        for _ in 0..ROUNDS {
            let (place, head) = match self.resume(now)? {
                Some(resumed) => resumed,
                None => {
                    let attached = self.attach(now, &mut jumped)?;
                    finding = finding.or(attached.finding);
                    (attached.place, attached.head)
                }
            };
            let stamp = self.timekeeper.stamp(head.at, now);
            jumped |= stamp.jumped;
            let (month, at) = (Month::of(stamp.at), stamp.at);
            if month <= place.month {
                return Ok(Seized {
                    place,
                    head,
                    at,
                    jumped,
                    finding,
                });
            }
            // A new month. Whoever attaches next, most likely we, sees that its file is empty and closes the old one.
            drop(place);
            Place::open(&self.folder()?, month, Make::IfMissing)?;
        }
        Err(StoreError::new(
            "append to",
            &self.folder()?,
            Cause::Unsettled,
        ))
    }

    /// Locks the file last appended to, and catches up with what others have appended; nothing if it is not what it was.
    fn resume(&mut self, now: Moment) -> Result<Option<(Place, Head)>, StoreError> {
        let (Some(mut place), Some(known)) = (self.place.take(), self.known) else {
            return Ok(None);
        };
        if self.is_seated {
            return Ok(Some((place, known.head)));
        }
        place.lock()?;
        let head = match place.glance(now)? {
            Look::Same => Some(known.head),
            Look::Grown(length) => place.follow(&known.head, length)?,
            Look::Changed => None,
        };
        Ok(head.map(|head| (place, head)))
    }

    fn attach(&mut self, now: Moment, jumped: &mut bool) -> Result<Attached, StoreError> {
        let folder = self.folder()?;
        let keeper = &mut self.timekeeper;
        let start = |known: Option<Mark>| {
            let stamp = keeper.stamp(known.map_or(Head::GENESIS.at, |mark| mark.head.at), now);
            *jumped |= stamp.jumped;
            Month::of(stamp.at)
        };
        attach::attach(&folder, &self.checkpoint, self.known, start, now.wall)
    }

    fn folder(&self) -> Result<PathBuf, StoreError> {
        self.home.folder(FOLDER)
    }
}

/// The file of the log, locked, and what comes next in it.
struct Seized {
    place: Place,
    head: Head,
    at: Timestamp,
    jumped: bool,
    finding: Option<Finding>,
}

/// Waits for the disk. May be passed on any thread, so that the one that decides goes on meanwhile.
#[derive(Debug)]
#[must_use]
pub struct Barrier {
    file: Arc<File>,
    path: PathBuf,
}

impl Barrier {
    /// Returns when all that was appended before the barrier was made survives a loss of power.
    ///
    /// # Errors
    ///
    /// The disk does not take it.
    pub fn pass(self) -> Result<(), StoreError> {
        self.file
            .sync_data()
            .map_err(|error| StoreError::new("flush", &self.path, error))
    }
}

fn jump_event(now: Moment, reason: &'static str) -> Event<'static> {
    Event {
        wall: Some(now.wall),
        reason: Some(reason),
        ..Event::of(Kind::ClockJumped)
    }
}

/// The folder of the log in the home.
pub(crate) const FOLDER: &str = "audit";
/// Where the end of the chain is remembered: outside the folder, so that who removes that does not remove both.
pub(crate) const CHECKPOINT: &str = "audit.checkpoint";
// Each round is a new month that was begun.
const ROUNDS: u32 = 4;
