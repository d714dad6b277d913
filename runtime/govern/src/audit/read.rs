//! Reading the log: its last events, all that are wanted, what comes, and whether it is whole.
//!
//! Readers take no lock and hold one line at a time. What is no event is passed over here; [`Reader::verify`] names it.

mod consents;
mod entry;
mod follow;
mod lines;
mod verify;

use std::fs::{File, OpenOptions};
use std::path::PathBuf;

use knotrust_core::audit::filter::Filter;
use knotrust_core::ruleset::Ruleset;

pub use consents::Consents;
pub use entry::Entry;
pub use follow::Follower;
use lines::Lines;
pub use verify::Verification;

use super::month::Month;
use super::{CHECKPOINT, FOLDER, attach, tail};
use crate::failure::{Cause, StoreError};
use crate::files;
use crate::home::Home;

/// Reads the log of a home.
#[derive(Clone, Debug)]
pub struct Reader {
    folder: PathBuf,
    checkpoint: PathBuf,
    grants: PathBuf,
}

impl Reader {
    /// The log of this home. One that does not exist yet is empty.
    #[must_use]
    pub fn of(home: &Home) -> Self {
        Self {
            folder: home.at(FOLDER),
            checkpoint: home.at(CHECKPOINT),
            grants: home.at("grants"),
        }
    }

    /// The last wanted events, oldest first, at most `count`. Reads backwards, and no more than it must.
    ///
    /// # Errors
    ///
    /// A file cannot be read.
    pub fn last(&self, count: usize, filter: &Filter) -> Result<Vec<Entry>, StoreError> {
        let mut entries = Vec::new();
        for month in self.months(filter)?.into_iter().rev() {
            let file = self.open(month)?;
            let failed = |error| StoreError::new("read", &self.path(month), error);
            let mut end = file.metadata().map_err(failed)?.len();
            while end > 0 && entries.len() < count {
                let (start, line) = tail::line_before(&file, end).map_err(failed)?;
                entries.extend(line.and_then(|line| Entry::wanted(line, filter)));
                end = start;
            }
        }
        entries.reverse();
        Ok(entries)
    }

    /// All wanted events, oldest first, read as they are asked for.
    ///
    /// # Errors
    ///
    /// The folder cannot be read; each item, if its file cannot.
    pub fn events(
        &self,
        filter: Filter,
    ) -> Result<impl Iterator<Item = Result<Entry, StoreError>>, StoreError> {
        let reader = self.clone();
        let lines = self
            .months(&filter)?
            .into_iter()
            .flat_map(move |month| reader.lines(month));
        Ok(lines.filter_map(move |line| {
            line.map(|line| line.text.and_then(|line| Entry::wanted(line, &filter)))
                .transpose()
        }))
    }

    /// What is appended from now on.
    ///
    /// # Errors
    ///
    /// The folder cannot be read.
    pub fn follow(&self, filter: Filter) -> Result<Follower, StoreError> {
        Follower::new(self.clone(), filter)
    }

    /// Verifies again what people agreed to, by the keys of a policy.
    ///
    /// # Errors
    ///
    /// A file cannot be read.
    pub fn consents(&self, ruleset: &Ruleset<'_>) -> Result<Consents, StoreError> {
        consents::verify(self, ruleset)
    }

    /// Reads the whole log and checks that it is one unbroken chain, and not shorter than it is known to have been.
    ///
    /// # Errors
    ///
    /// A file cannot be read. That a log is broken is no error but an answer.
    pub fn verify(&self) -> Result<Verification, StoreError> {
        verify::verify(self)
    }

    // A file holds no event of a later month than its own, so older files cannot hold what is wanted since then.
    fn months(&self, filter: &Filter) -> Result<Vec<Month>, StoreError> {
        let mut months = attach::months(&self.folder)?;
        if let Some(since) = filter.since {
            months.retain(|month| *month >= Month::of(since));
        }
        Ok(months)
    }

    fn lines(&self, month: Month) -> Lines {
        Lines::new(self.path(month), self.open(month))
    }

    fn open(&self, month: Month) -> Result<File, StoreError> {
        let path = self.path(month);
        let file = files::open(&path, OpenOptions::new().read(true));
        file.map_err(|cause: Cause| StoreError::new("read", &path, cause))
    }

    fn path(&self, month: Month) -> PathBuf {
        self.folder.join(month.to_string())
    }
}
