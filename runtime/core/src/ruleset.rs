//! What a policy is made of, once compiled.
//!
//! A [`Ruleset`] is tables of plain values. The generated module is one literal of these types; the language lends one
//! made from any other text. Nothing in this crate can tell which it was given.

mod approvals;
mod check;
mod envelope;
mod rule;
mod server;
mod settings;

pub use approvals::{ApprovalRule, Approvals, Approver, Channel, Passkey, Reviewer};
pub use check::Flaw;
pub use envelope::{Bound, Envelope, Floor};
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
    /// The paths and URLs that domains and approval rules speak of.
    pub places: Places<'a>,
    /// The outer ceiling.
    pub envelope: Envelope<'a>,
    /// How a person is asked.
    pub approvals: Approvals<'a>,
    /// Modes and times.
    pub settings: Settings,
    /// All patterns over action names, found in one pass.
    pub names: Names<'a>,
    /// What each pattern of [`Ruleset::names`] is for, by its id.
    pub uses: Uses<'a>,
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

/// Governed knowledge: what belongs to one manifest.
#[derive(Clone, Copy, Debug)]
pub struct Domain<'a> {
    /// The name by which people know it.
    pub name: &'a str,
    /// The least tier of a call that touches it.
    pub floor: Option<Tier>,
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

/// The uses of each pattern, by the pattern's id.
#[derive(Clone, Copy, Debug)]
pub enum Uses<'a> {
    /// One list a pattern.
    Rows(&'a [&'a [Use]]),
    /// Bytes: a table of `u32` little-endian offsets, one more than there are patterns, then entries of a kind byte and
    /// a `u32` index.
    Packed(&'a [u8]),
}

impl<'a> Uses<'a> {
    /// What the pattern with that id is for.
    pub fn of(self, pattern: u32) -> impl Iterator<Item = Use> + 'a {
        let (rows, packed): (&'a [Use], &'a [u8]) = match self {
            Self::Rows(rows) => (rows.get(pattern as usize).copied().unwrap_or_default(), &[]),
            Self::Packed(bytes) => (&[], packed_uses(bytes, pattern).unwrap_or_default()),
        };
        let packed = packed
            .as_chunks::<5>()
            .0
            .iter()
            .filter_map(|entry| Use::unpack(*entry));
        rows.iter().copied().chain(packed)
    }
}

fn packed_uses(bytes: &[u8], pattern: u32) -> Option<&[u8]> {
    let at = (pattern as usize).checked_mul(4)?;
    let offset = |at: usize| {
        let entry = bytes.get(at..)?.first_chunk::<4>()?;
        Some(u32::from_le_bytes(*entry) as usize)
    };
    bytes.get(offset(at)?..offset(at + 4)?)
}

impl Use {
    /// The entry of a packed table: a kind byte and the index.
    #[must_use]
    pub const fn pack(self) -> [u8; 5] {
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
        let [first, second, third, fourth] = index.to_le_bytes();
        [kind, first, second, third, fourth]
    }

    const fn unpack([kind, first, second, third, fourth]: [u8; 5]) -> Option<Self> {
        let index = u32::from_le_bytes([first, second, third, fourth]);
        Some(match kind {
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

impl<'a> Ruleset<'a> {
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
