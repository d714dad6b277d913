//! The gates before governed knowledge, for what-ifs: with the manifests as compiled in, or as they lie there.

use std::cell::RefCell;
use std::path::Path;

use knotrust_core::case::Case;
use knotrust_core::classify::Classification;
use knotrust_core::json::Value;
use knotrust_core::ruleset::Ruleset;
use knotrust_core::surroundings::Surroundings;
use knotrust_govern::clock;
use knotrust_govern::manifests::{Manifests, Watching, folders};
use knotrust_knowledge::date::IsoDate;
use knotrust_knowledge::governing::call::{Call, Gated, Placed};
use knotrust_knowledge::governing::{Domain, Session};
use knotrust_knowledge::options::Options;

/// The gates of a policy, as a session finds them that has asked for nothing yet, today.
#[derive(Debug)]
pub(crate) struct Gates<'r> {
    ruleset: &'r Ruleset<'r>,
    manifests: RefCell<Manifests<'r>>,
    options: Options,
}

impl<'r> Gates<'r> {
    /// The gates of a policy. Live manifests are seen from that folder.
    pub(crate) fn of(ruleset: &'r Ruleset<'r>, folder: &Path) -> Self {
        let today = IsoDate::day_of(clock::now().wall);
        Self {
            ruleset,
            manifests: RefCell::new(Manifests::of(ruleset, folder, Watching::Nothing)),
            options: Options::of_gates(&ruleset.gates, today),
        }
    }

    /// The policy.
    pub(crate) const fn ruleset(&self) -> &'r Ruleset<'r> {
        self.ruleset
    }

    /// Asks them about a call.
    pub(crate) fn ask(
        &self,
        case: &Case<'_>,
        classification: &Classification,
        (tool, arguments): (&str, &Value<'_>),
        around: &Surroundings<'_>,
    ) -> Gated {
        let mut manifests = self.manifests.borrow_mut();
        let touched: Vec<_> = case
            .domains
            .iter()
            .filter_map(|index| {
                let declared = self.ruleset.domains.get(usize::try_from(*index).ok()?)?;
                let manifest = manifests.at(*index)?.manifest.clone();
                let folders = folders(around.cwd, declared.manifest.path);
                Some((*index, declared, manifest, folders))
            })
            .collect();
        let placed: Vec<_> = touched
            .iter()
            .map(|(index, declared, manifest, folders)| {
                let domain = Domain {
                    name: declared.name,
                    manifest: manifest.as_deref().map_err(|unusable| *unusable),
                    urls: declared.urls,
                    options: &self.options,
                };
                (*index, Placed { domain, folders })
            })
            .collect();
        let call = Call {
            case,
            classification,
            tool,
            arguments,
            naming: around.naming,
        };
        call.ask(&placed, &mut Session::default())
    }
}
