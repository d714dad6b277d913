//! All that is known of one server, and what a page of its list makes of it. No files here.

use std::collections::BTreeMap;
use std::mem;

use knotrust_core::audit::event::Kind;
use knotrust_core::json::{Object, Text, Value};

use super::change::Change;
use super::definition::Definition;
use super::listing::{Listed, MOST_DEFINITIONS, Seen};
use super::tool::{Drift, Tool, holds};

/// All that is known of a server.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct State {
    pub(super) server: String,
    /// Whether a whole list was seen. Until then every tool is as if it had always been there.
    pub(super) complete: bool,
    /// What the server says of itself, as a tool without a name; none until it has said so, or said nothing.
    pub(super) instructions: Option<Tool>,
    // By the bytes of the names, which sort and need not be Unicode.
    pub(super) tools: BTreeMap<Vec<u8>, Tool>,
}

impl State {
    pub(super) fn new(server: &str) -> Self {
        Self {
            server: server.to_owned(),
            complete: false,
            instructions: None,
            tools: BTreeMap::new(),
        }
    }

    /// Takes what the server says of itself.
    pub(super) fn instruct(&mut self, said: Definition) -> Option<Change> {
        let Some(known) = &mut self.instructions else {
            self.instructions = Some(Tool::new(Text::from(""), said));
            return None;
        };
        if !known.accepts(&said) {
            known.drift = Some(Drift::Instructions);
        }
        if known.shows(&said) {
            return None;
        }
        let (old, new) = (first(&known.shown), Some(said.fingerprint.clone()));
        known.shown = vec![said];
        Some(self.change(Kind::ToolDefinitionChanged, None, old, new))
    }

    /// Takes what the server says of a tool.
    pub(super) fn show(&mut self, listed: Listed) -> Option<Change> {
        let Listed {
            name,
            definition,
            seen,
        } = listed;
        let new = Some(definition.fingerprint.clone());
        let Some(tool) = self.tools.get_mut(name.as_bytes()) else {
            if self.tools.len() < MOST_TOOLS {
                let tool = Tool::new(name.clone(), definition);
                self.tools.insert(name.as_bytes().to_vec(), tool);
            }
            let late = self.complete;
            return late.then(|| self.change(Kind::ToolAdded, Some(&name), None, new));
        };
        let was_gone = mem::take(&mut tool.gone);
        let (kind, drift) = match seen {
            Seen::First => (Kind::ToolDefinitionChanged, Drift::Changed),
            Seen::Again => (Kind::ToolListedTwice, Drift::ListedTwice),
        };
        if !tool.accepts(&definition) {
            tool.drift = Some(drift);
        }
        if tool.shows(&definition) {
            return was_gone.then(|| self.change(Kind::ToolAdded, Some(&name), None, new));
        }
        let old = first(&tool.shown);
        match seen {
            Seen::First => tool.shown = vec![definition],
            Seen::Again if tool.shown.len() < MOST_DEFINITIONS => tool.shown.push(definition),
            Seen::Again => {}
        }
        Some(self.change(kind, Some(&name), old, new))
    }

    /// Takes note that a whole list has ended, in which these names had these fingerprints.
    pub(super) fn end(&mut self, listed: &BTreeMap<Vec<u8>, Vec<String>>) -> Vec<Change> {
        self.complete = true;
        let mut removed = Vec::new();
        for (name, tool) in &mut self.tools {
            match listed.get(name) {
                Some(shown) => tool
                    .shown
                    .retain(|known| shown.contains(&known.fingerprint)),
                None if tool.gone => {}
                None => {
                    tool.gone = true;
                    removed.push((tool.name.clone(), first(&tool.shown)));
                }
            }
        }
        let told = removed.into_iter();
        told.map(|(name, old)| self.change(Kind::ToolRemoved, Some(&name), old, None))
            .collect()
    }

    /// Makes what is shown what is accepted.
    pub(super) fn accept(&mut self, which: Which<'_>) -> Vec<Change> {
        if which == Which::All {
            self.tools.retain(|_, tool| !tool.gone);
        }
        let mut accepted = Vec::new();
        for tool in self.tools.values_mut().filter(|tool| which.names(tool)) {
            if let Some((old, new)) = settle(tool) {
                accepted.push((Some(tool.name.clone()), old, new));
            }
        }
        let instructions = self.instructions.as_mut().filter(|_| which == Which::All);
        if let Some((old, new)) = instructions.and_then(settle) {
            accepted.push((None, old, new));
        }
        let kind = Kind::InventoryAccepted;
        let told = accepted.into_iter();
        told.map(|(name, old, new)| self.change(kind, name.as_ref(), old, new))
            .collect()
    }

    /// Drops the definitions and keeps their fingerprints, which is all that comparing needs.
    pub(super) fn forget_words(&mut self) {
        for tool in self.tools.values_mut().chain(&mut self.instructions) {
            for definition in tool.accepted.iter_mut().chain(&mut tool.shown) {
                definition.value = None;
            }
        }
    }

    fn change(
        &self,
        kind: Kind,
        name: Option<&Text<'_>>,
        old: Option<String>,
        new: Option<String>,
    ) -> Change {
        let action = |name: &Text<'_>| format!("{}.{}", self.server, name.to_string_lossy());
        let action = name.map(|name| Text::from(action(name)));
        Change {
            kind,
            server: self.server.clone(),
            action,
            old,
            new,
        }
    }

    pub(super) fn to_json(&self) -> Value<'_> {
        let mut object = Object::new();
        object.insert("version", Value::string(VERSION));
        object.insert("server", Value::string(&self.server));
        object.insert("complete", Value::Bool(self.complete));
        if let Some(instructions) = &self.instructions {
            object.insert("instructions", instructions.to_json());
        }
        let tools = self
            .tools
            .values()
            .map(|tool| (tool.name.clone(), tool.to_json()));
        object.insert("tools", Value::Object(tools.collect()));
        Value::Object(object)
    }

    pub(super) fn read(value: &Value<'_>) -> Option<Self> {
        if value.get("version")?.as_str() != Some(VERSION) {
            return None;
        }
        let instructions = match value.get("instructions") {
            Some(instructions) => Some(Tool::read(&Text::from(""), instructions)?),
            None => None,
        };
        let tools = value.get("tools")?.as_object()?.iter();
        let tool = |(name, tool)| Some((Text::as_bytes(name).to_vec(), Tool::read(name, tool)?));
        Some(Self {
            server: value.get("server")?.as_str()?.to_owned(),
            complete: value.get("complete")?.as_bool()?,
            instructions,
            tools: tools.map(tool).collect::<Option<_>>()?,
        })
    }
}

/// Which of a server's tools.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Which<'a> {
    /// All, what the server says of itself, and that those are gone which are.
    All,
    /// The tool of that name.
    Tool(&'a str),
}

impl Which<'_> {
    fn names(self, tool: &Tool) -> bool {
        match self {
            Self::All => true,
            Self::Tool(name) => tool.name.as_bytes() == name.as_bytes(),
        }
    }
}

// The old and the new fingerprint, if something had to be accepted.
fn settle(tool: &mut Tool) -> Option<(Option<String>, Option<String>)> {
    let same = tool
        .shown
        .iter()
        .all(|shown| holds(&tool.accepted, &shown.fingerprint));
    if tool.drift.is_none() && same {
        return None;
    }
    let old = first(&tool.accepted);
    tool.accepted = tool.shown.clone();
    tool.drift = None;
    Some((old, first(&tool.accepted)))
}

fn first(definitions: &[Definition]) -> Option<String> {
    definitions
        .first()
        .map(|definition| definition.fingerprint.clone())
}

const VERSION: &str = "1";
// Over all lists. Names that come and go must not fill the disk.
const MOST_TOOLS: usize = 8192;
