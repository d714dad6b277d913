//! Lines from a pipe, several at a time where several are there.

use std::io::{self, Read};

use memchr::{memchr, memrchr};

/// The most that one pipe holds by default; reading more at once gains nothing.
pub const BLOCK: usize = 64 * 1024;

/// Reads lines, up to a limit a line.
///
/// Only the line feed ends a line: a carriage return, or what Unicode takes for an end of line, is part of the message.
#[derive(Debug)]
pub struct Lines<R> {
    source: R,
    limit: usize,
    buffer: Vec<u8>,
    filled: usize,
    /// How much at the front has been handed out and is over with the next call.
    spent: usize,
    /// How much at the front is known to hold no line feed.
    searched: usize,
    is_skipping: bool,
}

/// What [`Lines::wait`] found.
#[derive(Debug, Eq, PartialEq)]
pub enum Batch<'b> {
    /// One line or more, each with its line feed.
    Lines(&'b [u8]),
    /// A line over the limit: its first bytes. The rest is skipped.
    TooLong(&'b [u8]),
    /// The end. What came after the last line feed is no message.
    End {
        /// How many bytes that was.
        left_over: usize,
    },
}

impl<R: Read> Lines<R> {
    /// Lines of this source, with at most so many bytes each, line feed not counted.
    pub fn new(source: R, limit: usize) -> Self {
        Self {
            source,
            limit,
            buffer: vec![0; BLOCK],
            filled: 0,
            spent: 0,
            searched: 0,
            is_skipping: false,
        }
    }

    /// Waits for at least one whole line.
    ///
    /// # Errors
    ///
    /// Those of the source.
    pub fn wait(&mut self) -> io::Result<Batch<'_>> {
        self.drop_spent();
        loop {
            if self.is_skipping {
                self.skip();
            }
            let fresh = self
                .buffer
                .get(self.searched..self.filled)
                .unwrap_or_default();
            if let Some(first) = memchr(b'\n', fresh) {
                let first = self.searched + first;
                let last = memrchr(b'\n', fresh).map_or(first, |last| self.searched + last);
                return Ok(self.hand_out(first, last));
            }
            self.searched = self.filled;
            if self.filled > self.limit {
                self.is_skipping = true;
                self.spent = self.filled;
                return Ok(Batch::TooLong(self.head()));
            }
            if self.read()? == 0 {
                return Ok(Batch::End {
                    left_over: self.filled,
                });
            }
        }
    }

    fn hand_out(&mut self, first: usize, last: usize) -> Batch<'_> {
        if first > self.limit {
            self.spent = first + 1;
            return Batch::TooLong(self.head());
        }
        self.spent = if last > self.limit {
            self.last_within(last + 1)
        } else {
            last + 1
        };
        Batch::Lines(self.buffer.get(..self.spent).unwrap_or_default())
    }

    /// The end of the last line before the first that is over the limit.
    fn last_within(&self, end: usize) -> usize {
        let lines = self.buffer.get(..end).unwrap_or_default();
        let lines = lines.split_inclusive(|byte| *byte == b'\n');
        lines
            .map(<[u8]>::len)
            .take_while(|length| *length <= self.limit + 1)
            .sum()
    }

    fn head(&self) -> &[u8] {
        self.buffer.get(..BLOCK.min(self.limit)).unwrap_or_default()
    }

    fn drop_spent(&mut self) {
        let spent = std::mem::take(&mut self.spent);
        self.buffer.copy_within(spent..self.filled, 0);
        self.filled -= spent;
        self.searched = 0;
        if self.filled < BLOCK && self.buffer.len() > BLOCK {
            self.buffer.truncate(BLOCK);
            self.buffer.shrink_to_fit();
        }
    }

    fn skip(&mut self) {
        let skipped = self.buffer.get(..self.filled).unwrap_or_default();
        match memchr(b'\n', skipped) {
            Some(end) => {
                self.is_skipping = false;
                self.spent = end + 1;
                self.drop_spent();
            }
            None => self.filled = 0,
        }
        self.searched = 0;
    }

    fn read(&mut self) -> io::Result<usize> {
        if self.filled == self.buffer.len() {
            // At most one block over the limit, which is as much as it takes to know that the limit is passed.
            let larger = (self.buffer.len() * 2)
                .min(self.limit + BLOCK)
                .max(self.filled + BLOCK);
            self.buffer.reserve_exact(larger - self.filled);
            self.buffer.resize(larger, 0);
        }
        let free = self.buffer.get_mut(self.filled..).unwrap_or_default();
        loop {
            match self.source.read(free) {
                Ok(read) => {
                    self.filled += read;
                    return Ok(read);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Hands out the text in pieces of these sizes, over and over.
    struct Pieces<'t>(&'t [u8], std::iter::Cycle<std::vec::IntoIter<usize>>);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let size = self.1.next().unwrap().min(buffer.len()).min(self.0.len());
            let (piece, rest) = self.0.split_at(size);
            buffer[..size].copy_from_slice(piece);
            self.0 = rest;
            Ok(size)
        }
    }

    fn read_all(text: &[u8], sizes: Vec<usize>, limit: usize) -> (Vec<u8>, usize, usize) {
        let mut lines = Lines::new(Pieces(text, sizes.into_iter().cycle()), limit);
        let (mut all, mut too_long) = (Vec::new(), 0);
        loop {
            match lines.wait().unwrap() {
                Batch::Lines(batch) => {
                    assert!(batch.ends_with(b"\n"));
                    all.extend_from_slice(batch);
                }
                Batch::TooLong(head) => {
                    assert!(
                        head.len() <= BLOCK && text.windows(head.len()).any(|part| part == head)
                    );
                    too_long += 1;
                }
                Batch::End { left_over } => return (all, too_long, left_over),
            }
        }
    }

    #[test]
    fn only_the_line_feed_ends_a_line() {
        let text = "a\u{2028}b\u{85}c\r\n\rd\n".as_bytes();
        assert_eq!(read_all(text, vec![1], 100), (text.to_vec(), 0, 0));
    }

    #[test]
    fn what_lacks_its_line_feed_is_left_over() {
        assert_eq!(
            read_all(b"{}\n{\"a\"", vec![3], 100),
            (b"{}\n".to_vec(), 0, 4)
        );
    }

    #[test]
    fn a_line_over_the_limit_is_told_once_and_skipped() {
        for size in [1, 2, 7, 100_000] {
            assert_eq!(
                read_all(b"12345\n123456\n1\n", vec![size], 5),
                (b"12345\n1\n".to_vec(), 1, 0)
            );
            let endless = [b"x".repeat(1_000_000), b"\nok\n".to_vec()].concat();
            assert_eq!(read_all(&endless, vec![size], 5), (b"ok\n".to_vec(), 1, 0));
        }
    }

    #[test]
    fn memory_is_bounded_and_given_back() {
        let long = [b"x".repeat(3_000_000), b"\nok\n".to_vec()].concat();
        let mut lines = Lines::new(&long[..], 1_000_000);
        assert!(matches!(lines.wait().unwrap(), Batch::TooLong(_)));
        assert!(lines.buffer.capacity() <= 1_000_000 + 2 * BLOCK);
        assert_eq!(lines.wait().unwrap(), Batch::Lines(b"ok\n"));
        assert_eq!(lines.buffer.capacity(), BLOCK);
    }

    proptest! {
        #[test]
        fn whole_lines_come_out_as_they_went_in(
            lines in proptest::collection::vec("[a-z]{0,9}", 0..20),
            sizes in proptest::collection::vec(1usize..20, 1..5),
        ) {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            prop_assert_eq!(read_all(text.as_bytes(), sizes, 9), (text.as_bytes().to_vec(), 0, 0));
        }
    }
}
