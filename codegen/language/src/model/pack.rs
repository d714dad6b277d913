//! A pack: rules written once for all who use a server.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{ApiVersion, Condition, Many, Metadata, PackReference, Pattern, Resource, TierName};
use crate::located::Located;

/// Rules written once for all who use a server. A pack sets tiers and resources; only a ruleset can allow or deny.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Pack {
    /// The version of the language.
    pub api_version: ApiVersion,
    /// What this file is.
    pub kind: PackKind,
    /// What it is called.
    pub metadata: Metadata,
    /// The server that it is written for. Then every pattern must stay within that server.
    pub server: Option<Located<String>>,
    /// Further packs that this one needs.
    pub packs: Option<Vec<Located<PackReference>>>,
    /// How much harm calls can do.
    pub tiers: Option<PackTiers>,
    /// What calls act on.
    pub resources: Option<Vec<Located<Resource>>>,
}

/// What a pack file is.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
pub enum PackKind {
    /// Rules for all to use.
    Pack,
}

/// How much harm calls can do.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PackTiers {
    /// The rules. Their order has no meaning.
    pub rules: Option<Vec<Located<PackTierRule>>>,
}

/// A rule of a pack: the calls that it matches, and their tier.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PackTierRule {
    /// The tools.
    #[serde(rename = "match")]
    pub patterns: Many<Located<Pattern>>,
    /// What the arguments must be like.
    pub when: Option<Located<Condition>>,
    /// How much harm such a call can do.
    pub tier: Located<TierName>,
}
