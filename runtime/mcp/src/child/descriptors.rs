//! Open files that are ours, and those that whoever started us forgot to close.

use std::io;
use std::os::fd::{BorrowedFd, RawFd};

use rustix::fs::{CWD, Dir, Mode, OFlags, openat};
use rustix::io::{FdFlags, fcntl_setfd};

#[cfg(target_os = "linux")]
const OPEN_FILES: &str = "/proc/self/fd";
#[cfg(not(target_os = "linux"))]
const OPEN_FILES: &str = "/dev/fd";

/// Marks every open file but the standard three to be closed in the programs we start.
///
/// What Rust opens is marked already. This is for what we were started with: a server must not inherit it from us.
pub(super) fn keep_from_children() -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = openat(CWD, OPEN_FILES, flags, Mode::empty())?;
    for entry in Dir::read_from(&folder)? {
        let name = entry?;
        let number = name
            .file_name()
            .to_str()
            .ok()
            .and_then(|name| name.parse().ok());
        if let Some(number) = number.filter(|number| *number > 2) {
            mark(number);
        }
    }
    Ok(())
}

#[expect(
    unsafe_code,
    reason = "no safe interface takes a descriptor by its number"
)]
fn mark(number: RawFd) {
    // SAFETY: the number was read a moment ago from the list of our own open files, and is borrowed for one call only.
    // Were it closed in between, the call would fail with EBADF; were it opened anew, it would be marked already.
    let file = unsafe { BorrowedFd::borrow_raw(number) };
    let _ = fcntl_setfd(file, FdFlags::CLOEXEC);
}
