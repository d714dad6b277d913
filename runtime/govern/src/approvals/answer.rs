//! How a ticket ended, as a file.

use std::path::Path;

use knotrust_core::approval::Ending;
use knotrust_core::consent::Consent;
use knotrust_core::json::{self, Object, Value};
use knotrust_core::time::Timestamp;

use crate::failure::{Cause, StoreError};
use crate::files;

/// What is said about a ticket.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Verdict {
    /// A person says yes.
    Approve,
    /// A person says no.
    Deny,
    /// Nobody answered in time.
    Expire,
    /// The caller has given up.
    Cancel,
    /// Whoever held the call is gone.
    Orphan,
}

/// The way by which an answer came.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Way {
    /// The page.
    Page,
    /// A terminal.
    Terminal,
    /// A form that the client showed.
    Form,
    /// The call came back with the answer.
    Input,
    /// Nobody: the clock, the caller, or a death.
    None,
}

/// How a ticket ended, and who or what ended it.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What is said.
    pub verdict: Verdict,
    /// When.
    pub at: Timestamp,
    /// By which way.
    pub way: Way,
    /// Who, as the operating system knows them; empty if nobody.
    pub who: String,
    /// The exact hash of the call that the person was shown; there is no yes without it.
    pub call: Option<String>,
    /// The person's proof.
    pub consent: Option<Consent>,
}

impl Answer {
    pub(super) const fn by_nobody(verdict: Verdict, at: Timestamp) -> Self {
        Self {
            verdict,
            at,
            way: Way::None,
            who: String::new(),
            call: None,
            consent: None,
        }
    }

    pub(super) const fn by_ourselves(ending: Ending, at: Timestamp) -> Self {
        let verdict = match ending {
            Ending::Expired => Verdict::Expire,
            Ending::Cancelled => Verdict::Cancel,
            Ending::Denied | Ending::Approved => Verdict::Deny,
        };
        Self::by_nobody(verdict, at)
    }

    pub(super) fn to_text(&self) -> String {
        let mut object = Object::new();
        object.insert("v", Value::Number(1_u64.into()));
        object.insert("verdict", Value::string(self.verdict.as_str()));
        object.insert("at", Value::String(self.at.to_string().into()));
        object.insert("way", Value::string(self.way.as_str()));
        object.insert("who", Value::String(self.who.clone().into()));
        if let Some(call) = &self.call {
            object.insert("call", Value::String(call.clone().into()));
        }
        if let Some(consent) = &self.consent {
            object.insert("consent", Value::Object(consent.to_object()));
        }
        format!("{}\n", json::write(&Value::Object(object)))
    }

    /// Reads the end of a ticket, if there is one. What cannot be understood is a no: somebody ended it.
    pub(super) fn read_from(path: &Path) -> Result<Option<Self>, StoreError> {
        let broken = Self::by_nobody(Verdict::Deny, Timestamp::default());
        match files::read_if_there(path, MAX_ANSWER) {
            Ok(bytes) => Ok(bytes.map(|bytes| Self::read(&bytes).unwrap_or(broken))),
            Err(error) if matches!(error.source, Cause::Io(_)) => Err(error),
            Err(_) => Ok(Some(broken)),
        }
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let value = json::parse(bytes).ok()?;
        let text = |name| value.get(name).and_then(Value::as_str);
        let consent = match value.get("consent") {
            Some(consent) => Some(Consent::read(consent)?),
            None => None,
        };
        Some(Self {
            verdict: Verdict::from_name(text("verdict")?)?,
            at: Timestamp::parse(text("at")?)?,
            way: Way::from_name(text("way")?)?,
            who: text("who")?.to_owned(),
            call: text("call").map(str::to_owned),
            consent,
        })
    }
}

impl Verdict {
    const ALL: [Self; 5] = [
        Self::Approve,
        Self::Deny,
        Self::Expire,
        Self::Cancel,
        Self::Orphan,
    ];

    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Deny => "deny",
            Self::Expire => "expire",
            Self::Cancel => "cancel",
            Self::Orphan => "orphan",
        }
    }

    /// The end that it brings.
    #[must_use]
    pub const fn ending(self) -> Ending {
        match self {
            Self::Approve => Ending::Approved,
            Self::Deny | Self::Orphan => Ending::Denied,
            Self::Expire => Ending::Expired,
            Self::Cancel => Ending::Cancelled,
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|verdict| verdict.as_str() == name)
    }
}

impl Way {
    const ALL: [Self; 5] = [
        Self::Page,
        Self::Terminal,
        Self::Form,
        Self::Input,
        Self::None,
    ];

    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Terminal => "terminal",
            Self::Form => "form",
            Self::Input => "input",
            Self::None => "none",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|way| way.as_str() == name)
    }
}

const MAX_ANSWER: u64 = 1 << 16;
