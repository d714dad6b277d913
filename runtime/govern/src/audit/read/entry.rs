//! One event, as it stands in the log.

use knotrust_core::audit::filter::Filter;
use knotrust_core::audit::record::Record;

/// An event that was read: its line, exactly, which is known to be one.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Entry(String);

impl Entry {
    pub(super) fn wanted(line: Vec<u8>, filter: &Filter) -> Option<Self> {
        let wanted = Record::parse(&line).is_some_and(|record| filter.wants(&record));
        if wanted {
            String::from_utf8(line).ok().map(Self)
        } else {
            None
        }
    }

    /// The line without its newline.
    #[must_use]
    pub fn line(&self) -> &str {
        &self.0
    }

    /// Its members. There always are some; an `Option` only because lines are read anew each time.
    #[must_use]
    pub fn record(&self) -> Option<Record<'_>> {
        Record::parse(self.0.as_bytes())
    }
}
