//! The pages that listen now, of all processes of a home: a call that reaches for one of them is denied.
//!
//! Each is a file named by its port, locked for as long as its process lives; what nobody holds any more is taken away by
//! whoever looks next.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::thread;

use knotrust_core::time::Timestamp;

use crate::failure::{Cause, StoreError};
use crate::files::{self, Version};
use crate::home::Home;
use crate::watched::{Watched, is_settled};

/// A page that others know of, for as long as this is held.
#[derive(Debug)]
#[must_use]
pub struct Posted {
    // Its lock says that the page is there.
    _file: File,
    path: PathBuf,
}

impl Posted {
    /// Makes a page known.
    ///
    /// # Errors
    ///
    /// The home cannot be written.
    pub fn at(home: &Home, port: u16) -> Result<Self, StoreError> {
        let path = home.folder(FOLDER)?.join(port.to_string());
        // Whoever looks may take a file that has no holder yet for one that has none any more.
        let mut tries = 10;
        loop {
            tries -= 1;
            match hold(&path) {
                Ok(file) => return Ok(Self { _file: file, path }),
                Err(cause) if tries == 0 => return Err(StoreError::new("hold", &path, cause)),
                Err(_) => thread::yield_now(),
            }
        }
    }
}

impl Drop for Posted {
    fn drop(&mut self) {
        // What stays is taken away by the next who looks.
        let _ = files::remove(&self.path);
    }
}

fn hold(path: &Path) -> Result<File, Cause> {
    let mut how = OpenOptions::new();
    let file = files::open(path, how.read(true).append(true).create(true))?;
    file.try_lock().map_err(|_| Cause::Held(0))?;
    if file.metadata()?.ino() != path.symlink_metadata()?.ino() {
        return Err(Cause::Held(0));
    }
    Ok(file)
}

/// The pages, as one process sees them.
#[derive(Debug)]
pub(crate) struct Pages {
    folder: Watched,
    seen: Option<Option<Version>>,
    ports: Vec<u16>,
}

impl Pages {
    pub(crate) fn of(home: &Home) -> Self {
        Self {
            folder: Watched::at(home.at(FOLDER)),
            seen: None,
            ports: Vec::new(),
        }
    }

    /// The ports, if they are others than at the last look. Costs a look at one folder when they are not.
    ///
    /// # Errors
    ///
    /// The home cannot be read.
    pub(crate) fn look(&mut self, now: Timestamp) -> Result<Option<&[u16]>, StoreError> {
        let version = self.folder.version()?;
        if self.seen == Some(version) {
            return Ok(None);
        }
        let ports = self.live(version.is_some())?;
        let is_settled = version.is_none_or(|version| is_settled(version, now));
        self.seen = is_settled.then_some(version);
        if self.ports == ports {
            return Ok(None);
        }
        self.ports = ports;
        Ok(Some(&self.ports))
    }

    fn live(&self, is_there: bool) -> Result<Vec<u16>, StoreError> {
        let mut ports = Vec::new();
        if !is_there {
            return Ok(ports);
        }
        for name in files::names(self.folder.path())? {
            let Ok(port) = name.parse() else { continue };
            let path = self.folder.path().join(&name);
            match files::open(&path, OpenOptions::new().append(true)).map(|file| file.try_lock()) {
                Ok(Ok(())) => files::remove(&path)?,
                // It is held; or it cannot be told, and then it is as if it were.
                Ok(Err(_)) | Err(_) => ports.push(port),
            }
        }
        ports.sort_unstable();
        Ok(ports)
    }
}

const FOLDER: &str = "pages";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock;

    #[test]
    fn every_process_of_the_home_knows_the_pages_that_live() {
        let scratch = tempfile::tempdir().unwrap();
        let home = Home::open(None, Some(scratch.path().as_os_str())).unwrap();
        let mut pages = Pages::of(&home);
        let mut look = || {
            let found = pages.look(clock::now().wall).unwrap();
            found.map(<[u16]>::to_vec)
        };
        assert_eq!(look(), None);
        let one = Posted::at(&home, 4001).unwrap();
        assert_eq!(look(), Some(vec![4001]));
        let two = Posted::at(&home, 4000).unwrap();
        assert_eq!(look(), Some(vec![4000, 4001]));
        assert_eq!(look(), None);
        drop(one);
        assert_eq!(look(), Some(vec![4000]));
        // What a dead process left behind.
        for left in ["pages/4002", "pages/notes"] {
            files::write(&home.at(left), b"").unwrap();
        }
        assert_eq!(look(), None);
        assert!(!home.at("pages/4002").exists());
        drop(two);
        assert_eq!(look(), Some(Vec::new()));
    }
}
