//! What has changed in the grant set: a file to which every change adds a line.
//!
//! Its length is the version of the set: one look at a file tells any process of the home that something changed, and
//! reading on from where it stopped tells what. A line is written while the writer holds the lock of the set, after its
//! change, and names the moment at which the folder of grants was changed by it; so whoever has read to the end and finds
//! another moment at the folder knows that a hand was there that writes no lines.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::index::Key;
use crate::failure::{Cause, StoreError};
use crate::files;

/// When a folder last got, lost or renamed an entry, and which folder it is.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Moment {
    inode: u64,
    seconds: i64,
    nanos: i64,
}

/// One change.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Change {
    /// What happened.
    pub(super) kind: ChangeKind,
    /// Which keys the grant lies under.
    pub(super) key: Key,
    /// Its name.
    pub(super) name: String,
    /// The folder after the change.
    pub(super) folder: Moment,
}

/// What happened to a grant.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum ChangeKind {
    /// It is there now, or was replaced.
    Added,
    /// It is gone.
    Removed,
}

/// The file of changes, and how far it was read.
#[derive(Debug)]
pub(super) struct Changes {
    path: PathBuf,
}

/// How far the changes were read.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Position {
    pub(super) inode: u64,
    pub(super) length: u64,
}

impl Changes {
    pub(super) const fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Where the file ends now.
    pub(super) fn end(&self) -> Result<Position, StoreError> {
        match std::fs::metadata(&self.path) {
            Ok(metadata) => Ok(Position {
                inode: metadata.ino(),
                length: metadata.len(),
            }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Position::default()),
            Err(error) => Err(StoreError::new("look at", &self.path, error)),
        }
    }

    /// The changes since a position, and the position after them; `None` if they cannot be told.
    pub(super) fn since(
        &self,
        from: Position,
    ) -> Result<Option<(Vec<Change>, Position)>, StoreError> {
        let failed = |error| StoreError::new("read", &self.path, error);
        let Some(mut file) = self.open(OpenOptions::new().read(true))? else {
            let unchanged = from == Position::default();
            return Ok(unchanged.then(|| (Vec::new(), from)));
        };
        let inode = file.metadata().map_err(failed)?.ino();
        let is_same = inode == from.inode || from == Position::default();
        file.seek(SeekFrom::Start(from.length)).map_err(failed)?;
        let mut text = String::new();
        if !is_same || file.read_to_string(&mut text).is_err() {
            return Ok(None);
        }
        let changes: Option<Vec<_>> = text.lines().map(Change::read).collect();
        let length = from.length + text.len() as u64;
        let is_whole = text.is_empty() || text.ends_with('\n');
        Ok(changes
            .filter(|_| is_whole)
            .map(|changes| (changes, Position { inode, length })))
    }

    /// Adds a change. The caller holds the lock of the set.
    pub(super) fn add(&self, change: &Change) -> Result<(), StoreError> {
        let failed = |error| StoreError::new("append to", &self.path, error);
        let mut how = OpenOptions::new();
        let file = files::open(&self.path, how.append(true).create(true));
        let mut file = file.map_err(|cause| StoreError::new("append to", &self.path, cause))?;
        // One write: a reader sees the line or nothing. Cut off by a full disk, what is there is no line, and makes all
        // readers look for themselves.
        file.write_all(change.to_line().as_bytes())
            .map_err(failed)?;
        file.sync_data().map_err(failed)
    }

    fn open(&self, how: &mut OpenOptions) -> Result<Option<File>, StoreError> {
        match files::open(&self.path, how) {
            Ok(file) => Ok(Some(file)),
            Err(Cause::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(cause) => Err(StoreError::new("read", &self.path, cause)),
        }
    }
}

impl Change {
    fn read(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let kind = match words.next()? {
            "+" => ChangeKind::Added,
            "-" => ChangeKind::Removed,
            _ => return None,
        };
        let key = u64::from_str_radix(words.next()?, 16).ok()?;
        let name = words.next()?.to_owned();
        let folder = Moment::read(&mut words)?;
        words.next().is_none().then_some(Self {
            kind,
            key,
            name,
            folder,
        })
    }

    fn to_line(&self) -> String {
        let sign = match self.kind {
            ChangeKind::Added => '+',
            ChangeKind::Removed => '-',
        };
        format!(
            "{sign} {:016x} {} {}\n",
            self.key,
            self.name,
            self.folder.to_words()
        )
    }
}

impl Moment {
    /// Looks at a folder. One that does not exist has changed at no moment.
    pub(super) fn of(folder: &Path) -> Result<Self, StoreError> {
        match std::fs::metadata(folder) {
            Ok(metadata) => Ok(Self {
                inode: metadata.ino(),
                seconds: metadata.mtime(),
                nanos: metadata.mtime_nsec(),
            }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(StoreError::new("look at", folder, error)),
        }
    }

    /// Reads three words.
    pub(super) fn read<'w>(words: &mut impl Iterator<Item = &'w str>) -> Option<Self> {
        Some(Self {
            inode: words.next()?.parse().ok()?,
            seconds: words.next()?.parse().ok()?,
            nanos: words.next()?.parse().ok()?,
        })
    }

    /// Three words.
    pub(super) fn to_words(self) -> String {
        format!("{} {} {}", self.inode, self.seconds, self.nanos)
    }
}
