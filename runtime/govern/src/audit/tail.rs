//! The end of a log file: its last event, and what stands behind it that is none.
//!
//! Read backwards in pieces, so that neither a long log nor a long piece of rubbish at its end costs memory.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use knotrust_core::audit::chain::Head;
use knotrust_core::audit::record::Record;

/// How a file ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Tail {
    /// The last event, if there is one.
    pub(super) head: Option<Head>,
    /// Where its line ends. What follows is no line.
    pub(super) end: u64,
    /// Whether what follows is an event whole but for its newline.
    pub(super) unfinished: Option<Head>,
}

impl Tail {
    /// Reads the end of a file of that length.
    pub(super) fn read(file: &File, length: u64) -> io::Result<Self> {
        let mut end = after_newline(file, length)?;
        let unfinished = (end, length);
        let head = loop {
            if end == 0 {
                break None;
            }
            let start = after_newline(file, end - 1)?;
            if let Some(head) = head_at(file, start, end - 1)? {
                break Some(head);
            }
            end = start;
        };
        let (start, stop) = unfinished;
        let follows = start == end && start < stop;
        let unfinished = if follows {
            unfinished_at(file, start, stop, head)?
        } else {
            None
        };
        Ok(Self {
            head,
            end,
            unfinished,
        })
    }
}

/// The event that the line ending at `end` holds, newline included; none if no line ends there.
pub(super) fn head_ending_at(file: &File, end: u64) -> io::Result<Option<Head>> {
    if end == 0 || after_newline(file, end)? != end {
        return Ok(None);
    }
    head_at(file, after_newline(file, end - 1)?, end - 1)
}

/// The line that ends at `end`, without its newline, and where it starts; nothing for lines too long to be read.
pub(super) fn line_before(file: &File, end: u64) -> io::Result<(u64, Option<Vec<u8>>)> {
    let start = after_newline(file, end.saturating_sub(1))?;
    Ok((start, read_line(file, start, end.saturating_sub(1))?))
}

/// The line that starts at `start`, without its newline; nothing if it has none, or is too long to be read.
pub(super) fn line_from(file: &File, start: u64) -> io::Result<Option<Vec<u8>>> {
    let length = file
        .metadata()?
        .len()
        .saturating_sub(start)
        .min(LONGEST_LINE + 1);
    let line = read_line(file, start, start + length.min(LONGEST_LINE))?;
    let end = line
        .as_ref()
        .and_then(|line| line.iter().position(|byte| *byte == b'\n'));
    Ok(line.zip(end).map(|(mut line, end)| {
        line.truncate(end);
        line
    }))
}

fn head_at(file: &File, start: u64, end: u64) -> io::Result<Option<Head>> {
    let Some(line) = read_line(file, start, end)? else {
        return Ok(None);
    };
    Ok(Record::parse(&line).map(|record| record.head()))
}

// Only what continues the chain is an event that lost its newline, and not some text that looks like one.
fn unfinished_at(
    file: &File,
    start: u64,
    end: u64,
    head: Option<Head>,
) -> io::Result<Option<Head>> {
    let before = head.unwrap_or(Head::GENESIS);
    let Some(line) = read_line(file, start, end)? else {
        return Ok(None);
    };
    let Some(record) = Record::parse(&line) else {
        return Ok(None);
    };
    let found = record.head();
    let follows = head.is_none() || found.seq == before.seq.saturating_add(1);
    let linked = head.is_none() || record.previous() == before.hash;
    let genuine = follows && linked && record.computed_hash() == Some(found.hash);
    Ok(genuine.then_some(found))
}

fn read_line(file: &File, start: u64, end: u64) -> io::Result<Option<Vec<u8>>> {
    let length = end.saturating_sub(start);
    if length > LONGEST_LINE {
        return Ok(None);
    }
    let mut line = vec![0; usize::try_from(length).unwrap_or(0)];
    file.read_exact_at(&mut line, start)?;
    Ok(Some(line))
}

// The position after the last newline before `end`, or the start of the file.
fn after_newline(file: &File, end: u64) -> io::Result<u64> {
    let mut piece = [0; PIECE];
    let mut stop = end;
    while stop > 0 {
        let start = stop.saturating_sub(PIECE as u64);
        let length = usize::try_from(stop - start).unwrap_or(PIECE);
        let read = piece.get_mut(..length).unwrap_or_default();
        file.read_exact_at(read, start)?;
        if let Some(at) = read.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + at as u64 + 1);
        }
        stop = start;
    }
    Ok(0)
}

/// The longest line that is read. No event of ours comes near; the reference has no limit but writes shorter ones.
pub(super) const LONGEST_LINE: u64 = 16 << 20;

const PIECE: usize = 8 << 10;
