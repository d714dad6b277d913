//! Finding the end of the chain: at the start, at the turn of a month, and whenever the log is not as it was left.
//!
//! The newest file is the one to append to, and its lock is the lock of the log. A file that is still empty takes its
//! place in the chain from the one before, which is locked, read and sealed in this order, so that nobody appends to it
//! after. Locks are taken from newer to older only; nobody waits in a circle.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use knotrust_core::audit::chain::Head;
use knotrust_core::audit::event::{Event, Kind, LastGood};
use knotrust_core::time::Timestamp;

use super::mark::{self, Mark};
use super::month::Month;
use super::place::{Look, Make, Place, is_open};
use super::tail::{self, Tail};
use super::torn;
use crate::failure::{Cause, StoreError};
use crate::files;

/// The end of the log, found and locked.
#[derive(Debug)]
pub(super) struct Attached {
    pub(super) place: Place,
    /// The end of the chain.
    pub(super) head: Head,
    /// What had happened to the log; none if it is as it was left.
    pub(super) finding: Option<Finding>,
}

/// Something had happened to the log.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Finding {
    pub(super) what: &'static str,
    pub(super) last_good: LastGood,
}

impl Finding {
    pub(super) fn since(what: &'static str, head: Head) -> Self {
        Self {
            what,
            last_good: LastGood {
                seq: head.seq,
                hash: head.hash,
            },
        }
    }

    /// The event that tells of it.
    pub(super) fn event(&self) -> Event<'static> {
        Event {
            last_good: Some(self.last_good),
            reason: Some(self.what),
            ..Event::of(Kind::AuditRecovered)
        }
    }
}

/// Opens and locks the newest file, puts aside what is torn, and finds the end of the chain.
///
/// `known` is how far this process knows the chain to have gone, `start` the month to begin with where there is no file.
pub(super) fn attach(
    folder: &Path,
    checkpoint: &Path,
    known: Option<Mark>,
    mut start: impl FnMut(Option<Mark>) -> Month,
    now: Timestamp,
) -> Result<Attached, StoreError> {
    // Each round is lost only to another process that has gone on to a newer file meanwhile.
    for _ in 0..ROUNDS {
        let known = later(known, mark::read(checkpoint)?);
        let place = match months(folder)?.last() {
            None => Place::open(folder, start(known), Make::IfMissing)?,
            Some(newest) if is_sealed(folder, *newest)? => {
                // The file after it is gone, or somebody has closed it by hand.
                let month = start(known).max(*newest);
                if month == *newest {
                    Place::unseal(folder, month)?;
                }
                Place::open(folder, month, Make::IfMissing)?
            }
            Some(newest) => Place::open(folder, *newest, Make::Never)?,
        };
        place.lock()?;
        if months(folder)?.last() == Some(&place.month) && place.look()? != Look::Changed {
            return settle(folder, place, known, now);
        }
    }
    Err(StoreError::new("append to", folder, Cause::Unsettled))
}

fn settle(
    folder: &Path,
    mut place: Place,
    known: Option<Mark>,
    now: Timestamp,
) -> Result<Attached, StoreError> {
    let mut ending = end_of(&mut place, now)?;
    let older = months(folder)?
        .into_iter()
        .rev()
        .filter(|month| *month < place.month);
    for month in older {
        if ending.head.is_some() {
            break;
        }
        let before = close(folder, month, now)?;
        ending = Ending {
            head: before.head,
            torn: ending.torn.or(before.torn),
        };
    }
    let found = ending.head.unwrap_or(Head::GENESIS);
    let (head, loss) = match known {
        Some(known) => compare(folder, &known, found)?,
        None => (found, None),
    };
    let torn = ending.torn.map(|what| Finding::since(what, head));
    Ok(Attached {
        place,
        head,
        finding: loss.or(torn),
    })
}

/// How a file ends, once what was torn is put aside.
struct Ending {
    head: Option<Head>,
    torn: Option<&'static str>,
}

fn end_of(place: &mut Place, now: Timestamp) -> Result<Ending, StoreError> {
    let failed = |place: &Place, error| place.failed("read the end of", error);
    let length = place
        .file
        .metadata()
        .map_err(|error| failed(place, error))?
        .len();
    let tail = Tail::read(&place.file, length).map_err(|error| failed(place, error))?;
    place.length = length;
    if tail.end == length {
        return Ok(Ending {
            head: tail.head,
            torn: None,
        });
    }
    if tail.unfinished.is_some() {
        torn::copy(&place.file, &place.path, tail.end, length, now)?;
        place.write(b"\n")?;
        return Ok(Ending {
            head: tail.unfinished,
            torn: Some("unfinished line"),
        });
    }
    torn::put_aside(&place.file, &place.path, tail.end, length, now)?;
    place.length = tail.end;
    Ok(Ending {
        head: tail.head,
        torn: Some("torn line"),
    })
}

/// Reads and seals a file that is no longer the newest.
fn close(folder: &Path, month: Month, now: Timestamp) -> Result<Ending, StoreError> {
    let path = folder.join(month.to_string());
    let failed = |cause| StoreError::new("read the end of", &path, cause);
    let file = files::open(&path, OpenOptions::new().read(true)).map_err(failed)?;
    let metadata = file.metadata().map_err(|error| failed(error.into()))?;
    if !is_open(metadata.mode()) {
        let tail = Tail::read(&file, metadata.len()).map_err(|error| failed(error.into()))?;
        return Ok(Ending {
            head: tail.head,
            torn: None,
        });
    }
    let mut place = Place::open(folder, month, Make::Never)?;
    place.lock()?;
    let ending = end_of(&mut place, now)?;
    place.seal()?;
    Ok(ending)
}

fn is_sealed(folder: &Path, month: Month) -> Result<bool, StoreError> {
    let path = folder.join(month.to_string());
    let metadata = fs::symlink_metadata(&path);
    let mode = metadata
        .map_err(|error| StoreError::new("look at", &path, error))?
        .mode();
    // Only the owner's bit: what else is wrong with the file is told when it is opened.
    Ok(mode & 0o200 == 0)
}

/// Where to go on, given how far the chain is known to have gone and where it was found to end.
fn compare(
    folder: &Path,
    known: &Mark,
    found: Head,
) -> Result<(Head, Option<Finding>), StoreError> {
    let finding = |what| Some(Finding::since(what, known.head));
    if known.head.seq > found.seq {
        // The numbers of what is gone are not given out again.
        return Ok((known.head, finding("events lost")));
    }
    let same = known.head.seq == found.seq && known.head.hash == found.hash;
    if same || stands(folder, known)? {
        return Ok((found, None));
    }
    Ok((found, finding("events replaced")))
}

/// Whether the event of a mark is still where it was.
fn stands(folder: &Path, mark: &Mark) -> Result<bool, StoreError> {
    let path = folder.join(mark.month.to_string());
    let failed = |cause| StoreError::new("read", &path, cause);
    let file = match files::open(&path, OpenOptions::new().read(true)) {
        Ok(file) => file,
        Err(Cause::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(cause) => return Err(failed(cause)),
    };
    let length = file.metadata().map_err(|error| failed(error.into()))?.len();
    if length < mark.end {
        return Ok(false);
    }
    let found = tail::head_ending_at(&file, mark.end).map_err(|error| failed(error.into()))?;
    Ok(found.is_some_and(|found| (found.seq, found.hash) == (mark.head.seq, mark.head.hash)))
}

/// The months for which there is a file, oldest first.
pub(super) fn months(folder: &Path) -> Result<Vec<Month>, StoreError> {
    let mut months: Vec<_> = files::names(folder)?
        .iter()
        .filter_map(|name| Month::of_file(name))
        .collect();
    months.sort_unstable();
    Ok(months)
}

fn later(one: Option<Mark>, other: Option<Mark>) -> Option<Mark> {
    match (one, other) {
        (Some(one), Some(other)) if other.head.seq > one.head.seq => Some(other),
        (Some(one), _) => Some(one),
        (None, other) => other,
    }
}

const ROUNDS: u32 = 16;
