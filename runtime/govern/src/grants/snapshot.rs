//! The index as a file, so that a process that starts need not read every grant.
//!
//! ```text
//! knotrust grants 1 <inode> <length of the changes> <folder: inode seconds nanoseconds>
//! <key> <name>
//! ```

use std::path::Path;

use super::changes::{Moment, Position};
use super::index::Index;
use crate::failure::StoreError;
use crate::files;

/// The index as it was written last, how far it knows the changes, and the folder it was made from; `None` where there
/// is none that can be understood.
pub(super) fn read(folder: &Path) -> Option<(Index, Position, Moment)> {
    let bytes = files::read_if_there(&folder.join(NAME), MAX_LENGTH).ok()??;
    let text = str::from_utf8(&bytes).ok()?;
    let (head, rest) = text.split_once('\n')?;
    let mut words = head.strip_prefix(HEAD)?.split(' ');
    let end = Position {
        inode: words.next()?.parse().ok()?,
        length: words.next()?.parse().ok()?,
    };
    let moment = Moment::read(&mut words)?;
    let entry = |line: &str| {
        let (key, name) = line.split_once(' ')?;
        Some((u64::from_str_radix(key, 16).ok()?, name.into()))
    };
    let entries = rest.lines().map(entry).collect::<Option<_>>()?;
    Some((Index::new(entries), end, moment))
}

/// Writes the index down.
pub(super) fn write(
    folder: &Path,
    index: &Index,
    end: Position,
    moment: Moment,
) -> Result<(), StoreError> {
    let mut text = format!("{HEAD}{} {} {}\n", end.inode, end.length, moment.to_words());
    for (key, name) in index.entries() {
        text.push_str(&format!("{key:016x} {name}\n"));
    }
    files::write(&folder.join(NAME), text.as_bytes())
}

const NAME: &str = "snapshot";
const HEAD: &str = "knotrust grants 1 ";

/// Room for some ten million grants.
const MAX_LENGTH: u64 = 1 << 30;
