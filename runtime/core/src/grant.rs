//! Grants: a person has already said yes to calls like this one, and signed it.
//!
//! A grant travels as a compact JWS ([`jws`]) whose payload are [`claims`]. [`Grant::verify`] is the only way to a
//! [`Grant`]: whoever holds one holds a signature by a trusted key and, where the ruleset asks for it, a person's
//! [consent](crate::consent). Whether it speaks of a given call is a second question ([`covers`]); what it allows of many
//! calls together ([`bounds`]) is a third, which needs the record of uses.

mod bounds;
mod claims;
mod covers;
mod error;
mod jws;
mod keyring;
mod mint;
mod tool;
mod words;

pub use bounds::{Amount, Bounds, Hours, Limit, Tally, TooMuch, When};
pub use claims::{AgentScope, Claims, Conditions, IdPattern, Kind, Party, Scope};
pub use covers::Call;
pub use error::GrantError;
pub use jws::MAX_TOKEN;
pub use keyring::{Keyring, Signer, WeakKey, thumbprint};
pub use mint::Unsigned;
pub use tool::ToolPattern;
pub use words::in_words;

use crate::consent::{Consent, Statement};
use crate::ruleset::Approvals;
use crate::tier::Tier;
use jws::Compact;

/// Who is believed: the keys that may sign grants, and the person who must have said yes.
#[derive(Clone, Copy, Debug)]
pub struct Trust<'a> {
    /// The keys of this home.
    pub keys: &'a Keyring,
    /// Whose consent the ruleset asks for.
    pub approvals: &'a Approvals<'a>,
}

/// What a token says of itself, nothing of it verified: for finding and listing tokens.
///
/// # Errors
///
/// [`GrantError::Malformed`].
pub fn said_by(token: &str) -> Result<Claims, GrantError> {
    let compact = Compact::parse(token)?;
    let payload = compact.payload()?;
    Claims::read(&payload)
}

/// What a person signs to agree to the grant in a token, nothing of it verified.
///
/// # Errors
///
/// [`GrantError::Malformed`].
pub fn challenge_of(token: &str) -> Result<[u8; 32], GrantError> {
    let compact = Compact::parse(token)?;
    let payload = compact.payload()?;
    Ok(Statement::Grant(&payload).challenge())
}

/// A signed permission that was verified.
///
/// There is no other way to one than [`Grant::verify`]:
///
/// ```
/// use knotrust_core::grant::{Grant, GrantError, Keyring, Trust};
/// use knotrust_core::ruleset::Approvals;
///
/// let trust = Trust { keys: &Keyring::new(), approvals: &Approvals::DEFAULT };
/// assert_eq!(Grant::verify("yes, you may", trust).unwrap_err(), GrantError::Malformed);
/// ```
///
/// ```compile_fail
/// # use knotrust_core::grant::{Claims, Grant};
/// fn forge(claims: Claims) -> Grant {
///     Grant { claims, consent: None, kid: String::new() }
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Grant {
    // INVARIANT: read from a token whose signature a trusted key made, with the consent that the ruleset asks for.
    claims: Claims,
    consent: Option<Consent>,
    kid: String,
}

impl Grant {
    /// Reads a token and verifies everything about it that does not depend on a call or on the clock.
    ///
    /// # Errors
    ///
    /// In this order: [`GrantError::Malformed`], [`GrantError::UnknownKey`], [`GrantError::InvalidSignature`],
    /// [`GrantError::NoConsent`].
    pub fn verify(token: &str, trust: Trust<'_>) -> Result<Self, GrantError> {
        let compact = Compact::parse(token)?;
        let payload = compact.payload()?;
        let claims = Claims::read(&payload)?;
        let consent = Consent::within(&payload).map_err(|_| GrantError::Malformed)?;
        match trust.keys.find(compact.kid()) {
            Signer::Key(key) => compact.verify(key)?,
            Signer::Impostor => return Err(GrantError::InvalidSignature),
            Signer::Unknown => return Err(GrantError::UnknownKey),
        }
        trust
            .approvals
            .agree_to(&claims, &payload, consent.as_ref())
            .map_err(|_| GrantError::NoConsent)?;
        Ok(Self {
            claims,
            consent,
            kid: compact.kid().to_owned(),
        })
    }

    /// Everything the reference checks about a grant and a call, in its order: for `knotrust grant verify` and the
    /// vectors. Decisions ask [`Grant::covers`] and leave the cap to precedence.
    ///
    /// # Errors
    ///
    /// The first check that fails.
    pub fn check(&self, call: &Call<'_>, tier: Tier, now: u64) -> Result<(), GrantError> {
        self.covers(call, now)?;
        if self.cap() < tier {
            return Err(GrantError::TierCapViolation);
        }
        Ok(())
    }

    /// What the grant says.
    #[must_use]
    pub const fn claims(&self) -> &Claims {
        &self.claims
    }

    /// The strictest tier it allows.
    #[must_use]
    pub const fn cap(&self) -> Tier {
        self.claims.cap
    }

    /// The person's proof, if the token carries one.
    #[must_use]
    pub const fn consent(&self) -> Option<&Consent> {
        self.consent.as_ref()
    }

    /// The id of the key that signed it.
    #[must_use]
    pub fn kid(&self) -> &str {
        &self.kid
    }
}

#[cfg(test)]
mod tests;
