//! How a person is asked, and who counts as one.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Duration, Identifier, KeyText, PathPattern, PathText, Pattern, Sentence, text::at_least_one,
};
use crate::located::Located;

/// How a person is asked, and who counts as one.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Approvals {
    /// The ways to reach a person, the first that can is taken.
    #[schemars(transform = at_least_one)]
    pub channels: Option<Vec<Located<Channel>>>,
    /// How long a call is held open for the answer: a little under the shortest limit of the clients in use. `50s` if left out.
    pub hold: Option<Located<Duration>>,
    /// How long the person may take. `15m` if left out.
    pub expires: Option<Located<Duration>>,
    /// Another spelling of `expires`.
    pub timeout: Option<Located<Duration>>,
    /// What proves that a person said yes, and not a process of the same user. `none` if left out.
    pub approver: Option<Located<Approver>>,
    /// The pin that counts, as `knotrust approver enroll` prints it.
    pub pin: Option<Located<Pin>>,
    /// The passkeys that count, as `knotrust approver enroll` prints them.
    #[schemars(transform = at_least_one)]
    pub passkeys: Option<Vec<Located<Passkey>>>,
    /// Whether the resolution of a reviewer must be signed. `false` if left out.
    pub require_signed_resolutions: Option<bool>,
    /// The people who can resolve what a rule sends to their role.
    pub reviewers: Option<Vec<Located<Reviewer>>>,
    /// Calls that a person with a given role must approve.
    pub rules: Option<Vec<Located<ApprovalRule>>>,
}

/// A way to reach a person.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, Ord, PartialEq, PartialOrd)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// The client asks, and calls again with the answer.
    InputRequired,
    /// The client opens a page.
    ElicitationUrl,
    /// The client shows a form.
    ElicitationForm,
    /// The terminal and the local page; the call waits.
    BlockAndWait,
}

/// What proves that a person said yes.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum Approver {
    /// Nothing but the session of the user.
    #[default]
    None,
    /// A number that only the person knows.
    Pin,
    /// A passkey, pinned in the binary.
    Passkey,
}

/// The public half of a key that only the pin can make.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Pin {
    /// The salt, 16 bytes in base64url.
    pub salt: Located<KeyText>,
    /// The Ed25519 public key, in base64url.
    pub public_key: Located<KeyText>,
}

/// A passkey that counts.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Passkey {
    /// What its owner calls it.
    pub name: Option<Located<Identifier>>,
    /// The identifier of the credential, in base64url.
    pub credential: Located<KeyText>,
    /// The public key as a COSE key, in base64url.
    pub public_key: Located<KeyText>,
}

/// A person who can resolve what a rule sends to a role.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Reviewer {
    /// What the person is called.
    pub name: Located<Identifier>,
    /// The role.
    pub role: Located<Identifier>,
    /// The file with the person's Ed25519 public key.
    pub key: Option<Located<PathText>>,
}

/// Calls that a person with a given role must approve.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApprovalRule {
    /// The calls.
    #[serde(rename = "match")]
    pub matching: Located<ApprovalMatch>,
    /// The role.
    pub required_role: Located<Identifier>,
    /// How long the person may take.
    pub expires_after: Option<Located<Duration>>,
    /// The policy that asks for it.
    pub policy_ref: Option<Sentence>,
}

/// Calls: those that both lists match, where both are given.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApprovalMatch {
    /// The tools.
    #[schemars(transform = at_least_one)]
    pub tools: Option<Vec<Located<Pattern>>>,
    /// The files that the call touches.
    #[schemars(transform = at_least_one)]
    pub paths: Option<Vec<Located<PathPattern>>>,
}
