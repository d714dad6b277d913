//! What a policy is made of, once compiled.
//!
//! A [`Ruleset`] is tables of plain values. The generated module is one literal of these types; the language lends one
//! made from any other text. Nothing in this crate can tell which it was given.

mod approvals;
mod check;
mod domain;
mod envelope;
mod gates;
mod rule;
mod server;
mod settings;

pub use approvals::{ApprovalRule, Approvals, Approver, Channel, Passkey, Reviewer};
pub use check::Flaw;
pub use domain::{Domain, Manifest, Pinned};
pub use envelope::{Bound, Envelope, Floor};
pub use gates::{Confidence, Gates, Money, Route};
pub use rule::{Effect, PackedRules, Place, RECORD, Ranks, Rule, Rules, Source};
pub use server::{Launch, Server};
pub use settings::{CacheTimes, Listing, Mode, Respond, Scope, Settings};

use crate::names::Names;
use crate::precedence::Row;
use crate::resource::Mapping;
use crate::targets::place::Places;
use crate::tier::Tier;

/// One policy: everything a decision may draw on.
#[derive(Clone, Copy, Debug)]
pub struct Ruleset<'a> {
    /// The name of the policy, from its metadata.
    pub name: &'a str,
    /// Its version, from its metadata.
    pub version: u64,
    /// Lower-case hex SHA-256 over the canonical form of what the policy means (`ruleset.md` §1).
    pub digest: &'a str,
    /// The files the policy was read from, as it names them. A [`Place`] points in here.
    pub files: &'a [&'a str],
    /// The servers that rules speak about, sorted by name.
    pub servers: &'a [Server<'a>],
    /// Whether servers that the policy does not list may be used.
    pub unlisted_servers: Unlisted,
    /// Tiers of what no rule speaks about.
    pub defaults: Defaults,
    /// The rules about tiers, allowing and denying, in rank order.
    pub rules: Rules<'a>,
    /// From arguments to resources.
    pub resources: &'a [Mapping<'a>],
    /// Governed knowledge.
    pub domains: &'a [Domain<'a>],
    /// The parameters of the gates that governed knowledge stands behind.
    pub gates: Gates<'a>,
    /// The paths and URLs that domains and approval rules speak of.
    pub places: Places<'a>,
    /// The outer ceiling.
    pub envelope: Envelope<'a>,
    /// How a person is asked.
    pub approvals: Approvals<'a>,
    /// Modes and times.
    pub settings: Settings,
    /// All patterns over action names, found in one pass; each stands under the [`Use::id`]s of what it is for.
    pub names: Names<'a>,
    /// What outranks what: the first row that applies decides.
    pub precedence: &'a [Row],
}

/// Whether servers that the policy does not list may be used.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Unlisted {
    /// Their tools are unknown tools.
    Allow,
    /// Their calls are denied.
    Deny,
}

/// Tiers of what no rule speaks about.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Defaults {
    /// A tool that no rule names.
    pub unknown_tool: Tier,
    /// An unknown tool whose annotations or name say that it destroys something.
    pub destructive_looking: Tier,
}

/// What a pattern over action names is for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Use {
    /// A rule, by rank.
    Rule(u32),
    /// A name that the envelope denies.
    EnvelopeDeny(u32),
    /// A name that always needs a person.
    ForceApproval(u32),
    /// A floor of the envelope, by index.
    Floor(u32),
    /// A routine name that is allowed when the decision itself breaks.
    FailOpen(u32),
    /// An approval rule, by index.
    Approval(u32),
    /// A resource mapping, by index.
    Resource(u32),
    /// A tool that belongs to a domain, by index.
    DomainTool(u32),
    /// A skill that belongs to a domain, by index.
    DomainSkill(u32),
}

impl Use {
    /// The number under which a pattern with this use stands in [`Ruleset::names`]: the kind in the upper four bits, the
    /// index in the rest.
    #[must_use]
    pub const fn id(self) -> u32 {
        let (kind, index) = match self {
            Self::Rule(index) => (0, index),
            Self::EnvelopeDeny(index) => (1, index),
            Self::ForceApproval(index) => (2, index),
            Self::Floor(index) => (3, index),
            Self::FailOpen(index) => (4, index),
            Self::Approval(index) => (5, index),
            Self::Resource(index) => (6, index),
            Self::DomainTool(index) => (7, index),
            Self::DomainSkill(index) => (8, index),
        };
        kind << 28 | index & INDEX
    }

    /// The use that a number stands for.
    #[must_use]
    pub const fn of_id(id: u32) -> Option<Self> {
        let index = id & INDEX;
        Some(match id >> 28 {
            0 => Self::Rule(index),
            1 => Self::EnvelopeDeny(index),
            2 => Self::ForceApproval(index),
            3 => Self::Floor(index),
            4 => Self::FailOpen(index),
            5 => Self::Approval(index),
            6 => Self::Resource(index),
            7 => Self::DomainTool(index),
            8 => Self::DomainSkill(index),
            _ => return None,
        })
    }
}

/// The bits of a [`Use::id`] that are its index.
const INDEX: u32 = (1 << 28) - 1;

impl<'a> Ruleset<'a> {
    /// Where something stands, for people: `file:line`.
    #[must_use]
    pub fn spelled(&self, place: Place) -> String {
        let file = self
            .files
            .get(usize::from(place.file))
            .copied()
            .unwrap_or("?");
        let mut spelled = String::with_capacity(file.len() + 11);
        spelled.push_str(file);
        spelled.push(':');
        spelled.push_str(&place.line.to_string());
        spelled
    }

    /// The server of that name, if the policy lists it.
    #[must_use]
    pub fn server(&self, name: &str) -> Option<&'a Server<'a>> {
        let at = self
            .servers
            .binary_search_by(|server| server.name.cmp(name))
            .ok()?;
        self.servers.get(at)
    }
}
