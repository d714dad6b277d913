//! Locks between processes, kept by the kernel on an open file, so that the dead hold nothing.
//!
//! What is written in a lock file means nothing, and nothing is ever written there: a process id says neither who is
//! alive nor who holds what.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::failure::{Cause, StoreError};
use crate::files;

/// A lock that is held until it is dropped.
#[derive(Debug)]
#[must_use]
pub struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    /// Takes the lock that this file stands for. Waits for others, though not for ever.
    ///
    /// # Errors
    ///
    /// The file cannot be made, or someone has held the lock for ten seconds.
    pub fn take(path: &Path) -> Result<Self, StoreError> {
        let failed = |cause| StoreError::new("lock", path, cause);
        loop {
            let mut how = OpenOptions::new();
            let file =
                files::open(path, how.read(true).write(true).create(true)).map_err(failed)?;
            wait(&file).map_err(failed)?;
            let lock = Self {
                file,
                path: path.to_owned(),
            };
            // Removed or replaced while we waited: what we hold is a lock nobody else will meet.
            if lock.stands() {
                return Ok(lock);
            }
        }
    }

    /// Whether others who come now would meet this lock; false once its file was removed or replaced.
    ///
    /// Ask again before a change that cannot be undone.
    #[must_use]
    pub fn stands(&self) -> bool {
        let (ours, theirs) = (self.file.metadata(), self.path.symlink_metadata());
        let (Ok(ours), Ok(theirs)) = (ours, theirs) else {
            return false;
        };
        (ours.dev(), ours.ino()) == (theirs.dev(), theirs.ino())
    }
}

/// Takes the lock of an open file; it lasts until [`release`], or until the file is closed.
///
/// # Errors
///
/// Someone has held the lock for ten seconds, or the file system knows no locks.
pub fn wait(file: &File) -> Result<(), Cause> {
    let mut waited = Duration::ZERO;
    let mut pause = Duration::from_micros(20);
    // Who holds a lock needs some microseconds, so first let it run, and only then sleep.
    let mut yields = 8;
    loop {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(()),
            Err(Errno::WOULDBLOCK | Errno::INTR) => {}
            Err(error) => return Err(Cause::Io(error.into())),
        }
        if waited >= LONGEST {
            return Err(Cause::Held(LONGEST.as_secs()));
        }
        if yields > 0 {
            yields -= 1;
            thread::yield_now();
        } else {
            thread::sleep(pause);
            waited += pause;
            pause = (pause * 2).min(Duration::from_millis(1));
        }
    }
}

/// Gives the lock of an open file back.
///
/// # Errors
///
/// The system refuses, which it has no reason to.
pub fn release(file: &File) -> io::Result<()> {
    flock(file, FlockOperation::Unlock).map_err(io::Error::from)
}

// A stopped process may hold a lock for as long as it is stopped. A refusal is better than to wait with it.
const LONGEST: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn whatever_the_file_holds_the_lock_is_free() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("lock");
        for content in ["1", "", "not-a-number", &std::process::id().to_string()] {
            files::write(&path, content.as_bytes()).unwrap();
            let lock = Lock::take(&path).unwrap();
            assert!(lock.stands(), "{content}");
        }
    }

    #[test]
    fn holders_exclude_each_other() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("lock");
        let counter = scratch.path().join("counter");
        files::write(&counter, b"0").unwrap();
        let add = || {
            for _ in 0..50 {
                let _lock = Lock::take(&path).unwrap();
                let sum: u32 = fs::read_to_string(&counter).unwrap().parse().unwrap();
                fs::write(&counter, (sum + 1).to_string()).unwrap();
            }
        };
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(add);
            }
        });
        assert_eq!(fs::read_to_string(&counter).unwrap(), "200");
    }

    #[test]
    fn a_lock_whose_file_was_remade_says_so() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("lock");
        let lost = Lock::take(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let held = Lock::take(&path).unwrap();
        assert!(!lost.stands());
        assert!(held.stands());
    }
}
