//! The lines of a file, one at a time, however long they are.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::path::PathBuf;

use super::super::tail::LONGEST_LINE;
use crate::failure::StoreError;

/// Goes through a file from its start.
pub(super) struct Lines {
    path: PathBuf,
    state: State,
}

enum State {
    Reading(BufReader<File>),
    Failed(StoreError),
    Ended,
}

/// A line.
pub(super) struct Line {
    /// Without its newline; nothing for a line too long to be an event.
    pub(super) text: Option<Vec<u8>>,
    /// Whether it had a newline.
    pub(super) ended: bool,
}

impl Lines {
    pub(super) fn new(path: PathBuf, file: Result<File, StoreError>) -> Self {
        let state = match file {
            Ok(file) => State::Reading(BufReader::with_capacity(PIECE, file)),
            Err(error) => State::Failed(error),
        };
        Self { path, state }
    }
}

impl Iterator for Lines {
    type Item = Result<Line, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        match std::mem::replace(&mut self.state, State::Ended) {
            State::Reading(mut reader) => match next_line(&mut reader) {
                Ok(line) => {
                    let line = line?;
                    self.state = State::Reading(reader);
                    Some(Ok(line))
                }
                Err(error) => Some(Err(StoreError::new("read", &self.path, error))),
            },
            State::Failed(error) => Some(Err(error)),
            State::Ended => None,
        }
    }
}

fn next_line(reader: &mut BufReader<File>) -> io::Result<Option<Line>> {
    let mut text = Vec::new();
    let mut length = 0_u64;
    loop {
        let piece = reader.fill_buf()?;
        if piece.is_empty() {
            let line = Line {
                text: keep(text, length),
                ended: false,
            };
            return Ok((length > 0).then_some(line));
        }
        let newline = memchr(piece);
        let part = piece
            .get(..newline.unwrap_or(piece.len()))
            .unwrap_or_default();
        let used = part.len() + usize::from(newline.is_some());
        length += part.len() as u64;
        if length <= LONGEST_LINE {
            text.extend_from_slice(part);
        } else {
            text = Vec::new();
        }
        reader.consume(used);
        if newline.is_some() {
            return Ok(Some(Line {
                text: keep(text, length),
                ended: true,
            }));
        }
    }
}

fn keep(text: Vec<u8>, length: u64) -> Option<Vec<u8>> {
    (length <= LONGEST_LINE).then_some(text)
}

fn memchr(piece: &[u8]) -> Option<usize> {
    piece.iter().position(|byte| *byte == b'\n')
}

const PIECE: usize = 64 << 10;
