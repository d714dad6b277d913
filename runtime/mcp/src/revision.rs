//! The revisions of the protocol, as far as an answer must differ between them.
//!
//! Up to 2025-11-25 a session begins with `initialize` and what was agreed there holds for all of it. From 2026-07-28 on
//! every request stands alone and names the revision it follows. A server may speak both to one client, so each request is
//! answered in the words of its own revision.

use std::borrow::Cow;

use knotrust_core::json::{Object, Value, write};

use crate::elicit::CAPABILITIES_KEY;
use crate::wire::splice::{Edits, at, is_object, root};

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

/// The newest revision that each request names.
pub(crate) const MODERN: &str = FIRST_MODERN;

/// What a client says of itself to a server that asks it nothing.
pub(crate) fn meta() -> Object<'static> {
    let mut info = Object::new();
    info.insert("name", Value::string("knotrust"));
    info.insert("version", Value::string(env!("CARGO_PKG_VERSION")));
    let mut meta = Object::new();
    meta.insert(VERSION_KEY, Value::string(MODERN));
    meta.insert(CAPABILITIES_KEY, Value::Object(Object::new()));
    meta.insert("io.modelcontextprotocol/clientInfo", Value::Object(info));
    meta
}

/// The line of a request, naming its revision whether it did before or not. Anything else is as it was.
pub(crate) fn named(line: &[u8]) -> Cow<'_, [u8]> {
    let is_request = at(line, &["id"]).is_some() && at(line, &["method"]).is_some();
    if !is_request || at(line, &["params", "_meta", VERSION_KEY]).is_some() {
        return Cow::Borrowed(line);
    }
    let mut edits = Edits::default();
    let meta = meta();
    let object = |path: &[&str]| at(line, path).filter(|place| is_object(line, place));
    match (object(&["params"]), object(&["params", "_meta"])) {
        (_, Some(place)) => {
            for (name, value) in meta.iter() {
                edits.set(
                    line,
                    &place,
                    name.as_str().unwrap_or_default(),
                    &write(value),
                );
            }
        }
        (Some(params), None) => edits.set(line, &params, "_meta", &write(&Value::Object(meta))),
        (None, None) => {
            let params = format!("{{\"_meta\":{}}}", write(&Value::Object(meta)));
            edits.set(line, &root(line), "params", &params);
        }
    }
    Cow::Owned(edits.apply(line))
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn a_request_without_a_revision_is_given_one() {
        let read = |line: &str| {
            let named = named(line.as_bytes()).into_owned();
            knotrust_core::json::parse(&named).unwrap().into_owned()
        };
        for params in [
            r#","params":{"a":1,"_meta":{"progressToken":7}}"#,
            r#","params":{}"#,
            "",
        ] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x"{params}}}"#);
            let named = read(&line);
            let meta = named.pointer("/params/_meta").and_then(Value::as_object);
            assert_eq!(Era::of(meta.unwrap()), Era::Modern, "{line}");
        }
        let kept = r#"{"jsonrpc":"2.0","method":"notifications/x"}"#;
        assert_eq!(named(kept.as_bytes()), kept.as_bytes());
    }
}
