//! One list of tools, which comes in pages.

use std::collections::BTreeMap;

use knotrust_core::json::{Text, Value};

use super::definition::Definition;

/// Where a page stands in its list.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Page {
    /// Whether it is the first: its request had no cursor.
    pub first: bool,
    /// Whether it is the last: it names no next cursor.
    pub last: bool,
}

/// Whether a name is new to a list.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Seen {
    /// It is, or was listed with this definition first.
    First,
    /// It was listed before, with another definition.
    Again,
}

/// What was seen of a list so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Listing {
    names: BTreeMap<Vec<u8>, Vec<String>>,
    /// Whether it was seen from its first page on, and all of it remembered.
    whole: bool,
}

/// A tool on a page.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    pub(super) name: Text<'static>,
    pub(super) definition: Definition,
    pub(super) seen: Seen,
}

impl Listing {
    /// Takes a page. What has no name that could be called is left out.
    pub(super) fn turn(&mut self, tools: &[Value<'_>], page: Page) -> Vec<Listed> {
        if page.first {
            *self = Self {
                whole: true,
                ..Self::default()
            };
        }
        tools.iter().filter_map(|tool| self.list(tool)).collect()
    }

    /// The names and fingerprints of a list that ends with this page; nothing if parts of it were missed.
    pub(super) fn ended(&self, page: Page) -> Option<&BTreeMap<Vec<u8>, Vec<String>>> {
        (page.last && self.whole).then_some(&self.names)
    }

    fn list(&mut self, tool: &Value<'_>) -> Option<Listed> {
        let name = tool.get("name")?.as_text()?;
        let key = name.as_bytes();
        if key.len() > LONGEST_NAME || self.names.len() >= MOST_NAMES {
            self.whole = false;
            return None;
        }
        let definition = Definition::of(tool);
        let shown = self.names.entry(key.to_vec()).or_default();
        let seen = match shown.first() {
            Some(first) if *first != definition.fingerprint => Seen::Again,
            Some(_) | None => Seen::First,
        };
        if !shown.contains(&definition.fingerprint) && shown.len() < MOST_DEFINITIONS {
            shown.push(definition.fingerprint.clone());
        }
        Some(Listed {
            name: name.clone().into_owned(),
            definition,
            seen,
        })
    }
}

// The protocol's own limit is 128 characters.
const LONGEST_NAME: usize = 1024;
/// A server may list for ever. What comes after so many names stays unknown.
const MOST_NAMES: usize = 4096;
/// Of one name. One more is as suspicious as all.
pub(super) const MOST_DEFINITIONS: usize = 4;
