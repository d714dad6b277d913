//! The parameters of the gates: who the agent is and what it has, by the policy and not by its own word.

/// The parameters of the gates.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Gates<'a> {
    /// The role of the agent, for audiences.
    pub role: &'a str,
    /// The environment, by which references are chosen.
    pub env: Option<&'a str>,
    /// Who attests the agent.
    pub attestation_provider: Option<&'a str>,
    /// Whether restricted units are for attested agents only, whatever a manifest says.
    pub attestation_required: bool,
    /// Ways in which the agent can pay.
    pub payment_methods: &'a [&'a str],
    /// Names of the credentials it holds.
    pub credentials: &'a [&'a str],
    /// Whether what would only be demoted is refused.
    pub strict: bool,
    /// The most units in a plan.
    pub max_units: u32,
    /// The most money: in a plan, and for all calls of a day together.
    pub money: Option<Money<'a>>,
    /// The most tokens in a plan.
    pub context_budget: Option<u64>,
    /// How sure an answer must be.
    pub confidence: Option<Confidence<'a>>,
    /// Who decides on what a procedure's scope does not cover.
    pub conformance: Option<Route<'a>>,
    /// Whether manifests must be signed with a trusted key.
    pub signature_required: bool,
    /// The Ed25519 public keys that count, in base64url.
    pub trusted_keys: &'a [&'a str],
    /// Governance tools that are not offered, sorted.
    pub withheld_tools: &'a [&'a str],
}

/// An amount of money, exact.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Money<'a> {
    /// A decimal, as written.
    pub amount: &'a str,
    /// Its currency.
    pub currency: &'a str,
}

/// How sure an answer must be.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Confidence<'a> {
    /// A decimal from 0 to 1, as written.
    pub threshold: &'a str,
    /// How bad a wrong answer would be.
    pub severity: Option<&'a str>,
    /// Who decides if it is not.
    pub route: Option<Route<'a>>,
}

/// Where a question goes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Route<'a> {
    /// The role that decides.
    pub role: &'a str,
    /// How long it may take, in milliseconds.
    pub expires: Option<u64>,
    /// The policy that asks for it.
    pub policy_ref: Option<&'a str>,
}

impl Gates<'_> {
    /// What holds where a policy says nothing.
    pub const DEFAULT: Self = Self {
        role: "agent",
        env: None,
        attestation_provider: None,
        attestation_required: false,
        payment_methods: &["free"],
        credentials: &[],
        strict: false,
        max_units: 5,
        money: None,
        context_budget: None,
        confidence: None,
        conformance: None,
        signature_required: false,
        trusted_keys: &[],
        withheld_tools: &[],
    };
}
