//! JSON to requests, with every rule of the contract.

use std::borrow::Cow;

use thiserror::Error;

use super::{
    Action, Agent, AgentKind, CONTRACT_VERSION, Context, DecisionRequest, Environment, Resource,
    Subject, SubjectKind, Surface, SurfaceKind, Untrusted,
};
use crate::json::{Object, Text, Value};
use crate::time::Timestamp;

/// Why a value is no decision request. The path names the member, as in `context.agent.type`.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
pub enum RequestFault {
    /// A required member is not there.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A member has a type or value that the contract does not allow.
    #[error("`{path}` must be {expected}")]
    Wrong {
        /// Which member.
        path: &'static str,
        /// What the contract allows.
        expected: &'static str,
    },
    /// A closed object has a member that the contract does not know.
    #[error("`{path}` has no member `{name}`")]
    Unknown {
        /// Which object.
        path: &'static str,
        /// The member it does not have.
        name: String,
    },
}

/// Reads a decision request.
///
/// # Errors
///
/// The first member that breaks the contract.
pub fn read<'a>(value: &Value<'a>) -> Result<DecisionRequest<'a>, RequestFault> {
    let root = Members::of("request", value)?;
    root.closed(&[
        "contractVersion",
        "requestId",
        "timestamp",
        "subject",
        "action",
        "resource",
        "context",
        "surface",
        "toolAnnotations",
    ])?;
    root.one_of("contractVersion", "contractVersion", "\"1.0\"", |text| {
        (text == CONTRACT_VERSION).then_some(())
    })?;
    Ok(DecisionRequest {
        request_id: root.string("requestId", "requestId")?,
        timestamp: root.time("timestamp", "timestamp")?,
        subject: read_subject(root.value("subject", "subject")?)?,
        action: read_action(root.value("action", "action")?)?,
        resource: read_resource(root.value("resource", "resource")?)?,
        context: read_context(root.value("context", "context")?)?,
        surface: read_surface(root.value("surface", "surface")?)?,
        annotations: root
            .get("toolAnnotations")
            .map(read_annotations)
            .transpose()?,
    })
}

fn read_subject<'a>(value: &Value<'a>) -> Result<Subject<'a>, RequestFault> {
    let subject = Members::of("subject", value)?;
    subject.closed(&["type", "id", "properties"])?;
    let properties = subject.object("properties", "subject.properties")?;
    if let Some(properties) = &properties {
        let inner = Members {
            path: "subject.properties",
            object: properties,
        };
        let words = "one of os_session, jwt_sub, unauthenticated";
        inner.optional_one_of("authn", "subject.properties.authn", words, |text| {
            ["os_session", "jwt_sub", "unauthenticated"]
                .contains(&text)
                .then_some(())
        })?;
        inner.optional_string("tenant", "subject.properties.tenant")?;
    }
    let kind = subject.one_of(
        "type",
        "subject.type",
        "user or service",
        |text| match text {
            "user" => Some(SubjectKind::User),
            "service" => Some(SubjectKind::Service),
            _ => None,
        },
    )?;
    Ok(Subject {
        kind,
        id: subject.string("id", "subject.id")?,
        properties,
    })
}

fn read_action<'a>(value: &Value<'a>) -> Result<Action<'a>, RequestFault> {
    let action = Members::of("action", value)?;
    action.closed(&["name", "properties"])?;
    let properties = action.object("properties", "action.properties")?;
    if let Some(properties) = &properties {
        let inner = Members {
            path: "action.properties",
            object: properties,
        };
        inner.optional_string("mcpMethod", "action.properties.mcpMethod")?;
    }
    Ok(Action {
        name: action.text("name", "action.name")?,
        properties,
    })
}

fn read_resource<'a>(value: &Value<'a>) -> Result<Resource<'a>, RequestFault> {
    let resource = Members::of("resource", value)?;
    resource.closed(&["type", "id", "properties"])?;
    Ok(Resource {
        kind: resource.text("type", "resource.type")?,
        id: resource.text("id", "resource.id")?,
        properties: resource.object("properties", "resource.properties")?,
    })
}

fn read_context<'a>(value: &Value<'a>) -> Result<Context<'a>, RequestFault> {
    let context = Members::of("context", value)?;
    context.closed(&["agent", "env", "arguments"])?;
    Ok(Context {
        agent: read_agent(context.value("agent", "context.agent")?)?,
        env: read_environment(context.value("env", "context.env")?)?,
        arguments: context.object("arguments", "context.arguments")?,
    })
}

fn read_agent<'a>(value: &Value<'a>) -> Result<Agent<'a>, RequestFault> {
    let agent = Members::of("context.agent", value)?;
    agent.closed(&["id", "type", "clientId", "model"])?;
    let words = "one of ai_agent, workload, user";
    let kind = agent.one_of("type", "context.agent.type", words, |text| match text {
        "ai_agent" => Some(AgentKind::AiAgent),
        "workload" => Some(AgentKind::Workload),
        "user" => Some(AgentKind::User),
        _ => None,
    })?;
    Ok(Agent {
        id: agent.string("id", "context.agent.id")?,
        kind,
        client_id: agent.optional_string("clientId", "context.agent.clientId")?,
        model: agent.optional_string("model", "context.agent.model")?,
    })
}

fn read_environment<'a>(value: &Value<'a>) -> Result<Environment<'a>, RequestFault> {
    let env = Members::of("context.env", value)?;
    let flag = |name, path| match env.get(name) {
        None => Ok(None),
        Some(Value::Bool(flag)) => Ok(Some(*flag)),
        Some(_) => Err(RequestFault::Wrong {
            path,
            expected: "true or false",
        }),
    };
    flag("voiceSession", "context.env.voiceSession")?;
    let local = flag("surfaceLocal", "context.env.surfaceLocal")?;
    let more = env
        .object
        .iter()
        .filter(|(name, _)| !matches!(name.as_str(), Some("time" | "surfaceLocal")));
    Ok(Environment {
        time: env.time("time", "context.env.time")?,
        surface_local: local.ok_or(RequestFault::Missing("context.env.surfaceLocal"))?,
        more: more
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
    })
}

fn read_surface<'a>(value: &Value<'a>) -> Result<Surface<'a>, RequestFault> {
    let surface = Members::of("surface", value)?;
    surface.closed(&["kind", "instanceId", "server", "specVersion", "transport"])?;
    let words = "one of stdio_proxy, http_proxy, sdk, client_hook, sandbox_broker";
    let kind = surface.one_of("kind", "surface.kind", words, |text| {
        SurfaceKind::ALL
            .into_iter()
            .find(|kind| kind.as_str() == text)
    })?;
    let words = "2025-11-25 or 2026-07-28";
    surface.optional_one_of("specVersion", "surface.specVersion", words, |text| {
        ["2025-11-25", "2026-07-28"].contains(&text).then_some(())
    })?;
    let words = "stdio or streamable_http";
    surface.optional_one_of("transport", "surface.transport", words, |text| {
        ["stdio", "streamable_http"].contains(&text).then_some(())
    })?;
    Ok(Surface {
        kind,
        instance_id: surface.string("instanceId", "surface.instanceId")?,
        server: surface.optional_string("server", "surface.server")?,
        spec_version: surface.optional_string("specVersion", "surface.specVersion")?,
        transport: surface.optional_string("transport", "surface.transport")?,
    })
}

fn read_annotations(value: &Value<'_>) -> Result<Untrusted<super::Annotations>, RequestFault> {
    const HINTS: [&str; 4] = [
        "readOnlyHint",
        "destructiveHint",
        "idempotentHint",
        "openWorldHint",
    ];
    let annotations = Members::of("toolAnnotations", value)?;
    annotations.closed(&[
        "trusted",
        "source",
        "readOnlyHint",
        "destructiveHint",
        "idempotentHint",
        "openWorldHint",
        "capturedAt",
    ])?;
    let path = "toolAnnotations.trusted";
    if annotations.value("trusted", path)?.as_bool() != Some(false) {
        return Err(RequestFault::Wrong {
            path,
            expected: "false: nothing a server says is",
        });
    }
    let path = "toolAnnotations.source";
    annotations.one_of("source", path, "server_advertised", |text| {
        (text == "server_advertised").then_some(())
    })?;
    if HINTS
        .iter()
        .filter_map(|hint| annotations.get(hint))
        .any(|hint| hint.as_bool().is_none())
    {
        return Err(RequestFault::Wrong {
            path: "toolAnnotations",
            expected: "hints that are true or false",
        });
    }
    if annotations.get("capturedAt").is_some() {
        annotations.time("capturedAt", "toolAnnotations.capturedAt")?;
    }
    Ok(Untrusted::read(value))
}

/// The members of one object, with the name that faults call it by.
struct Members<'v, 'a> {
    path: &'static str,
    object: &'v Object<'a>,
}

impl<'v, 'a> Members<'v, 'a> {
    fn of(path: &'static str, value: &'v Value<'a>) -> Result<Self, RequestFault> {
        let object = value.as_object().ok_or(RequestFault::Wrong {
            path,
            expected: "an object",
        })?;
        Ok(Self { path, object })
    }

    fn closed(&self, known: &[&str]) -> Result<(), RequestFault> {
        let known = |name: &Text<'_>| name.as_str().is_some_and(|name| known.contains(&name));
        match self.object.iter().find(|(name, _)| !known(name)) {
            None => Ok(()),
            Some((name, _)) => {
                let name = name.to_string_lossy().into_owned();
                Err(RequestFault::Unknown {
                    path: self.path,
                    name,
                })
            }
        }
    }

    fn get(&self, name: &str) -> Option<&'v Value<'a>> {
        self.object.get(name)
    }

    fn value(&self, name: &str, path: &'static str) -> Result<&'v Value<'a>, RequestFault> {
        self.get(name).ok_or(RequestFault::Missing(path))
    }

    fn text(&self, name: &str, path: &'static str) -> Result<Text<'a>, RequestFault> {
        let text = self.value(name, path)?.as_text();
        text.cloned().ok_or(RequestFault::Wrong {
            path,
            expected: "a string",
        })
    }

    fn string(&self, name: &str, path: &'static str) -> Result<Cow<'a, str>, RequestFault> {
        let text = self.text(name, path)?;
        let wrong = RequestFault::Wrong {
            path,
            expected: "a string without lone surrogates",
        };
        text.into_string().ok_or(wrong)
    }

    fn optional_string(
        &self,
        name: &str,
        path: &'static str,
    ) -> Result<Option<Cow<'a, str>>, RequestFault> {
        self.get(name).map(|_| self.string(name, path)).transpose()
    }

    fn one_of<T>(
        &self,
        name: &str,
        path: &'static str,
        expected: &'static str,
        known: impl Fn(&str) -> Option<T>,
    ) -> Result<T, RequestFault> {
        let value = self.value(name, path)?;
        value
            .as_str()
            .and_then(known)
            .ok_or(RequestFault::Wrong { path, expected })
    }

    fn optional_one_of<T>(
        &self,
        name: &str,
        path: &'static str,
        expected: &'static str,
        known: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, RequestFault> {
        self.get(name)
            .map(|_| self.one_of(name, path, expected, known))
            .transpose()
    }

    fn time(&self, name: &str, path: &'static str) -> Result<Timestamp, RequestFault> {
        self.one_of(
            name,
            path,
            "an RFC 3339 date-time with an offset",
            Timestamp::parse,
        )
    }

    fn object(&self, name: &str, path: &'static str) -> Result<Option<Object<'a>>, RequestFault> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let object = value.as_object().cloned();
        object.map(Some).ok_or(RequestFault::Wrong {
            path,
            expected: "an object",
        })
    }
}
