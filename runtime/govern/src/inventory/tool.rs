//! A tool: what a person has accepted, and what the server shows.

use knotrust_core::json::{Object, Text, Value};

use super::definition::{Definition, Traits};

/// A tool of a server.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tool {
    pub(super) name: Text<'static>,
    /// What counts as known. More than one only if a person has accepted a name that is listed twice.
    pub(super) accepted: Vec<Definition>,
    /// What was listed last.
    pub(super) shown: Vec<Definition>,
    /// Set when something was shown that is not accepted. Only a person clears it: going back does not.
    pub(super) drift: Option<Drift>,
    /// Whether the last whole list was without it.
    pub(super) gone: bool,
}

/// In which way a tool is no longer what was accepted.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Drift {
    /// Its definition has changed.
    Changed,
    /// One list has named it twice, with different definitions.
    ListedTwice,
    /// What the server says of itself as a whole has changed.
    Instructions,
}

impl Drift {
    /// The word in files and reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::ListedTwice => "listed twice",
            Self::Instructions => "instructions changed",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        [Self::Changed, Self::ListedTwice, Self::Instructions]
            .into_iter()
            .find(|drift| drift.as_str() == name)
    }
}

impl Tool {
    pub(super) fn new(name: Text<'static>, definition: Definition) -> Self {
        Self {
            name,
            accepted: vec![definition.clone()],
            shown: vec![definition],
            drift: None,
            gone: false,
        }
    }

    pub(super) fn accepts(&self, definition: &Definition) -> bool {
        holds(&self.accepted, &definition.fingerprint)
    }

    pub(super) fn shows(&self, definition: &Definition) -> bool {
        holds(&self.shown, &definition.fingerprint)
    }

    /// What is known of it: the worst of all that was ever said since it was accepted.
    pub(super) fn traits(&self) -> Option<Traits> {
        let all = self.accepted.iter().chain(&self.shown);
        all.map(|definition| definition.traits).reduce(Traits::and)
    }

    pub(super) fn to_json(&self) -> Value<'_> {
        let mut object = Object::new();
        object.insert("accepted", list(&self.accepted));
        // Most tools stay as they are, and their definitions are long.
        if self.shown != self.accepted {
            object.insert("shown", list(&self.shown));
        }
        if let Some(drift) = self.drift {
            object.insert("drift", Value::string(drift.as_str()));
        }
        if self.gone {
            object.insert("gone", Value::Bool(true));
        }
        Value::Object(object)
    }

    pub(super) fn read(name: &Text<'_>, value: &Value<'_>) -> Option<Self> {
        let accepted = read_list(value.get("accepted")?)?;
        let shown = match value.get("shown") {
            Some(shown) => read_list(shown)?,
            None => accepted.clone(),
        };
        let drift = match value.get("drift") {
            Some(drift) => Some(Drift::from_name(drift.as_str()?)?),
            None => None,
        };
        let gone = value.get("gone").is_some();
        Some(Self {
            name: name.clone().into_owned(),
            accepted,
            shown,
            drift,
            gone,
        })
    }
}

pub(super) fn holds(definitions: &[Definition], fingerprint: &str) -> bool {
    definitions
        .iter()
        .any(|known| known.fingerprint == fingerprint)
}

fn list(definitions: &[Definition]) -> Value<'_> {
    Value::Array(definitions.iter().map(Definition::to_json).collect())
}

fn read_list(value: &Value<'_>) -> Option<Vec<Definition>> {
    value.as_array()?.iter().map(Definition::read).collect()
}
