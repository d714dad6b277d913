//! What an agent is told of a call that was not made.

use schemars::JsonSchema;

use super::decision::Requestable;
use super::{ApprovalId, RefusalWord, TierWord};

/// What an agent is told of a call that was not made: its status, the class of its tier, what a person could do. Nothing of the policy.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
pub struct Denial {
    /// The same in words, for a model.
    pub message: String,
    /// What became of the call.
    pub outcome: RefusalWord,
    /// Names the decision in the log.
    pub decision_id: String,
    /// How much harm it could have done.
    pub tier_class: TierWord,
    /// Why, as far as an agent may know.
    pub reason_code: AgentReason,
    /// Whether the same call may pass later without anything else being different.
    pub retryable: bool,
    /// What a person can do.
    pub human_approval: HumanApproval,
    /// How a person can be asked for a grant.
    pub requestable: Option<Requestable>,
    /// The approval that the call waits for.
    pub approval_id: Option<ApprovalId>,
    /// Where a person finds more: the decision's event in the audit log.
    pub audit_ref: String,
}

/// Why, as far as an agent may know.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum AgentReason {
    /// Nobody has granted calls like this one.
    BlockedNeedsGrant,
    /// A person must approve this one.
    BlockedNeedsApproval,
    /// It is not permitted.
    BlockedByPolicy,
    /// It could not be checked.
    Unavailable,
    /// Nobody can be asked here.
    NotEligibleHere,
}

/// What a person can do.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct HumanApproval {
    /// Whether they could say yes.
    pub possible: bool,
    /// What the agent should do about it.
    pub hint: String,
}
