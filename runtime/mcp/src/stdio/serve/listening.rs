//! Newer clients that listen for changes, and newer servers that are listened to.
//!
//! A client listens to us, and we to each server that speaks its kind of revision: once for lists when it is up, and for
//! each resource that a client names.

use std::collections::HashSet;

use knotrust_core::json::{Object, Value};

use super::answers;
use super::catalog::Kind;
use super::hub::{Hub, Listener};
use crate::revision::{self, Era};
use crate::stdio::session::Session;
use crate::wire::id::Id;
use crate::wire::splice::{Edits, at, is_object};

const LISTEN: &str = "subscriptions/listen";
const RESOURCES: &str = "resourceSubscriptions";

/// Takes a request to be told of changes.
pub(super) fn listen(hub: &Hub, id: Id, params: &Object<'_>) {
    let wanted = params.get("notifications");
    let is_wanted = |name: &str| {
        let wanted = wanted.and_then(|wanted| wanted.get(name));
        wanted.and_then(Value::as_bool) == Some(true)
    };
    let kinds = answers::LISTENED.iter().filter(|(_, name)| is_wanted(name));
    let kinds: HashSet<Kind> = kinds.map(|(kind, _)| *kind).collect();
    let uris = wanted
        .and_then(|wanted| wanted.get(RESOURCES))
        .and_then(Value::as_array)
        .unwrap_or_default();
    let uris: HashSet<String> = uris
        .iter()
        .filter_map(|uri| uri.as_str().map(str::to_owned))
        .filter(|uri| subscribe(hub, uri))
        .collect();
    let listener = Listener { id, kinds, uris };
    hub.write_to_client(&answers::acknowledged(&listener));
    hub.listen(listener);
}

/// Listens for changes of a resource. False if its server does not tell.
fn subscribe(hub: &Hub, uri: &str) -> bool {
    let owner = hub.catalog().owner_of(uri);
    let up = owner.and_then(|owner| hub.members.get(owner)?.up());
    let newer = up.filter(|(session, _)| is_newer(session));
    if let Some((session, _)) = &newer {
        let mut wanted = Object::new();
        wanted.insert(RESOURCES, Value::Array(vec![Value::string(uri)]));
        ask(session, wanted);
    }
    newer.is_some()
}

/// Listens to a server that has just come up.
pub(super) fn begin(hub: &Hub, owner: usize, session: &Session) {
    if !is_newer(session) {
        // It may have been up before, and its client heard of its resources then.
        for uri in hub.subscribed(owner) {
            let mut params = Object::new();
            params.insert("uri", Value::string(&uri));
            session.subscribe("resources/subscribe", params);
        }
        return;
    }
    let mut wanted = Object::new();
    for (_, name) in answers::LISTENED {
        wanted.insert(name, Value::Bool(true));
    }
    ask(session, wanted);
    let uris = hub.listening().into_iter().flat_map(|known| known.uris);
    uris.for_each(|uri| _ = subscribe(hub, &uri));
}

/// Tells those who listen for it that a resource has changed, as its server has told us.
pub(super) fn tell_updated(hub: &Hub, uri: &str, line: &[u8]) {
    let Some(meta) = at(line, &["params", "_meta"]).filter(|meta| is_object(line, meta)) else {
        return;
    };
    for listener in hub.listening() {
        if listener.uris.contains(uri) {
            let mut edits = Edits::default();
            edits.set(line, &meta, answers::SUBSCRIPTION, &listener.id.to_string());
            hub.write_to_client(&edits.apply(line));
        }
    }
}

fn ask(session: &Session, wanted: Object<'_>) {
    let mut params = Object::new();
    params.insert("_meta", Value::Object(revision::meta()));
    params.insert("notifications", Value::Object(wanted));
    session.subscribe(LISTEN, params);
}

fn is_newer(session: &Session) -> bool {
    let serving = session.serving.as_ref();
    serving.is_some_and(|serving| serving.era.get() == Some(&Era::Modern))
}
