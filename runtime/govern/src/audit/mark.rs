//! The end of the chain, remembered outside the log.
//!
//! A chain that ends too early is whole, so a cut, a deletion or an old copy put back shows only to who knows how far it
//! went: a running process knows by itself, the next one from the checkpoint file, which stands outside the folder of the
//! log and is brought up to date after each flush.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use knotrust_core::audit::chain::{Hash, Head};
use knotrust_core::json::{self, Value};
use knotrust_core::time::Timestamp;

use super::month::Month;
use crate::failure::{Cause, StoreError};
use crate::{files, lock};

/// An end of the chain, and where it was.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Mark {
    pub(crate) head: Head,
    pub(crate) month: Month,
    /// Where its line ends in the file of that month.
    pub(crate) end: u64,
}

/// Reads the checkpoint; none if there is none that can be understood.
pub(crate) fn read(path: &Path) -> Result<Option<Mark>, StoreError> {
    let failed = |cause| StoreError::new("read", path, cause);
    match files::open(path, OpenOptions::new().read(true)) {
        Ok(file) => {
            lock::wait(&file).map_err(failed)?;
            read_from(&file).map_err(failed)
        }
        Err(Cause::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(failed(cause)),
    }
}

/// Moves the checkpoint forward; a later one that another process has set stays.
pub(super) fn advance(path: &Path, mark: &Mark) -> Result<(), StoreError> {
    let failed = |cause| StoreError::new("write", path, cause);
    let mut how = OpenOptions::new();
    // Written in place: it is one line in one block, and a rename each time would cost more than the log itself.
    let how = how.read(true).write(true).create(true).truncate(false);
    let file = files::open(path, how).map_err(failed)?;
    lock::wait(&file).map_err(failed)?;
    if read_from(&file)
        .map_err(failed)?
        .is_some_and(|known| known.head.seq >= mark.head.seq)
    {
        return Ok(());
    }
    file.write_all_at(spelled(mark).as_bytes(), 0)
        .map_err(|error| failed(error.into()))
}

fn read_from(file: &File) -> Result<Option<Mark>, Cause> {
    let mut line = [0; LENGTH];
    let read = file.read_at(&mut line, 0)?;
    Ok(line.get(..read).and_then(parse))
}

fn spelled(mark: &Mark) -> String {
    let Mark {
        head: Head { seq, hash, at },
        month,
        end,
    } = mark;
    let line =
        format!(r#"{{"end":{end},"file":"{month}","hash":"{hash}","seq":{seq},"ts":"{at}"}}"#);
    // Always of one length, so that a shorter one leaves nothing of a longer one behind.
    format!("{line:<width$}\n", width = LENGTH - 1)
}

fn parse(line: &[u8]) -> Option<Mark> {
    let value = json::parse(line).ok()?;
    let text = |name| value.get(name).and_then(Value::as_str);
    let number = |name| value.get(name).and_then(Value::as_number)?.as_u64();
    Some(Mark {
        head: Head {
            seq: number("seq")?,
            hash: text("hash").and_then(Hash::from_hex)?,
            at: text("ts").and_then(Timestamp::parse)?,
        },
        month: text("file").and_then(Month::of_file)?,
        end: number("end")?,
    })
}

const LENGTH: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_only_moves_forward() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("checkpoint");
        assert_eq!(read(&path).unwrap(), None);
        let at = Timestamp::from_millis(1);
        let mark = |seq| Mark {
            head: Head {
                seq,
                hash: Hash::of("x", ""),
                at,
            },
            month: Month::of(at),
            end: 7,
        };
        for (written, kept) in [(10, 10), (9, 10), (1234, 1234), (11, 1234)] {
            advance(&path, &mark(written)).unwrap();
            assert_eq!(read(&path).unwrap(), Some(mark(kept)));
        }
        files::write(&path, b"rubbish").unwrap();
        assert_eq!(read(&path).unwrap(), None);
        advance(&path, &mark(5)).unwrap();
        assert_eq!(read(&path).unwrap(), Some(mark(5)));
    }
}
