//! How a person is asked, and who may answer.

use super::envelope::Bound;

/// How a person is asked.
#[derive(Clone, Copy, Debug)]
pub struct Approvals<'a> {
    /// Ways to a person, tried in this order.
    pub channels: &'a [Channel],
    /// How long a call is held open, in milliseconds.
    pub hold: u64,
    /// How long the person may take, in milliseconds.
    pub expires: u64,
    /// What proves that a person answered.
    pub approver: Approver<'a>,
    /// Whether a reviewer's resolution must be signed.
    pub require_signed: bool,
    /// Who may answer for a role.
    pub reviewers: &'a [Reviewer<'a>],
    /// Calls that need a named role.
    pub rules: &'a [ApprovalRule<'a>],
}

/// A way to a person.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Channel {
    /// The call returns with a question, and comes again with the answer (2026-07-28).
    InputRequired,
    /// The client opens a page.
    ElicitationUrl,
    /// The client shows a form.
    ElicitationForm,
    /// A page and a terminal, while the call waits.
    BlockAndWait,
}

impl Channel {
    /// Every channel, in the order the reference names them.
    pub const ALL: [Self; 4] = [
        Self::InputRequired,
        Self::ElicitationUrl,
        Self::ElicitationForm,
        Self::BlockAndWait,
    ];

    /// The word in a ruleset.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InputRequired => "input_required",
            Self::ElicitationUrl => "elicitation_url",
            Self::ElicitationForm => "elicitation_form",
            Self::BlockAndWait => "block_and_wait",
        }
    }
}

/// What proves that a person, and not a process of the same user, answered.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Approver<'a> {
    /// Nothing: the session of the operating system is taken for the person.
    None,
    /// A pin: answers are signed with the Ed25519 key that Argon2id derives from it, whose public half is here.
    Pin {
        /// The salt, 16 bytes in base64url.
        salt: &'a str,
        /// The public key, base64url.
        public_key: &'a str,
    },
    /// Passkeys: answers are WebAuthn assertions by one of these.
    Passkey(&'a [Passkey<'a>]),
}

/// A passkey that a person enrolled.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Passkey<'a> {
    /// The credential's id, base64url.
    pub credential: &'a str,
    /// The credential's public key in COSE form, base64url.
    pub public_key: &'a str,
}

/// Who may answer for a role.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Reviewer<'a> {
    /// The name they answer under.
    pub name: &'a str,
    /// The role they may answer for.
    pub role: &'a str,
    /// Their Ed25519 public key, base64url, if they sign.
    pub public_key: Option<&'a str>,
}

/// Calls that need a named role (`ruleset.md` §5, layer 3). Its tool patterns are among [`super::Ruleset::names`], its
/// paths and URLs among the targets.
#[derive(Clone, Copy, Debug)]
pub struct ApprovalRule<'a> {
    /// Tool patterns; none means any tool.
    pub tools: &'a [Bound<'a>],
    /// Path patterns; none means wherever.
    pub paths: &'a [&'a str],
    /// The role that must answer.
    pub required_role: &'a str,
    /// How long that may take, in milliseconds.
    pub expires: u64,
    /// The policy that asks for it, for the record.
    pub policy_ref: Option<&'a str>,
    /// The line it stands on.
    pub line: u32,
}

impl Approvals<'_> {
    /// What holds where a policy says nothing.
    pub const DEFAULT: Self = Self {
        channels: &Channel::ALL,
        hold: 50_000,
        expires: 900_000,
        approver: Approver::None,
        require_signed: false,
        reviewers: &[],
        rules: &[],
    };
}
