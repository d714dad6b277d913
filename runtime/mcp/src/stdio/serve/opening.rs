//! How a client begins, and how its servers are greeted.
//!
//! Servers are told what the client can do, and greeted in the client's kind of revision first, so that what either can do
//! reaches the other. A server that speaks only the other kind is told of nothing that would need an answer from the client.

use std::time::Duration;

use knotrust_core::json::{self, Object, Value};

use super::member::{Feature, Features};
use crate::elicit::CAPABILITIES_KEY;
use crate::listing;
use crate::revision::{self, Era, MODERN};
use crate::stdio::own::NoResult;
use crate::stdio::session::Session;
use crate::wire::reply;

/// How long a server may take to answer its greeting.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long it may take to answer the first question of the newer kind, which older ones may not answer at all.
const PROBE: Duration = Duration::from_secs(5);
/// The newest revision that begins with `initialize`.
pub(super) const NEWEST_LEGACY: &str = "2025-11-25";
/// All of those.
pub(super) const LEGACY: [&str; 4] = [NEWEST_LEGACY, "2025-06-18", "2025-03-26", "2024-11-05"];

/// How a client begins.
#[derive(Clone, Debug)]
pub(super) struct Opening {
    pub(super) era: Era,
    /// The revision it names.
    version: String,
    /// What it can do.
    capabilities: Object<'static>,
    /// What it says of itself.
    info: Value<'static>,
}

impl Opening {
    /// That of `initialize` with these parameters.
    pub(super) fn legacy(params: &Object<'_>) -> Self {
        let text = |name: &str| params.get(name).and_then(Value::as_str);
        let version = text("protocolVersion").filter(|version| LEGACY.contains(version));
        let mut capabilities = object(params.get("capabilities"));
        // Tasks end at us.
        capabilities.remove("tasks");
        Self {
            era: Era::Legacy,
            version: version.unwrap_or(NEWEST_LEGACY).to_owned(),
            capabilities,
            info: info(params.get("clientInfo")),
        }
    }

    /// That of a request that stands alone, with this `_meta`.
    pub(super) fn modern(meta: &Object<'_>) -> Self {
        Self {
            era: Era::Modern,
            version: MODERN.to_owned(),
            capabilities: object(meta.get(CAPABILITIES_KEY)),
            info: info(meta.get("io.modelcontextprotocol/clientInfo")),
        }
    }

    /// The revision that it is answered in.
    pub(super) fn version(&self) -> &str {
        &self.version
    }

    /// Whether the client can be asked this by a request.
    pub(super) fn can(&self, capability: &str) -> bool {
        self.era == Era::Legacy && self.capabilities.get(capability).is_some()
    }
}

fn object(value: Option<&Value<'_>>) -> Object<'static> {
    match value {
        Some(Value::Object(object)) => object.clone().into_owned(),
        Some(_) | None => Object::new(),
    }
}

fn info(value: Option<&Value<'_>>) -> Value<'static> {
    if let Some(value @ Value::Object(_)) = value {
        return value.clone().into_owned();
    }
    let mut info = Object::new();
    info.insert("name", Value::string("knotrust"));
    info.insert("version", Value::string(env!("CARGO_PKG_VERSION")));
    Value::Object(info)
}

/// Greets a server on behalf of a client that began like this.
pub(super) fn greet(session: &Session, opening: &Opening) -> Result<Features, NoResult> {
    match opening.era {
        Era::Legacy => match initialize(session, opening) {
            Err(NoResult::Error) => discover(session, PATIENCE),
            greeted => greeted,
        },
        Era::Modern => match discover(session, PROBE) {
            Err(NoResult::Error | NoResult::Silent) => initialize(session, opening),
            greeted => greeted,
        },
    }
}

fn initialize(session: &Session, opening: &Opening) -> Result<Features, NoResult> {
    let (version, capabilities) = match opening.era {
        Era::Legacy => (opening.version.as_str(), opening.capabilities.clone()),
        // What such a client can do it does by answers, and this server would ask it by requests.
        Era::Modern => (NEWEST_LEGACY, Object::new()),
    };
    let mut params = Object::new();
    params.insert("protocolVersion", Value::string(version));
    params.insert("capabilities", Value::Object(capabilities));
    params.insert("clientInfo", opening.info.clone());
    let answer = session.ask_server("initialize", params, PATIENCE)?;
    let features = introduced(session, &answer, Era::Legacy)?;
    session.write_to_server(&reply::notification(
        "notifications/initialized",
        Object::new(),
    ));
    Ok(features)
}

fn discover(session: &Session, patience: Duration) -> Result<Features, NoResult> {
    let mut params = Object::new();
    params.insert("_meta", Value::Object(revision::meta()));
    let answer = session.ask_server("server/discover", params, patience)?;
    introduced(session, &answer, Era::Modern)
}

fn introduced(session: &Session, answer: &[u8], era: Era) -> Result<Features, NoResult> {
    let server = &session.options.server;
    if let Err(error) = listing::hear_introduction(&session.governor, server, answer) {
        session
            .noise
            .say(&format!("what `{server}` says of itself: {error}"));
    }
    if let Some(serving) = &session.serving {
        let _ = serving.era.set(era);
    }
    let read = json::parse(answer).map_err(|_| NoResult::Ambiguous)?;
    let result = read.get("result");
    let declared = result.and_then(|result| result.get("capabilities"));
    let feature = |name: &str| match declared.and_then(|declared| declared.get(name)) {
        Some(Value::Object(feature)) => match feature.get("listChanged") {
            Some(Value::Bool(true)) => Feature::Told,
            Some(_) | None => Feature::Plain,
        },
        Some(_) | None => Feature::None,
    };
    Ok(Features {
        tools: feature("tools"),
        prompts: feature("prompts"),
        resources: feature("resources"),
        logging: feature("logging"),
    })
}

/// Passes on which log messages the client wants.
pub(super) fn set_level(session: &Session, features: Features, level: Option<String>) {
    let is_older = session
        .serving
        .as_ref()
        .is_some_and(|serving| serving.era.get() == Some(&Era::Legacy));
    let Some(level) = level.filter(|_| is_older && features.logging != Feature::None) else {
        return;
    };
    let mut params = Object::new();
    params.insert("level", Value::String(level.into()));
    // A server that can't is one that says what it likes.
    let _ = session.ask_server("logging/setLevel", params, PROBE);
}
