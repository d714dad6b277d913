//! Why a call was decided as it was: a stable code, words for the agent, words for the record.

use crate::tier::Tier;

/// Why a call was decided as it was. Codes are those of the reference, where it has one.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Reason {
    /// The envelope denies the name.
    EnvelopeDeny,
    /// The policy does not list the server, and denies unlisted ones.
    UnlistedServer,
    /// The server has listed its tools, and this is none of those that were shown.
    UnlistedTool,
    /// The call reaches for knotrust's own files, page or program.
    SelfProtection,
    /// The envelope wants a person for this name or tier.
    EnvelopeForceApproval,
    /// A rule of the policy denies the call.
    ExplicitConfigDeny,
    /// An approval rule wants a named role.
    NamedHumanRequired,
    /// No plan admits what the call touches.
    GovernedBlocked,
    /// A grant covers the call.
    GrantAllow,
    /// Only grants below the call's tier cover it.
    TierCapViolation,
    /// A grant covers the call, but lies above the envelope's ceiling.
    GrantExceedsEnvelope,
    /// The policy engine denies.
    PdpDeny,
    /// Routine calls need nothing.
    RoutineDefaultAllow,
    /// A rule of the policy allows the call.
    ExplicitConfigAllow,
    /// A sensitive call without grant.
    NoGrantSensitive,
    /// A critical call without grant.
    NoGrantCritical,
    /// The single-use grant was used up already.
    GrantReplayed,
    /// What was decided could not be recorded.
    AuditUnavailable,
    /// The decision itself broke.
    InternalError,
    /// The surface could not carry the decision out.
    EnforcementError,
    /// The message is one that two readers may read in two ways, or no message at all.
    MalformedRequest,
    /// The person said no.
    ApprovalDenied,
    /// The person did not answer in time.
    ApprovalTimeout,
    /// The caller gave up while the person was being asked.
    ApprovalCancelled,
    /// Asking the person broke.
    ApprovalInternalError,
    /// Too many calls wait for a person already.
    ApprovalQueueFull,
    /// No channel reaches a person here, and the call cannot wait.
    ChannelNotEligible,
}

/// What a model may read of a reason (reference, "What the model sees").
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum AgentCode {
    /// A grant would let it pass.
    BlockedNeedsGrant,
    /// A person would have to approve it.
    BlockedNeedsApproval,
    /// It is not to be had.
    BlockedByPolicy,
    /// Something broke; later may be better.
    Unavailable,
    /// Nobody can be asked here.
    NotEligibleHere,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Self; 27] = [
        Self::EnvelopeDeny,
        Self::UnlistedServer,
        Self::UnlistedTool,
        Self::SelfProtection,
        Self::EnvelopeForceApproval,
        Self::ExplicitConfigDeny,
        Self::NamedHumanRequired,
        Self::GovernedBlocked,
        Self::GrantAllow,
        Self::TierCapViolation,
        Self::GrantExceedsEnvelope,
        Self::PdpDeny,
        Self::RoutineDefaultAllow,
        Self::ExplicitConfigAllow,
        Self::NoGrantSensitive,
        Self::NoGrantCritical,
        Self::GrantReplayed,
        Self::AuditUnavailable,
        Self::InternalError,
        Self::EnforcementError,
        Self::MalformedRequest,
        Self::ApprovalDenied,
        Self::ApprovalTimeout,
        Self::ApprovalCancelled,
        Self::ApprovalInternalError,
        Self::ApprovalQueueFull,
        Self::ChannelNotEligible,
    ];

    /// The stable code, for the record and for people. No agent ever reads it.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::EnvelopeDeny => "envelope_deny",
            Self::UnlistedServer => "unlisted_server",
            Self::UnlistedTool => "unlisted_tool",
            Self::SelfProtection => "self_protection",
            Self::EnvelopeForceApproval => "envelope_force_approval",
            Self::ExplicitConfigDeny => "explicit_config_deny",
            Self::NamedHumanRequired => "named_human_required",
            Self::GovernedBlocked => "governed_blocked",
            Self::GrantAllow => "grant_allow",
            Self::TierCapViolation => "tier_cap_violation",
            Self::GrantExceedsEnvelope => "grant_exceeds_envelope",
            Self::PdpDeny => "pdp_deny",
            Self::RoutineDefaultAllow => "routine_default_allow",
            Self::ExplicitConfigAllow => "explicit_config_allow",
            Self::NoGrantSensitive => "no_grant_sensitive",
            Self::NoGrantCritical => "no_grant_critical",
            Self::GrantReplayed => "grant_replayed",
            Self::AuditUnavailable => "audit_unavailable",
            Self::InternalError => "internal_error",
            Self::EnforcementError => "enforcement_error",
            Self::MalformedRequest => "malformed_request",
            Self::ApprovalDenied => "approval_denied",
            Self::ApprovalTimeout => "approval_timeout",
            Self::ApprovalCancelled => "approval_cancelled",
            Self::ApprovalInternalError => "approval_internal_error",
            Self::ApprovalQueueFull => "approval_queue_full",
            Self::ChannelNotEligible => "channel_not_eligible",
        }
    }

    /// What a person at the terminal or in the log is told.
    #[must_use]
    pub const fn for_people(self) -> &'static str {
        match self {
            Self::EnvelopeDeny => "the envelope denies this name",
            Self::UnlistedServer => {
                "the ruleset does not list this server, and denies unlisted ones"
            }
            Self::UnlistedTool => "the server's list of tools does not show this one",
            Self::SelfProtection => "the call reaches for knotrust's own files, page or program",
            Self::EnvelopeForceApproval => "the envelope wants a person for this",
            Self::ExplicitConfigDeny => "a rule denies this",
            Self::NamedHumanRequired => "an approval rule wants a person with a named role",
            Self::GovernedBlocked => "no plan admits what the call touches",
            Self::GrantAllow => "a grant covers this call",
            Self::TierCapViolation => "the grants that cover this call are capped below its tier",
            Self::GrantExceedsEnvelope => "a grant covers this call, above the envelope's ceiling",
            Self::PdpDeny => "the policy engine denies this",
            Self::RoutineDefaultAllow => "routine calls need nothing more",
            Self::ExplicitConfigAllow => "a rule allows this sensitive call",
            Self::NoGrantSensitive => "sensitive, and no grant covers it",
            Self::NoGrantCritical => "critical, and no grant covers it: a person must approve",
            Self::GrantReplayed => "the single-use grant for this is used up",
            Self::AuditUnavailable => "the decision could not be recorded",
            Self::InternalError => "the decision could not be made",
            Self::EnforcementError => "the decision could not be carried out",
            Self::MalformedRequest => "the message is malformed or can be read in two ways",
            Self::ApprovalDenied => "a person denied this",
            Self::ApprovalTimeout => "no person answered in time",
            Self::ApprovalCancelled => "the caller gave up before a person answered",
            Self::ApprovalInternalError => "asking a person failed",
            Self::ApprovalQueueFull => "too many calls wait for a person already",
            Self::ChannelNotEligible => "nobody can be asked here, and the call cannot wait",
        }
    }

    /// What a model may know of it.
    #[must_use]
    pub const fn for_agent(self) -> AgentCode {
        match self {
            Self::NoGrantSensitive => AgentCode::BlockedNeedsGrant,
            Self::NoGrantCritical | Self::EnvelopeForceApproval | Self::NamedHumanRequired => {
                AgentCode::BlockedNeedsApproval
            }
            Self::AuditUnavailable | Self::InternalError | Self::EnforcementError => {
                AgentCode::Unavailable
            }
            Self::ChannelNotEligible => AgentCode::NotEligibleHere,
            Self::EnvelopeDeny
            | Self::UnlistedServer
            | Self::UnlistedTool
            | Self::SelfProtection
            | Self::ExplicitConfigDeny
            | Self::GovernedBlocked
            | Self::GrantAllow
            | Self::TierCapViolation
            | Self::GrantExceedsEnvelope
            | Self::PdpDeny
            | Self::RoutineDefaultAllow
            | Self::ExplicitConfigAllow
            | Self::GrantReplayed
            | Self::MalformedRequest
            | Self::ApprovalDenied
            | Self::ApprovalTimeout
            | Self::ApprovalCancelled
            | Self::ApprovalInternalError
            | Self::ApprovalQueueFull => AgentCode::BlockedByPolicy,
        }
    }

    /// Whether a person could still let such a call pass, by a grant or an approval.
    #[must_use]
    pub const fn human_can_approve(self) -> bool {
        match self.for_agent() {
            AgentCode::Unavailable | AgentCode::NotEligibleHere => false,
            AgentCode::BlockedNeedsGrant
            | AgentCode::BlockedNeedsApproval
            | AgentCode::BlockedByPolicy => true,
        }
    }

    /// Whether such a denial tells the caller how to ask for a grant: sensitive calls without one, and no other.
    #[must_use]
    pub fn is_requestable(self, tier: Tier) -> bool {
        self == Self::NoGrantSensitive && tier == Tier::Sensitive
    }
}

impl AgentCode {
    /// The word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BlockedNeedsGrant => "blocked_needs_grant",
            Self::BlockedNeedsApproval => "blocked_needs_approval",
            Self::BlockedByPolicy => "blocked_by_policy",
            Self::Unavailable => "unavailable",
            Self::NotEligibleHere => "not_eligible_here",
        }
    }
}
