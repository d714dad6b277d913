//! A file of the log, open, and what was last known of it.

use std::fs::{File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use knotrust_core::audit::chain::Head;
use knotrust_core::audit::record::Record;
use rustix::fs::Stat;
use rustix::io::Errno;

use super::month::Month;
use crate::clock::Moment;
use crate::failure::{Cause, StoreError};
use crate::watched::WALKED;
use crate::{files, lock};

/// An open file of the log.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) file: Arc<File>,
    pub(super) path: PathBuf,
    pub(super) month: Month,
    identity: (u64, u64),
    /// How long the file was when last seen under its lock.
    pub(super) length: u64,
    /// How long the system lets it become.
    limit: u64,
    /// When it was last seen that the name leads to this file, on the steady clock.
    named: Option<Duration>,
}

/// What has become of the file since it was last seen.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Look {
    /// Nothing.
    Same,
    /// Others have appended, so that it is now this long.
    Grown(u64),
    /// It is closed, shorter, or no longer the file of that name.
    Changed,
}

impl Place {
    /// Opens the file of a month, and makes it if asked to.
    pub(super) fn open(folder: &Path, month: Month, make: Make) -> Result<Self, StoreError> {
        let path = folder.join(month.to_string());
        let failed = |cause| StoreError::new("append to", &path, cause);
        let mut how = OpenOptions::new();
        let how = how.read(true).append(true).create(make == Make::IfMissing);
        let file = files::open(&path, how).map_err(failed)?;
        let metadata = file.metadata().map_err(|error| failed(error.into()))?;
        if metadata.nlink() > 1 {
            return Err(failed(Cause::Names(metadata.nlink())));
        }
        if make == Make::IfMissing && metadata.len() == 0 {
            files::sync_folder_of(&path).map_err(|error| failed(error.into()))?;
        }
        let identity = (metadata.dev(), metadata.ino());
        let (length, limit) = (metadata.len(), files::longest());
        Ok(Self {
            file: Arc::new(file),
            path,
            month,
            identity,
            length,
            limit,
            named: None,
        })
    }

    /// Takes the lock of the file, and with it that of the log, if this is still the file to append to.
    pub(super) fn lock(&self) -> Result<(), StoreError> {
        lock::wait(&self.file).map_err(|cause| self.failed("lock", cause))
    }

    /// Gives the lock back.
    pub(super) fn release(&self) -> Result<(), StoreError> {
        lock::release(&self.file).map_err(|error| self.failed("unlock", error))
    }

    /// Looks whether the file is still what it was. Ask under its lock.
    ///
    /// What happens to the file is seen at once; that another has taken its name, within [`WALKED`], since walking a path
    /// costs as much as the write.
    pub(super) fn glance(&mut self, now: Moment) -> Result<Look, StoreError> {
        let age = self.named.map(|named| now.steady.saturating_sub(named));
        if age.is_some_and(|age| age < WALKED) {
            return self.compare(rustix::fs::fstat(&*self.file));
        }
        self.named = Some(now.steady);
        self.look()
    }

    /// As [`Place::glance`], and looks at the name for certain.
    pub(super) fn look(&self) -> Result<Look, StoreError> {
        self.compare(rustix::fs::lstat(&self.path))
    }

    fn compare(&self, found: Result<Stat, Errno>) -> Result<Look, StoreError> {
        let found = match found {
            Ok(found) => found,
            Err(Errno::NOENT | Errno::NOTDIR) => return Ok(Look::Changed),
            Err(error) => return Err(self.failed("look at", io::Error::from(error))),
        };
        let length = u64::try_from(found.st_size).unwrap_or(0);
        let same = (found.st_dev, found.st_ino) == self.identity
            && is_open(found.st_mode)
            && found.st_nlink == 1;
        Ok(if !same || length < self.length {
            Look::Changed
        } else if length == self.length {
            Look::Same
        } else {
            Look::Grown(length)
        })
    }

    /// Reads what others have appended, and gives the new end of the chain; none unless that continues from `head`.
    pub(super) fn follow(&mut self, head: &Head, length: u64) -> Result<Option<Head>, StoreError> {
        let grown = length - self.length;
        if grown > MOST_FOLLOWED {
            return Ok(None);
        }
        let mut lines = vec![0; usize::try_from(grown).unwrap_or(0)];
        let read = self.file.read_exact_at(&mut lines, self.length);
        read.map_err(|error| self.failed("read", error))?;
        let Some(lines) = lines.strip_suffix(b"\n") else {
            return Ok(None);
        };
        let mut parts = lines.split(|byte| *byte == b'\n');
        let first = parts.next().and_then(Record::parse);
        let Some(first) = first.filter(|first| first.previous() == head.hash) else {
            return Ok(None);
        };
        let last = match parts.next_back() {
            Some(last) => Record::parse(last),
            None => Some(first),
        };
        if last.is_some() {
            self.length = length;
        }
        Ok(last.map(|record| record.head()))
    }

    /// Writes a line at the end, whole or not at all.
    pub(super) fn write(&mut self, line: &[u8]) -> Result<(), StoreError> {
        if self.length.saturating_add(line.len() as u64) > self.limit {
            return Err(self.failed("append to", io::Error::from(Errno::FBIG)));
        }
        let mut rest = line;
        while !rest.is_empty() {
            match rustix::io::write(&*self.file, rest) {
                Ok(written) => rest = rest.get(written..).unwrap_or_default(),
                Err(Errno::INTR) => {}
                Err(error) => {
                    // Half a line would be glued to the next. If it cannot be cut off, the next append puts it aside.
                    drop(self.file.set_len(self.length));
                    return Err(self.failed("append to", io::Error::from(error)));
                }
            }
        }
        self.length += line.len() as u64;
        Ok(())
    }

    /// Closes a file for good: whoever has it open sees by its mode that the log goes on elsewhere.
    pub(super) fn seal(&self) -> Result<(), StoreError> {
        let sealed = self
            .file
            .sync_all()
            .and_then(|()| self.file.set_permissions(Permissions::from_mode(SEALED)));
        sealed.map_err(|error| self.failed("close", error))
    }

    /// Opens a sealed file again, since the log has lost the ones after it and goes on here.
    pub(super) fn unseal(folder: &Path, month: Month) -> Result<(), StoreError> {
        let path = folder.join(month.to_string());
        let failed = |cause| StoreError::new("reopen", &path, cause);
        let file = files::open(&path, OpenOptions::new().read(true)).map_err(failed)?;
        let opened = file.set_permissions(Permissions::from_mode(OPEN));
        opened.map_err(|error| failed(error.into()))
    }

    pub(super) fn failed(&self, doing: &'static str, error: impl Into<Cause>) -> StoreError {
        StoreError::new(doing, &self.path, error)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // The thread that flushes may keep the file open, and with it a lock that we hold.
        drop(self.release());
    }
}

/// Whether a missing file is made.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Make {
    /// It is.
    IfMissing,
    /// It is an error.
    Never,
}

/// Whether a file of this mode is appended to: by its owner, and by nobody else.
pub(super) const fn is_open(mode: u32) -> bool {
    mode & 0o277 == 0o200
}

const OPEN: u32 = 0o600;
/// The mode of a file that is no longer appended to.
const SEALED: u32 = 0o400;
// What is longer is read backwards, in pieces.
const MOST_FOLLOWED: u64 = 1 << 20;
