//! The index as a file, so that a process that starts need not read every grant.
//!
//! ```text
//! knotrust grants 2 <width of names> <changes: inode length> <folder: inode seconds nanoseconds>
//! …records of `table`…
//! ```

use std::path::Path;

use super::changes::{Moment, Position};
use super::table::Table;
use crate::failure::StoreError;
use crate::files;

/// The names as they were written down last, how far the changes were known then, and the folder that they were read
/// from; `None` where there is nothing that can be understood.
pub(super) fn read(folder: &Path) -> Option<(Table, Position, Moment)> {
    let mut bytes = files::read_if_there(&folder.join(NAME), MAX_LENGTH).ok()??;
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let head = str::from_utf8(bytes.get(..end)?).ok()?.to_owned();
    let mut words = head.strip_prefix(HEAD)?.split(' ');
    let width = words.next()?.parse().ok()?;
    let position = Position {
        inode: words.next()?.parse().ok()?,
        length: words.next()?.parse().ok()?,
    };
    let moment = Moment::read(&mut words)?;
    bytes.drain(..=end);
    Some((Table::read(bytes, width)?, position, moment))
}

/// Writes names down.
pub(super) fn write(
    folder: &Path,
    table: &Table,
    position: Position,
    moment: Moment,
) -> Result<(), StoreError> {
    let Position { inode, length } = position;
    let width = table.width();
    let head = format!("{HEAD}{width} {inode} {length} {}\n", moment.to_words());
    files::write(
        &folder.join(NAME),
        &[head.as_bytes(), table.bytes()].concat(),
    )
}

const NAME: &str = "snapshot";
const HEAD: &str = "knotrust grants 2 ";

/// Room for some twenty million grants.
const MAX_LENGTH: u64 = 1 << 30;
