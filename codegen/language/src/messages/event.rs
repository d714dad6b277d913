//! A line of the audit log.

use schemars::JsonSchema;
use serde_json::Value;

use super::grant::{ApprovalClaim, ConsentKind};
use super::{EventWord, LayerWord, Link, Moment, Open, OutcomeWord, TierWord};

/// A line of the audit log: something that happened, and its place in the chain. Texts longer than 4,096 bytes are cut, with their length
/// and hash in place of the rest.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
pub struct Event {
    /// Counts the events of a home, from 1.
    #[schemars(range(min = 1))]
    pub seq: u64,
    /// When it happened. Never before the event before it.
    pub ts: Moment,
    /// The hash of the event before it, zeros for the first.
    pub prev_hash: Link,
    /// The SHA-256 of the canonical form of all other members.
    pub hash: Link,
    /// What happened.
    #[schemars(rename = "type")]
    pub kind: EventWord,
    /// The enforcement point that saw it: `stdio_proxy`, `grants`, `local_page`.
    pub surface: String,
    /// On whose behalf.
    pub subject: String,
    /// Through which agent.
    pub agent: String,
    /// The action, `server.tool`; empty where there is none.
    pub tool: String,
    /// The SHA-256 of the canonical arguments, or `unavailable`.
    pub args_hash: String,
    /// The arguments, where the policy asks to capture them.
    pub raw_args: Option<Value>,
    /// The approval this belongs to.
    pub approval_id: Option<String>,
    /// Who resolved an approval.
    pub approver: Option<String>,
    /// Whether the decision came from the cache.
    pub cache_hit: Option<bool>,
    /// Through which channel a person was asked or answered.
    pub channel: Option<String>,
    /// What a person agreed to, and the proof that they did.
    pub consent: Option<RecordedConsent>,
    /// Which request of whoever calls it belongs to.
    pub correlation_id: Option<String>,
    /// Names the decision.
    pub decision_id: Option<String>,
    /// What else there is to say, by kind.
    pub detail: Option<Value>,
    /// How a forwarded call ended.
    pub ending: Option<Ending>,
    /// The grants that played a part.
    pub grant_refs: Option<Vec<String>>,
    /// The hash of the end of the chain before something happened to the log.
    pub last_good_hash: Option<Link>,
    /// Its number.
    pub last_good_seq: Option<u64>,
    /// How long the decision took.
    #[schemars(range(min = 0))]
    pub latency_ms: Option<f64>,
    /// The layer that decided.
    pub layer: Option<LayerWord>,
    /// What a definition of a tool is.
    pub new_fingerprint: Option<String>,
    /// What it was.
    pub old_fingerprint: Option<String>,
    /// The decision.
    pub outcome: Option<OutcomeWord>,
    /// The span that it happened within.
    pub parent_id: Option<String>,
    /// The policy that decided.
    pub policy_digest: Option<String>,
    /// A stable code, or words for the record.
    pub reason: Option<String>,
    /// Names the request.
    pub request_id: Option<String>,
    /// The rule that decided: `file:line`.
    pub rule: Option<String>,
    /// Counts what happens in a session, from 1.
    pub sequence: Option<u64>,
    /// The logical server.
    pub server: Option<String>,
    /// The session of the client.
    pub session: Option<String>,
    /// The tier of the call.
    pub tier: Option<TierWord>,
    /// What the wall clock said, where `ts` is not taken from it.
    pub wall: Option<Moment>,
}

/// A consent, or, where it was too long, its length and hash.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub enum RecordedConsent {
    /// The consent.
    Whole(ConsentOfCall),
    /// What is left of one that was too long.
    Cut(String),
}

/// What a person agreed to, and the proof that they did. Open: members besides these belong to the proof.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct ConsentOfCall {
    /// What kind of proof it is.
    pub kind: ConsentKind,
    /// The approval that it is to.
    pub approval: Option<ApprovalClaim>,
    /// The reviewer who gave it.
    pub reviewer: Option<String>,
    /// The exact hash of the call that it is to.
    pub call: Option<String>,
    /// What else the proof consists of.
    #[schemars(flatten)]
    pub proof: Open,
}

/// How a forwarded call ended.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum Ending {
    /// With a result.
    Answered,
    /// With a result that says it is an error.
    ToolError,
    /// With an error in place of a result.
    ProtocolError,
    /// Its caller has taken it back.
    Cancelled,
    /// Nobody knows: the server died after the call was sent.
    Unknown,
}
