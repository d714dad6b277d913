//! What a grant says: the payload of its token.

use std::collections::BTreeMap;

use schemars::JsonSchema;

use super::{Bytes, One, Open, Sha256, TierWord};
use crate::model::Condition;

/// The claims of a grant: the payload of a compact JWS with the header `{"alg":"EdDSA","typ":"knotrust-grant+jws","kid":…}`. Claims that are
/// not listed are passed over; what must not be passed over stands in `c`.
#[derive(Debug, JsonSchema)]
pub struct Grant {
    /// The version.
    pub v: One,
    /// Its id, which names its file.
    #[schemars(regex(pattern = "^[A-Za-z0-9_-]{1,128}$"))]
    pub jti: String,
    /// When it was issued, in seconds since 1970.
    pub iat: Seconds,
    /// The first second in which it no longer holds.
    pub exp: Seconds,
    /// The first second in which it holds.
    pub nbf: Option<Seconds>,
    /// Who says that they issued it. The key is what counts.
    #[schemars(length(min = 1))]
    pub iss: String,
    /// For how long it is meant.
    pub k: GrantKind,
    /// Whether the first use is the last.
    pub su: bool,
    /// Whose calls it covers.
    pub p: Principal,
    /// Which agent may make them.
    pub ag: AgentScope,
    /// Which tools it covers: a name, `server.*` or `*`; with `"tools": "rule"` in `c` a pattern as rules have them.
    #[schemars(length(min = 1))]
    pub t: String,
    /// Which resources it covers.
    pub s: Scope,
    /// What else must hold. A condition that is not known here voids the grant.
    pub c: Option<Conditions>,
    /// The strictest tier that it allows.
    pub r: TierWord,
    /// Whose it is.
    pub es: GrantScope,
    /// Kept for other implementations. No effect.
    pub ad: Option<bool>,
    /// The hash of the only call that it covers, in the reference's normal form.
    pub ch: Option<Sha256>,
    /// The same, exact: it also tells apart numbers that are equal as doubles.
    pub cx: Option<Sha256>,
    /// A person's consent to it, and the proof.
    pub consent: Option<Consent>,
}

/// Seconds since 1970.
#[derive(Debug, JsonSchema)]
pub struct Seconds(#[schemars(range(min = 0, max = 9_007_199_254_740_991_u64))] pub u64);

/// For how long a grant is meant.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum GrantKind {
    /// Until it expires.
    Durable,
    /// For one call, which was approved a moment ago. It has `ch`, and `su` is true.
    Ephemeral,
}

/// A person or a service.
#[derive(Debug, JsonSchema)]
pub struct Principal {
    /// What kind.
    #[schemars(rename = "type")]
    pub kind: super::request::SubjectKind,
    /// Its name.
    #[schemars(length(min = 1))]
    pub id: String,
}

/// Any agent, or this one.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub enum AgentScope {
    /// Any.
    Any(Star),
    /// This one.
    Named(NamedAgent),
}

/// The star that stands for any.
#[derive(Debug, JsonSchema)]
pub enum Star {
    /// Any.
    #[schemars(rename = "*")]
    Any,
}

/// An agent.
#[derive(Debug, JsonSchema)]
pub struct NamedAgent {
    /// Its name.
    #[schemars(length(min = 1))]
    pub id: String,
    /// What kind of agent.
    #[schemars(rename = "type")]
    pub kind: super::request::AgentKind,
}

/// Which resources a grant covers.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct Scope {
    /// Only of this type.
    pub resource_type: Option<String>,
    /// Only with this id; with a star at its end, all that begin like it.
    pub id_pattern: Option<String>,
}

/// What else must hold.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Conditions {
    /// What the arguments must be like, as rules have it.
    pub when: Option<Condition>,
    /// How often it may be used.
    #[schemars(range(min = 1))]
    pub uses: Option<u64>,
    /// How much arguments may come to in all uses together, by JSON Pointers.
    pub limit: Option<BTreeMap<String, Amount>>,
    /// The only session in which it holds.
    #[schemars(length(min = 1))]
    pub session: Option<String>,
    /// The hours at which it holds.
    pub hours: Option<Hours>,
    /// That `t` is a pattern as rules have them.
    pub tools: Option<RulePattern>,
}

/// An exact decimal.
#[derive(Debug, JsonSchema)]
pub struct Amount(#[schemars(range(min = 0))] pub f64);

/// The word for patterns as rules have them.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum RulePattern {
    /// A pattern as rules have them.
    Rule,
}

/// From one time of day up to another, on some days of the week.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Hours {
    /// The first minute that is inside.
    pub from: Clock,
    /// The first minute that is outside again.
    pub to: Clock,
    /// How far the place is ahead of UTC.
    pub offset: Option<Offset>,
    /// The days; all, if left out.
    pub days: Option<Vec<Day>>,
}

/// A time of day.
#[derive(Debug, JsonSchema)]
pub struct Clock(#[schemars(regex(pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$"))] pub String);

/// A distance from UTC.
#[derive(Debug, JsonSchema)]
pub struct Offset(#[schemars(regex(pattern = "^[+-][0-9]{2}:[0-9]{2}$"))] pub String);

/// A day of the week.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum Day {
    /// Monday.
    Mon,
    /// Tuesday.
    Tue,
    /// Wednesday.
    Wed,
    /// Thursday.
    Thu,
    /// Friday.
    Fri,
    /// Saturday.
    Sat,
    /// Sunday.
    Sun,
}

/// Whose a grant is.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum GrantScope {
    /// A person's.
    Personal,
    /// An organisation's.
    Org,
}

/// A person's consent, and the proof that they gave it.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct Consent {
    /// What kind of proof it is.
    pub kind: ConsentKind,
    /// The approval that it is to.
    pub approval: Option<ApprovalClaim>,
    /// The reviewer who gave it.
    pub reviewer: Option<String>,
    /// The passkey.
    pub credential: Option<Bytes>,
    /// What the authenticator says.
    pub authenticator_data: Option<Bytes>,
    /// What the browser says.
    #[schemars(rename = "clientDataJSON")]
    pub client_data: Option<Bytes>,
    /// The signature over it.
    pub signature: Option<Bytes>,
    /// What else belongs to the proof.
    #[schemars(flatten)]
    pub more: Open,
}

/// What proves a consent.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum ConsentKind {
    /// That they are logged in.
    Session,
    /// A key that their pin makes.
    Pin,
    /// Their passkey.
    Passkey,
    /// A reviewer's own key.
    Reviewer,
}

/// The approval that a consent is to.
#[derive(Debug, JsonSchema)]
pub struct ApprovalClaim {
    /// Its id, which is that of the only grant that may come of it.
    pub id: String,
    /// The first second that is too late.
    pub until: u64,
}
