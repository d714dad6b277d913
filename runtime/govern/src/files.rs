//! Whole files, written so that a crash leaves the old one or the new one and nothing between.
//!
//! With `lock`, `watched` and `audit` the only user of the file system. Everything of the home belongs to one user: files are 0600,
//! folders 0700, and what is looser, linked or someone else's is refused instead of used.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use knotrust_core::time::Timestamp;
use rustix::fs::OFlags;
use rustix::process::{Resource, geteuid, getrlimit};

use crate::failure::{Cause, StoreError};

/// What became of an exclusive creation.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[must_use]
pub enum Created {
    /// The file is new, and ours alone.
    New,
    /// Somebody was first; nothing was changed.
    Exists,
}

/// Reads a file of at most `limit` bytes.
///
/// # Errors
///
/// The file is missing, not a private plain file of this user, or longer.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, StoreError> {
    let failed = |cause| StoreError::new("read", path, cause);
    let file = open(path, OpenOptions::new().read(true)).map_err(failed)?;
    read_open(path, file, limit)
}

/// Reads a file that is no secret and may have been put there by a person or another program: others may read it too,
/// but never write it.
///
/// # Errors
///
/// As [`read`], but for a mode that lets others read.
pub fn read_public(path: &Path, limit: u64) -> Result<Vec<u8>, StoreError> {
    let failed = |cause| StoreError::new("read", path, cause);
    let file = open_safely(path, OpenOptions::new().read(true)).map_err(failed)?;
    let metadata = file.metadata().map_err(|error| failed(error.into()))?;
    check_file(&metadata, 0o644).map_err(failed)?;
    read_open(path, file, limit)
}

fn read_open(path: &Path, file: File, limit: u64) -> Result<Vec<u8>, StoreError> {
    let failed = |cause| StoreError::new("read", path, cause);
    let mut bytes = Vec::new();
    let mut bounded = file.take(limit.saturating_add(1));
    bounded
        .read_to_end(&mut bytes)
        .map_err(|error| failed(error.into()))?;
    if bytes.len() as u64 > limit {
        return Err(failed(Cause::TooLong(limit)));
    }
    Ok(bytes)
}

/// Reads a file of at most `limit` bytes, or nothing where there is none.
///
/// # Errors
///
/// As [`read`], but for a missing file.
pub fn read_if_there(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, StoreError> {
    match read(path, limit) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Puts a file in place of whatever bears its name, durably: a reader sees the old bytes or the new ones.
///
/// # Errors
///
/// The folder cannot be written, or the disk is full. The old file is then untouched.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let failed = |error| StoreError::new("write", path, error);
    let draft = Draft::beside(path, bytes).map_err(failed)?;
    fs::rename(&draft.path, path).map_err(failed)?;
    sync_folder_of(path).map_err(failed)
}

/// Makes a file that did not exist, durably and whole. Of many who try at once, one sees [`Created::New`].
///
/// # Errors
///
/// As [`write()`].
pub fn create(path: &Path, bytes: &[u8]) -> Result<Created, StoreError> {
    let failed = |error| StoreError::new("create", path, error);
    let draft = Draft::beside(path, bytes).map_err(failed)?;
    let created = draft.link(path)?;
    if created == Created::New {
        sync_folder_of(path).map_err(failed)?;
    }
    Ok(created)
}

/// Makes a file like [`create`], but does not wait for the disk: for what means nothing once the machine has stopped.
///
/// # Errors
///
/// As [`write()`].
pub fn create_for_now(path: &Path, bytes: &[u8]) -> Result<Created, StoreError> {
    let failed = |error| StoreError::new("create", path, error);
    let draft = Draft::unsynced(path, bytes).map_err(failed)?;
    draft.link(path)
}

/// Removes a file durably; to find none is no failure.
///
/// # Errors
///
/// The folder cannot be written.
pub fn remove(path: &Path) -> Result<(), StoreError> {
    let failed = |error| StoreError::new("remove", path, error);
    match fs::remove_file(path) {
        Ok(()) => sync_folder_of(path).map_err(failed),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(failed(error)),
    }
}

/// The names in a folder, sorted; none if it does not exist. Names that are not Unicode and drafts are left out.
///
/// # Errors
///
/// The folder cannot be read.
pub fn names(folder: &Path) -> Result<Vec<String>, StoreError> {
    let failed = |error| StoreError::new("list", folder, error);
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.map_err(failed)?.file_name();
        names.extend(
            name.to_str()
                .filter(|name| !name.starts_with(DRAFT))
                .map(str::to_owned),
        );
    }
    names.sort_unstable();
    Ok(names)
}

/// Makes a folder that only this user may enter, or checks that it is one.
///
/// # Errors
///
/// It cannot be made, or what is there is a link, somebody else's, or open to others.
pub fn folder(path: &Path) -> Result<(), StoreError> {
    make_folder(path, 0o700)
}

/// Makes a folder that only this user may write, or checks that it is one: others may look into it, if the home lets
/// them.
///
/// # Errors
///
/// As [`folder`], but for a mode that lets others read.
pub fn folder_public(path: &Path) -> Result<(), StoreError> {
    make_folder(path, 0o755)
}

fn make_folder(path: &Path, loosest: u32) -> Result<(), StoreError> {
    let failed = |cause: Cause| StoreError::new("use the folder", path, cause);
    match DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => return sync_folder_of(path).map_err(|error| failed(error.into())),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(StoreError::new("make the folder", path, error)),
    }
    let metadata = fs::symlink_metadata(path).map_err(|error| failed(error.into()))?;
    check_folder_mode(&metadata, loosest).map_err(failed)
}

/// Removes drafts that a crash has left in a folder. Those of living processes are locked, and stay.
///
/// # Errors
///
/// The folder cannot be read.
pub fn sweep(folder: &Path) -> Result<(), StoreError> {
    let failed = |error| StoreError::new("list", folder, error);
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(error)),
    };
    for entry in entries {
        let entry = entry.map_err(failed)?;
        if is_draft(&entry.file_name()) {
            remove_if_dead(&entry.path());
        }
    }
    Ok(())
}

/// Which content a path has right now: two equal answers mean that nobody has replaced or changed the file between.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Version {
    device: u64,
    inode: u64,
    length: u64,
    changed: (i64, i64),
}

impl Version {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            length: metadata.len(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Whether the last change was before that moment.
    #[must_use]
    pub(crate) fn is_before(&self, moment: Timestamp) -> bool {
        let (seconds, nanos) = self.changed;
        let millis = seconds
            .saturating_mul(1000)
            .saturating_add(nanos / 1_000_000);
        millis < moment.millis()
    }
}

/// The version of a file, or `None` where there is none.
///
/// # Errors
///
/// The folder cannot be searched.
pub fn version(path: &Path) -> Result<Option<Version>, StoreError> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(Some(Version::of(&metadata))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::new("look at", path, error)),
    }
}

/// Opens a private plain file of this user. Never follows a link, never waits for the other end of a pipe.
pub(crate) fn open(path: &Path, how: &mut OpenOptions) -> Result<File, Cause> {
    let file = open_safely(path, how)?;
    check_file(&file.metadata()?, 0o600)?;
    Ok(file)
}

fn open_safely(path: &Path, how: &mut OpenOptions) -> Result<File, Cause> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = how
        .mode(0o600)
        .custom_flags(flags.bits().cast_signed())
        .open(path);
    file.map_err(|error| explain(path, error))
}

/// Whether a failure means that there is no such file.
pub(crate) fn is_missing(error: &StoreError) -> bool {
    matches!(&error.source, Cause::Io(error) if error.kind() == ErrorKind::NotFound)
}

/// How long a file of this process may become.
pub(crate) fn longest() -> u64 {
    getrlimit(Resource::Fsize).current.unwrap_or(u64::MAX)
}

/// Refuses a length that the system would answer with SIGXFSZ, which ends a process that has not asked to live.
pub(crate) fn allow_length(length: u64) -> io::Result<()> {
    if length > longest() {
        Err(rustix::io::Errno::FBIG.into())
    } else {
        Ok(())
    }
}

/// Makes creations, renames and removals in the folder of this path survive a loss of power.
pub(crate) fn sync_folder_of(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

/// Accepts a folder only this user may enter.
pub(crate) fn check_folder(metadata: &Metadata) -> Result<(), Cause> {
    check_folder_mode(metadata, 0o700)
}

fn check_folder_mode(metadata: &Metadata, loosest: u32) -> Result<(), Cause> {
    if metadata.is_symlink() {
        return Err(Cause::Link);
    }
    if !metadata.is_dir() {
        return Err(Cause::NotAFolder);
    }
    check_owner(metadata)?;
    check_mode(metadata, loosest)
}

fn check_file(metadata: &Metadata, loosest: u32) -> Result<(), Cause> {
    if !metadata.is_file() {
        return Err(Cause::NotAFile);
    }
    check_owner(metadata)?;
    check_mode(metadata, loosest)?;
    // A draft and the file made from it are one for a moment; anything above is no doing of ours.
    if metadata.nlink() > 2 {
        Err(Cause::Names(metadata.nlink()))
    } else {
        Ok(())
    }
}

fn check_owner(metadata: &Metadata) -> Result<(), Cause> {
    let user = geteuid().as_raw();
    let owner = metadata.uid();
    if owner == user {
        Ok(())
    } else {
        Err(Cause::Owner { owner, user })
    }
}

fn check_mode(metadata: &Metadata, wanted: u32) -> Result<(), Cause> {
    let found = metadata.mode() & 0o7777;
    if found & 0o077 & !wanted == 0 {
        Ok(())
    } else {
        Err(Cause::Mode { found, wanted })
    }
}

// What an open without following links says about a link or a pipe would puzzle a reader.
fn explain(path: &Path, error: io::Error) -> Cause {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => Cause::Link,
        Ok(metadata) if !metadata.is_file() => Cause::NotAFile,
        Ok(_) | Err(_) => Cause::Io(error),
    }
}

/// A file on its way to its name: complete, on the disk, locked while its maker lives, gone when dropped.
struct Draft {
    path: PathBuf,
    // Its lock tells `sweep` that the maker lives.
    file: File,
}

impl Draft {
    fn beside(target: &Path, bytes: &[u8]) -> io::Result<Self> {
        let draft = Self::unsynced(target, bytes)?;
        draft.file.sync_all()?;
        Ok(draft)
    }

    fn unsynced(target: &Path, bytes: &[u8]) -> io::Result<Self> {
        allow_length(bytes.len() as u64)?;
        let folder = target.parent().unwrap_or(Path::new("/"));
        let mut draft = Self::start(folder)?;
        draft.file.write_all(bytes)?;
        Ok(draft)
    }

    /// Gives it its name, unless that is taken.
    fn link(self, path: &Path) -> Result<Created, StoreError> {
        match fs::hard_link(&self.path, path) {
            Ok(()) => Ok(Created::New),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(Created::Exists),
            Err(error) => Err(StoreError::new("create", path, error)),
        }
    }

    fn start(folder: &Path) -> io::Result<Self> {
        loop {
            let path = folder.join(format!("{DRAFT}{:016x}", getrandom::u64()?));
            let file = OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&path)?;
            let draft = Self { path, file };
            // A sweep between creation and lock takes the name away; only a locked draft that has its name counts.
            if draft.file.try_lock().is_ok() && draft.path.exists() {
                return Ok(draft);
            }
        }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // Renamed away on success; otherwise nobody is helped by a second error.
        drop(fs::remove_file(&self.path));
    }
}

fn remove_if_dead(path: &Path) {
    let Ok(file) = open(path, OpenOptions::new().write(true)) else {
        return;
    };
    if file.try_lock().is_ok() {
        drop(fs::remove_file(path));
    }
    // Unlocked only now: a maker who locked it in between would think that its draft still had its name.
    drop(file);
}

fn is_draft(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(DRAFT.as_bytes())
}

const DRAFT: &str = ".draft-";

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::*;

    #[track_caller]
    fn check_refused(prepare: impl Fn(&Path), expected: &str) {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("file");
        prepare(&path);
        let error = read(&path, 100).unwrap_err();
        assert_eq!(error.source.to_string(), expected);
    }

    #[test]
    fn a_written_file_is_private_and_whole() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("file");
        write(&path, b"one").unwrap();
        write(&path, b"two").unwrap();
        assert_eq!(read(&path, 3).unwrap(), b"two");
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_not_a_private_plain_file_is_refused() {
        check_refused(
            |path| symlink("/dev/null", path).unwrap(),
            "it is a symbolic link",
        );
        check_refused(
            |path| fs::create_dir(path).unwrap(),
            "it is not a plain file",
        );
        check_refused(
            |path| {
                let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
                rustix::fs::mkfifoat(rustix::fs::CWD, path, mode).unwrap();
            },
            "it is not a plain file",
        );
        check_refused(
            |path| {
                write(path, b"x").unwrap();
                fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
            },
            "others may use it: its mode is 0644",
        );
        check_refused(
            |path| write(path, &[b'x'; 101]).unwrap(),
            "it is longer than 100 bytes",
        );
    }

    #[test]
    fn a_missing_file_is_nothing_and_its_removal_no_failure() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("file");
        assert_eq!(read_if_there(&path, 1).unwrap(), None);
        assert_eq!(version(&path).unwrap(), None);
        remove(&path).unwrap();
        assert!(names(&path).unwrap().is_empty());
    }

    #[test]
    fn of_many_who_create_one_succeeds() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("file");
        let made = thread::scope(|scope| {
            let tries: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| create(&path, b"x").unwrap()))
                .collect();
            let made = tries.into_iter().map(|thread| thread.join().unwrap());
            made.filter(|made| *made == Created::New).count()
        });
        assert_eq!(made, 1);
        assert_eq!(names(scratch.path()).unwrap(), ["file"]);
    }

    #[test]
    fn a_sweep_takes_the_drafts_of_the_dead_only() {
        let scratch = tempfile::tempdir().unwrap();
        let dead = scratch.path().join(format!("{DRAFT}dead"));
        fs::write(&dead, "").unwrap();
        fs::set_permissions(&dead, fs::Permissions::from_mode(0o600)).unwrap();
        let alive = Draft::beside(&scratch.path().join("file"), b"x").unwrap();
        sweep(scratch.path()).unwrap();
        assert!(!dead.exists());
        assert!(alive.path.exists());
    }

    #[test]
    fn a_sweep_never_takes_a_draft_that_its_maker_has() {
        let scratch = tempfile::tempdir().unwrap();
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            let sweepers: Vec<_> = (0..3)
                .map(|_| {
                    scope.spawn(|| {
                        while !is_over.load(Ordering::Relaxed) {
                            sweep(scratch.path()).unwrap();
                        }
                    })
                })
                .collect();
            let made: Vec<_> = (0..400)
                .map(|number| create_for_now(&scratch.path().join(number.to_string()), b"x"))
                .collect();
            is_over.store(true, Ordering::Relaxed);
            for sweeper in sweepers {
                sweeper.join().unwrap();
            }
            for made in made {
                assert_eq!(made.unwrap(), Created::New);
            }
        });
    }

    #[test]
    fn a_change_is_another_version() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("file");
        write(&path, b"one").unwrap();
        let before = version(&path).unwrap();
        assert_eq!(before, version(&path).unwrap());
        write(&path, b"two").unwrap();
        assert_ne!(before, version(&path).unwrap());
    }
}
