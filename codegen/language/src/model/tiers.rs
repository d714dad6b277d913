//! How much harm a call can do.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use super::{Condition, Many, Pattern};
use crate::located::Located;

/// How much harm a call can do.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Tiers {
    /// What holds where no rule matches.
    pub defaults: Option<TierDefaults>,
    /// The rules. Their order has no meaning: the narrower pattern wins.
    pub rules: Option<Vec<Located<TierRule>>>,
}

/// What holds where no rule matches.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TierDefaults {
    /// The tier of a tool that no rule matches. `sensitive` if left out.
    pub unknown_tool: Option<RaisedTier>,
    /// The tier of such a tool if its name or its annotations say that it destroys. `critical` if left out.
    pub destructive_looking: Option<RaisedTier>,
}

/// A rule: the calls that it matches, and one of `tier`, `allow` and `deny`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TierRule {
    /// The tools.
    #[serde(rename = "match")]
    pub patterns: Many<Located<Pattern>>,
    /// What the arguments must be like.
    pub when: Option<Located<Condition>>,
    /// How much harm such a call can do.
    pub tier: Option<Located<TierName>>,
    /// Let such a call through without a grant, as long as it is no more than sensitive.
    pub allow: Option<Located<True>>,
    /// Refuse such a call. Nobody can approve it.
    pub deny: Option<Located<True>>,
}

/// How much harm a call can do.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, Ord, PartialEq, PartialOrd)]
#[serde(rename_all = "kebab-case")]
pub enum TierName {
    /// None to speak of: it passes.
    Routine,
    /// Some: it needs a grant.
    Sensitive,
    /// Much: a person must approve it.
    Critical,
}

/// A tier above routine.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum RaisedTier {
    /// Needs a grant.
    Sensitive,
    /// A person must approve it.
    Critical,
}

impl From<RaisedTier> for TierName {
    fn from(tier: RaisedTier) -> Self {
        match tier {
            RaisedTier::Sensitive => Self::Sensitive,
            RaisedTier::Critical => Self::Critical,
        }
    }
}

/// `true`; what is not wanted is left out.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(from = "bool")]
pub struct True;

impl From<bool> for True {
    fn from(_: bool) -> Self {
        Self
    }
}

impl JsonSchema for True {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "True".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "const": true })
    }
}
