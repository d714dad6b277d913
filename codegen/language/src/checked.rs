//! A ruleset in which no fault was found.

use std::path::PathBuf;

use crate::{digest, resolved::Resolved, source::Sources};

/// A ruleset in which no fault was found, owning all it says.
#[derive(Clone, Debug)]
pub struct Checked {
    resolved: Resolved,
    digest: String,
    paths: Vec<PathBuf>,
}

impl Checked {
    pub(crate) fn new(resolved: Resolved, sources: &Sources) -> Self {
        let digest = digest::of(&resolved);
        let paths = sources.paths().map(PathBuf::from).collect();
        Self {
            resolved,
            digest,
            paths,
        }
    }

    /// What it means.
    pub fn resolved(&self) -> &Resolved {
        &self.resolved
    }

    /// Lower-case hex SHA-256 over the canonical form of what it means.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Every file that was read for it: what a build depends on.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }
}
