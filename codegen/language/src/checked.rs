//! A ruleset in which no fault was found: ranked, and lent as the tables that decisions are made from.

mod lend;

use std::path::PathBuf;

use knotrust_core::{
    names::{NamesBuilder, OwnedNames},
    ruleset::{Ruleset, Use},
    targets::{
        building::{self as places, OwnedPlaces},
        place::Holder,
    },
};

use crate::{
    digest,
    rank::Ranked,
    resolved::{Bound, Resolved, Rule},
    source::Sources,
};

/// A ruleset in which no fault was found, owning all it says.
#[derive(Clone, Debug)]
pub struct Checked {
    resolved: Resolved,
    ranked: Ranked,
    names: OwnedNames,
    places: OwnedPlaces,
    digest: String,
    paths: Vec<PathBuf>,
}

impl Checked {
    pub(crate) fn new(resolved: Resolved, ranked: Ranked, sources: &Sources) -> Self {
        let digest = digest::of(&resolved);
        let paths = sources.paths().map(PathBuf::from).collect();
        let names = names(&resolved, &ranked);
        let places = places(&resolved);
        Self {
            resolved,
            ranked,
            names,
            places,
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

    /// Every file that was asked for while it was read: what a build depends on.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// All patterns over action names, by number.
    pub fn names(&self) -> &OwnedNames {
        &self.names
    }

    /// All paths and URLs that domains and approval rules speak of.
    pub fn places(&self) -> &OwnedPlaces {
        &self.places
    }

    /// The rules in rank order.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.ranked
            .order
            .iter()
            .filter_map(|index| self.resolved.rules.get(*index))
    }

    /// Hands the tables to a reader. They borrow from this ruleset, and the reader cannot tell them from compiled ones.
    pub fn lend<T>(&self, read: impl FnOnce(&Ruleset<'_>) -> T) -> T {
        lend::lend(self, read)
    }
}

/// All patterns over action names, each under what it is for.
fn names(resolved: &Resolved, ranked: &Ranked) -> OwnedNames {
    let mut builder = NamesBuilder::new();
    for (bound, usage) in uses(resolved, ranked) {
        builder.add(usage.id(), &bound.pattern);
    }
    builder.build()
}

/// All paths and URLs that domains and approval rules speak of. What is neither was refused when it was resolved.
fn places(resolved: &Resolved) -> OwnedPlaces {
    let mut builder = places::Builder::default();
    for (index, domain) in (0..).zip(&resolved.domains) {
        for path in &domain.paths {
            let _ = builder.path(path.text(), Holder::Domain(index));
        }
        for url in &domain.urls {
            let _ = builder.url(url, Holder::Domain(index));
        }
    }
    for (index, rule) in (0..).zip(&resolved.approvals.rules) {
        for path in &rule.paths {
            let _ = builder.path(path.text(), Holder::Approval(index));
        }
    }
    builder.finish()
}

/// Every pattern over action names, and what it is for.
fn uses<'a>(resolved: &'a Resolved, ranked: &Ranked) -> Vec<(&'a Bound, Use)> {
    let mut uses = Vec::new();
    let mut put =
        |bounds: &'a [Bound], usage: Use| uses.extend(bounds.iter().map(|bound| (bound, usage)));
    let rules = ranked
        .order
        .iter()
        .filter_map(|index| resolved.rules.get(*index));
    for (rank, rule) in (0..).zip(rules) {
        put(&rule.patterns, Use::Rule(rank));
    }
    for (index, rule) in (0..).zip(&resolved.approvals.rules) {
        put(&rule.tools, Use::Approval(index));
    }
    for (index, resource) in (0..).zip(&resolved.resources) {
        put(&resource.patterns, Use::Resource(index));
    }
    for (index, domain) in (0..).zip(&resolved.domains) {
        put(&domain.tools, Use::DomainTool(index));
        put(&domain.skills, Use::DomainSkill(index));
    }
    let envelope = &resolved.envelope;
    uses.extend(envelope.deny.iter().zip((0..).map(Use::EnvelopeDeny)));
    uses.extend(
        envelope
            .force_tools
            .iter()
            .zip((0..).map(Use::ForceApproval)),
    );
    uses.extend(
        envelope
            .floors
            .iter()
            .map(|(bound, _)| bound)
            .zip((0..).map(Use::Floor)),
    );
    uses.extend(resolved.fail_open.iter().zip((0..).map(Use::FailOpen)));
    uses
}
