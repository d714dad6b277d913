//! What went wrong with a file of the home, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Something that could not be done with a file or folder. On the way to a decision it is a denial.
#[derive(Debug, Error)]
#[error("cannot {doing} `{}`", path.display())]
pub struct StoreError {
    /// What was being done, as a verb with its object before the path: `read`, `append to`.
    pub doing: &'static str,
    /// To which path.
    pub path: PathBuf,
    /// Why it failed.
    #[source]
    pub source: Cause,
}

/// Why something could not be done.
#[derive(Debug, Error)]
pub enum Cause {
    /// The system said so.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A symbolic link stands where a file of ours should.
    #[error("it is a symbolic link")]
    Link,
    /// Something else stands where a folder should.
    #[error("it is not a folder")]
    NotAFolder,
    /// A folder, pipe, socket or device stands where a file should.
    #[error("it is not a plain file")]
    NotAFile,
    /// The file is somebody else's.
    #[error("it belongs to user {owner}, and this process runs as {user}")]
    Owner {
        /// Whose it is.
        owner: u32,
        /// Who we are.
        user: u32,
    },
    /// Others may read or write it.
    #[error("others may use it: its mode is {found:04o}")]
    Mode {
        /// The permission bits found.
        found: u32,
        /// The loosest that are accepted.
        wanted: u32,
    },
    /// The file has a second name, by which others may reach it.
    #[error("it has {0} names (hard links)")]
    Names(u64),
    /// The file is longer than anything that is written there.
    #[error("it is longer than {0} bytes")]
    TooLong(u64),
    /// The file is not what is kept there.
    #[error("its content is not understood")]
    Content,
    /// Another process has kept the lock for longer than any work under it takes.
    #[error("another process has held the lock for {0} s")]
    Held(u64),
    /// Others change the files as fast as they are looked at.
    #[error("it keeps changing while it is looked at")]
    Unsettled,
    /// The path cannot be the home.
    #[error("the home must be an absolute path without control characters")]
    NotAHome,
    /// Neither `KNOTRUST_HOME` nor `HOME` names a place.
    #[error("neither KNOTRUST_HOME nor HOME is set")]
    NoHome,
}

impl StoreError {
    /// A failure of `doing` something to `path`.
    #[must_use]
    pub fn new(doing: &'static str, path: &Path, source: impl Into<Cause>) -> Self {
        Self {
            doing,
            path: path.to_owned(),
            source: source.into(),
        }
    }

    /// What a person can do about it, where that is known.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        let path = self.path.display();
        match &self.source {
            Cause::Mode { wanted, .. } => Some(format!("run `chmod {wanted:o} '{path}'`")),
            Cause::Owner { user, .. } => Some(format!(
                "run `chown {user} '{path}'`, or set KNOTRUST_HOME to a folder of your own"
            )),
            Cause::Link | Cause::NotAFile | Cause::NotAFolder => {
                Some("move it away; knotrust makes what it needs itself".to_owned())
            }
            Cause::Names(_) => Some(format!(
                "run `find / -samefile '{path}'` and remove the other names"
            )),
            Cause::NotAHome | Cause::NoHome => {
                Some("set KNOTRUST_HOME to an absolute path".to_owned())
            }
            Cause::Io(error) => help_of(error.kind()).map(str::to_owned),
            Cause::TooLong(_) | Cause::Content | Cause::Held(_) | Cause::Unsettled => None,
        }
    }
}

fn help_of(kind: io::ErrorKind) -> Option<&'static str> {
    // There are many kinds, and more to come; the rest speak for themselves.
    if kind == io::ErrorKind::StorageFull || kind == io::ErrorKind::QuotaExceeded {
        Some("make room on that file system; knotrust goes on by itself")
    } else if kind == io::ErrorKind::ReadOnlyFilesystem {
        Some("set KNOTRUST_HOME to a folder that can be written")
    } else if kind == io::ErrorKind::FileTooLarge {
        Some("raise the limit on file sizes (`ulimit -f`)")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use super::*;

    #[track_caller]
    fn check(source: impl Into<Cause>, expected: &str) {
        let error = StoreError::new("append to", Path::new("/h/x"), source);
        let cause = error.source().map(ToString::to_string).unwrap_or_default();
        let help = error.help().unwrap_or_default();
        assert_eq!(format!("{error}: {cause}; {help}"), expected);
    }

    #[test]
    fn a_message_says_what_where_why_and_what_next() {
        check(
            Cause::Mode {
                found: 0o755,
                wanted: 0o700,
            },
            "cannot append to `/h/x`: others may use it: its mode is 0755; run `chmod 700 '/h/x'`",
        );
        check(
            Cause::Content,
            "cannot append to `/h/x`: its content is not understood; ",
        );
        check(
            io::Error::from(io::ErrorKind::StorageFull),
            "cannot append to `/h/x`: no storage space; \
             make room on that file system; knotrust goes on by itself",
        );
    }
}
