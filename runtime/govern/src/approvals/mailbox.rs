//! Where an owner learns that one of its tickets has ended: a file of lines, locked for as long as the owner lives.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::thread;

use crate::failure::{Cause, StoreError};
use crate::files;
use crate::home::Home;

/// The mailbox of this process.
#[derive(Debug)]
pub(super) struct Mailbox {
    // Its lock says that the owner lives.
    file: File,
    path: PathBuf,
    read: u64,
}

/// Whether an owner lives.
#[derive(Debug)]
pub(super) enum Owner {
    /// It does.
    Alive,
    /// It does not. While this is held, nobody else finds that out.
    Gone(Option<File>),
}

impl Mailbox {
    /// Makes the folder of an owner, with a mailbox in it that it holds.
    pub(super) fn open(home: &Home, owner: &str) -> Result<(PathBuf, Self), StoreError> {
        // Whoever sweeps may take a folder that has no holder yet for one that has none any more.
        let mut tries = 10;
        loop {
            tries -= 1;
            let folder = home.folder(&format!("approvals/{owner}"))?;
            match Self::hold(&folder.join(NAME)) {
                Ok(mailbox) => return Ok((folder, mailbox)),
                Err(cause) if tries == 0 => {
                    return Err(StoreError::new("hold", &folder.join(NAME), cause));
                }
                Err(_) => thread::yield_now(),
            }
        }
    }

    fn hold(path: &Path) -> Result<Self, Cause> {
        let file = files::open(
            path,
            OpenOptions::new().read(true).append(true).create(true),
        )?;
        file.try_lock().map_err(|_| Cause::Held(0))?;
        let (ours, theirs) = (file.metadata()?, path.symlink_metadata()?);
        if ours.ino() != theirs.ino() {
            return Err(Cause::Held(0));
        }
        Ok(Self {
            file,
            path: path.to_owned(),
            read: 0,
        })
    }

    /// The lines that came since the last look.
    pub(super) fn collect(&mut self) -> Result<Vec<String>, StoreError> {
        let mut lines = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            let count = match self.file.read_at(&mut buffer, self.read) {
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(StoreError::new("read", &self.path, error)),
            };
            let new = buffer.get(..count).unwrap_or_default();
            // A line without its end is still being written. A buffer without any end is no line of ours.
            let whole = match new.iter().rposition(|byte| *byte == b'\n') {
                Some(end) => end + 1,
                None if count == buffer.len() => count,
                None => return Ok(lines),
            };
            self.read += whole as u64;
            let text = String::from_utf8_lossy(new.get(..whole).unwrap_or_default());
            lines.extend(text.lines().map(str::to_owned));
        }
    }
}

/// Posts a line to the owner of that folder.
pub(super) fn post(folder: &Path, line: &str) -> Result<(), StoreError> {
    let path = folder.join(NAME);
    let failed = |cause| StoreError::new("append to", &path, cause);
    let mut file = files::open(&path, OpenOptions::new().append(true)).map_err(failed)?;
    file.write_all(format!("{line}\n").as_bytes())
        .map_err(|error| failed(error.into()))
}

/// Whether the owner of that folder lives.
pub(super) fn owner(folder: &Path) -> Owner {
    let path = folder.join(NAME);
    match files::open(&path, OpenOptions::new().append(true)) {
        Ok(file) => match file.try_lock() {
            Ok(()) => Owner::Gone(Some(file)),
            Err(_) => Owner::Alive,
        },
        Err(Cause::Io(error)) if error.kind() == ErrorKind::NotFound => Owner::Gone(None),
        Err(_) => Owner::Alive,
    }
}

const NAME: &str = "mail";
