//! Where a server runs, as far as paths in its arguments go.

use std::env;
use std::path::Path;

use knotrust_core::ruleset::Ruleset;
use knotrust_core::surroundings::{Naming, Os, Surroundings};
use knotrust_core::targets::ground::Ground;
use knotrust_core::targets::own::Own;

use crate::home::Home;
use crate::paths::FileSystem;

/// Where a server runs.
#[derive(Clone, Debug)]
pub struct Whereabouts {
    cwd: String,
    home: String,
    program: Option<String>,
    naming: Naming,
}

impl Whereabouts {
    /// Where this process runs: servers are started in the same folder, for the same user.
    #[must_use]
    pub fn here() -> Self {
        let text = |path: Option<&Path>| {
            path.map_or_else(String::new, |path| path.to_string_lossy().into_owned())
        };
        let program = env::current_exe().ok();
        Self {
            cwd: text(env::current_dir().ok().as_deref()),
            home: text(env::home_dir().as_deref()),
            program: program.map(|path| path.to_string_lossy().into_owned()),
            naming: Os::HERE.naming(),
        }
    }

    /// The working folder.
    #[must_use]
    pub fn cwd(&self) -> &str {
        &self.cwd
    }

    /// The same, as the core reads it.
    #[must_use]
    pub fn surroundings(&self) -> Surroundings<'_> {
        Surroundings {
            cwd: &self.cwd,
            home: &self.home,
            os: Os::HERE,
            naming: self.naming,
            links: &FileSystem,
        }
    }

    /// The governed places of a policy as they lie round here, and what is knotrust's own.
    pub(crate) fn lay<'r>(&self, ruleset: &Ruleset<'r>, home: &Home, ports: &[u16]) -> Ground<'r> {
        let state = home.path().to_string_lossy();
        let own = Own {
            home: Some(&state),
            program: self.program.as_deref(),
            ports,
        };
        Ground::lay(ruleset.places, &own, &self.surroundings())
    }
}
