//! The files as written. These types are the one source of the language: the JSON Schemas, the check of a file's shape and its reading all
//! come from them, and their comments are what an editor shows.

mod approvals;
mod condition;
mod domains;
mod entries;
mod envelope;
mod gates;
mod operation;
mod pack;
mod servers;
mod tests;
mod text;
mod tiers;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::located::Located;

pub use approvals::{
    ApprovalMatch, ApprovalRule, Approvals, Approver, Channel, Passkey, Pin, Reviewer,
};
pub use condition::{Condition, Literal, POINTER_KEYS, Test};
pub use domains::{Domain, ManifestMode, ManifestReference, Resource};
pub use entries::{Entries, Many};
pub use envelope::{Envelope, FailOpen, ForceApproval};
pub use gates::{
    Access, Attestation, Audience, Confidence, Conformance, Gates, MoneyBudget, Payment,
    PaymentMethod, Signatures,
};
pub use operation::{Audit, Cache, Engine, Listing, Mode, Pdp, Respond, RespondMetadata};
pub use pack::{Pack, PackKind, PackTierRule, PackTiers};
pub use servers::{Server, Unlisted};
pub use tests::{ActionCall, Annotations, Expectation, Json, JsonObject, OutcomeName, PolicyTest};
pub use text::{
    Decimal, Digest, Duration, Identifier, KeyText, PathPattern, PathText, Pattern, Pointer,
    Sentence, Url,
};
pub use tiers::{RaisedTier, TierDefaults, TierName, TierRule, Tiers, True};

/// A whole policy: one file that compiles into one binary.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Ruleset {
    /// The version of the language.
    pub api_version: ApiVersion,
    /// What this file is.
    pub kind: RulesetKind,
    /// What it is called.
    pub metadata: Metadata,
    /// Whose policy this is. `personal` if left out.
    pub scope: Option<Scope>,
    /// Rules written for all to use, embedded in the binary. A pack sets tiers and resources; it can neither allow nor deny.
    pub packs: Option<Vec<Located<PackReference>>>,
    /// The MCP servers that rules speak about, by name.
    pub servers: Option<Entries<Located<Server>>>,
    /// Whether a server that `servers` does not name may be used. `deny` if left out.
    pub unlisted_servers: Option<Unlisted>,
    /// How much harm a call can do.
    pub tiers: Option<Tiers>,
    /// What a call acts on, read from its arguments.
    pub resources: Option<Vec<Located<Resource>>>,
    /// Governed knowledge.
    pub domains: Option<Vec<Located<Domain>>>,
    /// The parameters of the gates that governed knowledge passes through. Their order is fixed.
    pub gates: Option<Gates>,
    /// The outer ceiling. Nothing inside can exceed it.
    pub envelope: Option<Envelope>,
    /// Whether decisions are enforced. `enforce` if left out.
    pub mode: Option<Located<Mode>>,
    /// How a person is asked.
    pub approvals: Option<Located<Approvals>>,
    /// Routine calls that are let through when a store or an engine fails.
    pub fail_open: Option<Vec<Located<FailOpen>>>,
    /// How long a decision may be used again.
    pub cache: Option<Cache>,
    /// What is recorded.
    pub audit: Option<Audit>,
    /// A further engine that can only restrict.
    pub pdp: Option<Located<Pdp>>,
    /// Whether an agent sees tools that it may not call. `passthrough` if left out.
    pub listing: Option<Listing>,
    /// Whether critical tools are marked in listings, so that a client asks its user too. `false` if left out.
    pub mark_critical: Option<bool>,
    /// Whether results say that they were governed.
    pub respond: Option<Respond>,
    /// What the policy must decide. A ruleset whose own tests fail does not compile.
    pub tests: Option<Vec<Located<PolicyTest>>>,
}

/// The version of the language.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
pub enum ApiVersion {
    /// The only one there is.
    #[serde(rename = "knotrust/v1")]
    V1,
}

/// What a ruleset file is.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
pub enum RulesetKind {
    /// A whole policy.
    Ruleset,
}

/// What a file is called.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Metadata {
    /// A short name.
    pub name: Located<Identifier>,
    /// Counts up with each change.
    #[schemars(range(min = 1, max = 4_294_967_295_u32))]
    pub version: u32,
    /// What it is for, in a sentence.
    pub description: Option<Sentence>,
}

/// Whose policy it is.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// One person's.
    #[default]
    Personal,
    /// An organisation's.
    Org,
}

/// A pack to embed: a path beside this file, or a path with what pins it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = text::or_path)]
pub struct PackReference {
    /// The file, seen from the one that names it.
    pub path: Located<PathText>,
    /// What the bytes of the file must amount to.
    pub digest: Option<Located<Digest>>,
}
