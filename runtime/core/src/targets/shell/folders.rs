//! The working folders that a command may run in.

use std::rc::Rc;

use super::super::path::Folder;

/// The working folders a command may run in; none means that it never runs.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Folders {
    known: Vec<Rc<Folder>>,
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
    /// No command runs here.
    pub(super) const NEVER: Self = Self { known: Vec::new() };

    pub(super) fn one(folder: Folder) -> Self {
        Self {
            known: vec![Rc::new(folder)],
        }
    }

    pub(super) fn is_never(&self) -> bool {
        self.known.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Rc<Folder>> {
        self.known.iter()
    }

    /// Adds the folders of `other`; says whether all found a place.
    pub(super) fn join(&mut self, other: &Self) -> bool {
        for folder in &other.known {
            if self.known.contains(folder) {
                continue;
            }
            if self.known.len() >= MAX_FOLDERS {
                return false;
            }
            self.known.push(Rc::clone(folder));
        }
        true
    }

    /// Adds a folder; says whether it found a place.
    pub(super) fn push(&mut self, folder: Folder) -> bool {
        self.join(&Self::one(folder))
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
    pub(super) const NEVER: Self = Self {
        success: Folders::NEVER,
        failure: Folders::NEVER,
    };

    pub(super) fn negated(self) -> Self {
        Self {
            success: self.failure,
            failure: self.success,
        }
    }
}
