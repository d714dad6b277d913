//! The outer ceiling, and the one way to fail open.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Entries, Pattern, TierName, text::at_least_one};
use crate::located::Located;

/// The outer ceiling. Nothing inside can exceed it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Envelope {
    /// Tools that nobody may call, whatever else is said.
    pub deny: Option<Located<Vec<Located<Pattern>>>>,
    /// Calls that a person must approve one by one, whatever was granted.
    pub force_approval: Option<ForceApproval>,
    /// The least tier of tools, by pattern.
    pub floors: Option<Entries<Located<TierName>>>,
    /// The highest tier that a grant can reach. `critical` if left out.
    pub grant_ceiling: Option<Located<TierName>>,
}

/// Calls that a person must approve one by one.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ForceApproval {
    /// All of these tiers.
    pub tiers: Option<Vec<Located<TierName>>>,
    /// All of these tools.
    pub tools: Option<Vec<Located<Pattern>>>,
}

/// Routine calls that are let through when a store or an engine fails. Each time is recorded.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FailOpen {
    /// The tools.
    #[schemars(transform = at_least_one)]
    pub tools: Vec<Located<Pattern>>,
}
