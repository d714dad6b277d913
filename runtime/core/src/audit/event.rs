//! What is recorded.

use crate::consent::Consent;
use crate::json::Text;
use crate::precedence::{Layer, Outcome};
use crate::tier::Tier;
use crate::time::Timestamp;

/// Something that happened. Number, time and hashes come with the place in the chain.
///
/// The members every event has are those of the reference; what does not apply is left empty there. Values longer than
/// [`LONGEST_TEXT`] are cut, with their length and hash in place of the rest, so that nobody can make a line too long to read.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// What happened.
    pub kind: Kind,
    /// The enforcement point that saw it: `stdio_proxy`, `grants`, `local_page`.
    pub surface: &'a str,
    /// On whose behalf.
    pub subject: &'a str,
    /// Through which agent.
    pub agent: &'a str,
    /// The action, `server.tool`.
    pub tool: Option<&'a Text<'a>>,
    /// The hash of the arguments: `sha256:…`. Without it the line says `unavailable`.
    pub args_hash: Option<&'a str>,
    /// The arguments, in canonical form, where the policy asks to capture them.
    pub raw_args: Option<RawArguments<'a>>,
    /// The approval this belongs to.
    pub approval_id: Option<&'a str>,
    /// Who resolved an approval.
    pub approver: Option<&'a str>,
    /// Whether the decision came from the cache.
    pub cache_hit: bool,
    /// Through which channel a person was asked or answered.
    pub channel: Option<&'a str>,
    /// What a person agreed to, and the proof that they did.
    pub consent: Option<Given<'a>>,
    /// Which request of whoever calls it belongs to: a trace id, or whatever they use.
    pub correlation: Option<&'a str>,
    /// The span that it happened within.
    pub parent: Option<&'a str>,
    /// Names the decision.
    pub decision_id: Option<&'a str>,
    /// What else there is to say, by kind.
    pub detail: Option<Detail<'a>>,
    /// How a forwarded call ended.
    pub ending: Option<Ending>,
    /// The grants that played a part, by their ids.
    pub grant_refs: &'a [&'a str],
    /// What a definition of a tool was, and what it is.
    pub fingerprints: Fingerprints<'a>,
    /// The end of the chain before something happened to the log.
    pub last_good: Option<LastGood>,
    /// How long the decision took, in microseconds.
    pub latency_micros: Option<u64>,
    /// The layer that decided.
    pub layer: Option<Layer>,
    /// The decision.
    pub outcome: Option<Outcome>,
    /// The policy that decided.
    pub policy_digest: Option<&'a str>,
    /// A stable code, or the words for the record.
    pub reason: Option<&'a str>,
    /// Names the request.
    pub request_id: Option<&'a str>,
    /// The rule that decided: `file:line`.
    pub rule: Option<&'a str>,
    /// The logical server.
    pub server: Option<&'a str>,
    /// Counts what happens in a session, from 1.
    pub sequence: Option<u64>,
    /// The session of the client.
    pub session: Option<&'a str>,
    /// The tier of the call.
    pub tier: Option<Tier>,
    /// What the wall clock said, where the time of the event is not taken from it.
    pub wall: Option<Timestamp>,
}

impl Event<'static> {
    /// An event of knotrust's own, on nobody's behalf: what others set, they set with `..Event::of(kind)`.
    #[must_use]
    pub const fn of(kind: Kind) -> Self {
        Self {
            kind,
            surface: "knotrust",
            subject: "system",
            agent: "system",
            tool: None,
            args_hash: None,
            raw_args: None,
            approval_id: None,
            approver: None,
            cache_hit: false,
            channel: None,
            consent: None,
            correlation: None,
            parent: None,
            decision_id: None,
            detail: None,
            ending: None,
            grant_refs: &[],
            fingerprints: Fingerprints::NONE,
            last_good: None,
            latency_micros: None,
            layer: None,
            outcome: None,
            policy_digest: None,
            reason: None,
            request_id: None,
            rule: None,
            server: None,
            sequence: None,
            session: None,
            tier: None,
            wall: None,
        }
    }
}

/// The longest text of an event, in bytes. Longer ones are cut.
pub const LONGEST_TEXT: usize = 4096;

/// The canonical form of a call's arguments, short enough to be recorded.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct RawArguments<'a>(&'a str);

impl<'a> RawArguments<'a> {
    /// The longest form that is recorded, in bytes.
    pub const LONGEST: usize = 256 * 1024;

    /// Takes what [`canonical`](crate::canonical::canonical) gave; nothing if it is too long to be recorded.
    #[must_use]
    pub const fn new(canonical: &'a str) -> Option<Self> {
        if canonical.len() <= Self::LONGEST {
            Some(Self(canonical))
        } else {
            None
        }
    }

    pub(super) const fn as_str(self) -> &'a str {
        self.0
    }
}

/// A person's consent, with what a reader of the log needs to verify it again.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// The consent.
    pub consent: &'a Consent,
    /// What it is to.
    pub to: Agreed<'a>,
}

/// What a person agreed to, by its hash: what was in a call or stands in a grant is not for the log.
#[derive(Clone, Copy, Debug)]
pub enum Agreed<'a> {
    /// One call, by its exact hash.
    Call(&'a str),
    /// A grant that lasts, by the challenge that its claims make.
    Grant([u8; 32]),
}

/// What else there is to say of an event: a JSON value in canonical form, short enough to be recorded.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Detail<'a>(&'a str);

impl<'a> Detail<'a> {
    /// The longest that is recorded, in bytes.
    pub const LONGEST: usize = 64 * 1024;

    /// Takes what [`canonical`](crate::canonical::canonical) gave; nothing if it is too long to be recorded.
    #[must_use]
    pub const fn new(canonical: &'a str) -> Option<Self> {
        if canonical.len() <= Self::LONGEST {
            Some(Self(canonical))
        } else {
            None
        }
    }

    pub(super) const fn as_str(self) -> &'a str {
        self.0
    }
}

/// Two hashes of one thing, before and after it changed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Fingerprints<'a> {
    /// What it was.
    pub old: Option<&'a str>,
    /// What it is.
    pub new: Option<&'a str>,
}

impl Fingerprints<'_> {
    /// Nothing has changed.
    pub const NONE: Self = Self {
        old: None,
        new: None,
    };
}

/// The last event known to have been in the chain when something had happened to the log.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct LastGood {
    /// Its number.
    pub seq: u64,
    /// Its hash.
    pub hash: super::chain::Hash,
}

/// How a forwarded call ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Ending {
    /// With a result.
    Answered,
    /// With a result that says it is an error.
    ToolError,
    /// With an error in place of a result.
    ProtocolError,
    /// Its caller has taken it back.
    Cancelled,
    /// Nobody knows: the server died after the call was sent.
    Unknown,
}

impl Ending {
    /// The word in the log.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::ToolError => "tool_error",
            Self::ProtocolError => "protocol_error",
            Self::Cancelled => "cancelled",
            Self::Unknown => "unknown",
        }
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $word:literal,)+) => {
        /// What an event tells of.
        #[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
        pub enum Kind {
            $($(#[$doc])* $kind,)+
        }

        impl Kind {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$kind),+];

            /// The word in the log.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$kind => $word,)+
                }
            }
        }
    };
}

kinds! {
    /// A call, or another governed request, was decided.
    Decision = "decision",
    /// A forwarded call came to its end.
    CallEnded = "call_ended",
    /// A message was refused before anything could be decided.
    RequestRefused = "request_refused",
    /// A server answered a request that it was never sent, or has answered already.
    UnaskedAnswer = "unasked_answer",
    /// A server wrote to its output what is no message.
    StrayOutput = "stray_output",
    /// A proxy has started.
    SessionStarted = "session_started",
    /// A proxy has ended.
    SessionEnded = "session_ended",
    /// A grant was signed.
    GrantCreated = "grant_created",
    /// A grant was taken back.
    GrantRevoked = "grant_revoked",
    /// A use of a counted grant was spent.
    GrantConsumed = "grant_consumed",
    /// A person is needed.
    ApprovalRequested = "approval_requested",
    /// A person was asked.
    ApprovalPending = "approval_pending",
    /// A person said yes.
    ApprovalApproved = "approval_approved",
    /// A person said no, or a yes came to nothing.
    ApprovalDenied = "approval_denied",
    /// Nobody answered in time.
    ApprovalExpired = "approval_expired",
    /// The caller no longer wants it.
    ApprovalCancelled = "approval_cancelled",
    /// Something tried to use the way to the person and may not.
    ApprovalChannelViolation = "approval_channel_violation",
    /// A routine call passed although it could not be decided.
    FailOpenFired = "fail_open_fired",
    /// A tool, or what its server says of itself, is no longer what it was.
    ToolDefinitionChanged = "tool_definition_changed",
    /// A server offers a tool that it did not offer before.
    ToolAdded = "tool_added",
    /// A server no longer offers a tool.
    ToolRemoved = "tool_removed",
    /// One list names one tool twice, with different definitions.
    ToolListedTwice = "tool_listed_twice",
    /// A person has accepted what a server says.
    InventoryAccepted = "inventory_accepted",
    /// An agent was refused again and again.
    DenialProbingSuspected = "denial_probing_suspected",
    /// Money was spent on governed knowledge.
    BudgetSpend = "budget_spend",
    /// A spend did not fit under the ceiling, and did not happen.
    BudgetExceeded = "budget_exceeded",
    /// A plan of the session is no longer the one that would be made.
    TemporalDrift = "temporal_drift",
    /// What a plan of the session had approved is approved no longer.
    PlanInvalidated = "plan_invalidated",
    /// An answer was judged.
    ConfidenceVerdict = "confidence_verdict",
    /// A skill or playbook is being followed from now on.
    SkillLoaded = "skill_loaded",
    /// A skill or playbook may not be invoked.
    SkillSkipped = "skill_skipped",
    /// A call was compared with the scope of the procedure that is being followed.
    ConformanceVerdict = "conformance_verdict",
    /// A call was attempted that the procedure being followed forbids.
    ProhibitedAttempt = "prohibited_attempt",
    /// Something had happened to the log, and it goes on.
    AuditRecovered = "audit_recovered",
    /// The wall clock has jumped.
    ClockJumped = "clock_jumped",
}
