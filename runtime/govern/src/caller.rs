//! Who calls, as far as this machine can tell.

use std::borrow::Cow;

use knotrust_core::json::{Object, Text};
use knotrust_core::request::{
    Action, Agent, AgentKind, Context, DecisionRequest, Environment, Resource, Subject,
    SubjectKind, Surface, SurfaceKind,
};
use knotrust_core::time::Timestamp;

/// Who calls through one enforcement point. Set by whoever starts it, never by what comes through.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The person or service on whose behalf the agent acts.
    pub subject: String,
    /// Whether that is a service.
    pub subject_kind: SubjectKind,
    /// The agent.
    pub agent: String,
    /// What kind of enforcement point this is.
    pub surface: SurfaceKind,
    /// Names this run of it.
    pub instance: String,
    /// The transport it speaks: `stdio` or `streamable_http`; empty if neither.
    pub transport: &'static str,
}

/// The subject where nobody names one (reference, "The stdio proxy").
pub const LOCAL_USER: &str = "local-user";

/// The agent where nobody names one (reference, "The stdio proxy").
pub const UNKNOWN_AGENT: &str = "unknown-agent";

/// What a surface saw of one call.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    /// The logical server.
    pub server: &'a str,
    /// The tool's own name.
    pub tool: Text<'a>,
    /// The arguments.
    pub arguments: Option<Object<'a>>,
    /// What the surface calls the request, for the record.
    pub method: &'a str,
    /// The `traceparent` that came beside the arguments, as it was sent (W3C Trace Context).
    pub trace: Option<String>,
}

impl Caller {
    /// The decision request of a call. Its resource is that of a call without mapping; the governor knows better.
    #[must_use]
    pub fn request<'a>(
        &'a self,
        call: Call<'a>,
        id: &'a str,
        now: Timestamp,
    ) -> DecisionRequest<'a> {
        let mut properties = Object::new();
        properties.insert("mcpMethod", knotrust_core::json::Value::string(call.method));
        DecisionRequest {
            request_id: Cow::Borrowed(id),
            timestamp: now,
            subject: Subject {
                kind: self.subject_kind,
                id: Cow::Borrowed(&self.subject),
                properties: None,
            },
            action: Action {
                name: call.tool.prefixed(call.server),
                properties: Some(properties),
            },
            resource: Resource {
                kind: Text::from(call.server),
                id: call.tool,
                properties: None,
            },
            context: Context {
                agent: Agent {
                    id: Cow::Borrowed(&self.agent),
                    kind: AgentKind::AiAgent,
                    client_id: None,
                    model: None,
                },
                env: Environment {
                    time: now,
                    surface_local: true,
                    more: Object::new(),
                },
                arguments: call.arguments,
            },
            surface: Surface {
                kind: self.surface,
                instance_id: Cow::Borrowed(&self.instance),
                server: Some(Cow::Borrowed(call.server)),
                spec_version: None,
                transport: (!self.transport.is_empty()).then_some(Cow::Borrowed(self.transport)),
            },
            annotations: None,
        }
    }
}
