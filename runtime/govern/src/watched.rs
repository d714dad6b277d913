//! A path that is looked at before every call, at the price of a look at an open file.
//!
//! To walk a path costs three times as much as to ask an open file what it is. A file that is replaced has no name left, and
//! a folder in which something changes has another version: both are seen at once. That a folder further up was exchanged
//! is seen within [`WALKED`].

use std::fs::{File, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use knotrust_core::time::Timestamp;
use rustix::fs::{Mode, OFlags};

use crate::clock::{self, Moment};
use crate::failure::StoreError;
use crate::files::Version;

/// A path, and what was last found there.
#[derive(Debug)]
pub(crate) struct Watched {
    path: PathBuf,
    found: Option<Found>,
}

#[derive(Debug)]
struct Found {
    /// What is there; or, where nothing is, the folder in which it would be.
    file: File,
    version: Version,
    is_there: bool,
    /// When the path was walked, on the steady clock.
    at: Duration,
}

impl Watched {
    pub(crate) const fn at(path: PathBuf) -> Self {
        Self { path, found: None }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The version of what is there right now, or `None` where nothing is.
    ///
    /// # Errors
    ///
    /// The path cannot be walked.
    pub(crate) fn version(&mut self) -> Result<Option<Version>, StoreError> {
        let now = clock::now();
        if let Some(found) = self.found.as_ref().filter(|found| found.is_fresh(now)) {
            let metadata = found.file.metadata().map_err(|error| self.failed(error))?;
            if metadata.nlink() > 0 && Version::of(&metadata) == found.version {
                return Ok(found.is_there.then_some(found.version));
            }
        }
        self.walk(now)
    }

    fn walk(&mut self, now: Moment) -> Result<Option<Version>, StoreError> {
        self.found = None;
        // The folder first: what appears in it after this look makes it another version.
        let folder = self.path.parent().map(open);
        match open(&self.path) {
            Ok((file, metadata)) => {
                let version = Version::of(&metadata);
                self.found = Some(Found {
                    file,
                    version,
                    is_there: true,
                    at: now.steady,
                });
                Ok(Some(version))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if let Some(Ok((file, metadata))) = folder {
                    let version = Version::of(&metadata);
                    self.found = is_settled(version, now.wall).then_some(Found {
                        file,
                        version,
                        is_there: false,
                        at: now.steady,
                    });
                }
                Ok(None)
            }
            Err(error) => Err(self.failed(error)),
        }
    }

    fn failed(&self, error: std::io::Error) -> StoreError {
        StoreError::new("look at", &self.path, error)
    }
}

impl Found {
    fn is_fresh(&self, now: Moment) -> bool {
        now.steady.saturating_sub(self.at) < WALKED
    }
}

/// Whether a later change of a folder is sure to give it another version: the clock of a file system is coarse, and of two
/// changes in one of its ticks the second changes nothing that can be seen.
pub(crate) fn is_settled(version: Version, now: Timestamp) -> bool {
    version.is_before(now.plus_millis(-TICK))
}

fn open(path: &Path) -> std::io::Result<(File, Metadata)> {
    let flags = LOOKING | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let metadata = file.metadata()?;
    Ok((file, metadata))
}

// To see what something is takes no right to read it.
#[cfg(any(target_os = "android", target_os = "linux"))]
const LOOKING: OFlags = OFlags::PATH;
#[cfg(not(any(target_os = "android", target_os = "linux")))]
const LOOKING: OFlags = OFlags::RDONLY;

/// How long a path is believed to lead to the same place, unless what is there says otherwise.
pub(crate) const WALKED: Duration = Duration::from_millis(5);

/// Longer than a tick of any file system's clock, in milliseconds.
const TICK: i64 = 50;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::thread;

    use super::*;
    use crate::files;

    #[track_caller]
    fn check(before: impl Fn(&Path), change: impl Fn(&Path)) {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("folder");
        before(&path);
        let mut watched = Watched::at(path.clone());
        // Also without the pause, in which the folder above settles.
        for pause in [0, 60] {
            thread::sleep(Duration::from_millis(pause));
            let was = watched.version().unwrap();
            assert_eq!(was, watched.version().unwrap());
            assert_eq!(was.is_some(), path.exists());
        }
        let was = watched.version().unwrap();
        change(&path);
        let is = watched.version().unwrap();
        assert_ne!(was, is);
        assert_eq!(is.is_some(), path.exists());
    }

    #[test]
    fn what_appears_or_goes_is_seen_at_once() {
        check(|_| {}, |path| files::write(path, b"1").unwrap());
        check(|_| {}, |path| fs::create_dir(path).unwrap());
        check(
            |path| files::write(path, b"1").unwrap(),
            |path| fs::remove_file(path).unwrap(),
        );
        check(
            |path| fs::create_dir(path).unwrap(),
            |path| fs::remove_dir(path).unwrap(),
        );
    }

    #[test]
    fn what_is_replaced_or_changed_is_seen_at_once() {
        let one = |path: &Path| files::write(path, b"1").unwrap();
        check(one, |path| files::write(path, b"2").unwrap());
        check(one, |path| fs::write(path, "23").unwrap());
        check(one, |path| {
            fs::rename(path, path.with_extension("old")).unwrap();
            files::write(path, b"1").unwrap();
        });
        check(
            |path| fs::create_dir(path).unwrap(),
            |path| fs::write(path.join("new"), "").unwrap(),
        );
    }

    #[test]
    fn a_folder_exchanged_further_up_is_seen_soon() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("folder");
        fs::create_dir(&folder).unwrap();
        files::write(&folder.join("file"), b"1").unwrap();
        let mut watched = Watched::at(folder.join("file"));
        let was = watched.version().unwrap();
        fs::rename(&folder, scratch.path().join("old")).unwrap();
        fs::create_dir(&folder).unwrap();
        files::write(&folder.join("file"), b"1").unwrap();
        thread::sleep(WALKED);
        assert_ne!(was, watched.version().unwrap());
    }
}
