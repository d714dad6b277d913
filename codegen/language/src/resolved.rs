//! A ruleset as meant: packs merged, references bound, defaults filled in, files read and digested.

use knotrust_core::{
    glob,
    json::Value,
    predicate::Tree,
    ruleset::{Channel, Effect, Place, Settings, Source, Unlisted},
    tier::{Tier, Tiers},
};

use crate::{located::Span, model::PaymentMethod};

/// A ruleset as meant.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// From its metadata.
    pub name: String,
    /// From its metadata.
    pub version: u32,
    /// The ruleset's own file, then its packs, as they are named in it. A [`Place`] points in here.
    pub files: Vec<String>,
    /// Sorted by name.
    pub servers: Vec<Server>,
    /// Whether servers that are not listed may be used.
    pub unlisted: Unlisted,
    /// The tier of what no rule names.
    pub unknown_tool: Tier,
    /// The same, if it looks as if it destroys something.
    pub destructive_looking: Tier,
    /// Own rules, then those of packs, in the order of the text.
    pub rules: Vec<Rule>,
    /// In the order of the text, own ones first: the first that matches counts.
    pub resources: Vec<Resource>,
    /// Sorted by name.
    pub domains: Vec<Domain>,
    /// The outer ceiling.
    pub envelope: Envelope,
    /// How a person is asked.
    pub approvals: Approvals,
    /// Routine tools that pass when something fails.
    pub fail_open: Vec<Bound>,
    /// Modes and times.
    pub settings: Settings,
    /// The parameters of the gates.
    pub gates: Gates,
    /// A further engine.
    pub engine: Engine,
    /// What the policy must decide.
    pub tests: Vec<Test>,
}

/// A server.
#[derive(Clone, Debug)]
pub struct Server {
    /// Its name.
    pub name: String,
    /// How it is reached.
    pub launch: Launch,
}

/// How a server is reached.
#[derive(Clone, Debug)]
pub enum Launch {
    /// A program, and the environment variables that are handed on; `None` is all of them.
    Command {
        /// The program and its arguments.
        command: Vec<String>,
        /// Names of variables, sorted.
        env: Option<Vec<String>>,
    },
    /// A Streamable HTTP endpoint.
    Url(String),
}

/// A pattern over action names, and where it was written.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The pattern.
    pub pattern: glob::Pattern,
    /// Where it stands, for the tables.
    pub place: Place,
    /// Where it stands, for problems.
    pub span: Span,
}

/// A rule about tiers, allowing and denying.
#[derive(Clone, Debug)]
pub struct Rule {
    /// What it matches: any of these.
    pub patterns: Vec<Bound>,
    /// What it says.
    pub effect: Effect,
    /// Whose it is.
    pub source: Source,
    /// Where it stands, for the tables.
    pub place: Place,
    /// Where it stands, for problems.
    pub span: Span,
    /// What the arguments must be like.
    pub condition: Option<Condition>,
}

impl Rule {
    /// The patterns as one text, for people.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self
            .patterns
            .iter()
            .map(|bound| bound.pattern.text())
            .collect();
        texts.join(", ")
    }
}

/// What the arguments must be like.
#[derive(Clone, Debug)]
pub struct Condition {
    /// In its JSON form.
    pub json: Value<'static>,
    /// As it is evaluated.
    pub tree: Tree,
}

/// What calls act on.
#[derive(Clone, Debug)]
pub struct Resource {
    /// What it matches: any of these.
    pub patterns: Vec<Bound>,
    /// The type.
    pub kind: String,
    /// A JSON Pointer to the id.
    pub id: Option<String>,
    /// Names and JSON Pointers, sorted by name.
    pub properties: Vec<(String, String)>,
}

/// Governed knowledge.
#[derive(Clone, Debug)]
pub struct Domain {
    /// Its name.
    pub name: String,
    /// Its manifest.
    pub manifest: Manifest,
    /// Path patterns.
    pub paths: Vec<glob::Pattern>,
    /// URL prefixes.
    pub urls: Vec<String>,
    /// Tools.
    pub tools: Vec<Bound>,
    /// Skills.
    pub skills: Vec<Bound>,
    /// The least tier of a call that touches it.
    pub floor: Option<Tier>,
}

/// A manifest.
#[derive(Clone, Debug)]
pub enum Manifest {
    /// Compiled in.
    Pinned {
        /// Where it was read, seen from the ruleset.
        path: String,
        /// What it says.
        text: String,
        /// Lower-case hex SHA-256 of its bytes.
        digest: String,
    },
    /// Read at run time.
    Live {
        /// Where it is read, seen from the ruleset.
        path: String,
        /// What it says now, for the ruleset's own tests; nothing if it is no text.
        text: Option<String>,
    },
}

/// The outer ceiling.
#[derive(Clone, Debug)]
pub struct Envelope {
    /// What is denied.
    pub deny: Vec<Bound>,
    /// Tiers that always need a person.
    pub force_tiers: Tiers,
    /// Tools that always need a person.
    pub force_tools: Vec<Bound>,
    /// Least tiers.
    pub floors: Vec<(Bound, Tier)>,
    /// The highest tier that a grant can reach.
    pub grant_ceiling: Tier,
}

/// How a person is asked.
#[derive(Clone, Debug)]
pub struct Approvals {
    /// In the order in which they are tried.
    pub channels: Vec<Channel>,
    /// Milliseconds.
    pub hold: u64,
    /// Milliseconds.
    pub expires: u64,
    /// What proves that a person said yes.
    pub approver: Approver,
    /// Whether a reviewer's resolution must be signed.
    pub require_signed: bool,
    /// Who may answer for a role.
    pub reviewers: Vec<Reviewer>,
    /// Calls that need a role.
    pub rules: Vec<ApprovalRule>,
}

/// What proves that a person said yes. Keys are in base64url.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Approver {
    /// The session of the user.
    None,
    /// A pin.
    Pin {
        /// 16 bytes.
        salt: String,
        /// An Ed25519 public key.
        public_key: String,
    },
    /// One of these.
    Passkey(Vec<Passkey>),
}

/// A passkey, in base64url.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Passkey {
    /// The credential's id.
    pub credential: String,
    /// The credential's public key in COSE form.
    pub public_key: String,
}

/// Who may answer for a role.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Reviewer {
    /// The name.
    pub name: String,
    /// The role.
    pub role: String,
    /// The Ed25519 public key in base64url.
    pub public_key: Option<String>,
}

/// Calls that need a role.
#[derive(Clone, Debug)]
pub struct ApprovalRule {
    /// Tools; none means any.
    pub tools: Vec<Bound>,
    /// Path patterns; none means wherever.
    pub paths: Vec<glob::Pattern>,
    /// The role.
    pub required_role: String,
    /// Milliseconds.
    pub expires: u64,
    /// The policy that asks for it.
    pub policy_ref: Option<String>,
    /// The line it stands on.
    pub line: u32,
    /// Where it stands, for problems.
    pub span: Span,
}

/// The parameters of the gates.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Gates {
    /// The role of the agent.
    pub role: String,
    /// The environment.
    pub env: Option<String>,
    /// Who attests the agent.
    pub attestation_provider: Option<String>,
    /// Whether attestation is required.
    pub attestation_required: bool,
    /// Methods of payment at hand, sorted.
    pub payment_methods: Vec<PaymentMethod>,
    /// Credentials at hand, sorted.
    pub credentials: Vec<String>,
    /// Whether soft gates refuse.
    pub strict: bool,
    /// The most units in a plan.
    pub max_units: u32,
    /// The most money in a plan.
    pub money: Option<Money>,
    /// The most tokens in a plan.
    pub context_budget: Option<u64>,
    /// How sure an answer must be.
    pub confidence: Option<Confidence>,
    /// Who decides on what a scope does not cover.
    pub conformance: Option<Route>,
    /// Whether a manifest must be signed.
    pub signature_required: bool,
    /// The Ed25519 public keys that count, in base64url, sorted.
    pub trusted_keys: Vec<String>,
    /// Governance tools that are not offered, sorted.
    pub withheld_tools: Vec<String>,
}

/// An amount of money, exact.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Money {
    /// A decimal, as written.
    pub amount: String,
    /// Its currency.
    pub currency: String,
}

/// How sure an answer must be.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Confidence {
    /// A decimal from 0 to 1, as written.
    pub threshold: String,
    /// How bad a wrong answer would be.
    pub severity: Option<String>,
    /// Who decides if it is not.
    pub route: Option<Route>,
}

/// Where a question goes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Route {
    /// The role that decides.
    pub role: String,
    /// How long it may take, in milliseconds.
    pub expires: Option<u64>,
    /// The policy that asks for it.
    pub policy_ref: Option<String>,
    /// Where the role stands.
    pub span: Span,
}

/// A further engine, which can only restrict.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Engine {
    /// None.
    Builtin,
    /// Cedar policies: path as named, and text.
    Cedar(Vec<(String, String)>),
    /// An Open Policy Agent.
    Opa {
        /// Where it answers.
        url: String,
        /// Milliseconds.
        timeout: u64,
    },
    /// A server that speaks AuthZEN.
    Authzen {
        /// Where it answers.
        url: String,
        /// Milliseconds.
        timeout: u64,
    },
}

/// A call, and what must be decided about it.
#[derive(Clone, Debug)]
pub struct Test {
    /// A sentence that can be false.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// The server.
    pub server: String,
    /// The tool's own name.
    pub tool: String,
    /// An object, or `None`.
    pub arguments: Option<Value<'static>>,
    /// What the server says about the tool, as it would send it.
    pub annotations: Option<Value<'static>>,
    /// Who calls.
    pub agent: Option<String>,
    /// The outcome's word.
    pub outcome: Option<&'static str>,
    /// The tier.
    pub tier: Option<Tier>,
    /// The reason's code.
    pub reason: Option<String>,
}

impl Default for Gates {
    fn default() -> Self {
        Self {
            role: "agent".to_owned(),
            env: None,
            attestation_provider: None,
            attestation_required: false,
            payment_methods: vec![PaymentMethod::Free],
            credentials: Vec::new(),
            strict: false,
            max_units: 5,
            money: None,
            context_budget: None,
            confidence: None,
            conformance: None,
            signature_required: false,
            trusted_keys: Vec::new(),
            withheld_tools: Vec::new(),
        }
    }
}
