//! What a grant says, in the short names of the reference (section 5).
//!
//! The claims are read strictly: every claim that is known must have its shape. Claims that are not known say nothing and
//! are passed over, as the reference does; what must not be passed over stands among the conditions (`c`), which other
//! implementations refuse as a whole.

use super::bounds::Bounds;
use super::error::GrantError;
use super::tool::ToolPattern;
use crate::json::{Object, Text, Value};
use crate::tier::Tier;

/// What a grant says.
#[derive(Clone, Debug, PartialEq)]
pub struct Claims {
    /// Its id (`jti`).
    pub id: String,
    /// When it was issued (`iat`), epoch seconds. Not compared with the clock.
    pub issued_at: u64,
    /// The first second in which it no longer holds (`exp`).
    pub expires: u64,
    /// The first second in which it holds (`nbf`).
    pub not_before: Option<u64>,
    /// Who says that they issued it (`iss`). The key is what counts.
    pub issuer: String,
    /// For how long it was meant (`k` and `ch`).
    pub kind: Kind,
    /// Whether the first use is the last (`su`).
    pub single_use: bool,
    /// Whose calls it covers (`p`).
    pub principal: Party,
    /// Which agent may make them (`ag`).
    pub agent: AgentScope,
    /// Which tools it covers (`t`).
    pub tool: ToolPattern,
    /// Which resources it covers (`s`).
    pub scope: Scope,
    /// What else must hold (`c`).
    pub conditions: Conditions,
    /// The strictest tier it allows (`r`).
    pub cap: Tier,
    /// Whether it is an organisation's (`es`). No effect yet.
    pub organisation: bool,
    /// Kept for other implementations (`ad`). No effect.
    pub admin: Option<bool>,
}

/// For how long a grant was meant.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Kind {
    /// Until it expires.
    Durable,
    /// For one call, which was approved a moment ago.
    Ephemeral {
        /// The call's hash in the reference's normal form (`ch`).
        call: String,
        /// The call's exact hash (`cx`), which also tells apart numbers that are equal as doubles.
        exact: Option<String>,
    },
}

/// A principal or an agent: what kind, and which.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Party {
    /// `user` or `service`; of agents `ai_agent`, `workload` or `user`.
    pub kind: String,
    /// Its id. Compared exactly.
    pub id: String,
}

/// Which agent may use a grant.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum AgentScope {
    /// Any.
    Any,
    /// This one.
    Named(Party),
}

/// Which resources a grant covers.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Scope {
    /// Only of this type, if one is named.
    pub resource_type: Option<String>,
    /// Only with such ids, if a pattern is given.
    pub id: Option<IdPattern>,
}

/// Resource ids: all that begin like this, or exactly this one.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum IdPattern {
    /// Exactly this id.
    Exact(String),
    /// Written with a star at the end. Knows no segments: `acme*` covers `acmecorp/x`.
    Prefix(String),
}

/// What must hold beside all else.
#[derive(Clone, Debug, PartialEq)]
pub enum Conditions {
    /// Nothing.
    None,
    /// These bounds.
    Bounds(Box<Bounds>),
    /// Something that this program does not know, so that the grant covers nothing.
    Unsupported,
}

impl Claims {
    /// Reads the payload of a token.
    ///
    /// # Errors
    ///
    /// [`GrantError::Malformed`]: a claim is absent or out of shape.
    pub fn read(payload: &Value<'_>) -> Result<Self, GrantError> {
        let claims = payload.as_object().ok_or(GrantError::Malformed)?;
        if whole(claims, "v")? != 1 {
            return Err(GrantError::Malformed);
        }
        let conditions = conditions(claims)?;
        let single_use = flag(claims, "su")?.ok_or(GrantError::Malformed)?;
        let kind = kind(claims)?;
        if matches!(kind, Kind::Ephemeral { .. }) && !single_use {
            return Err(GrantError::Malformed);
        }
        Ok(Self {
            id: id(claims)?,
            issued_at: whole(claims, "iat")?,
            expires: whole(claims, "exp")?,
            not_before: given(claims, "nbf", whole)?,
            issuer: text(claims, "iss")?,
            kind,
            single_use,
            principal: party(member(claims, "p")?, &["user", "service"])?,
            agent: agent(claims)?,
            tool: tool(text(claims, "t")?, &conditions)?,
            scope: scope(claims)?,
            conditions,
            cap: Tier::from_name(&text(claims, "r")?).ok_or(GrantError::Malformed)?,
            organisation: one_of(text(claims, "es")?, &["personal", "org"])? == "org",
            admin: flag(claims, "ad")?,
        })
    }

    /// The bounds among the conditions.
    #[must_use]
    pub fn bounds(&self) -> Option<&Bounds> {
        match &self.conditions {
            Conditions::Bounds(bounds) => Some(bounds),
            Conditions::None | Conditions::Unsupported => None,
        }
    }

    /// Whether every use must be written down before the call goes out.
    #[must_use]
    pub fn is_counted(&self) -> bool {
        self.single_use || self.bounds().is_some_and(Bounds::is_counted)
    }
}

impl Kind {
    /// The word used in the claim.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Durable => "durable",
            Self::Ephemeral { .. } => "ephemeral",
        }
    }
}

impl Party {
    /// Whether it is this one.
    #[must_use]
    pub fn is(&self, kind: &str, id: &str) -> bool {
        self.kind == kind && self.id == id
    }
}

impl IdPattern {
    /// Reads a pattern as it is written in a claim.
    #[must_use]
    pub fn read(text: &str) -> Self {
        match text.strip_suffix('*') {
            Some(prefix) => Self::Prefix(prefix.to_owned()),
            None => Self::Exact(text.to_owned()),
        }
    }

    /// The pattern of exactly this id; `None` for an id that would be read as a pattern, or as none.
    #[must_use]
    pub fn exactly(id: &str) -> Option<Self> {
        let is_plain = !id.is_empty() && !id.ends_with('*');
        is_plain.then(|| Self::Exact(id.to_owned()))
    }

    /// The pattern as it is written in a claim.
    #[must_use]
    pub fn to_text(&self) -> String {
        match self {
            Self::Exact(id) => id.clone(),
            Self::Prefix(prefix) => format!("{prefix}*"),
        }
    }

    /// Whether it covers the id.
    #[must_use]
    pub fn matches(&self, id: &Text<'_>) -> bool {
        match self {
            Self::Exact(exact) => id.as_bytes() == exact.as_bytes(),
            Self::Prefix(prefix) => id.as_bytes().starts_with(prefix.as_bytes()),
        }
    }
}

/// An id names files, so it is one safe path segment.
fn id(claims: &Object<'_>) -> Result<String, GrantError> {
    let id = text(claims, "jti")?;
    let safe = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if id.len() <= MAX_ID && id.bytes().all(safe) {
        Ok(id)
    } else {
        Err(GrantError::Malformed)
    }
}

fn kind(claims: &Object<'_>) -> Result<Kind, GrantError> {
    let kind = one_of(text(claims, "k")?, &["durable", "ephemeral"])?;
    let call = given(claims, "ch", call_hash)?;
    let exact = given(claims, "cx", call_hash)?;
    match (kind.as_str(), call) {
        ("ephemeral", Some(call)) => Ok(Kind::Ephemeral { call, exact }),
        ("durable", None) if exact.is_none() => Ok(Kind::Durable),
        _ => Err(GrantError::Malformed),
    }
}

fn call_hash(claims: &Object<'_>, name: &str) -> Result<String, GrantError> {
    let hash = text(claims, name)?;
    let hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    match hash.strip_prefix("sha256:") {
        Some(digits) if digits.len() == 64 && digits.bytes().all(hex) => Ok(hash),
        Some(_) | None => Err(GrantError::Malformed),
    }
}

fn agent(claims: &Object<'_>) -> Result<AgentScope, GrantError> {
    let agent = member(claims, "ag")?;
    if agent.as_str() == Some("*") {
        return Ok(AgentScope::Any);
    }
    party(agent, &["ai_agent", "workload", "user"]).map(AgentScope::Named)
}

fn party(value: &Value<'_>, kinds: &[&str]) -> Result<Party, GrantError> {
    let party = value.as_object().ok_or(GrantError::Malformed)?;
    Ok(Party {
        kind: one_of(text(party, "type")?, kinds)?,
        id: text(party, "id")?,
    })
}

fn scope(claims: &Object<'_>) -> Result<Scope, GrantError> {
    let scope = member(claims, "s")?.as_object();
    let scope = scope.ok_or(GrantError::Malformed)?;
    Ok(Scope {
        resource_type: given(scope, "resourceType", text)?,
        id: given(scope, "idPattern", text)?.map(|pattern| IdPattern::read(&pattern)),
    })
}

fn conditions(claims: &Object<'_>) -> Result<Conditions, GrantError> {
    let Some(value) = claims.get("c") else {
        return Ok(Conditions::None);
    };
    let conditions = value.as_object().ok_or(GrantError::Malformed)?;
    if conditions.is_empty() {
        return Ok(Conditions::None);
    }
    Ok(match Bounds::read(conditions) {
        Some(bounds) => Conditions::Bounds(Box::new(bounds)),
        None => Conditions::Unsupported,
    })
}

/// Only a grant that says so has a pattern of the rules' kind, since elsewhere its stars are plain characters.
fn tool(text: String, conditions: &Conditions) -> Result<ToolPattern, GrantError> {
    if text.contains(char::is_control) {
        return Err(GrantError::Malformed);
    }
    Ok(match conditions {
        Conditions::Bounds(bounds) if bounds.wide => ToolPattern::Rule(text),
        Conditions::Bounds(_) | Conditions::None | Conditions::Unsupported => {
            ToolPattern::read(text)
        }
    })
}

fn member<'v, 'a>(object: &'v Object<'a>, name: &str) -> Result<&'v Value<'a>, GrantError> {
    object.get(name).ok_or(GrantError::Malformed)
}

/// Reads a member that may be absent. `null` is not absence.
fn given<T>(
    object: &Object<'_>,
    name: &str,
    read: impl Fn(&Object<'_>, &str) -> Result<T, GrantError>,
) -> Result<Option<T>, GrantError> {
    object.get(name).map(|_| read(object, name)).transpose()
}

fn text(object: &Object<'_>, name: &str) -> Result<String, GrantError> {
    match member(object, name)?.as_str() {
        Some(text) if !text.is_empty() => Ok(text.to_owned()),
        Some(_) | None => Err(GrantError::Malformed),
    }
}

fn one_of(text: String, words: &[&str]) -> Result<String, GrantError> {
    if words.contains(&text.as_str()) {
        Ok(text)
    } else {
        Err(GrantError::Malformed)
    }
}

fn flag(object: &Object<'_>, name: &str) -> Result<Option<bool>, GrantError> {
    let Some(value) = object.get(name) else {
        return Ok(None);
    };
    value.as_bool().map(Some).ok_or(GrantError::Malformed)
}

/// A whole number in plain digits, up to 2^53 - 1: `1.0`, `1e3` and what doubles cannot hold are refused.
fn whole(object: &Object<'_>, name: &str) -> Result<u64, GrantError> {
    let number = member(object, name)?.as_number();
    let value = number.and_then(|number| number.as_str().parse().ok());
    value
        .filter(|value| *value < 1 << 53)
        .ok_or(GrantError::Malformed)
}

/// Room for a ULID and for what other implementations may choose, and still a file name with its suffix.
const MAX_ID: usize = 128;
