//! A server's inventory in a scratch home, and what it tells.

use knotrust_core::json::{self, Value};
use knotrust_govern::home::Home;
use knotrust_govern::inventory::{Change, Inventory, Page, Standing, Which};
use tempfile::TempDir;

pub(crate) struct Scratch {
    pub(crate) home: Home,
    pub(crate) inventory: Inventory,
    pub(crate) changes: Vec<Change>,
    _folder: TempDir,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(None, Some(folder.path().as_os_str())).unwrap();
        let inventory = Inventory::open(&home, "fake").unwrap();
        Self {
            home,
            inventory,
            changes: Vec::new(),
            _folder: folder,
        }
    }

    /// The server answers with one page of these tools, as JSON.
    pub(crate) fn page(&mut self, tools: &str, page: Page) {
        let value = json::parse(tools.as_bytes()).unwrap();
        let changes = &mut self.changes;
        let mut record = |change: &Change| {
            changes.push(change.clone());
            Ok(())
        };
        self.inventory
            .observe_page(value.as_array().unwrap(), page, &mut record)
            .unwrap();
    }

    pub(crate) fn list(&mut self, tools: &str) {
        self.page(tools, WHOLE);
    }

    pub(crate) fn instruct(&mut self, said: Option<&str>) {
        let changes = &mut self.changes;
        let mut record = |change: &Change| {
            changes.push(change.clone());
            Ok(())
        };
        self.inventory
            .observe_instructions(said, &mut record)
            .unwrap();
    }

    pub(crate) fn accept(&mut self, which: Which<'_>) -> usize {
        self.inventory.accept(which, &mut |_| Ok(())).unwrap().len()
    }

    /// What was told since the last time: kinds of events, and the tools.
    pub(crate) fn told(&mut self) -> String {
        let line = |change: Change| {
            let action = change
                .action
                .map(|action| action.to_string_lossy().into_owned());
            format!(
                "{} {}",
                change.kind.as_str(),
                action.unwrap_or_else(|| "-".to_owned())
            )
        };
        self.changes
            .drain(..)
            .map(line)
            .collect::<Vec<_>>()
            .join(", ")
    }

    pub(crate) fn standing(&mut self, tool: &str) -> String {
        said(self.inventory.standing(tool).unwrap())
    }
}

pub(crate) fn said(standing: Standing) -> String {
    match standing {
        Standing::Unknown => "unknown".to_owned(),
        Standing::Known(traits) if traits.annotations.admits_destruction() => {
            "known, destructive".to_owned()
        }
        Standing::Known(_) => "known".to_owned(),
        Standing::Drifted(_, drift) => drift.as_str().to_owned(),
    }
}

pub(crate) fn write(value: &Value<'_>) -> String {
    json::write(value)
}

pub(crate) const WHOLE: Page = Page {
    first: true,
    last: true,
};
pub(crate) const READ_NOTE: &str = r#"[{"name":"read_note","description":"Reads a note.","inputSchema":{"type":"object","properties":{"id":{"type":"string"}}}}]"#;
