//! What would the policy make of this call? For `explain`, and whoever else asks what-if.

pub(crate) mod answer;
mod context;
mod gates;

use std::borrow::Cow;
use std::path::Path;

use knotrust_core::case::Case;
use knotrust_core::classify::Classification;
use knotrust_core::decide::decide;
use knotrust_core::decision::Decision;
use knotrust_core::evidence::Evidence;
use knotrust_core::json::{Object, Value};
use knotrust_core::request::{DecisionRequest, SubjectKind, SurfaceKind, Untrusted};
use knotrust_core::ruleset::Ruleset;
use knotrust_core::targets::ground::Ground;
use knotrust_core::targets::own::Own;
use knotrust_core::time::Timestamp;
use knotrust_govern::caller::{Call, Caller, LOCAL_USER, UNKNOWN_AGENT};

pub(crate) use context::Context;
pub(crate) use gates::Gates;
use knotrust_knowledge::governing::call::Gated;

/// A question that was asked, and all that came of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'q> {
    pub(crate) request: &'q DecisionRequest<'q>,
    pub(crate) case: &'q Case<'q>,
    pub(crate) decision: &'q Decision,
    pub(crate) classification: &'q Classification,
    pub(crate) gated: &'q Gated,
}

/// A call that nobody makes.
#[derive(Debug)]
pub(crate) struct Question<'a> {
    pub(crate) server: String,
    pub(crate) tool: knotrust_core::json::Text<'a>,
    pub(crate) arguments: Option<Object<'a>>,
    pub(crate) annotations: Option<Value<'a>>,
    pub(crate) agent: Option<String>,
    pub(crate) context: Context,
}

impl<'a> Question<'a> {
    /// Reads a question of a batch: `{server, tool, arguments, annotations?, agent?, context?}`.
    pub(crate) fn read(value: &Value<'a>, context: &Context) -> Result<Self, String> {
        const KNOWN: [&str; 6] = [
            "server",
            "tool",
            "arguments",
            "annotations",
            "agent",
            "context",
        ];
        let object = value.as_object().ok_or("a question is a JSON object")?;
        let unknown = |name: &str| !KNOWN.contains(&name);
        if let Some((name, _)) = object
            .iter()
            .find(|(name, _)| name.as_str().is_none_or(unknown))
        {
            return Err(format!("a question has no member {name:?}"));
        }
        let word = |name: &str| match object.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => {
                let text = value.as_str().map(|text| Some(text.to_owned()));
                text.ok_or_else(|| format!("`{name}` must be a string"))
            }
        };
        let arguments = match object.get("arguments") {
            None | Some(Value::Null) => None,
            Some(value) => Some(
                value
                    .as_object()
                    .cloned()
                    .ok_or("`arguments` must be an object")?,
            ),
        };
        let tool = object.get("tool").and_then(Value::as_text).cloned();
        let context = match object.get("context") {
            None | Some(Value::Null) => context.clone(),
            Some(value) => context.with(value)?,
        };
        Ok(Self {
            server: word("server")?.ok_or("`server` is missing")?,
            tool: tool.ok_or("`tool` is missing, or no string")?,
            arguments,
            annotations: object
                .get("annotations")
                .filter(|value| !value.is_null())
                .cloned(),
            agent: word("agent")?,
            context,
        })
    }

    /// Asks a policy as [`Self::ask_at`] does, with live manifests as they lie here.
    pub(crate) fn ask<T>(&self, ruleset: &Ruleset<'_>, then: impl FnOnce(&Asked<'_>) -> T) -> T {
        self.ask_at(&Gates::of(ruleset, Path::new("")), then)
    }

    /// Asks a policy and its gates, with nothing known but the call: no grant, no approval, no plan from earlier.
    pub(crate) fn ask_at<T>(&self, gates: &Gates<'_>, then: impl FnOnce(&Asked<'_>) -> T) -> T {
        let ruleset = gates.ruleset();
        let now = Timestamp::default();
        let caller = Caller {
            subject: LOCAL_USER.to_owned(),
            subject_kind: SubjectKind::User,
            agent: self
                .agent
                .clone()
                .unwrap_or_else(|| UNKNOWN_AGENT.to_owned()),
            surface: SurfaceKind::StdioProxy,
            instance: "explain".to_owned(),
            transport: "stdio",
        };
        let call = Call {
            server: &self.server,
            tool: self.tool.clone(),
            arguments: self.arguments.clone(),
            method: "tools/call",
            trace: None,
        };
        let mut request = caller.request(call, "explain", now);
        request.annotations = self.annotations.as_ref().map(Untrusted::read);
        let arguments = request.arguments();
        self.context.within(|around| {
            let ground = Ground::lay(ruleset.places, &Own::NOTHING, around);
            let (case, classification) =
                Case::on(&ground, ruleset, &request, &arguments, false, around);
            request.resource = case.resource(&self.server, &self.tool, &arguments);
            let tool = self.tool.to_string_lossy();
            let gated = gates.ask(&case, &classification, (&tool, &arguments), around);
            let evidence = Evidence {
                plan: gated.plan,
                ..Evidence::none(now)
            };
            let decision = decide(&case, &evidence);
            then(&Asked {
                request: &request,
                case: &case,
                decision: &decision,
                classification: &classification,
                gated: &gated,
            })
        })
    }

    /// `server.tool`, for people.
    pub(crate) fn name(&self) -> Cow<'static, str> {
        format!("{}.{}", self.server, self.tool.to_string_lossy()).into()
    }
}
