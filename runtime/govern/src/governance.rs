//! The tools by which an agent asks about governed knowledge: as values, for a surface to offer.
//!
//! Who the agent is, what it has and which manifests there are is the policy's to say. An agent chooses the task, and may
//! ask for less than it could have.

mod definitions;
mod harness;
mod planning;

use knotrust_core::audit::event::{Detail, Event, Kind};
use knotrust_core::canonical::{canonical, sha256_of};
use knotrust_core::json::{Object, Text, Value, write};
use knotrust_core::precedence::Outcome;
use knotrust_core::ruleset::Ruleset;
use thiserror::Error;

use crate::failure::StoreError;
use crate::governor::Governor;

/// The server that the tools seem to belong to: in the log, and for whoever must tell them from others of that name.
pub const SERVER: &str = "knotrust";

/// A tool, as it is offered.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// What it does, for the agent.
    pub description: &'static str,
    /// The JSON Schema of its arguments.
    pub input: Value<'static>,
    /// The JSON Schema of its answers.
    pub output: Value<'static>,
    /// Whether it only looks.
    pub only_reads: bool,
}

/// The answer of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The answer, as its schema says; nothing where the tool refuses.
    pub structured: Option<Value<'static>>,
    /// The same as text, or why the tool refuses.
    pub text: String,
    /// Whether it refuses.
    pub is_error: bool,
}

/// Why a tool refuses.
#[derive(Debug, Error)]
pub(crate) enum Refusal {
    /// A member of the arguments is missing or something else than it must be.
    #[error("`{member}` must be {expected}")]
    Argument {
        /// Which.
        member: &'static str,
        /// What it must be.
        expected: &'static str,
    },
    /// A member that is not the agent's to give.
    #[error("`{0}` is not for the caller to say")]
    NotYours(String),
    /// No domain has that manifest.
    #[error("`manifest` must be that of a declared domain: {0}")]
    NoDomain(String),
    /// The manifest can't be used.
    #[error("{0}")]
    Unusable(&'static str),
    /// It costs too much.
    #[error("the budget does not hold it")]
    OverBudget,
    /// Nothing is configured that could judge.
    #[error("the policy sets no confidence threshold, and none was given")]
    NoThreshold,
    /// A store broke.
    #[error("something broke; later may be better")]
    Store(#[from] StoreError),
}

/// The tools that a policy offers: none where nothing is governed.
#[must_use]
pub fn tools(ruleset: &Ruleset<'_>) -> Vec<Tool> {
    if ruleset.domains.is_empty() {
        return Vec::new();
    }
    let withheld = ruleset.gates.withheld_tools;
    let mut tools = definitions::all();
    tools.retain(|tool| !withheld.contains(&tool.name));
    tools
}

impl Governor<'_> {
    /// Calls a tool; nothing if the policy offers none of that name. The call is in the log before its answer is out.
    pub fn call_tool(&self, name: &str, arguments: &Value<'_>) -> Option<Answer> {
        let tool = tools(self.ruleset())
            .into_iter()
            .find(|tool| tool.name == name)?;
        let answer = self.tool_answer(tool.name, arguments);
        let refused = answer.as_ref().err().map(ToString::to_string);
        let recorded = self.note_tool(tool.name, arguments, refused.as_deref());
        Some(match (recorded, answer) {
            (Ok(()), Ok(value)) => Answer {
                text: write(&value),
                structured: Some(value),
                is_error: false,
            },
            (Ok(()), Err(refusal)) => Answer::refusing(&refusal),
            (Err(error), _) => Answer::refusing(&Refusal::Store(error)),
        })
    }

    fn tool_answer(&self, name: &str, arguments: &Value<'_>) -> Result<Value<'static>, Refusal> {
        match name {
            "kcp_plan" => self.tool_plan(arguments),
            "kcp_load" => self.tool_load(arguments),
            "kcp_trace" => self.tool_trace(arguments),
            "kcp_validate" => self.tool_validate(arguments),
            "kcp_replay" => self.tool_replay(arguments),
            "harness_session" => self.tool_session(),
            "harness_budget" => self.tool_budget(),
            "harness_temporal_check" => self.tool_temporal_check(),
            "harness_approvals" => self.tool_approvals(arguments),
            "harness_assess" => self.tool_assess(arguments),
            _ => self.tool_status(),
        }
    }

    fn note_tool(
        &self,
        name: &str,
        arguments: &Value<'_>,
        refused: Option<&str>,
    ) -> Result<(), StoreError> {
        let tool = Text::from(format!("{SERVER}.{name}"));
        let hash = sha256_of(arguments).ok();
        self.note(&Event {
            kind: Kind::Decision,
            tool: Some(&tool),
            server: Some(SERVER),
            args_hash: hash.as_deref(),
            outcome: Some(match refused {
                Some(_) => Outcome::Deny,
                None => Outcome::Allow,
            }),
            reason: Some(refused.unwrap_or("governance tool")),
            ..self.event()
        })
    }

    /// Records something that a tool found.
    fn note_found(&self, kind: Kind, detail: &Value<'_>) -> Result<(), StoreError> {
        let detail = canonical(detail).unwrap_or_default();
        self.note(&Event {
            kind,
            server: Some(SERVER),
            detail: Detail::new(&detail),
            ..self.event()
        })
    }
}

impl Answer {
    fn refusing(refusal: &Refusal) -> Self {
        Self {
            structured: None,
            text: format!("knotrust: {refusal}"),
            is_error: true,
        }
    }
}

/// Refuses arguments that are no object, or have members that are not known.
fn known_members(arguments: &Value<'_>, known: &[&str]) -> Result<(), Refusal> {
    if arguments.is_null() {
        return Ok(());
    }
    let object: &Object<'_> = arguments.as_object().ok_or(Refusal::Argument {
        member: "arguments",
        expected: "an object",
    })?;
    let meta = ["_meta", "traceparent"];
    for (name, _) in object.iter() {
        let name = name.to_string_lossy();
        if !known.contains(&&*name) && !meta.contains(&&*name) {
            return Err(Refusal::NotYours(name.chars().take(100).collect()));
        }
    }
    Ok(())
}

/// A member that must be a text, if it is there.
fn text_of<'v>(arguments: &'v Value<'_>, member: &'static str) -> Result<Option<&'v str>, Refusal> {
    let expected = "a text";
    match arguments.get(member) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value
            .as_str()
            .map(Some)
            .ok_or(Refusal::Argument { member, expected }),
    }
}

fn required<'v>(arguments: &'v Value<'_>, member: &'static str) -> Result<&'v str, Refusal> {
    let expected = "a text";
    text_of(arguments, member)?.ok_or(Refusal::Argument { member, expected })
}

/// An object of these members.
fn object(members: impl IntoIterator<Item = (&'static str, Value<'static>)>) -> Value<'static> {
    let mut object = Object::new();
    for (name, value) in members {
        object.insert(name, value);
    }
    Value::Object(object)
}

fn text(text: &str) -> Value<'static> {
    Value::String(text.to_owned().into())
}

fn count(count: usize) -> Value<'static> {
    Value::Number((count as u64).into())
}
