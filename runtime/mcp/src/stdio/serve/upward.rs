//! What a server asks or tells the client.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use knotrust_core::json::{self, Object, Value, write};

use super::catalog::Kind;
use super::hub::Hub;
use super::relayed::cancellation;
use super::{gather, listening};
use crate::stdio::session::Session;
use crate::wire::id::Id;
use crate::wire::reply;
use crate::wire::splice::{Edits, at, is_object, root};

/// The error for what nobody here answers.
const UNKNOWN_METHOD: i32 = -32601;

/// What the client gets for a line of this server that answers nothing; nothing if it gets nothing.
pub(super) fn pass(
    hub: &Arc<Hub>,
    owner: usize,
    session: &Session,
    line: &[u8],
) -> Option<Vec<u8>> {
    let read = json::parse(line).ok()?;
    let method = read.get("method")?.as_str()?;
    let params = read.get("params");
    match read.get("id") {
        Some(id) => request(hub, owner, session, Id::of(id)?, method, line),
        None => notification(hub, owner, method, params, line),
    }
}

fn request(
    hub: &Arc<Hub>,
    owner: usize,
    session: &Session,
    id: Id,
    method: &str,
    line: &[u8],
) -> Option<Vec<u8>> {
    if method == "ping" {
        session.write_to_server(&reply::result(&id, &Value::Object(Object::new())));
        return None;
    }
    let capability = match method {
        "elicitation/create" => "elicitation",
        "sampling/createMessage" => "sampling",
        "roots/list" => "roots",
        _ => "",
    };
    let can = hub.opening().is_some_and(|opening| opening.can(capability));
    let member = hub.members.get(owner)?;
    let current = member.session();
    let current = current.filter(|current| std::ptr::eq(Arc::as_ptr(current), session));
    let Some(current) = current.filter(|_| can) else {
        let refused = reply::error(Some(&id), UNKNOWN_METHOD, "the client does not answer this");
        session.write_to_server(&refused);
        return None;
    };
    let ours = hub.relayed.take_on(owner, &current, id);
    let mut edits = Edits::default();
    edits.set(line, &root(line), "id", &ours.to_string());
    if let Some(params) = at(line, &["params"]).filter(|params| is_object(line, params)) {
        match method {
            "elicitation/create" => sign(&mut edits, line, &member.name),
            // Nobody's words are shown to another server.
            "sampling/createMessage" if at(line, &["params", "includeContext"]).is_some() => {
                edits.set(line, &params, "includeContext", "\"none\"");
            }
            _ => {}
        }
    }
    Some(edits.apply(line))
}

/// A question says which server asks it.
fn sign(edits: &mut Edits, line: &[u8], server: &str) {
    let Some(place) = at(line, &["params", "message"]) else {
        return;
    };
    let message = line
        .get(place.clone())
        .and_then(|text| json::parse(text).ok());
    if let Some(message) = message.as_ref().and_then(Value::as_str) {
        let signed = format!("[{server}] {message}");
        edits.replace(place, write(&Value::string(&signed)));
    }
}

fn notification(
    hub: &Arc<Hub>,
    owner: usize,
    method: &str,
    params: Option<&Value<'_>>,
    line: &[u8],
) -> Option<Vec<u8>> {
    match method {
        "notifications/progress" => {
            let token = params.and_then(|params| params.get("progressToken"));
            let is_its_own = hub.owns_token(&write(token?), owner);
            is_its_own.then(|| line.to_vec())
        }
        "notifications/message" => hub.may_tell().then(|| named(hub, owner, params, line)),
        "notifications/cancelled" => {
            let id = params
                .and_then(|params| params.get("requestId"))
                .and_then(Id::of);
            let ours = hub.relayed.cancel(owner, &id?)?;
            Some(cancellation(&ours))
        }
        "notifications/resources/updated" => {
            let uri = params
                .and_then(|params| params.get("uri"))
                .and_then(Value::as_str);
            listening::tell_updated(hub, uri?, line);
            hub.may_tell().then(|| line.to_vec())
        }
        "notifications/elicitation/complete" => hub.may_tell().then(|| line.to_vec()),
        _ => {
            look_again(hub, owner, method);
            None
        }
    }
}

/// A log message says which server logs.
fn named(hub: &Hub, owner: usize, params: Option<&Value<'_>>, line: &[u8]) -> Vec<u8> {
    let server = hub
        .members
        .get(owner)
        .map_or("", |member| member.name.as_str());
    let logger = params
        .and_then(|params| params.get("logger"))
        .and_then(Value::as_str);
    let logger = logger.map_or_else(|| server.to_owned(), |logger| format!("{server}/{logger}"));
    let mut edits = Edits::default();
    if let Some(params) = at(line, &["params"]).filter(|params| is_object(line, params)) {
        let logger = write(&Value::string(&logger));
        edits.set(line, &params, "logger", &logger);
    }
    edits.apply(line)
}

/// A list of this server has changed: it is asked for anew, and the client is told.
fn look_again(hub: &Arc<Hub>, owner: usize, method: &str) {
    let kinds: Vec<Kind> = Kind::ALL
        .into_iter()
        .filter(|kind| kind.change() == method)
        .collect();
    if kinds.is_empty() {
        return;
    }
    if !hub.begin_look(owner, method) {
        return;
    }
    let (hub, method) = (Arc::clone(hub), method.to_owned());
    // The thread that reads from the server can't wait for its answer.
    let asking = thread::Builder::new().name("gather".to_owned());
    let _ = asking.spawn(move || {
        // Changes often come together.
        hub.rest(PAUSE);
        hub.finish_look(owner, &method);
        let Some((session, features)) = hub.wait_for_up(owner) else {
            return;
        };
        for kind in &kinds {
            gather::one(&hub, owner, &session, features, *kind);
        }
        // The client is told what the server tells, and both lists of resources by one word.
        kinds
            .first()
            .iter()
            .for_each(|kind| hub.tell_change(**kind));
    });
}

/// How long a list rests after it was said to have changed.
const PAUSE: Duration = Duration::from_millis(100);
