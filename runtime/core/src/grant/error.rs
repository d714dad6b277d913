//! Why a grant does not hold.

use std::fmt;

use thiserror::Error;

/// Why a grant does not hold, in the order in which it is checked.
#[derive(Clone, Copy, Debug, Eq, Error, Ord, PartialEq, PartialOrd)]
pub enum GrantError {
    /// Not a token of this kind, or claims out of shape.
    Malformed,
    /// Signed by a key that is not trusted here.
    UnknownKey,
    /// The signature is not of this key over these bytes.
    InvalidSignature,
    /// The ruleset asks for a person's proof, and the token has none that holds.
    NoConsent,
    /// Past its last second.
    Expired,
    /// Before its first second.
    NotYetValid,
    /// Of another principal.
    PrincipalMismatch,
    /// For another agent.
    AgentMismatch,
    /// For other tools.
    ToolMismatch,
    /// For other resources.
    ScopeMismatch,
    /// Under conditions this program does not know.
    ConditionsUnsupported,
    /// Under conditions that the call does not meet.
    ConditionsUnmet,
    /// Bound to another call.
    CallMismatch,
    /// Capped below the tier of the call.
    TierCapViolation,
}

impl GrantError {
    /// The stable code, as the reference names it where it has one.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Malformed => "grant_malformed",
            Self::UnknownKey => "grant_unknown_key",
            Self::InvalidSignature => "grant_invalid_signature",
            Self::NoConsent => "grant_no_consent",
            Self::Expired => "grant_expired",
            Self::NotYetValid => "grant_not_yet_valid",
            Self::PrincipalMismatch => "grant_principal_mismatch",
            Self::AgentMismatch => "grant_agent_mismatch",
            Self::ToolMismatch => "grant_tool_mismatch",
            Self::ScopeMismatch => "grant_scope_mismatch",
            Self::ConditionsUnsupported => "conditions_unsupported",
            Self::ConditionsUnmet => "conditions_unmet",
            Self::CallMismatch => "grant_call_mismatch",
            Self::TierCapViolation => "tier_cap_violation",
        }
    }
}

impl fmt::Display for GrantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Malformed => "the grant is not a well-formed token",
            Self::UnknownKey => "the key that signed the grant is not trusted here",
            Self::InvalidSignature => "the signature of the grant does not hold",
            Self::NoConsent => "the grant carries no proof that a person agreed to it",
            Self::Expired => "the grant has expired",
            Self::NotYetValid => "the grant is not valid yet",
            Self::PrincipalMismatch => "the grant belongs to another principal",
            Self::AgentMismatch => "the grant is for another agent",
            Self::ToolMismatch => "the grant is for other tools",
            Self::ScopeMismatch => "the grant is for other resources",
            Self::ConditionsUnsupported => "the grant has conditions that are not known here",
            Self::ConditionsUnmet => "the call does not meet the conditions of the grant",
            Self::CallMismatch => "the grant is bound to another call",
            Self::TierCapViolation => "the grant is capped below the tier of the call",
        })
    }
}
