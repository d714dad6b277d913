//! One call that waits for a person.

use knotrust_core::consent::{Approval, Consent, Statement};
use knotrust_core::exact;
use knotrust_core::json::{self, Object, Value};
use knotrust_core::reason::Reason;
use knotrust_core::request::{self, DecisionRequest};
use knotrust_core::ruleset::{Approvals, Approver};
use knotrust_core::tier::Tier;
use knotrust_core::time::Timestamp;
use sha2::{Digest, Sha256};

/// What a person is to be asked.
#[derive(Clone, Debug)]
pub struct Question<'q> {
    /// The call.
    pub request: &'q DecisionRequest<'q>,
    /// Its exact hash ([`exact::call_hash`]).
    pub exact: &'q str,
    /// Its hash in the reference's normal form, where it has one.
    pub hash: Option<&'q str>,
    /// Its tier.
    pub tier: Tier,
    /// Why it stopped.
    pub reason: Reason,
    /// The roles one of which must answer; none if anybody may.
    pub roles: Vec<String>,
    /// How long the person may take, in milliseconds.
    pub expires: u64,
}

/// One call that waits for a person, with everything that they must see.
#[derive(Clone, Debug, PartialEq)]
pub struct Ticket {
    /// `apr_` and a ULID.
    pub id: String,
    /// Six characters that a person can read out and compare. No secret.
    pub code: String,
    /// When it was asked.
    pub asked: Timestamp,
    /// The first moment that is too late.
    pub until: Timestamp,
    /// The tier of the call.
    pub tier: Tier,
    /// Why it stopped: the code of a [`Reason`].
    pub reason: String,
    /// The roles one of which must answer.
    pub roles: Vec<String>,
    /// The exact hash of the call.
    pub exact: String,
    /// Its hash in the reference's normal form.
    pub hash: Option<String>,
    /// The call, whole.
    pub request: DecisionRequest<'static>,
}

impl Ticket {
    pub(super) fn new(question: &Question<'_>, id: &str, now: Timestamp) -> Self {
        let expires = i64::try_from(question.expires).unwrap_or(i64::MAX);
        Self {
            id: format!("{PREFIX}{id}"),
            code: code_of(id),
            asked: now,
            until: now.plus_millis(expires),
            tier: question.tier,
            reason: question.reason.code().to_owned(),
            roles: question.roles.clone(),
            exact: question.exact.to_owned(),
            hash: question.hash.map(str::to_owned),
            request: question.request.clone().into_owned(),
        }
    }

    /// What a person signs to approve it, as a reviewer of that name or as themselves.
    #[must_use]
    pub fn challenge(&self, reviewer: Option<&str>) -> [u8; 32] {
        let statement = Statement::Approval {
            approval: &self.approval(),
            call: &self.exact,
            tier: self.tier,
            reviewer,
        };
        statement.challenge()
    }

    /// The approval that a consent names.
    #[must_use]
    pub fn approval(&self) -> Approval {
        Approval {
            id: self.grant_id().to_owned(),
            until: u64::try_from(self.until.seconds()).unwrap_or_default(),
        }
    }

    /// The id of the only grant that may come of it.
    #[must_use]
    pub fn grant_id(&self) -> &str {
        self.id.strip_prefix(PREFIX).unwrap_or(&self.id)
    }

    /// Whether what it shows is the call that its hash names: a ticket file that was tampered with shows one thing and
    /// has another approved.
    #[must_use]
    pub fn is_true(&self) -> bool {
        exact::call_hash(&self.request) == self.exact
    }

    /// Whether a consent is one to this ticket, by somebody who may give it.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn check_consent(
        &self,
        rules: &Approvals<'_>,
        consent: Option<&Consent>,
    ) -> Result<(), &'static str> {
        let Some(consent) = consent else {
            return match rules.approver {
                Approver::None if self.roles.is_empty() => Ok(()),
                Approver::None => Err("a reviewer of the role that is asked for must answer"),
                Approver::Pin { .. } | Approver::Passkey(_) => Err("there is no proof of a person"),
            };
        };
        let approval = self.approval();
        if consent.approval.as_ref() != Some(&approval) {
            return Err("the consent is to another approval");
        }
        let reviewer = consent.reviewer.as_deref();
        let known = rules
            .reviewers
            .iter()
            .find(|known| Some(known.name) == reviewer);
        let has_role = known.is_some_and(|known| self.roles.iter().any(|role| role == known.role));
        if !self.roles.is_empty() && !has_role {
            return Err("a reviewer of the role that is asked for must answer");
        }
        if reviewer.is_some_and(|name| self.was_asked_by(name)) {
            return Err("whoever asked cannot answer");
        }
        let statement = Statement::approval(&approval, &self.exact, self.tier, consent);
        rules
            .believe(consent, &statement)
            .map_err(|_| "the proof of a person does not hold")
    }

    /// Whether the call is that of a reviewer: on their behalf, or by an agent of their name.
    fn was_asked_by(&self, reviewer: &str) -> bool {
        let request = &self.request;
        [&*request.subject.id, &*request.context.agent.id].contains(&reviewer)
    }

    pub(super) fn file(&self) -> String {
        format!("{}{SUFFIX}", self.id)
    }

    pub(super) fn end_file(&self) -> String {
        format!("{}.end", self.id)
    }
}

impl Ticket {
    /// The ticket as its file holds it.
    pub(super) fn to_text(&self) -> String {
        let mut object = Object::new();
        object.insert("v", Value::Number(1_u64.into()));
        for (name, text) in [
            ("id", &self.id),
            ("code", &self.code),
            ("asked", &self.asked.to_string()),
            ("until", &self.until.to_string()),
            ("tier", &self.tier.to_string()),
            ("reason", &self.reason),
            ("call", &self.exact),
        ] {
            object.insert(name, Value::String(text.clone().into()));
        }
        if let Some(hash) = &self.hash {
            object.insert("callHash", Value::String(hash.clone().into()));
        }
        let roles = self
            .roles
            .iter()
            .map(|role| Value::String(role.clone().into()));
        object.insert("roles", Value::Array(roles.collect()));
        object.insert("request", request::to_json(&self.request).into_owned());
        format!("{}\n", json::write(&Value::Object(object)))
    }

    /// Reads a ticket from its file.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let value = json::parse(bytes).ok()?;
        let text = |name| value.get(name)?.as_str().map(str::to_owned);
        let roles = value.get("roles")?.as_array()?.iter();
        let roles = roles.map(|role| role.as_str().map(str::to_owned));
        Some(Self {
            id: text("id").filter(|id| is_id(id))?,
            code: text("code")?,
            asked: Timestamp::parse(&text("asked")?)?,
            until: Timestamp::parse(&text("until")?)?,
            tier: Tier::from_name(&text("tier")?)?,
            reason: text("reason")?,
            roles: roles.collect::<Option<_>>()?,
            exact: text("call")?,
            hash: text("callHash"),
            request: request::read(value.get("request")?).ok()?.into_owned(),
        })
    }
}

/// Whether a text is the id of a ticket, and so a safe part of a path.
pub(super) fn is_id(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric();
    let id = text.strip_prefix(PREFIX);
    id.is_some_and(|id| (1..=64).contains(&id.len()) && id.bytes().all(plain))
}

/// A code from the letters of the reference, none of which looks like another.
fn code_of(id: &str) -> String {
    let hash = Sha256::digest(id);
    let letter = |byte: &u8| LETTERS.get(usize::from(byte & 31)).copied().map(char::from);
    hash.iter().take(6).filter_map(letter).collect()
}

pub(super) const SUFFIX: &str = ".json";
const PREFIX: &str = "apr_";
const LETTERS: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
