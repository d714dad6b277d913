//! A decision, version 1.0 of the contract.

use schemars::JsonSchema;

use super::{ApprovalId, Contract, Moment, OutcomeWord, TierWord};

/// The answer to a decision request.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
pub struct Decision {
    /// The version of the contract.
    pub contract_version: Contract,
    /// The request that it answers.
    pub request_id: String,
    /// Names the decision in the log.
    pub decision_id: String,
    /// What becomes of the call.
    pub outcome: OutcomeWord,
    /// The tier it was decided at.
    pub tier: TierWord,
    /// Why, as a code.
    pub reason_code: String,
    /// Why, for whoever called.
    pub reason_user: Option<String>,
    /// Why, for whoever keeps the policy.
    pub reason_admin: Option<String>,
    /// The approval that it waits for.
    pub approval: Option<Approval>,
    /// How a person can be asked for a grant.
    pub requestable: Option<Requestable>,
    /// Whether it was remembered.
    pub cache: Cache,
    /// What decided.
    pub evaluated_by: Engine,
    /// How long it took.
    #[schemars(range(min = 0))]
    pub latency_ms: f64,
}

/// An approval, by its id.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
pub struct Approval {
    /// Its id.
    pub id: ApprovalId,
    /// How far it is.
    pub state: ApprovalState,
    /// The first moment that is too late.
    pub expires_at: Option<Moment>,
}

/// How far an approval is.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum ApprovalState {
    /// A person is needed.
    Requested,
    /// A person was asked.
    Pending,
    /// They said yes.
    Approved,
    /// They said no.
    Denied,
    /// They did not answer in time.
    Expired,
    /// The caller no longer wants it.
    Cancelled,
}

/// How a person can be asked for a grant.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Requestable {
    /// What they would run.
    pub how: String,
}

/// Whether a decision was remembered.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
pub struct Cache {
    /// Whether this one was.
    pub hit: bool,
    /// For how long it will be.
    pub ttl_seconds: Option<u64>,
}

/// What decided.
#[derive(Debug, JsonSchema)]
pub enum Engine {
    /// The rules.
    L0,
    /// A Cedar engine.
    #[schemars(rename = "cedar")]
    Cedar,
    /// An engine over HTTP.
    #[schemars(rename = "authzen_http")]
    AuthzenHttp,
    /// An OPA engine.
    #[schemars(rename = "opa")]
    Opa,
    /// A grant.
    #[schemars(rename = "grant")]
    Grant,
}
