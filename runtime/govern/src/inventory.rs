//! The tools that servers have shown, and whether they are still what a person has accepted.
//!
//! What a server says of a tool is read by the model, so it is part of the tool: a new description is a new tool with an old
//! name. The first list of a server is taken as it is (trust on first use); from then on every change is told once in the
//! audit log, and a tool that was shown as anything but what is accepted has *drifted* until a person accepts it, also if
//! its server goes back to the old words, since calls between may have followed the new ones.
//!
//! One file a server, `servers/<name>/inventory.json`, shared by all processes of a home: what one has seen, all know at
//! their next look. What a server may make us keep is bounded; beyond that its tools stay unknown.

mod change;
mod definition;
mod difference;
mod folder;
mod listing;
mod state;
mod tool;

use std::path::Path;

use knotrust_core::json::{self, Value};

pub use change::Change;
pub use definition::Traits;
pub use difference::Difference;
pub use listing::Page;
pub use state::Which;
pub use tool::Drift;

use crate::failure::{Cause, StoreError};
use crate::files::{self, Version};
use crate::home::Home;
use crate::lock::Lock;
use crate::watched::Watched;
use definition::Definition;
use listing::Listing;
use state::State;
use tool::Tool;

/// The tools of one server, as all processes of the home have seen them.
#[derive(Debug)]
pub struct Inventory {
    home: Home,
    folder: String,
    file: Watched,
    /// What the file held at that version.
    known: State,
    version: Option<Version>,
    /// Its version after the last page that was taken here.
    observed: Option<Version>,
    listing: Listing,
}

/// What is known of a tool.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Standing {
    /// No list has shown it.
    Unknown,
    /// It is as it was accepted.
    Known(Traits),
    /// It is not, or was not at some time since.
    Drifted(Traits, Drift),
}

/// A tool, for a person to look at.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Listed {
    /// Its name, or nothing for what the server says of itself.
    pub name: Option<String>,
    /// In which way it has drifted.
    pub drift: Option<Drift>,
    /// Whether the last whole list was without it.
    pub gone: bool,
    /// The fingerprints of what is accepted.
    pub accepted: Vec<String>,
    /// The fingerprints of what was shown last.
    pub shown: Vec<String>,
    /// How the first of what is shown differs from the first of what is accepted. Nothing if one of them was too long to keep.
    pub differences: Vec<Difference>,
}

/// Records a change. It is called before the change is remembered: an event may be told twice after a crash, never not at all.
pub type Record<'r> = &'r mut dyn FnMut(&Change) -> Result<(), StoreError>;

impl Inventory {
    /// The inventory of a server. One that was never seen is empty.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is not an inventory of this server.
    pub fn open(home: &Home, server: &str) -> Result<Self, StoreError> {
        let folder = format!("{FOLDER}/{}", folder::name_of(server));
        let mut inventory = Self {
            home: home.clone(),
            file: Watched::at(home.at(&folder).join(FILE)),
            folder,
            known: State::new(server),
            version: None,
            observed: None,
            listing: Listing::default(),
        };
        inventory.refresh()?;
        Ok(inventory)
    }

    /// The servers that have an inventory in this home.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or is no inventory.
    pub fn servers(home: &Home) -> Result<Vec<String>, StoreError> {
        let mut servers = Vec::new();
        for name in files::names(&home.at(FOLDER))? {
            let path = home.at(FOLDER).join(name).join(FILE);
            if let Some(state) = load(&path)? {
                servers.push(state.server);
            }
        }
        servers.sort_unstable();
        Ok(servers)
    }

    /// Takes what the server says of itself when a session begins.
    ///
    /// # Errors
    ///
    /// The change could not be recorded, or the file not be written.
    pub fn observe_instructions(
        &mut self,
        said: Option<&str>,
        record: Record<'_>,
    ) -> Result<(), StoreError> {
        let said = Definition::of(&said.map_or(Value::Null, Value::string));
        let edit = |state: &mut State| state.instruct(said.clone()).into_iter().collect();
        self.update(&edit, record).map(drop)
    }

    /// Takes a page of a list of tools, in the order in which pages come.
    ///
    /// # Errors
    ///
    /// A change could not be recorded, or the file not be written.
    pub fn observe_page(
        &mut self,
        tools: &[Value<'_>],
        page: Page,
        record: Record<'_>,
    ) -> Result<(), StoreError> {
        let listed = self.listing.turn(tools, page);
        let ended = self.listing.ended(page).cloned();
        let edit = |state: &mut State| {
            let shown = listed
                .iter()
                .filter_map(|listed| state.show(listed.clone()));
            let mut changes: Vec<_> = shown.collect();
            changes.extend(ended.iter().flat_map(|names| state.end(names)));
            changes
        };
        self.update(&edit, record)?;
        self.observed = self.version;
        Ok(())
    }

    /// What is known of a tool at this moment, by whatever process has learned it.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn standing(&mut self, tool: &str) -> Result<Standing, StoreError> {
        self.refresh()?;
        let Some(tool) = self.known.tools.get(tool.as_bytes()) else {
            return Ok(Standing::Unknown);
        };
        let of_server = self
            .known
            .instructions
            .as_ref()
            .and_then(|server| server.drift);
        Ok(match (tool.traits(), tool.drift.or(of_server)) {
            (None, _) => Standing::Unknown,
            (Some(traits), None) => Standing::Known(traits),
            (Some(traits), Some(drift)) => Standing::Drifted(traits, drift),
        })
    }

    /// Whether the file is as the last page left it that was taken here.
    ///
    /// # Errors
    ///
    /// The home cannot be read.
    pub(crate) fn is_as_left(&mut self) -> Result<bool, StoreError> {
        let version = self.file.version()?;
        Ok(version.is_some() && version == self.observed)
    }

    /// All that is known, with what has changed.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn list(&self) -> Result<Vec<Listed>, StoreError> {
        let state = self.load()?;
        let tools = state.tools.values().map(|tool| {
            let name = Some(tool.name.to_string_lossy().into_owned());
            listed(tool, name)
        });
        Ok(state
            .instructions
            .iter()
            .map(|said| listed(said, None))
            .chain(tools)
            .collect())
    }

    /// Makes what is shown what is accepted, because a person has looked at it. Gives what had to be accepted.
    ///
    /// # Errors
    ///
    /// That could not be recorded, or the file not be written.
    pub fn accept(
        &mut self,
        which: Which<'_>,
        record: Record<'_>,
    ) -> Result<Vec<Change>, StoreError> {
        self.update(&|state| state.accept(which), record)
    }

    fn update(
        &mut self,
        edit: &dyn Fn(&mut State) -> Vec<Change>,
        record: Record<'_>,
    ) -> Result<Vec<Change>, StoreError> {
        self.refresh()?;
        let mut trial = self.known.clone();
        if self.version.is_some() && edit(&mut trial).is_empty() && trial == self.known {
            // Most lists are as they were, and nothing is locked or written for them.
            return Ok(Vec::new());
        }
        let folder = self.home.folder(&self.folder)?;
        let lock = Lock::take(&folder.join(LOCK))?;
        files::sweep(&folder)?;
        let mut state = self.load()?;
        let changes = edit(&mut state);
        for change in &changes {
            record(change)?;
        }
        if !lock.stands() {
            return Err(StoreError::new("write", self.file.path(), Cause::Unsettled));
        }
        files::write(self.file.path(), written(state).as_bytes())?;
        self.refresh()?;
        Ok(changes)
    }

    /// Reads the file again if anyone has written it.
    fn refresh(&mut self) -> Result<(), StoreError> {
        let version = self.file.version()?;
        if version != self.version {
            self.known = self.load()?;
            self.known.forget_words();
            self.version = version;
        }
        Ok(())
    }

    fn load(&self) -> Result<State, StoreError> {
        let state = load(self.file.path())?.unwrap_or_else(|| State::new(&self.known.server));
        if state.server == self.known.server {
            Ok(state)
        } else {
            Err(StoreError::new("read", self.file.path(), Cause::Content))
        }
    }
}

fn load(path: &Path) -> Result<Option<State>, StoreError> {
    let Some(bytes) = files::read_if_there(path, LONGEST)? else {
        return Ok(None);
    };
    let state = json::parse(&bytes)
        .ok()
        .and_then(|value| State::read(&value));
    state
        .map(Some)
        .ok_or_else(|| StoreError::new("read", path, Cause::Content))
}

fn written(mut state: State) -> String {
    let text = json::write(&state.to_json());
    if text.len() <= LONGEST_WITH_WORDS {
        return text;
    }
    // What people compare gives way first; fingerprints are what decides.
    state.forget_words();
    json::write(&state.to_json())
}

fn listed(tool: &Tool, name: Option<String>) -> Listed {
    let fingerprints = |definitions: &[Definition]| {
        definitions
            .iter()
            .map(|definition| definition.fingerprint.clone())
            .collect()
    };
    let value = |definitions: &[Definition]| {
        definitions
            .last()
            .and_then(|definition| definition.value.clone())
    };
    let (accepted, shown) = (value(&tool.accepted), value(&tool.shown));
    let differences = accepted
        .zip(shown)
        .map(|(accepted, shown)| difference::between(&accepted, &shown));
    Listed {
        name,
        drift: tool.drift,
        gone: tool.gone,
        accepted: fingerprints(&tool.accepted),
        shown: fingerprints(&tool.shown),
        differences: differences.unwrap_or_default(),
    }
}

const FOLDER: &str = "servers";
const FILE: &str = "inventory.json";
const LOCK: &str = "inventory.lock";
const LONGEST_WITH_WORDS: usize = 16 << 20;
// Fingerprints alone stay far below.
const LONGEST: u64 = 64 << 20;
