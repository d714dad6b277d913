//! What we answer the client ourselves.

use knotrust_core::json::{Object, Value, write};

use super::catalog::{Kind, Page};
use super::hub::Listener;
use super::opening::{LEGACY, Opening};
use crate::revision::{Era, MODERN};
use crate::wire::id::Id;
use crate::wire::reply;

/// The answer to `initialize`.
pub(super) fn introduction(id: &Id, opening: &Opening) -> Vec<u8> {
    let mut result = Object::new();
    result.insert("protocolVersion", Value::string(opening.version()));
    result.insert("capabilities", capabilities(Era::Legacy));
    result.insert("serverInfo", info());
    reply::result(id, &Value::Object(result))
}

/// The answer to `server/discover`.
pub(super) fn discovery(id: &Id) -> Vec<u8> {
    let mut result = cached();
    let versions = [MODERN].iter().chain(&LEGACY);
    let versions = versions.map(|version| Value::string(version));
    result.insert("supportedVersions", Value::Array(versions.collect()));
    result.insert("capabilities", capabilities(Era::Modern));
    let mut meta = Object::new();
    meta.insert("io.modelcontextprotocol/serverInfo", info());
    result.insert("_meta", Value::Object(meta));
    reply::result(id, &Value::Object(result))
}

/// The answer that there is nothing to say.
pub(super) fn nothing(id: &Id) -> Vec<u8> {
    reply::result(id, &Value::Object(Object::new()))
}

/// A page of a list.
pub(super) fn page(id: &Id, era: Era, kind: Kind, page: &Page) -> Vec<u8> {
    let mut rest = match era {
        Era::Legacy => Object::new(),
        Era::Modern => cached(),
    };
    if let Some(next) = &page.next {
        rest.insert("nextCursor", Value::string(next));
    }
    let rest = write(&Value::Object(rest));
    let rest = rest.strip_prefix('{').unwrap_or_default();
    let comma = if rest.starts_with('}') { "" } else { "," };
    let mut line = b"{\"jsonrpc\":\"2.0\",\"id\":".to_vec();
    id.write(&mut line);
    line.extend_from_slice(format!(",\"result\":{{\"{}\":[", kind.member()).as_bytes());
    line.extend_from_slice(&page.elements);
    line.extend_from_slice(format!("]{comma}{rest}}}\n").as_bytes());
    line
}

/// Under this key of `_meta` a notification says for which request it is.
pub(super) const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// What tells a newer client which changes it will hear of.
pub(super) fn acknowledged(listener: &Listener) -> Vec<u8> {
    let Listener { id, kinds, uris } = listener;
    let mut wanted = Object::new();
    for (kind, name) in LISTENED {
        if kinds.contains(&kind) {
            wanted.insert(name, Value::Bool(true));
        }
    }
    if !uris.is_empty() {
        let uris = uris.iter().map(|uri| Value::string(uri)).collect();
        wanted.insert("resourceSubscriptions", Value::Array(uris));
    }
    let mut params = subscribed(id);
    params.insert("notifications", Value::Object(wanted));
    reply::notification("notifications/subscriptions/acknowledged", params)
}

/// What tells a newer client of a change.
pub(super) fn heard(id: &Id, method: &str) -> Vec<u8> {
    reply::notification(method, subscribed(id))
}

/// The changes that a newer client can hear of, as it names them.
pub(super) const LISTENED: [(Kind, &str); 3] = [
    (Kind::Tools, "toolsListChanged"),
    (Kind::Prompts, "promptsListChanged"),
    (Kind::Resources, "resourcesListChanged"),
];

fn subscribed(id: &Id) -> Object<'static> {
    let mut meta = Object::new();
    meta.insert(SUBSCRIPTION, id.to_value());
    let mut params = Object::new();
    params.insert("_meta", Value::Object(meta));
    params
}

/// What every answer of the newer kind says that a client might keep: that it is whole, and not to be kept.
fn cached() -> Object<'static> {
    let mut result = Object::new();
    result.insert("resultType", Value::string("complete"));
    result.insert("ttlMs", Value::Number(0_u64.into()));
    result.insert("cacheScope", Value::string("private"));
    result
}

fn capabilities(era: Era) -> Value<'static> {
    let told = || {
        let mut told = Object::new();
        told.insert("listChanged", Value::Bool(true));
        told
    };
    let mut capabilities = Object::new();
    capabilities.insert("tools", Value::Object(told()));
    capabilities.insert("prompts", Value::Object(told()));
    let mut resources = told();
    if era == Era::Legacy {
        resources.insert("subscribe", Value::Bool(true));
    }
    capabilities.insert("resources", Value::Object(resources));
    capabilities.insert("completions", Value::Object(Object::new()));
    if era == Era::Legacy {
        capabilities.insert("logging", Value::Object(Object::new()));
    }
    Value::Object(capabilities)
}

fn info() -> Value<'static> {
    let mut info = Object::new();
    info.insert("name", Value::string("knotrust"));
    info.insert("version", Value::string(env!("CARGO_PKG_VERSION")));
    Value::Object(info)
}
