//! What is asked: the decision request, version 1.0 of the reference's contract.
//!
//! Subject, action, resource and context, in the form of AuthZEN. The core knows the names of actions as `server.tool` and
//! nothing of the protocol that brought them.

mod read;
mod write;

pub use read::{RequestFault, read};
pub use write::to_json;

use std::borrow::Cow;

use sha2::{Digest as _, Sha256};

use crate::canonical::{NotCanonical, canonical, spelled_hash};
use crate::json::{Object, Text, Value};
use crate::number::Number;
use crate::time::Timestamp;

/// The version of the contract that this crate speaks.
pub const CONTRACT_VERSION: &str = "1.0";
/// What stands for the hash of arguments that have none.
pub(crate) const NO_HASH: &str = "unavailable";

/// A question: may this subject, through this agent, do this?
#[derive(Clone, Debug, PartialEq)]
pub struct DecisionRequest<'a> {
    /// Names the request in the log; a ULID in practice.
    pub request_id: Cow<'a, str>,
    /// When it was asked.
    pub timestamp: Timestamp,
    /// The person or service on whose behalf the agent acts. Never the agent.
    pub subject: Subject<'a>,
    /// What is to be done.
    pub action: Action<'a>,
    /// What it is done to.
    pub resource: Resource<'a>,
    /// Who does it, where, and with which arguments.
    pub context: Context<'a>,
    /// The enforcement point that asks.
    pub surface: Surface<'a>,
    /// What the server says of the tool. Hostile: it may only ever raise a tier.
    pub annotations: Option<Untrusted<Annotations>>,
}

/// The person or service on whose behalf the agent acts.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject<'a> {
    /// What kind of subject.
    pub kind: SubjectKind,
    /// Its name.
    pub id: Cow<'a, str>,
    /// Further properties; open.
    pub properties: Option<Object<'a>>,
}

/// What kind of subject.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SubjectKind {
    /// A person.
    User,
    /// A service account.
    Service,
}

impl SubjectKind {
    /// The word of the contract.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Service => "service",
        }
    }
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub struct Action<'a> {
    /// `server.tool`: the logical server, a dot, the tool's own name (`ruleset.md` §3).
    pub name: Text<'a>,
    /// Further properties; open.
    pub properties: Option<Object<'a>>,
}

/// What it is done to.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource<'a> {
    /// Its type.
    pub kind: Text<'a>,
    /// Its id.
    pub id: Text<'a>,
    /// Further properties; open.
    pub properties: Option<Object<'a>>,
}

/// Who does it, where, and with which arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Context<'a> {
    /// The agent.
    pub agent: Agent<'a>,
    /// The environment.
    pub env: Environment<'a>,
    /// The arguments, verbatim. An object; absent and `null` mean the same to hashes.
    pub arguments: Option<Object<'a>>,
}

/// The agent that acts.
#[derive(Clone, Debug, PartialEq)]
pub struct Agent<'a> {
    /// Its name.
    pub id: Cow<'a, str>,
    /// What kind of agent.
    pub kind: AgentKind,
    /// The client it runs in.
    pub client_id: Option<Cow<'a, str>>,
    /// The model it runs on.
    pub model: Option<Cow<'a, str>>,
}

/// What kind of agent.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum AgentKind {
    /// A model that acts.
    AiAgent,
    /// A program.
    Workload,
    /// A person at the tool themselves.
    User,
}

impl AgentKind {
    /// The word of the contract.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AiAgent => "ai_agent",
            Self::Workload => "workload",
            Self::User => "user",
        }
    }
}

/// Where and when it happens.
#[derive(Clone, Debug, PartialEq)]
pub struct Environment<'a> {
    /// The time of the call.
    pub time: Timestamp,
    /// Whether the person sits at the machine that asks.
    pub surface_local: bool,
    /// Further members; open.
    pub more: Object<'a>,
}

/// The enforcement point that asks.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface<'a> {
    /// What kind of enforcement point.
    pub kind: SurfaceKind,
    /// Which of several.
    pub instance_id: Cow<'a, str>,
    /// The logical server, which the action's name begins with.
    pub server: Option<Cow<'a, str>>,
    /// The protocol revision spoken.
    pub spec_version: Option<Cow<'a, str>>,
    /// The transport spoken.
    pub transport: Option<Cow<'a, str>>,
}

/// What kind of enforcement point.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SurfaceKind {
    /// A proxy on standard input and output.
    StdioProxy,
    /// A proxy over HTTP.
    HttpProxy,
    /// A library in a program.
    Sdk,
    /// A hook of a client.
    ClientHook,
    /// A broker of sandboxes.
    SandboxBroker,
}

impl SurfaceKind {
    const ALL: [Self; 5] = [
        Self::StdioProxy,
        Self::HttpProxy,
        Self::Sdk,
        Self::ClientHook,
        Self::SandboxBroker,
    ];

    /// The word of the contract.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::StdioProxy => "stdio_proxy",
            Self::HttpProxy => "http_proxy",
            Self::Sdk => "sdk",
            Self::ClientHook => "client_hook",
            Self::SandboxBroker => "sandbox_broker",
        }
    }
}

/// Something that a server or a client says, and nobody has proved.
///
/// The value cannot be taken out. What it may do is stated by the methods of the one type it wraps: raise a tier, or be
/// shown to a person.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Untrusted<T>(T);

/// What a server says of one of its tools.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Annotations {
    destructive: bool,
}

impl Untrusted<Annotations> {
    /// Reads the annotations of a listed tool.
    ///
    /// Only `destructiveHint` is looked at, since it alone may raise a tier. A value of an odd type is taken as the worse
    /// reading.
    #[must_use]
    pub fn read(annotations: &Value<'_>) -> Self {
        let hint = annotations.get("destructiveHint");
        let destructive = hint.is_some_and(|hint| hint.as_bool() != Some(false));
        Self(Annotations { destructive })
    }

    /// Whether the server admits that the tool may destroy something.
    #[must_use]
    pub const fn admits_destruction(self) -> bool {
        self.0.destructive
    }
}

impl<'a> DecisionRequest<'a> {
    /// The canonical text of what is asked: version 1 of the reference's normal form, frozen.
    ///
    /// Types of subject and agent, environment, surface, annotations, ids and times are not part of it.
    ///
    /// # Errors
    ///
    /// A number that has no canonical form.
    pub fn normal_form(&self) -> Result<String, NotCanonical> {
        let resource = [
            ("type", Value::String(self.resource.kind.clone())),
            ("id", Value::String(self.resource.id.clone())),
            ("properties", or_null(&self.resource.properties)),
        ];
        let form = [
            ("v", Value::Number(Number::from(1u64))),
            ("subject", Value::string(&self.subject.id)),
            ("action", Value::String(self.action.name.clone())),
            ("resource", object(resource)),
            ("agent", Value::string(&self.context.agent.id)),
            ("arguments", or_null(&self.context.arguments)),
        ];
        canonical(&object(form))
    }

    /// `sha256:` and the hash of the normal form: what an approval of exactly this call is bound to.
    ///
    /// # Errors
    ///
    /// As [`Self::normal_form`].
    pub fn call_hash(&self) -> Result<String, NotCanonical> {
        self.normal_form()
            .map(|form| spelled_hash(&Sha256::digest(form)))
    }

    /// `sha256:` and the hash of the canonical arguments (`null` if there are none), or `unavailable`.
    #[must_use]
    pub fn arguments_hash(&self) -> String {
        let mut text = String::with_capacity(256);
        let written = match &self.context.arguments {
            Some(arguments) => crate::canonical::write_canonical_object(&mut text, arguments),
            None => {
                text.push_str("null");
                Ok(())
            }
        };
        match written {
            Ok(()) => spelled_hash(&Sha256::digest(text)),
            Err(NotCanonical) => NO_HASH.to_owned(),
        }
    }

    /// The arguments as a value, an empty object if there are none.
    #[must_use]
    pub fn arguments(&self) -> Value<'a> {
        Value::Object(self.context.arguments.clone().unwrap_or_default())
    }

    /// The same request, owning all it holds: what a held call keeps.
    #[must_use]
    pub fn into_owned(self) -> DecisionRequest<'static> {
        let text = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        DecisionRequest {
            request_id: text(self.request_id),
            timestamp: self.timestamp,
            subject: Subject {
                kind: self.subject.kind,
                id: text(self.subject.id),
                properties: self.subject.properties.map(Object::into_owned),
            },
            action: Action {
                name: self.action.name.into_owned(),
                properties: self.action.properties.map(Object::into_owned),
            },
            resource: Resource {
                kind: self.resource.kind.into_owned(),
                id: self.resource.id.into_owned(),
                properties: self.resource.properties.map(Object::into_owned),
            },
            context: Context {
                agent: Agent {
                    id: text(self.context.agent.id),
                    kind: self.context.agent.kind,
                    client_id: self.context.agent.client_id.map(text),
                    model: self.context.agent.model.map(text),
                },
                env: Environment {
                    time: self.context.env.time,
                    surface_local: self.context.env.surface_local,
                    more: self.context.env.more.into_owned(),
                },
                arguments: self.context.arguments.map(Object::into_owned),
            },
            surface: Surface {
                kind: self.surface.kind,
                instance_id: text(self.surface.instance_id),
                server: self.surface.server.map(text),
                spec_version: self.surface.spec_version.map(text),
                transport: self.surface.transport.map(text),
            },
            annotations: self.annotations,
        }
    }
}

fn or_null<'a>(object: &Option<Object<'a>>) -> Value<'a> {
    object.clone().map_or(Value::Null, Value::Object)
}

fn object<'a, const N: usize>(members: [(&'a str, Value<'a>); N]) -> Value<'a> {
    let members = members
        .into_iter()
        .map(|(name, value)| (Text::from(name), value));
    Value::Object(members.collect())
}
