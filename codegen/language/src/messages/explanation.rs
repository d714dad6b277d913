//! What `knotrust explain --format json` answers.

use schemars::JsonSchema;
use serde_json::Value;

use super::request::Resource;
use super::{LayerWord, OrNull, OutcomeWord, ReasonWord, TierWord};

/// The decision on a call, what decided, what else matched and why it lost. A line of a batch that is no question is answered by
/// `{"error": …}` instead.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
pub struct Explanation {
    /// `server.tool`.
    pub action: String,
    /// What becomes of the call.
    pub outcome: OutcomeWord,
    /// The tier it was decided at.
    pub tier: TierWord,
    /// Where the tier came from.
    pub tier_source: String,
    /// What the tier was before something raised it.
    pub raised_from: Option<TierWord>,
    /// The number of the layer that decided.
    #[schemars(range(min = 1, max = 7))]
    pub layer: u64,
    /// Its name.
    pub layer_name: LayerWord,
    /// Why, as a code.
    pub reason_code: ReasonWord,
    /// Why, in words.
    pub reason: String,
    /// The rule or bound that decided, if one did.
    pub rule: OrNull<Decider>,
    /// The rules that match the name.
    pub matched: Vec<Matched>,
    /// What is wrong with the name, if no server may use it.
    pub irregular_name: Option<String>,
    /// What the call touches.
    pub classification: Classification,
    /// What the gates say, by domain.
    pub gates: Option<Value>,
    /// What it is done to.
    pub resource: Resource,
}

/// A rule or a bound, and where it stands.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Decider {
    /// The rule, in short.
    pub what: String,
    /// `file:line`.
    pub place: String,
}

/// A rule that matches, and why it lost.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Matched {
    /// The rule, in short.
    pub what: String,
    /// `file:line`.
    pub place: String,
    /// Why it lost; `null` if it did not.
    pub lost: OrNull<String>,
}

/// What a call touches.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Classification {
    /// Whether it touches a governed domain.
    pub governed: bool,
    /// Which ones.
    pub domains: Vec<String>,
    /// By what.
    pub reasons: Vec<String>,
    /// The paths and URLs that were found in it.
    pub targets: Vec<String>,
}
