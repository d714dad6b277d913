//! Units of knowledge, and the procedures among them.

use super::action_scope::ActionScope;
use super::folded::Folded;
use super::leave::ActionAuthority;
use super::listing::Listing;
use super::member::{flag, size, text};
use super::node::Node;
use super::payment::Payment;
use super::step::Step;
use super::temporal::Temporal;
use crate::amount::Amount;

/// One unit of a manifest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unit {
    /// Its name; numbers are their text.
    pub id: String,
    /// Where its content is, from the manifest's folder.
    pub path: String,
    /// The question it answers.
    pub intent: String,
    /// Whom it serves; everyone if nothing is declared or the list is empty.
    pub audience: Listing,
    /// Words that call for it: at most 20, of 60 characters each.
    pub triggers: Vec<String>,
    /// What it does not serve.
    pub not_for: Vec<String>,
    /// When it holds, with the manifest's defaults.
    pub temporal: Temporal,
    /// Whether it should no longer be used.
    pub deprecated: bool,
    /// What it is.
    pub kind: Kind,
    /// Whether it may be invoked: only if it says so.
    pub load_eligible: bool,
    /// What it may touch.
    pub action_scope: Option<ActionScope>,
    /// What a playbook does, if a list stands there.
    pub steps: Option<Vec<Step>>,
    /// The most authority it may act with.
    pub authority_level: Option<String>,
    /// Who may load it.
    pub access: Access,
    /// What it costs; the manifest's default if it has no block of its own.
    pub payment: Option<Payment>,
    /// Its size in tokens, declared or estimated.
    pub tokens: Tokens,
    /// What agents may do with it of their own accord.
    pub authority: ActionAuthority,
    /// What its content hashes to.
    pub content_hash: Option<ContentHash>,
    pub(crate) folded: Folded,
}

/// What a unit is.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub enum Kind {
    /// Something to read; the kind as declared, if it was.
    #[default]
    Undeclared,
    /// Any kind that is no procedure.
    Knowledge(String),
    /// A governed procedure (§4.3a).
    Skill,
    /// A governed composition of skills (§4.3b).
    Playbook,
}

impl Kind {
    fn of(text: Option<String>) -> Self {
        match text.as_deref() {
            None => Self::Undeclared,
            Some("skill") => Self::Skill,
            Some("playbook") => Self::Playbook,
            Some(other) => Self::Knowledge(other.to_owned()),
        }
    }

    /// The kind as declared.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Undeclared => None,
            Self::Knowledge(kind) => Some(kind),
            Self::Skill => Some("skill"),
            Self::Playbook => Some("playbook"),
        }
    }

    /// Whether it is invoked rather than read.
    #[must_use]
    pub const fn is_procedure(&self) -> bool {
        matches!(self, Self::Skill | Self::Playbook)
    }
}

/// Who may load a unit.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub enum Access {
    /// Anyone, without saying so.
    #[default]
    Undeclared,
    /// Anyone; also what unknown words mean, which are kept.
    Public(String),
    /// Who says who they are.
    Authenticated,
    /// Who holds a credential.
    Restricted,
}

impl Access {
    fn of(text: Option<String>) -> Self {
        match text {
            None => Self::Undeclared,
            Some(text) if text == "restricted" => Self::Restricted,
            Some(text) if text == "authenticated" => Self::Authenticated,
            Some(text) => Self::Public(text),
        }
    }

    /// The word as declared.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Undeclared => None,
            Self::Public(word) => Some(word),
            Self::Authenticated => Some("authenticated"),
            Self::Restricted => Some("restricted"),
        }
    }
}

/// How much of a context window a unit takes.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Tokens {
    /// Nobody knows.
    #[default]
    Unmeasured,
    /// As declared.
    Declared(Amount),
    /// A quarter of its declared bytes.
    Estimated(Amount),
}

impl Tokens {
    fn of(node: &Node) -> Self {
        match (size(node, "size_tokens"), size(node, "bytes")) {
            (Some(tokens), _) => Self::Declared(tokens),
            (None, Some(bytes)) => Self::Estimated(bytes.quarter_rounded_up()),
            (None, None) => Self::Unmeasured,
        }
    }

    /// The number, if there is one.
    #[must_use]
    pub const fn value(self) -> Option<Amount> {
        match self {
            Self::Unmeasured => None,
            Self::Declared(tokens) | Self::Estimated(tokens) => Some(tokens),
        }
    }
}

/// What a unit's content is announced to hash to.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum ContentHash {
    /// Lower-case hex SHA-256.
    Sha256(String),
    /// Something that can't be checked here.
    Unknown,
}

impl ContentHash {
    /// `{algorithm, value}`, or `algorithm:value`, or the value alone.
    fn of(node: Option<&Node>) -> Option<Self> {
        let node = node?;
        let written = node.as_text().map(|text| text.into_owned());
        let (algorithm, value) = match &written {
            Some(written) => match written.split_once(':') {
                Some((algorithm, value)) => (algorithm.to_owned(), value.to_owned()),
                None => (SHA256.to_owned(), written.clone()),
            },
            None => (
                text(node, "algorithm").unwrap_or_else(|| SHA256.to_owned()),
                text(node, "value").unwrap_or_default(),
            ),
        };
        let value = value.trim().to_ascii_lowercase();
        let is_digest = value.len() == 64 && value.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_known =
            algorithm.eq_ignore_ascii_case(SHA256) || algorithm.eq_ignore_ascii_case("sha-256");
        Some(if is_digest && is_known {
            Self::Sha256(value)
        } else {
            Self::Unknown
        })
    }
}

impl Unit {
    pub(super) fn of(node: &Node, defaults: &Defaults) -> Self {
        let mut unit = Self {
            id: text(node, "id").unwrap_or_default(),
            path: text(node, "path").unwrap_or_default(),
            intent: text(node, "intent").unwrap_or_default(),
            audience: Listing::of(node.get("audience")),
            triggers: triggers(node),
            not_for: Listing::of(node.get("not_for")).texts().to_vec(),
            temporal: Temporal::of(node.get("temporal")).or_bounds_of(&defaults.temporal),
            deprecated: flag(node, "deprecated").unwrap_or_default(),
            kind: Kind::of(text(node, "kind")),
            load_eligible: flag(node, "load_eligible").unwrap_or_default(),
            action_scope: ActionScope::of(node.get("action_scope")),
            steps: Step::list(node.get("steps")),
            // A level that is no text is a level nobody has.
            authority_level: node
                .get("authority_level")
                .map(|_| text(node, "authority_level").unwrap_or_default()),
            access: Access::of(text(node, "access")),
            payment: Payment::of(node.get("payment")).or_else(|| defaults.payment.clone()),
            tokens: Tokens::of(node),
            authority: ActionAuthority::of(node.get("authority")).or(defaults.authority),
            content_hash: ContentHash::of(node.get("content_hash")),
            folded: Folded::default(),
        };
        unit.folded = Folded::of(&unit);
        unit
    }
}

/// What the manifest says for all units that don't say otherwise.
pub(super) struct Defaults {
    pub(super) temporal: Temporal,
    pub(super) payment: Option<Payment>,
    pub(super) authority: ActionAuthority,
}

fn triggers(node: &Node) -> Vec<String> {
    let listing = Listing::of(node.get("triggers"));
    let cut = |trigger: &String| trigger.chars().take(MAX_TRIGGER_CHARACTERS).collect();
    listing.texts().iter().take(MAX_TRIGGERS).map(cut).collect()
}

const SHA256: &str = "sha256";
const MAX_TRIGGERS: usize = 20;
const MAX_TRIGGER_CHARACTERS: usize = 60;
