//! From a ruleset as written to a ruleset as meant: packs merged, references bound, names and times checked, files read and digested.
//!
//! Whatever is at fault is left out of the result, so that one run names everything that is wrong.

mod approvals;
mod condition;
mod domains;
mod envelope;
mod gates;
mod keys;
mod manifests;
mod operation;
mod packs;
mod rules;
mod servers;
mod tests;
mod text;

use std::path::PathBuf;

use knotrust_core::{ruleset::Place, tier::Tier};

use crate::{
    located::{Located, Span},
    model::{self, PathText, Ruleset, TierName},
    problem::{Code, Problem, enough, shown},
    resolved::Resolved,
    source::{self, FileId, Sources},
};

pub(crate) use packs::check_alone as pack_alone;
pub(crate) use text::utf8;

/// Finds out what a ruleset means. The result is only worth compiling if no error was found.
pub(crate) fn ruleset(
    sources: &mut Sources,
    written: &Ruleset,
    file: FileId,
    problems: &mut Vec<Problem>,
) -> Resolved {
    let mut resolver = Resolver {
        sources,
        problems,
        files: vec![file],
    };
    resolver.ruleset(written)
}

struct Resolver<'a> {
    sources: &'a mut Sources,
    problems: &'a mut Vec<Problem>,
    /// The ruleset's own file, then its packs.
    files: Vec<FileId>,
}

impl Resolver<'_> {
    fn ruleset(&mut self, written: &Ruleset) -> Resolved {
        self.identifier(&written.metadata.name, "metadata.name");
        self.sentence(
            written.metadata.description.as_ref(),
            "metadata.description",
        );
        let servers = self.servers(written.servers.as_ref());
        let packs = self.packs(written.packs.as_deref().unwrap_or_default());
        let tiers = written.tiers.as_ref();
        let mut rules = self.own_rules(
            tiers
                .and_then(|tiers| tiers.rules.as_deref())
                .unwrap_or_default(),
        );
        rules.extend(packs.rules);
        let mut resources = self.resources(written.resources.as_deref().unwrap_or_default());
        resources.extend(packs.resources);
        let defaults = tiers.and_then(|tiers| tiers.defaults.as_ref());
        let default = |tier: Option<model::RaisedTier>, otherwise| {
            tier.map_or(otherwise, |tier| TierName::from(tier).into())
        };
        let approvals = self.approvals(written.approvals.as_ref());
        let resolved = Resolved {
            name: written.metadata.name.value.0.clone(),
            version: written.metadata.version,
            files: Vec::new(),
            servers,
            unlisted: written.unlisted_servers.unwrap_or_default().into(),
            unknown_tool: default(
                defaults.and_then(|defaults| defaults.unknown_tool),
                Tier::Sensitive,
            ),
            destructive_looking: default(
                defaults.and_then(|defaults| defaults.destructive_looking),
                Tier::Critical,
            ),
            rules,
            resources,
            domains: self.domains(written.domains.as_deref().unwrap_or_default()),
            envelope: self.envelope(written.envelope.as_ref()),
            approvals,
            fail_open: self.fail_open(written.fail_open.as_deref().unwrap_or_default()),
            settings: self.settings(written),
            gates: self.gates(written.gates.as_ref()),
            engine: self.engine(written.pdp.as_ref()),
            tests: self.tests(written.tests.as_deref().unwrap_or_default()),
        };
        self.pinned_manifests(
            written.domains.as_deref().unwrap_or_default(),
            &resolved.gates,
        );
        Resolved {
            files: self.file_names(),
            ..resolved
        }
    }

    /// The files as the ruleset sees them: the same on every machine.
    fn file_names(&self) -> Vec<String> {
        let main = self
            .files
            .first()
            .map(|file| self.sources.path(*file).to_owned())
            .unwrap_or_default();
        let folder = main.parent().map(source::display).unwrap_or_default();
        let name = |file: &FileId| {
            let name = self.sources.name(*file);
            let below = name
                .strip_prefix(&folder)
                .map(|rest| rest.trim_start_matches('/').to_owned());
            if folder.is_empty() {
                name
            } else {
                below.unwrap_or(name)
            }
        };
        self.files.iter().map(name).collect()
    }

    fn push(&mut self, problem: Problem) {
        if !enough(self.problems) {
            self.problems.push(problem);
        }
    }

    /// Where something stands, for the tables.
    fn place(&self, span: Span) -> Place {
        let file = self
            .files
            .iter()
            .position(|file| *file == span.file)
            .unwrap_or(0);
        Place {
            file: u16::try_from(file).unwrap_or(u16::MAX),
            line: self.sources.position(span).line,
        }
    }

    /// The file that a path names, seen from the file it is written in.
    fn path(&self, written: &Located<PathText>) -> PathBuf {
        let folder = self
            .sources
            .path(written.span.file)
            .parent()
            .map(PathBuf::from)
            .unwrap_or_default();
        source::folded(&folder.join(&written.value.0))
    }

    /// The bytes of a file that is named here.
    fn bytes(&mut self, written: &Located<PathText>, what: &str, limit: u64) -> Option<Vec<u8>> {
        let path = self.path(written);
        let name = shown(&source::display(&path));
        match self.sources.bytes(&path, limit) {
            Ok(bytes) if bytes.len() as u64 > limit => {
                let message = format!("{what} `{name}` is larger than {limit} bytes");
                self.push(Problem::new(Code::TooLarge, message).at(written.span, "named here"));
                None
            }
            Ok(bytes) => Some(bytes),
            Err(error) => {
                let message = format!("{what} `{name}` cannot be read: {}", source::reason(&error));
                self.push(
                    Problem::new(Code::Unreadable, message)
                        .at(written.span, "named here")
                        .help("a path is seen from the folder of the file that names it"),
                );
                None
            }
        }
    }
}

impl From<TierName> for Tier {
    fn from(tier: TierName) -> Self {
        match tier {
            TierName::Routine => Self::Routine,
            TierName::Sensitive => Self::Sensitive,
            TierName::Critical => Self::Critical,
        }
    }
}
