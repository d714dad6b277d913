//! What exactly a person agrees to.

use sha2::{Digest, Sha256};

use super::{CLAIM, Consent};
use crate::exact::exact;
use crate::json::{Object, Value};
use crate::tier::Tier;

/// What exactly a person agrees to. Its hash is what they sign.
#[derive(Clone, Copy, Debug)]
pub enum Statement<'a> {
    /// A grant that lasts: all its claims.
    Grant(&'a Value<'a>),
    /// A grant that lasts, where its claims are not at hand: what [`Statement::challenge`] made of them. Only the log is
    /// read so; a grant that is to count shows its claims.
    Recorded([u8; 32]),
    /// One call, for a while.
    Approval {
        /// Which approval.
        approval: &'a Approval,
        /// The exact hash of the call.
        call: &'a str,
        /// The tier at which it was shown.
        tier: Tier,
        /// The reviewer who agrees, if a role is asked for.
        reviewer: Option<&'a str>,
    },
}

/// The approval that a consent answers.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Approval {
    /// Its id, without the prefix: also the id of the only grant that may come of it.
    pub id: String,
    /// The last moment for the person to answer, epoch seconds.
    pub until: u64,
}

impl<'a> Statement<'a> {
    /// The statement about one call that a consent is about.
    #[must_use]
    pub fn approval(
        approval: &'a Approval,
        call: &'a str,
        tier: Tier,
        consent: &'a Consent,
    ) -> Self {
        Self::Approval {
            approval,
            call,
            tier,
            reviewer: consent.reviewer.as_deref(),
        }
    }

    /// The 32 bytes that are signed.
    #[must_use]
    pub fn challenge(&self) -> [u8; 32] {
        let (kind, text) = match self {
            Self::Recorded(challenge) => return *challenge,
            Self::Grant(payload) => ("grant", exact(&without_consent(payload))),
            Self::Approval {
                approval,
                call,
                tier,
                reviewer,
            } => ("approval", approval_text(approval, call, *tier, *reviewer)),
        };
        // Named, so that no signature made for one purpose serves another.
        Sha256::digest(format!("knotrust consent 1 {kind}\n{text}")).into()
    }

    /// Whether this is about a single call.
    #[must_use]
    pub const fn is_approval(&self) -> bool {
        matches!(self, Self::Approval { .. })
    }
}

impl Approval {
    /// Reads `{"id":…,"until":…}`.
    #[must_use]
    pub fn read(value: &Value<'_>) -> Option<Self> {
        Some(Self {
            id: value.get("id")?.as_str()?.to_owned(),
            until: value.get("until")?.as_number()?.as_str().parse().ok()?,
        })
    }

    /// The approval as it stands in a consent.
    #[must_use]
    pub fn to_object(&self) -> Object<'static> {
        let mut object = Object::new();
        object.insert("id", Value::String(self.id.clone().into()));
        object.insert("until", Value::Number(self.until.into()));
        object
    }
}

fn without_consent<'a>(payload: &Value<'a>) -> Value<'a> {
    let Some(claims) = payload.as_object() else {
        return payload.clone();
    };
    let rest = claims
        .iter()
        .filter(|(name, _)| name.as_bytes() != CLAIM.as_bytes());
    let rest = rest.map(|(name, value)| (name.clone(), value.clone()));
    Value::Object(rest.collect())
}

fn approval_text(approval: &Approval, call: &str, tier: Tier, reviewer: Option<&str>) -> String {
    let mut object = approval.to_object();
    if let Some(reviewer) = reviewer {
        object.insert("reviewer", Value::String(reviewer.to_owned().into()));
    }
    object.insert("call", Value::String(call.to_owned().into()));
    object.insert("tier", Value::string(tier.as_str()));
    exact(&Value::Object(object))
}
