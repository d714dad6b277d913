//! What is appended while someone looks on.

use std::os::unix::fs::FileExt as _;

use knotrust_core::audit::filter::Filter;

use super::super::attach;
use super::super::month::Month;
use super::super::tail::LONGEST_LINE;
use super::{Entry, Reader};
use crate::failure::StoreError;

/// A place in the log that moves with it.
#[derive(Debug)]
pub struct Follower {
    reader: Reader,
    filter: Filter,
    /// The file, and how much of it was read; none as long as there is no file.
    place: Option<(Month, u64)>,
}

impl Follower {
    pub(super) fn new(reader: Reader, filter: Filter) -> Result<Self, StoreError> {
        let mut follower = Self {
            reader,
            filter,
            place: None,
        };
        if let Some(month) = attach::months(&follower.reader.folder)?.last() {
            follower.place = Some((*month, follower.length(*month)?));
        }
        Ok(follower)
    }

    /// The wanted events that were appended since the last call. Call again after a while; this never waits.
    ///
    /// # Errors
    ///
    /// A file cannot be read.
    pub fn poll(&mut self) -> Result<Vec<Entry>, StoreError> {
        let mut entries = Vec::new();
        for month in attach::months(&self.reader.folder)? {
            let from = match self.place {
                Some((current, _)) if month < current => continue,
                Some((current, read)) if month == current => read,
                Some(_) | None => 0,
            };
            let read = self.read(month, from, &mut entries)?;
            self.place = Some((month, read));
        }
        Ok(entries)
    }

    // Whole lines only; half a line is read when it has become one.
    fn read(&self, month: Month, from: u64, entries: &mut Vec<Entry>) -> Result<u64, StoreError> {
        let length = self.length(month)?;
        // Cut or replaced: what is there now was there before, or is for `verify` to judge.
        let mut at = from.min(length);
        let file = self.reader.open(month)?;
        let failed = |error| StoreError::new("read", &self.reader.path(month), error);
        let mut pending = Vec::new();
        let mut start = at;
        let mut piece = vec![0; PIECE];
        while at < length {
            let read = file.read_at(&mut piece, at).map_err(failed)?;
            if read == 0 {
                break;
            }
            at += read as u64;
            for part in piece
                .get(..read)
                .unwrap_or_default()
                .split_inclusive(|b| *b == b'\n')
            {
                pending.extend_from_slice(part);
                if pending.ends_with(b"\n") {
                    start += pending.len() as u64;
                    pending.pop();
                    entries.extend(Entry::wanted(std::mem::take(&mut pending), &self.filter));
                } else if pending.len() as u64 > LONGEST_LINE {
                    start += pending.len() as u64;
                    pending.clear();
                }
            }
        }
        Ok(start)
    }

    fn length(&self, month: Month) -> Result<u64, StoreError> {
        let metadata = self.reader.open(month)?.metadata();
        let length = metadata.map(|metadata| metadata.len());
        length.map_err(|error| StoreError::new("read", &self.reader.path(month), error))
    }
}

const PIECE: usize = 64 << 10;
