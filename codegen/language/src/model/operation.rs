//! What surrounds a decision: its mode, its memory, its record, and what others see of it.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Duration, PathText, Url, text::at_least_one};
use crate::located::Located;

/// Whether decisions are enforced.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// They are.
    #[default]
    Enforce,
    /// Everything is decided and recorded, nothing withheld. Every start says so.
    Observe,
}

/// How long a decision may be used again. Critical ones are never kept.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Cache {
    /// A routine one: at most `1h`. `5m` if left out.
    pub routine: Option<Located<Duration>>,
    /// A sensitive one: at most `60s`, which holds if it is left out.
    pub sensitive: Option<Located<Duration>>,
}

/// What is recorded.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Audit {
    /// Whether the arguments of calls are recorded, and not only their hash. `false` if left out.
    pub capture_arguments: Option<bool>,
    /// Whether calls that no rule speaks of are recorded. `true` if left out.
    pub all_calls: Option<bool>,
}

/// A further engine, which can only restrict.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Pdp {
    /// Which one.
    pub engine: Located<Engine>,
    /// The policies of `cedar`, read now and compiled in.
    #[schemars(transform = at_least_one)]
    pub policies: Option<Located<Vec<Located<PathText>>>>,
    /// Where `opa` or `authzen` answers.
    pub url: Option<Located<Url>>,
    /// How long it may take before it counts as failed. `2s` if left out.
    pub timeout: Option<Located<Duration>>,
}

/// An engine.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum Engine {
    /// None but the rules of this file.
    #[default]
    Builtin,
    /// Cedar policies, compiled in.
    Cedar,
    /// An Open Policy Agent.
    Opa,
    /// A server that speaks AuthZEN.
    Authzen,
}

/// Whether an agent sees tools that it may not call.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum Listing {
    /// It sees all but what the envelope denies.
    #[default]
    Passthrough,
    /// It sees only what it could be allowed.
    HideDenied,
}

/// What a result says of governance.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Respond {
    /// When a result carries an entry in its `_meta`. `governed` if left out.
    pub metadata: Option<RespondMetadata>,
}

/// When a result carries an entry in its `_meta`.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum RespondMetadata {
    /// Never.
    Never,
    /// When governance touched the call.
    #[default]
    Governed,
    /// Always.
    Always,
}
