//! The parameters of the gates. Their order is fixed.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use super::{Decimal, Duration, Identifier, PathText, Sentence, text::at_least_one};
use crate::located::Located;

/// The parameters of the gates. Their order is fixed.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Gates {
    /// For whom knowledge is selected.
    pub audience: Option<Audience>,
    /// The environment, such as `prod`, by which federated manifests are chosen.
    pub env: Option<Located<Identifier>>,
    /// Whether the agent is attested.
    pub attestation: Option<Attestation>,
    /// How the agent can pay.
    pub payment: Option<Payment>,
    /// What the agent can show at a door.
    pub access: Option<Access>,
    /// Whether a soft gate that fails keeps a unit out. `false` if left out.
    pub strict: Option<bool>,
    /// The most units in a plan. 5 if left out.
    #[schemars(range(min = 1, max = 10000))]
    pub max_units: Option<u32>,
    /// The most money in a plan.
    pub money_budget: Option<MoneyBudget>,
    /// The most tokens in a plan.
    #[schemars(range(min = 1))]
    pub context_budget: Option<u64>,
    /// How sure an answer must be.
    pub confidence: Option<Confidence>,
    /// Who decides on what a skill's scope does not cover.
    pub conformance: Option<Conformance>,
    /// Whether manifests must be signed, and by whom.
    pub signatures: Option<Signatures>,
    /// Governance tools that are not offered to the agent.
    pub withheld_tools: Option<Vec<Located<GovernanceTool>>>,
}

/// A tool by which an agent asks about governed knowledge.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, Ord, PartialEq, PartialOrd)]
#[serde(rename_all = "snake_case")]
pub enum GovernanceTool {
    /// Plans for a task.
    KcpPlan,
    /// Loads what a plan admits.
    KcpLoad,
    /// Says what every gate said of every unit.
    KcpTrace,
    /// Looks a manifest through.
    KcpValidate,
    /// Makes a saved plan again.
    KcpReplay,
    /// Says how things stand.
    HarnessStatus,
    /// Says what the session's plans are.
    HarnessSession,
    /// Says what was spent.
    HarnessBudget,
    /// Makes the session's plans again.
    HarnessTemporalCheck,
    /// Lists questions to people.
    HarnessApprovals,
    /// Judges how sure an answer is.
    HarnessAssess,
}

impl GovernanceTool {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::KcpPlan => "kcp_plan",
            Self::KcpLoad => "kcp_load",
            Self::KcpTrace => "kcp_trace",
            Self::KcpValidate => "kcp_validate",
            Self::KcpReplay => "kcp_replay",
            Self::HarnessStatus => "harness_status",
            Self::HarnessSession => "harness_session",
            Self::HarnessBudget => "harness_budget",
            Self::HarnessTemporalCheck => "harness_temporal_check",
            Self::HarnessApprovals => "harness_approvals",
            Self::HarnessAssess => "harness_assess",
        }
    }
}

/// For whom knowledge is selected.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Audience {
    /// The role of the agent. `agent` if left out.
    pub role: Located<Identifier>,
}

/// Whether the agent is attested.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Attestation {
    /// Who attests it, or `null`.
    #[schemars(with = "Provider")]
    pub provider: Option<Located<Identifier>>,
    /// Whether restricted units are for attested agents only, whatever a manifest says. `false` if left out.
    pub required: Option<bool>,
}

/// A provider's name, or `null`.
struct Provider;

impl JsonSchema for Provider {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Provider".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [generator.subschema_for::<Identifier>(), { "const": null }] })
    }
}

/// How the agent can pay.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Payment {
    /// The methods at hand. `free` if left out.
    #[schemars(transform = at_least_one)]
    pub methods: Vec<Located<PaymentMethod>>,
}

/// A method of payment.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, Ord, PartialEq, PartialOrd)]
#[serde(rename_all = "kebab-case")]
pub enum PaymentMethod {
    /// Nothing is paid.
    Free,
    /// The HTTP status 402 and what is built on it.
    X402,
    /// By use.
    Meter,
    /// By time.
    Subscription,
}

impl PaymentMethod {
    /// The word in a ruleset and in a manifest.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::X402 => "x402",
            Self::Meter => "meter",
            Self::Subscription => "subscription",
        }
    }
}

/// What the agent can show at a door.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Access {
    /// The names of its credentials.
    pub credentials: Vec<Located<Identifier>>,
}

/// The most money in a plan.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MoneyBudget {
    /// How much.
    #[schemars(range(min = 0))]
    pub amount: Located<Decimal>,
    /// Of what. `USDC` if left out.
    pub currency: Option<Located<Identifier>>,
}

/// How sure an answer must be, and who decides if it is not.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Confidence {
    /// The least score, from 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub threshold: Located<Decimal>,
    /// How bad a wrong answer would be.
    pub severity: Option<Located<Identifier>>,
    /// The role that decides.
    pub route_to_role: Option<Located<Identifier>>,
    /// How long it may take.
    pub expires_after: Option<Located<Duration>>,
    /// The policy that asks for it.
    pub policy_ref: Option<Sentence>,
}

/// Who decides on what a skill's scope does not cover.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Conformance {
    /// The role that decides.
    pub route_to_role: Located<Identifier>,
    /// How long it may take.
    pub expires_after: Option<Located<Duration>>,
    /// The policy that asks for it.
    pub policy_ref: Option<Sentence>,
}

/// Whether manifests must be signed, and by whom.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Signatures {
    /// Whether a manifest without a good signature is refused. `false` if left out.
    pub required: Option<bool>,
    /// The Ed25519 public keys that count.
    pub trusted_keys: Option<Vec<Located<PathText>>>,
}
