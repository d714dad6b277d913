//! What has been used of grants that may not be used at will.
//!
//! A use is written down, and has reached the disk, before the call that it is for goes out. So a crash can lose a
//! permission and never doubles one: of many processes that race for a single use one creates the file, and sums and
//! counts change under a lock. What this process itself has seen spent stays spent for it, whatever becomes of the files.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::PathBuf;

use knotrust_core::grant::{Amount, Bounds, Call, Claims, Kind, Tally, TooMuch};
use knotrust_core::json::{self, Object, Value};
use knotrust_core::time::Timestamp;

use crate::failure::{Cause, StoreError};
use crate::files::{self, Created};
use crate::home::Home;
use crate::lock::Lock;

/// The record of uses of a home.
#[derive(Debug)]
pub struct Uses {
    consumed: PathBuf,
    tallies: PathBuf,
    /// Single uses that this process has seen spent.
    marked: HashSet<String>,
    /// The latest tallies that it has seen.
    counted: HashMap<String, Tally>,
    /// The folders that were rid of what the dead left half written.
    swept: HashSet<PathBuf>,
}

/// What became of a use.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[must_use]
pub enum Spend {
    /// It is written down: the call may go out.
    Spent,
    /// There was none left. Somebody was first.
    Refused(TooMuch),
    /// The grant is no longer there.
    Gone,
}

impl Uses {
    /// The record of that home.
    #[must_use]
    pub fn of(home: &Home) -> Self {
        Self {
            consumed: home.at("grants/consumed"),
            tallies: home.at("grants/uses"),
            marked: HashSet::new(),
            counted: HashMap::new(),
            swept: HashSet::new(),
        }
    }

    /// Whether there is room for the call. Only [`Uses::consume`] makes sure.
    ///
    /// # Errors
    ///
    /// The record cannot be read.
    pub fn leave_room(&self, claims: &Claims, call: &Call<'_>) -> Result<bool, StoreError> {
        if self.is_spent(claims)? {
            return Ok(false);
        }
        let Some(bounds) = claims.bounds().filter(|bounds| bounds.is_counted()) else {
            return Ok(true);
        };
        let tally = self.tally(&claims.id, bounds)?;
        Ok(bounds.spend(&tally, call.arguments).is_ok())
    }

    /// Writes down a use for the call.
    ///
    /// # Errors
    ///
    /// It cannot be written down. It may count all the same.
    pub fn consume(
        &mut self,
        claims: &Claims,
        call: &Call<'_>,
        now: Timestamp,
    ) -> Result<Spend, StoreError> {
        if let Some(bounds) = claims.bounds().filter(|bounds| bounds.is_counted()) {
            match self.count(claims, bounds, call, now)? {
                Spend::Spent => {}
                refused @ (Spend::Refused(_) | Spend::Gone) => return Ok(refused),
            }
        }
        if !claims.single_use {
            return Ok(Spend::Spent);
        }
        if self.marked.contains(&claims.id) {
            return Ok(Spend::Refused(TooMuch::Uses));
        }
        self.mark(claims, call, now)
    }

    /// Whether a single use is spent, or all of several.
    ///
    /// # Errors
    ///
    /// The record cannot be read.
    pub fn is_spent(&self, claims: &Claims) -> Result<bool, StoreError> {
        if claims.single_use {
            let is_marked = self.marked.contains(&claims.id);
            return Ok(is_marked || files::version(&self.consumed.join(&claims.id))?.is_some());
        }
        match claims.bounds() {
            Some(bounds) if bounds.uses.is_some() => {
                let tally = self.tally(&claims.id, bounds)?;
                Ok(bounds.uses.is_some_and(|most| tally.uses >= most))
            }
            Some(_) | None => Ok(false),
        }
    }

    /// What has been used of a grant.
    ///
    /// # Errors
    ///
    /// The record cannot be read.
    pub fn tally(&self, id: &str, bounds: &Bounds) -> Result<Tally, StoreError> {
        let path = self.tallies.join(format!("{id}.json"));
        let written = match files::read_if_there(&path, MAX_RECORD)? {
            Some(bytes) => read(&bytes, bounds)
                .ok_or_else(|| StoreError::new("read", &path, Cause::Content))?,
            None => Tally::default(),
        };
        Ok(match self.counted.get(id) {
            Some(seen) if seen.uses > written.uses => seen.clone(),
            Some(_) | None => written,
        })
    }

    /// Forgets a grant that is over for good.
    pub(crate) fn forget(&self, id: &str) -> Result<(), StoreError> {
        files::remove(&self.consumed.join(id))?;
        files::remove(&self.tallies.join(format!("{id}.json")))
    }

    fn count(
        &mut self,
        claims: &Claims,
        bounds: &Bounds,
        call: &Call<'_>,
        now: Timestamp,
    ) -> Result<Spend, StoreError> {
        self.make_folder(self.tallies.clone(), now)?;
        let lock = Lock::take(&self.tallies.join(".lock"))?;
        let used = self.tally(&claims.id, bounds)?;
        let next = match bounds.spend(&used, call.arguments) {
            Ok(next) => next,
            Err(too_much) => return Ok(Spend::Refused(too_much)),
        };
        let path = self.tallies.join(format!("{}.json", claims.id));
        files::write(&path, text(record(&next, call, now)).as_bytes())?;
        self.counted.insert(claims.id.clone(), next);
        drop(lock);
        Ok(Spend::Spent)
    }

    fn mark(
        &mut self,
        claims: &Claims,
        call: &Call<'_>,
        now: Timestamp,
    ) -> Result<Spend, StoreError> {
        self.make_folder(self.consumed.clone(), now)?;
        // Noted first: what fails below may have left the mark.
        self.marked.insert(claims.id.clone());
        let once = Tally {
            uses: 1,
            sums: Vec::new(),
        };
        let path = self.consumed.join(&claims.id);
        let mut record = record(&once, call, now);
        // What an approval gave rise to lies in no file, and goes with the power: its mark need not outlast it.
        let create = match claims.kind {
            Kind::Ephemeral { .. } => {
                record.insert(UNTIL, Value::Number(claims.expires.into()));
                files::create_for_now
            }
            Kind::Durable => files::create,
        };
        Ok(match create(&path, text(record).as_bytes())? {
            Created::New => Spend::Spent,
            Created::Exists => Spend::Refused(TooMuch::Uses),
        })
    }

    fn make_folder(&mut self, folder: PathBuf, now: Timestamp) -> Result<(), StoreError> {
        if self.swept.contains(&folder) {
            return files::folder_public(&folder);
        }
        if let Some(grants) = folder.parent() {
            files::folder_public(grants)?;
        }
        files::folder_public(&folder)?;
        files::sweep(&folder)?;
        if folder == self.consumed {
            self.prune(now)?;
        }
        self.swept.insert(folder);
        Ok(())
    }

    /// Removes the marks of grants that lived for one call, a day after they ended. The mark of a grant that lasts stays
    /// for as long as the grant does.
    fn prune(&self, now: Timestamp) -> Result<(), StoreError> {
        let over = |until: u64| {
            u64::try_from(now.seconds()).is_ok_and(|now| now > until.saturating_add(DAY))
        };
        for name in files::names(&self.consumed)? {
            let path = self.consumed.join(name);
            let Ok(Some(bytes)) = files::read_if_there(&path, MAX_RECORD) else {
                continue;
            };
            let until = json::parse(&bytes).ok();
            let until = until.and_then(|value| value.get(UNTIL)?.as_number()?.as_u64());
            if until.is_some_and(over) {
                // One that cannot be removed stays: it says what is true.
                drop(fs::remove_file(&path));
            }
        }
        Ok(())
    }
}

fn read(bytes: &[u8], bounds: &Bounds) -> Option<Tally> {
    let value = json::parse(bytes).ok()?;
    let sums = value.get("sums")?.as_array()?.iter();
    let sums: Vec<Amount> = sums
        .map(|sum| Amount::of(sum.as_number()?))
        .collect::<Option<_>>()?;
    let uses = value.get("uses")?.as_number()?.as_u64()?;
    (sums.len() == bounds.limits.len()).then_some(Tally { uses, sums })
}

fn record(tally: &Tally, call: &Call<'_>, now: Timestamp) -> Object<'static> {
    let mut object = Object::new();
    object.insert("uses", Value::Number(tally.uses.into()));
    let sums = tally.sums.iter().map(|sum| Value::Number(sum.to_number()));
    object.insert("sums", Value::Array(sums.collect()));
    object.insert("last", Value::String(now.to_string().into()));
    object.insert("call", Value::String(call.exact.to_owned().into()));
    object
}

fn text(record: Object<'_>) -> String {
    format!("{}\n", json::write(&Value::Object(record)))
}

/// The member that says when a grant for one call ended, in epoch seconds.
const UNTIL: &str = "until";
const DAY: u64 = 86_400;
const MAX_RECORD: u64 = 1 << 16;

#[cfg(test)]
mod tests;
