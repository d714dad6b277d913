//! What a crash, a full disk or a foreign hand has left behind the last event: put aside, never glued to.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use knotrust_core::time::Timestamp;

use crate::failure::{Cause, StoreError};
use crate::files;

/// Moves the bytes of a log file from `start` to `end`, its end, to the file of the same name with `.torn` behind it.
///
/// They are on the disk there before they are cut off here, so a crash between doubles them and loses nothing.
pub(super) fn put_aside(
    file: &File,
    path: &Path,
    start: u64,
    end: u64,
    now: Timestamp,
) -> Result<(), StoreError> {
    copy(file, path, start, end, now)?;
    let cut = file.set_len(start).and_then(|()| file.sync_all());
    cut.map_err(|error| StoreError::new("repair", path, error))
}

/// Copies such bytes, and leaves them where they are.
pub(super) fn copy(
    file: &File,
    path: &Path,
    start: u64,
    end: u64,
    now: Timestamp,
) -> Result<(), StoreError> {
    let torn = path.with_extension("jsonl.torn");
    let failed = |cause: Cause| StoreError::new("keep the torn end of the log in", &torn, cause);
    let mut how = OpenOptions::new();
    let out = files::open(&torn, how.append(true).create(true)).map_err(failed)?;
    let before = out.metadata().map_err(|error| failed(error.into()))?.len();
    let header = format!(
        "# {now}: {} bytes from byte {start}\n",
        end.saturating_sub(start)
    );
    let written = files::allow_length(before + end.saturating_sub(start) + LINES)
        .and_then(|()| transfer(file, &out, start, end, &header));
    written.map_err(|error| {
        // A copy that was cut short would be taken for the whole, and a full disk would gather many.
        drop(out.set_len(before));
        failed(error.into())
    })
}

fn transfer(from: &File, mut to: &File, start: u64, end: u64, header: &str) -> io::Result<()> {
    to.write_all(header.as_bytes())?;
    let mut piece = [0; 8 << 10];
    let mut at = start;
    while at < end {
        let read = from.read_at(&mut piece, at)?;
        if read == 0 {
            break;
        }
        to.write_all(piece.get(..read).unwrap_or_default())?;
        at += read as u64;
    }
    to.write_all(b"\n")?;
    to.sync_all()
}

// Room for the header and the newline.
const LINES: u64 = 128;
