//! The working folders that a command may run in.

use std::sync::Arc;

use super::super::path::Folder;

/// The working folders a command may run in; none means that it never runs.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Folders {
    known: Arc<Vec<Arc<Folder>>>,
}

/// What is known after a command: the folders if it succeeded, and if it failed.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct After {
    pub(super) success: Folders,
    pub(super) failure: Folders,
}

/// More folders than this are not kept.
const MAX_FOLDERS: usize = 16;

impl Folders {
    /// These, which are few.
    pub(super) fn of(folders: &[Arc<Folder>]) -> Self {
        Self {
            known: Arc::new(folders.to_vec()),
        }
    }

    /// No command runs here.
    pub(super) fn never() -> Self {
        Self::default()
    }

    pub(super) fn is_never(&self) -> bool {
        self.known.is_empty()
    }

    pub(super) fn as_slice(&self) -> &[Arc<Folder>] {
        &self.known
    }

    /// Adds the folders of `other`; says whether all found a place.
    pub(super) fn join(&mut self, other: &Self) -> bool {
        if Arc::ptr_eq(&self.known, &other.known) {
            return true;
        }
        if self.is_never() {
            self.known = Arc::clone(&other.known);
        }
        other.known.iter().all(|folder| self.add(folder))
    }

    fn add(&mut self, folder: &Arc<Folder>) -> bool {
        if self.known.contains(folder) {
            return true;
        }
        let has_room = self.known.len() < MAX_FOLDERS;
        if has_room {
            Arc::make_mut(&mut self.known).push(Arc::clone(folder));
        }
        has_room
    }

    /// Whether what is new since `before` only lies further down.
    pub(super) fn only_deepens(&self, before: &Self) -> bool {
        let lies_below = |path: &str, folder: &str| {
            path.strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/'))
        };
        self.known.iter().all(|folder| {
            before.known.contains(folder)
                || before.known.iter().any(|known| {
                    lies_below(&folder.text, &known.text) && lies_below(&folder.real, &known.real)
                })
        })
    }

    /// Adds a folder; says whether it found a place.
    pub(super) fn push(&mut self, folder: Folder) -> bool {
        self.add(&Arc::new(folder))
    }
}

impl After {
    /// After a command that leaves the folder as it is.
    pub(super) fn unmoved(folders: &Folders) -> Self {
        Self {
            success: folders.clone(),
            failure: folders.clone(),
        }
    }

    /// After a command that nothing follows.
    pub(super) fn never() -> Self {
        Self::default()
    }

    pub(super) fn negated(self) -> Self {
        Self {
            success: self.failure,
            failure: self.success,
        }
    }
}
