//! A decision request, version 1.0 of the contract.

use schemars::JsonSchema;

use super::{Contract, False, Moment, Open};

/// A question: may this subject, through this agent, do this?
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
pub struct DecisionRequest {
    /// The version of the contract.
    pub contract_version: Contract,
    /// Names the request in the log; a ULID in practice.
    pub request_id: String,
    /// When it was asked.
    pub timestamp: Moment,
    /// The person or service on whose behalf the agent acts. Never the agent.
    pub subject: Subject,
    /// What is to be done.
    pub action: Action,
    /// What it is done to.
    pub resource: Resource,
    /// Who does it, where, and with which arguments.
    pub context: Context,
    /// The enforcement point that asks.
    pub surface: Surface,
    /// What the server says of the tool. Nobody has proved it, so it may only ever raise a tier.
    pub tool_annotations: Option<ToolAnnotations>,
}

/// The person or service on whose behalf the agent acts.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Subject {
    /// What kind of subject.
    #[schemars(rename = "type")]
    pub kind: SubjectKind,
    /// Its name.
    pub id: String,
    /// Further properties.
    pub properties: Option<SubjectProperties>,
}

/// What kind of subject.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum SubjectKind {
    /// A person.
    User,
    /// A service account.
    Service,
}

/// What else is known of a subject. Open.
#[derive(Debug, JsonSchema)]
pub struct SubjectProperties {
    /// How it is known that it is them.
    pub authn: Option<Authentication>,
    /// Whose they are.
    pub tenant: Option<String>,
}

/// How it is known that it is them.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum Authentication {
    /// They are logged in at the machine.
    OsSession,
    /// A token says so.
    JwtSub,
    /// It is not.
    Unauthenticated,
}

/// What is to be done.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Action {
    /// `server.tool`: the logical server, a dot, the tool's own name.
    pub name: String,
    /// Further properties.
    pub properties: Option<ActionProperties>,
}

/// What else is known of an action. Open.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct ActionProperties {
    /// The method of the request that brought it.
    pub mcp_method: Option<String>,
}

/// What it is done to.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Resource {
    /// Its type.
    #[schemars(rename = "type")]
    pub kind: String,
    /// Its id.
    pub id: String,
    /// Further properties.
    pub properties: Option<Open>,
}

/// Who does it, where, and with which arguments.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Context {
    /// The agent.
    pub agent: Agent,
    /// The environment.
    pub env: Environment,
    /// The arguments, verbatim.
    pub arguments: Option<Open>,
}

/// The agent that acts.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
pub struct Agent {
    /// Its name.
    pub id: String,
    /// What kind of agent.
    #[schemars(rename = "type")]
    pub kind: AgentKind,
    /// The client it runs in.
    pub client_id: Option<String>,
    /// The model it runs on.
    pub model: Option<String>,
}

/// What kind of agent.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum AgentKind {
    /// A model that acts.
    AiAgent,
    /// A program.
    Workload,
    /// A person at the tool themselves.
    User,
}

/// Where and when it happens. Open.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct Environment {
    /// The time of the call.
    pub time: Moment,
    /// Whether the person sits at the machine that asks.
    pub surface_local: bool,
    /// Whether they speak to it.
    pub voice_session: Option<bool>,
}

/// The enforcement point that asks.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
pub struct Surface {
    /// What kind of enforcement point.
    pub kind: SurfaceKind,
    /// Which of several.
    pub instance_id: String,
    /// The logical server, which the action's name begins with.
    pub server: Option<String>,
    /// The protocol revision spoken.
    pub spec_version: Option<SpecVersion>,
    /// The transport spoken.
    pub transport: Option<Transport>,
}

/// What kind of enforcement point.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "snake_case")]
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

/// The protocol revision spoken.
#[derive(Debug, JsonSchema)]
pub enum SpecVersion {
    /// With a session.
    #[schemars(rename = "2025-11-25")]
    Sessions,
    /// Without one.
    #[schemars(rename = "2026-07-28")]
    Stateless,
}

/// The transport spoken.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum Transport {
    /// Standard input and output.
    Stdio,
    /// HTTP.
    StreamableHttp,
}

/// What a server says of one of its tools.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolAnnotations {
    /// Nothing that a server says is.
    pub trusted: False,
    /// Who says so.
    pub source: AnnotationSource,
    /// It changes nothing.
    pub read_only_hint: Option<bool>,
    /// It may destroy something.
    pub destructive_hint: Option<bool>,
    /// Twice is as once.
    pub idempotent_hint: Option<bool>,
    /// It reaches out of its own small world.
    pub open_world_hint: Option<bool>,
    /// When the server said so.
    pub captured_at: Option<Moment>,
}

/// Who says what a tool is.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum AnnotationSource {
    /// The server.
    ServerAdvertised,
}
