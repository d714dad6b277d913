//! What the tests of this folder share: homes, claims and calls.

use ed25519_dalek::SigningKey;
use knotrust_core::grant::{
    AgentScope, Call, Claims, Conditions, IdPattern, Kind, Party, Scope, ToolPattern, Unsigned,
};
use knotrust_core::json::parse;
use knotrust_core::request;
use knotrust_core::surroundings::Surroundings;
use knotrust_core::tier::Tier;
use knotrust_core::time::Timestamp;

use crate::home::Home;

pub(crate) const NOW: Timestamp = Timestamp::from_seconds(1_800_000_000);

/// A grant for user `dev`.
pub(crate) fn claims(
    id: &str,
    tool: ToolPattern,
    agent: Option<&str>,
    resource: Option<&str>,
) -> Claims {
    let conditions = match &tool {
        ToolPattern::Rule(_) => bounds(r#"{"tools":"rule"}"#),
        ToolPattern::All | ToolPattern::Namespace(_) | ToolPattern::Exact(_) => Conditions::None,
    };
    Claims {
        id: id.to_owned(),
        issued_at: 1_799_999_000,
        expires: 1_800_001_000,
        not_before: None,
        issuer: "user:dev".to_owned(),
        kind: Kind::Durable,
        single_use: false,
        principal: party("user", "dev"),
        agent: agent.map_or(AgentScope::Any, |id| {
            AgentScope::Named(party("ai_agent", id))
        }),
        tool,
        scope: Scope {
            resource_type: None,
            id: resource.map(IdPattern::read),
        },
        conditions,
        cap: Tier::Sensitive,
        organisation: false,
        admin: None,
    }
}

pub(crate) fn bounds(text: &str) -> Conditions {
    let value = parse(text.as_bytes()).unwrap();
    let bounds = knotrust_core::grant::Bounds::read(value.as_object().unwrap()).unwrap();
    Conditions::Bounds(Box::new(bounds))
}

fn party(kind: &str, id: &str) -> Party {
    Party {
        kind: kind.to_owned(),
        id: id.to_owned(),
    }
}

/// A call of user `dev`.
pub(crate) fn with_call<T>(
    name: &str,
    agent: &str,
    resource: &str,
    then: impl FnOnce(&Call<'_>) -> T,
) -> T {
    with_arguments(name, agent, resource, "{}", then)
}

pub(crate) fn with_arguments<T>(
    name: &str,
    agent: &str,
    resource: &str,
    arguments: &str,
    then: impl FnOnce(&Call<'_>) -> T,
) -> T {
    let text = format!(
        r#"{{"contractVersion":"1.0","requestId":"1","timestamp":"2027-01-15T08:00:00Z",
        "subject":{{"type":"user","id":"dev"}},"action":{{"name":"{name}"}},
        "resource":{{"type":"r","id":"{resource}"}},
        "context":{{"agent":{{"id":"{agent}","type":"ai_agent"}},"arguments":{arguments},
          "env":{{"time":"2027-01-15T08:00:00Z","surfaceLocal":true}}}},
        "surface":{{"kind":"stdio_proxy","instanceId":"1"}}}}"#
    );
    let value = parse(text.as_bytes()).unwrap();
    let request = request::read(&value).unwrap();
    then(&Call {
        request: &request,
        arguments: &request.arguments(),
        hash: request.call_hash().ok().as_deref(),
        exact: &knotrust_core::exact::call_hash(&request),
        session: None,
        around: &Surroundings::NOWHERE,
    })
}

/// A token of the published test key.
pub(crate) fn token(claims: &Claims) -> String {
    Unsigned::new(claims).sign(&SigningKey::from_bytes(&[0x42; 32]))
}

/// A home in which the published test key is the identity.
pub(crate) fn scratch() -> (tempfile::TempDir, Home) {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::open(None, Some(folder.path().as_os_str())).unwrap();
    crate::files::write(&home.at("identity.key"), "42".repeat(32).as_bytes()).unwrap();
    crate::keys::Keys::of(&home).identity().unwrap();
    (folder, home)
}

pub(crate) fn exact(name: &str) -> ToolPattern {
    ToolPattern::Exact(name.to_owned())
}
