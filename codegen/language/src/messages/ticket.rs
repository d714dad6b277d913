//! A call that waits for a person, as its file in the home holds it.

use schemars::JsonSchema;

use super::{ApprovalId, DecisionRequest, Moment, One, ReasonWord, Sha256, TierWord};

/// A call that waits for a person, with everything that they must see.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
pub struct Ticket {
    /// The version.
    pub v: One,
    /// Its id.
    pub id: ApprovalId,
    /// Six characters that a person can read out and compare. No secret.
    #[schemars(regex(pattern = "^[A-Z2-9]{6}$"))]
    pub code: String,
    /// When it was asked.
    pub asked: Moment,
    /// The first moment that is too late.
    pub until: Moment,
    /// The tier of the call.
    pub tier: TierWord,
    /// Why it stopped.
    pub reason: ReasonWord,
    /// The exact hash of the call.
    pub call: Sha256,
    /// Its hash in the reference's normal form, where it has one.
    pub call_hash: Option<Sha256>,
    /// The roles one of which must answer; none if anybody may.
    pub roles: Vec<String>,
    /// The call, whole.
    pub request: DecisionRequest,
}
