//! The outer ceiling of a policy.

use super::Place;
use crate::tier::{Tier, Tiers};

/// The outer ceiling: nothing inside the policy, and no grant, can exceed it. Its patterns are among
/// [`super::Ruleset::names`].
#[derive(Clone, Copy, Debug)]
pub struct Envelope<'a> {
    /// What is denied, as written; [`super::Use::EnvelopeDeny`] counts from 0 in here.
    pub deny: &'a [Bound<'a>],
    /// Tiers that always need a person.
    pub force_tiers: Tiers,
    /// Names that always need a person.
    pub force_tools: &'a [Bound<'a>],
    /// Least tiers.
    pub floors: &'a [Floor<'a>],
    /// The highest tier that a grant may cover.
    pub grant_ceiling: Tier,
}

/// A pattern of the envelope, for people.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Bound<'a> {
    /// As it was written.
    pub pattern: &'a str,
    /// Where it stands.
    pub place: Place,
}

/// The least tier of the names that a pattern matches.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Floor<'a> {
    /// The pattern.
    pub bound: Bound<'a>,
    /// The least tier.
    pub tier: Tier,
}

impl<'a> Bound<'a> {
    /// A pattern in the ruleset's own file.
    #[must_use]
    pub const fn new(pattern: &'a str, line: u32) -> Self {
        Self {
            pattern,
            place: Place { file: 0, line },
        }
    }
}

impl<'a> Floor<'a> {
    /// A floor in the ruleset's own file.
    #[must_use]
    pub const fn new(tier: Tier, pattern: &'a str, line: u32) -> Self {
        Self {
            bound: Bound::new(pattern, line),
            tier,
        }
    }
}

impl Envelope<'_> {
    /// No ceiling at all.
    pub const NONE: Self = Self {
        deny: &[],
        force_tiers: Tiers::NONE,
        force_tools: &[],
        floors: &[],
        grant_ceiling: Tier::Critical,
    };
}
