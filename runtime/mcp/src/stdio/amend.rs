//! What is added to a result before it is passed on.

use crate::enforce::META_KEY;
use crate::wire::splice::{Edits, at, is_object, member};

/// What is added to a result, or taken from it.
#[derive(Debug, Default)]
pub(super) struct Amend {
    /// What was decided on the call, as JSON, for the result's `_meta`.
    pub(super) note: Option<Box<str>>,
    /// What differs between the revisions of client and server.
    pub(super) bridge: Bridge,
}

/// What becomes of `resultType`, which only the newer revisions have.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Bridge {
    /// It is as the server says.
    #[default]
    None,
    /// A newer client gets one from an older server.
    Typed,
    /// An older client gets none from a newer server.
    Untyped,
}

impl Amend {
    /// Whether anything is to be changed.
    pub(super) fn is_needed(&self) -> bool {
        self.note.is_some() || self.bridge != Bridge::None
    }

    /// The answer with the changes; nothing if there are none to make, as in an error.
    pub(super) fn apply(&self, answer: &[u8]) -> Option<Vec<u8>> {
        let result = at(answer, &["result"]).filter(|result| is_object(answer, result))?;
        let mut edits = Edits::default();
        if let Some(note) = &self.note {
            let meta = member(answer, &result, "_meta").filter(|meta| is_object(answer, meta));
            match meta {
                Some(meta) => edits.set(answer, &meta, META_KEY, note),
                None => edits.set(
                    answer,
                    &result,
                    "_meta",
                    &format!("{{\"{META_KEY}\":{note}}}"),
                ),
            }
        }
        match self.bridge {
            Bridge::None => {}
            Bridge::Typed => edits.set(answer, &result, "resultType", "\"complete\""),
            Bridge::Untyped => edits.unset(answer, &result, "resultType"),
        }
        (!edits.is_empty()).then(|| edits.apply(answer))
    }
}
