//! The revisions of the protocol, as far as an answer must differ between them.
//!
//! Up to 2025-11-25 a session begins with `initialize` and what was agreed there holds for all of it. From 2026-07-28 on
//! every request stands alone and names the revision it follows. A server may speak both to one client, so each request is
//! answered in the words of its own revision.

use knotrust_core::json::Object;

/// Where a request of the newer kind names its revision.
pub const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// The first revision in which each request stands alone.
const FIRST_MODERN: &str = "2026-07-28";

/// Which kind of revision a request follows.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Era {
    /// Opened by `initialize`.
    #[default]
    Legacy,
    /// Each request stands alone.
    Modern,
}

impl Era {
    /// The era of a request with this `_meta`.
    #[must_use]
    pub fn of(meta: &Object<'_>) -> Self {
        // Revisions are named by their dates, which sort as text.
        match meta.get(VERSION_KEY).and_then(|version| version.as_str()) {
            Some(version) if version >= FIRST_MODERN => Self::Modern,
            Some(_) | None => Self::Legacy,
        }
    }
}

#[cfg(test)]
mod tests {
    use knotrust_core::json::Value;

    use super::*;

    #[track_caller]
    fn check(version: Option<Value<'static>>, expected: Era) {
        let mut meta = Object::new();
        if let Some(version) = version {
            meta.insert(VERSION_KEY, version);
        }
        assert_eq!(Era::of(&meta), expected);
    }

    #[test]
    fn a_request_that_names_a_newer_revision_stands_alone() {
        check(None, Era::Legacy);
        check(Some(Value::string("2025-11-25")), Era::Legacy);
        check(Some(Value::string("2026-07-28")), Era::Modern);
        check(Some(Value::string("2027-01-01")), Era::Modern);
        check(Some(Value::Bool(true)), Era::Legacy);
    }
}
