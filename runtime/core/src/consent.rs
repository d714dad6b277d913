//! Proof that a person said yes, and to what.
//!
//! Where the ruleset names an approver, the keys of a home are not enough: a process of the same user can read them. The
//! ruleset then holds a *public* key of the person, compiled in, whose private half is in no file: it lies in a passkey's
//! hardware, or is derived anew from a pin whenever the person types it. What the person signs is the hash of exactly
//! what is agreed to; the signature travels inside the grant (claim `by`) and is verified wherever the grant is read. So
//! whoever holds everything in a home can neither approve a call nor write or widen a grant.

mod passkey;
mod statement;

pub use passkey::{Assertion, DOMAIN, PasskeyFault, cose_of};
pub use statement::{Approval, Statement};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signature, VerifyingKey};
use thiserror::Error;

use crate::grant::{Claims, Kind};
use crate::json::{Object, Value};
use crate::ruleset::{Approvals, Approver, Reviewer};

/// A person's yes, as it travels in a grant.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Consent {
    /// The approval it answers; a grant that lasts answers none.
    pub approval: Option<Approval>,
    /// The reviewer who said it, by their name in the ruleset.
    pub reviewer: Option<String>,
    /// The proof.
    pub proof: Proof,
}

/// How a person proves that it was them.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Proof {
    /// The session of the operating system is all there is.
    Session,
    /// A signature with the key of the pin.
    Pin([u8; 64]),
    /// An assertion by a passkey.
    Passkey(Assertion),
    /// A signature by the reviewer.
    Reviewer([u8; 64]),
}

/// A yes that is not proved.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[error("there is no proof that a person said yes to this")]
pub struct Unproven;

/// The claim in which consent travels.
pub(crate) const CLAIM: &str = "by";

/// How long after its last moment an approval may still be carried out, in seconds.
pub const GRACE: u64 = 120;

impl Approvals<'_> {
    /// Whether these claims come with the consent that is asked for.
    ///
    /// # Errors
    ///
    /// They do not.
    pub(crate) fn agree_to(
        &self,
        claims: &Claims,
        payload: &Value<'_>,
        consent: Option<&Consent>,
    ) -> Result<(), Unproven> {
        let Some(consent) = consent else {
            return match self.approver {
                Approver::None => Ok(()),
                Approver::Pin { .. } | Approver::Passkey(_) => Err(Unproven),
            };
        };
        match (&claims.kind, &consent.approval) {
            (Kind::Durable, None) => self.believe(consent, &Statement::Grant(payload)),
            (Kind::Ephemeral { exact, .. }, Some(approval)) => {
                let in_time = claims.expires <= approval.until.saturating_add(GRACE);
                if approval.id != claims.id || !in_time {
                    return Err(Unproven);
                }
                let call = exact.as_deref().ok_or(Unproven)?;
                let tier = claims.cap;
                self.believe(consent, &Statement::approval(approval, call, tier, consent))
            }
            (Kind::Durable, Some(_)) | (Kind::Ephemeral { .. }, None) => Err(Unproven),
        }
    }

    /// Whether the consent proves that the person it names, if any, agreed to the statement.
    ///
    /// # Errors
    ///
    /// It does not.
    pub fn believe(&self, consent: &Consent, statement: &Statement<'_>) -> Result<(), Unproven> {
        let challenge = statement.challenge();
        let reviewer = match consent.reviewer.as_deref() {
            Some(name) => Some(self.reviewer(name).ok_or(Unproven)?),
            None => None,
        };
        match (self.approver, &consent.proof) {
            // A reviewer speaks of single calls: what lasts is agreed to by whoever owns the pin or the passkey.
            (_, Proof::Reviewer(signature)) if statement.is_approval() => {
                let key = reviewer.and_then(|reviewer| reviewer.public_key);
                verify(key.ok_or(Unproven)?, &challenge, signature)
            }
            (_, Proof::Reviewer(_)) => Err(Unproven),
            _ if reviewer.is_some() && self.require_signed => Err(Unproven),
            (Approver::None, Proof::Session | Proof::Pin(_) | Proof::Passkey(_)) => Ok(()),
            (Approver::Pin { public_key, .. }, Proof::Pin(signature)) => {
                verify(public_key, &challenge, signature)
            }
            (Approver::Passkey(known), Proof::Passkey(assertion)) => {
                assertion.prove(known, &challenge).map_err(|_| Unproven)
            }
            (Approver::Pin { .. }, Proof::Session | Proof::Passkey(_))
            | (Approver::Passkey(_), Proof::Session | Proof::Pin(_)) => Err(Unproven),
        }
    }

    fn reviewer(&self, name: &str) -> Option<&Reviewer<'_>> {
        self.reviewers.iter().find(|reviewer| reviewer.name == name)
    }
}

impl Consent {
    /// Reads the consent in the payload of a grant: `None` if there is no such claim.
    ///
    /// # Errors
    ///
    /// The claim is there and out of shape.
    pub(crate) fn within(payload: &Value<'_>) -> Result<Option<Self>, Unproven> {
        let claim = payload.get(CLAIM);
        claim
            .map(|value| Self::read(value).ok_or(Unproven))
            .transpose()
    }

    /// Reads a consent.
    #[must_use]
    pub fn read(value: &Value<'_>) -> Option<Self> {
        let approval = match value.get("approval") {
            Some(approval) => Some(Approval::read(approval)?),
            None => None,
        };
        let reviewer = match value.get("reviewer") {
            Some(name) => Some(name.as_str()?.to_owned()),
            None => None,
        };
        Some(Self {
            approval,
            reviewer,
            proof: Proof::read(value)?,
        })
    }

    /// The consent as it stands in a grant.
    #[must_use]
    pub fn to_object(&self) -> Object<'static> {
        let mut object = Object::new();
        if let Some(approval) = &self.approval {
            object.insert("approval", Value::Object(approval.to_object()));
        }
        if let Some(reviewer) = &self.reviewer {
            object.insert("reviewer", Value::String(reviewer.clone().into()));
        }
        self.proof.write(&mut object);
        object
    }
}

impl Proof {
    fn read(value: &Value<'_>) -> Option<Self> {
        match value.get("kind")?.as_str()? {
            "session" => Some(Self::Session),
            "pin" => signature(value).map(Self::Pin),
            "passkey" => Assertion::read(value).map(Self::Passkey),
            "reviewer" => signature(value).map(Self::Reviewer),
            _ => None,
        }
    }

    fn write(&self, object: &mut Object<'static>) {
        object.insert("kind", Value::string(self.kind()));
        match self {
            Self::Session => {}
            Self::Passkey(assertion) => assertion.write(object),
            Self::Pin(signature) | Self::Reviewer(signature) => {
                object.insert("signature", encoded(signature));
            }
        }
    }

    /// The word for it in files and in the log.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Pin(_) => "pin",
            Self::Passkey(_) => "passkey",
            Self::Reviewer(_) => "reviewer",
        }
    }
}

fn verify(key: &str, challenge: &[u8; 32], signature: &[u8; 64]) -> Result<(), Unproven> {
    let key = URL_SAFE_NO_PAD.decode(key).map_err(|_| Unproven)?;
    let key = key.as_slice().try_into().map_err(|_| Unproven)?;
    let key = VerifyingKey::from_bytes(key).map_err(|_| Unproven)?;
    key.verify_strict(challenge, &Signature::from_bytes(signature))
        .map_err(|_| Unproven)
}

fn signature(value: &Value<'_>) -> Option<[u8; 64]> {
    decoded(value.get("signature")?)?.try_into().ok()
}

fn decoded(value: &Value<'_>) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(value.as_str()?).ok()
}

fn encoded(bytes: &[u8]) -> Value<'static> {
    Value::String(URL_SAFE_NO_PAD.encode(bytes).into())
}

#[cfg(test)]
mod tests;
