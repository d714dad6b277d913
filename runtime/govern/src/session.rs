//! What one session knows of governed knowledge: manifests, plans, what was loaded, what is being followed.
//!
//! It lives as long as its process. What must outlive that, money, is in [`crate::budget`].

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use knotrust_core::case::Case;
use knotrust_core::ruleset::Ruleset;
use knotrust_core::time::Timestamp;
use knotrust_knowledge::date::IsoDate;
use knotrust_knowledge::governing::call::{Call, Gated, Placed};
use knotrust_knowledge::governing::{Domain, Session as Remembered, Unusable};
use knotrust_knowledge::loading::Known;
use knotrust_knowledge::manifest::Manifest;
use knotrust_knowledge::options::Options;

use crate::budget::Budget;
use crate::failure::StoreError;
use crate::home::Home;
use crate::manifests::{Held, Manifests, Watching, folders};
use crate::plans::{Moved, Plans};

/// What one session knows.
#[derive(Debug)]
pub struct Session<'r> {
    ruleset: &'r Ruleset<'r>,
    manifests: Manifests<'r>,
    folders: Vec<Vec<String>>,
    options: Option<Options>,
    /// What plans have approved, and which procedure is being followed.
    pub remembered: Remembered,
    /// Plans that were asked for.
    pub plans: Plans,
    /// What was loaded, by domain.
    pub known: BTreeMap<u32, Known>,
    /// The day's spends.
    pub budget: Budget,
}

impl<'r> Session<'r> {
    /// A session that knows nothing yet, in this working folder.
    #[must_use]
    pub fn begin(ruleset: &'r Ruleset<'r>, home: &Home, cwd: &str) -> Self {
        let domains = ruleset.domains.iter();
        Self {
            ruleset,
            manifests: Manifests::of(ruleset, Path::new(cwd), Watching::Disk),
            folders: domains
                .map(|domain| folders(cwd, domain.manifest.path))
                .collect(),
            options: None,
            remembered: Remembered::default(),
            plans: Plans::default(),
            known: BTreeMap::new(),
            budget: Budget::of(home, &ruleset.gates),
        }
    }

    /// The manifest of a domain, as it is now.
    pub fn manifest(&mut self, domain: u32) -> Option<&Held> {
        self.manifests.at(domain)
    }

    /// The manifests of the policy.
    #[must_use]
    pub const fn manifests(&self) -> &Manifests<'r> {
        &self.manifests
    }

    /// The folder of a domain's manifest, absolute.
    #[must_use]
    pub fn folder(&self, domain: u32) -> Option<&str> {
        let folders = self.folders.get(usize::try_from(domain).ok()?)?;
        folders.first().map(String::as_str)
    }

    /// What plans are made with at this moment: the policy's gates, the day, and what was spent.
    ///
    /// # Errors
    ///
    /// What was spent is not known.
    pub fn options(&mut self, now: Timestamp) -> Result<&Options, StoreError> {
        let today = IsoDate::day_of(now);
        let spent = match self.ruleset.gates.money {
            Some(money) => Some(self.budget.ledger(now)?.total(money.currency)),
            None => None,
        };
        let known = self.options.take().filter(|options| {
            let before = options.budget.as_ref().map(|budget| budget.spent());
            options.as_of == today && before == spent
        });
        let made = || {
            let mut options = Options::of_gates(&self.ruleset.gates, today);
            if let Some(budget) = &mut options.budget {
                budget.spent = spent;
            }
            options
        };
        let options = known.unwrap_or_else(made);
        Ok(self.options.insert(options))
    }

    /// Asks the gates about a call, and makes the session's plans again where something has changed.
    ///
    /// # Errors
    ///
    /// What was spent is not known.
    pub fn ask(
        &mut self,
        call: &Call<'_>,
        now: Timestamp,
    ) -> Result<(Gated, Vec<Moved>), StoreError> {
        let options = self.options(now)?.clone();
        let moved = self.review(now, &options.as_of);
        let domains = self.touched(call.case);
        let mut placed = Vec::new();
        for (index, manifest) in &domains {
            let Some(position) = usize::try_from(*index).ok() else {
                continue;
            };
            let declared = self.ruleset.domains.get(position);
            let folders = self.folders.get(position);
            let Some((declared, folders)) = declared.zip(folders) else {
                continue;
            };
            let domain = Domain {
                name: declared.name,
                manifest: manifest.as_deref().map_err(|unusable| *unusable),
                urls: declared.urls,
                options: &options,
            };
            placed.push((*index, Placed { domain, folders }));
        }
        Ok((call.ask(&placed, &mut self.remembered), moved))
    }

    /// Makes plans again whose day or manifest is another than when they were made. What is no longer approved is forgotten.
    pub fn review(&mut self, now: Timestamp, today: &IsoDate) -> Vec<Moved> {
        if self.plans.is_empty() {
            return Vec::new();
        }
        let mut moved = Vec::new();
        for domain in self.plans.domains() {
            let manifest = self.manifests.at(domain).map(|held| held.manifest.clone());
            let Some(manifest) = manifest else {
                continue;
            };
            let found = self
                .plans
                .review(domain, manifest.as_deref().ok(), today, now);
            let name = self.name(domain).to_owned();
            for unit in found.iter().flat_map(|moved| &moved.lost) {
                self.remembered.forget(&name, unit);
            }
            moved.extend(found);
        }
        moved
    }

    /// The name of a domain.
    #[must_use]
    pub fn name(&self, domain: u32) -> &'r str {
        let index = usize::try_from(domain).ok();
        let domain = index.and_then(|index| self.ruleset.domains.get(index));
        domain.map_or("", |domain| domain.name)
    }

    fn touched(&mut self, case: &Case<'_>) -> Vec<(u32, Result<Arc<Manifest>, Unusable>)> {
        let domains = case.domains.iter();
        domains
            .filter_map(|index| {
                let held = self.manifests.at(*index)?;
                Some((*index, held.manifest.clone()))
            })
            .collect()
    }
}
