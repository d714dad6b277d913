//! Whether the log is whole.

use knotrust_core::audit::verify::{Break, BreakKind, Flaw, Verifier};

use super::super::mark::{self, Mark};
use super::super::month::Month;
use super::super::{attach, tail};
use super::Reader;
use super::lines::Line;
use crate::failure::StoreError;
use crate::lock;

/// What verification has found.
#[derive(Clone, Debug, Eq, PartialEq)]
#[must_use]
pub struct Verification {
    /// How many events were read before the end, or before the first break.
    pub events: u64,
    /// The first break, if there is one.
    pub broken: Option<Break>,
}

pub(super) fn verify(reader: &Reader) -> Result<Verification, StoreError> {
    // Read first: the log only grows meanwhile.
    let known = mark::read(&reader.checkpoint)?;
    let mut verifier = Verifier::default();
    let mut last = (String::new(), 0);
    for month in attach::months(&reader.folder)? {
        let name = month.to_string();
        let broken = |line, flaw: Flaw| Break {
            file: name.clone(),
            line,
            seq: flaw.seq,
            kind: flaw.kind,
        };
        last = (name.clone(), 0);
        let mut start = 0;
        for (line, number) in reader.lines(month).zip(1..) {
            let line = line?;
            let whole = complete(reader, month, start, line)?;
            start += whole.text.as_ref().map_or(0, Vec::len) as u64 + 1;
            if let Err(flaw) = take(&mut verifier, &whole, known.as_ref()) {
                let broken = Some(broken(number, flaw));
                return Ok(Verification {
                    events: verifier.head().seq,
                    broken,
                });
            }
            last.1 = number;
        }
    }
    let head = verifier.head();
    let lost = known.filter(|known| known.head.seq > head.seq);
    let (file, line) = last;
    let broken = lost.map(|_| Break {
        file,
        line: line + 1,
        seq: head.seq + 1,
        kind: BreakKind::LostTail,
    });
    Ok(Verification {
        events: head.seq,
        broken,
    })
}

fn take(verifier: &mut Verifier, line: &Line, known: Option<&Mark>) -> Result<(), Flaw> {
    let torn = verifier.torn();
    let text = line.text.as_ref().filter(|_| line.ended).ok_or(torn)?;
    verifier.line(text)?;
    let head = verifier.head();
    match known {
        Some(known) if known.head.seq == head.seq && known.head.hash != head.hash => Err(Flaw {
            kind: BreakKind::Rewritten,
            seq: head.seq,
        }),
        Some(_) | None => Ok(()),
    }
}

// A line without its end may be one that is being written. Whoever writes holds the lock, so once that is free the line is
// whole or will never be.
fn complete(reader: &Reader, month: Month, start: u64, line: Line) -> Result<Line, StoreError> {
    if line.ended {
        return Ok(line);
    }
    let file = reader.open(month)?;
    let failed = |error| StoreError::new("read", &reader.path(month), error);
    lock::wait(&file).map_err(|cause| StoreError::new("lock", &reader.path(month), cause))?;
    let whole = tail::line_from(&file, start).map_err(failed)?;
    Ok(whole.map_or(line, |text| Line {
        text: Some(text),
        ended: true,
    }))
}
