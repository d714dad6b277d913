//! Where a line of the client goes.

use std::io::Read;
use std::sync::Arc;
use std::thread;

use knotrust_core::json::{Object, Value, write};
use knotrust_core::reason::Reason;
use knotrust_govern::permit::Ruling;

use super::answers;
use super::catalog::Kind;
use super::hub::Hub;
use super::member::Feature;
use super::opening::{self, Opening};
use super::{gather, listening, ours, relayed};
use crate::elicit::Asks;
use crate::enforce::{Content, Form};
use crate::revision::Era;
use crate::route::{Route, route};
use crate::stdio::front::Asked;
use crate::stdio::hold::Told;
use crate::stdio::inbound::pass_on;
use crate::stdio::session::Session;
use crate::translate;
use crate::wire::frame::{Frame, Notice, Response, ToolCall};
use crate::wire::id::Id;
use crate::wire::lines::{Batch, Lines};
use crate::wire::refusal::{Flaw, Refusal, ReplyTo};
use crate::wire::reply::{self, SERVER_GONE};
use crate::wire::scan::Scanner;
use crate::wire::splice::{Edits, at};

/// The name under which the record knows what concerns no server.
const NOBODY: &str = "knotrust";

/// Reads until the client closes its end.
pub(super) fn run(hub: &Arc<Hub>, source: impl Read) {
    let mut lines = Lines::new(source, hub.options.limit.bytes);
    loop {
        match lines.wait() {
            Ok(Batch::Lines(batch)) => {
                for line in batch.split_inclusive(|byte| *byte == b'\n') {
                    if !line.iter().all(u8::is_ascii_whitespace) {
                        take(hub, line);
                    }
                }
            }
            Ok(Batch::TooLong(head)) => {
                let scanner = Scanner::glance(head);
                let message = format!("the message is over {}", hub.options.limit);
                record(hub, Flaw::TooLong);
                let line = reply::error(scanner.id(), Flaw::TooLong.code(), &message);
                hub.write_to_client(&line);
            }
            Ok(Batch::End { .. }) | Err(_) => break,
        }
    }
    hub.end();
}

fn take(hub: &Arc<Hub>, line: &[u8]) {
    match Frame::parse(line) {
        Ok(Frame::Call(tool_call)) => call(hub, &tool_call, line),
        Ok(Frame::Request(id, notice)) => request(hub, id, notice, line),
        Ok(Frame::Notification(notice)) => notification(hub, notice, line),
        Ok(Frame::Response(response)) => answer(hub, response, line),
        Err(refusal) => refuse(hub, &refusal),
    }
}

fn call(hub: &Arc<Hub>, call: &ToolCall<'_>, line: &[u8]) {
    if !is_free(hub, call.id()) {
        return;
    }
    let Some(era) = begin(hub, call.id(), call.meta()) else {
        return;
    };
    let shown = call.name().as_str().unwrap_or_default();
    let found = hub.catalog().find(Kind::Tools, shown);
    let Some(offer) = found else {
        if hub.awaits() {
            return later(hub, call.id().clone(), line);
        }
        return deny(hub, call, NOBODY, era, Reason::UnlistedTool);
    };
    let Some(member) = hub.members.get(offer.owner) else {
        return ours::call(hub, call, era);
    };
    let Some((session, _)) = member.up() else {
        return deny(hub, call, &member.name, era, Reason::EnforcementError);
    };
    if let Some(token) = call.meta().get("progressToken") {
        hub.note_token(write(token), offer.owner);
    }
    let mut edits = Edits::default();
    let params = at(line, &["params"]);
    if let Some(params) = &params {
        if offer.name != shown {
            edits.set(line, params, "name", &quoted(&offer.name));
        }
        // Tasks end here: a server that is not asked for one answers at once.
        edits.unset(line, params, "task");
    }
    send(&session, edits, line);
}

/// Looks at a request again once the servers that are still starting have had their time.
fn later(hub: &Arc<Hub>, id: Id, line: &[u8]) {
    hub.begin_answer(&id);
    let (hub, line) = (Arc::clone(hub), line.to_vec());
    let thread = thread::Builder::new().name("later".to_owned());
    let _ = thread.spawn(move || {
        hub.wait_for_members();
        if hub.finish_answer(&id) {
            take(&hub, &line);
        }
    });
}

/// Refuses a call that no server gets to see.
fn deny(hub: &Hub, call: &ToolCall<'_>, server: &str, era: Era, reason: Reason) {
    let question = translate::question(server, call);
    if let Ruling::Deny(denial) = hub.front.governor.rule_against(question, reason) {
        let form = Form {
            era,
            content: Content::Plain,
        };
        hub.write_to_client(&form.denied(call.id(), &denial));
    } else {
        // In a dry run it would be allowed, and there is nobody to make it.
        gone(hub, call.id());
    }
}

fn request(hub: &Arc<Hub>, id: Id, notice: Notice<'_>, line: &[u8]) {
    if !is_free(hub, &id) {
        return;
    }
    let method = notice.method.as_str().unwrap_or_default();
    match method {
        "initialize" => return initialize(hub, &id, &notice.params),
        "ping" => return hub.write_to_client(&answers::nothing(&id)),
        _ => {}
    }
    let none = Object::new();
    let meta = notice.params.get("_meta").and_then(Value::as_object);
    let Some(era) = begin(hub, &id, meta.unwrap_or(&none)) else {
        return;
    };
    let kind = Kind::ALL.into_iter().find(|kind| kind.method() == method);
    match (method, kind) {
        (_, Some(kind)) => list(hub, id, era, kind, notice.params.get("cursor")),
        ("server/discover", _) => hub.write_to_client(&answers::discovery(&id)),
        ("logging/setLevel", _) => level(hub, &id, &notice.params),
        // Whose a resource is is not known before all are there.
        ("subscriptions/listen", _) if hub.awaits() => later(hub, id, line),
        ("subscriptions/listen", _) => listening::listen(hub, id, &notice.params),
        ("prompts/get", _) => {
            let name = notice.params.get("name").and_then(Value::as_str);
            prompt(hub, &id, name, &["params"], line);
        }
        ("completion/complete", _) => complete(hub, &id, era, &notice.params, line),
        ("resources/read" | "resources/subscribe" | "resources/unsubscribe", _) => {
            let uri = notice.params.get("uri").and_then(Value::as_str);
            let uri = uri.unwrap_or_default();
            match method {
                "resources/subscribe" => hub.subscribe(uri),
                "resources/unsubscribe" => hub.unsubscribe(uri),
                _ => {}
            }
            resource(hub, &id, era, uri, line);
        }
        (_, None) => match route(Frame::Request(id.clone(), notice)) {
            Route::Refuse(refusal) => refuse(hub, &refusal),
            Route::Relay(_)
            | Route::Call(_)
            | Route::Place(_)
            | Route::Answer(_)
            | Route::Cancel(_) => {
                refuse(hub, &Refusal::new(Flaw::UnknownMethod, ReplyTo::Caller(id)));
            }
        },
    }
}

fn initialize(hub: &Arc<Hub>, id: &Id, params: &Object<'_>) {
    if hub
        .opening()
        .is_some_and(|opening| opening.era == Era::Legacy)
    {
        let to = ReplyTo::Caller(id.clone());
        return refuse(hub, &Refusal::new(Flaw::BegunTwice, to));
    }
    let opening = Opening::legacy(params);
    hub.front.hear_asks(Asks::of(params.get("capabilities")));
    hub.write_to_client(&answers::introduction(id, &opening));
    hub.open(opening);
}

/// Says in which kind of revision a request stands, and notes how the client begins, if it is its first. Nothing if it
/// can't be one; then it has been answered.
fn begin(hub: &Hub, id: &Id, meta: &Object<'_>) -> Option<Era> {
    let era = Era::of(meta);
    match (era, hub.opening().is_some()) {
        (_, true) => {}
        (Era::Modern, false) => hub.open(Opening::modern(meta)),
        (Era::Legacy, false) => {
            let to = ReplyTo::Caller(id.clone());
            refuse(hub, &Refusal::new(Flaw::NotBegun, to));
            return None;
        }
    }
    Some(era)
}

/// Answers a request for a list, once the servers that are still starting have had their time.
fn list(hub: &Arc<Hub>, id: Id, era: Era, kind: Kind, cursor: Option<&Value<'_>>) {
    let cursor = match cursor {
        None | Some(Value::Null) => None,
        Some(cursor) => Some(cursor.as_str().unwrap_or_default().to_owned()),
    };
    hub.begin_answer(&id);
    let hub = Arc::clone(hub);
    let thread = thread::Builder::new().name("list".to_owned());
    let _ = thread.spawn(move || {
        hub.wait_for_members();
        if cursor.is_none() {
            refresh(&hub, kind);
        }
        // Noted first: what changes from here on is told.
        hub.note_shown(kind);
        let page = hub.catalog().page(kind, cursor.as_deref());
        if !hub.finish_answer(&id) {
            return;
        }
        let line = match page {
            Some(page) => answers::page(&id, era, kind, &page),
            None => reply::error(
                Some(&id),
                Flaw::Params.code(),
                "the cursor is not of this list",
            ),
        };
        hub.write_to_client(&line);
    });
}

/// Asks anew those servers that don't tell when their list changes.
fn refresh(hub: &Hub, kind: Kind) {
    for (index, session, features) in hub.up() {
        if gather::of(features, kind) == Feature::Plain {
            gather::one(hub, index, &session, features, kind);
        }
    }
}

fn level(hub: &Arc<Hub>, id: &Id, params: &Object<'_>) {
    let Some(level) = params.get("level").and_then(Value::as_str) else {
        let to = ReplyTo::Caller(id.clone());
        return refuse(hub, &Refusal::new(Flaw::Params, to));
    };
    hub.set_level(level.to_owned());
    hub.write_to_client(&answers::nothing(id));
    for (_, session, features) in hub.up() {
        let level = Some(level.to_owned());
        // A server may take its time, and the client has its answer.
        let thread = thread::Builder::new().name("level".to_owned());
        let _ = thread.spawn(move || opening::set_level(&session, features, level));
    }
}

/// Passes on what names a prompt, to whose it is and by the name that it has there.
fn prompt(hub: &Arc<Hub>, id: &Id, name: Option<&str>, path: &[&str], line: &[u8]) {
    let shown = name.unwrap_or_default();
    let found = hub.catalog().find(Kind::Prompts, shown);
    let Some(offer) = found else {
        if hub.awaits() {
            return later(hub, id.clone(), line);
        }
        let line = reply::error(Some(id), Flaw::Params.code(), "no such prompt");
        return hub.write_to_client(&line);
    };
    let mut edits = Edits::default();
    if let Some(params) = at(line, path).filter(|_| offer.name != shown) {
        edits.set(line, &params, "name", &quoted(&offer.name));
    }
    match hub.members.get(offer.owner).and_then(|member| member.up()) {
        Some((session, _)) => send(&session, edits, line),
        None => gone(hub, id),
    }
}

fn complete(hub: &Arc<Hub>, id: &Id, era: Era, params: &Object<'_>, line: &[u8]) {
    let about = params.get("ref");
    let text = |name: &str| {
        about
            .and_then(|about| about.get(name))
            .and_then(Value::as_str)
    };
    match text("uri") {
        Some(uri) => {
            let template = hub.catalog().find(Kind::Templates, uri);
            let owner = template.map(|offer| offer.owner);
            to_owner(
                hub,
                id,
                era,
                owner.or_else(|| hub.catalog().owner_of(uri)),
                line,
            );
        }
        None => prompt(hub, id, text("name"), &["params", "ref"], line),
    }
}

fn resource(hub: &Arc<Hub>, id: &Id, era: Era, uri: &str, line: &[u8]) {
    let owner = hub.catalog().owner_of(uri);
    let owner = owner.or_else(|| {
        // Where only one server has any, it is that one's to say that it has not this one.
        let up = hub.up();
        let mut with = up
            .iter()
            .filter(|(_, _, features)| features.resources != Feature::None);
        let only = with.next().map(|(index, ..)| *index);
        only.filter(|_| with.next().is_none())
    });
    to_owner(hub, id, era, owner, line);
}

fn to_owner(hub: &Arc<Hub>, id: &Id, era: Era, owner: Option<usize>, line: &[u8]) {
    let Some(owner) = owner else {
        if hub.awaits() {
            return later(hub, id.clone(), line);
        }
        let code = match era {
            Era::Legacy => -32002,
            Era::Modern => Flaw::Params.code(),
        };
        let line = reply::error(Some(id), code, "no such resource");
        return hub.write_to_client(&line);
    };
    match hub.members.get(owner).and_then(|member| member.up()) {
        Some((session, _)) => pass_on(&session, line),
        None => gone(hub, id),
    }
}

fn notification(hub: &Arc<Hub>, notice: Notice<'_>, line: &[u8]) {
    let method = notice.method.as_str().unwrap_or_default();
    match method {
        "notifications/initialized" => hub.initialized(),
        "notifications/cancelled" => {
            if let Some(id) = notice.params.get("requestId").and_then(Id::of) {
                cancel(hub, &id, line);
            }
        }
        "notifications/roots/list_changed" => {
            let up = hub.up();
            up.iter().for_each(|(_, session, _)| pass_on(session, line));
        }
        "notifications/progress" => {
            for (index, session, _) in hub.up() {
                if hub.relayed.has_of(index) {
                    pass_on(&session, line);
                }
            }
        }
        _ => {
            if let Route::Refuse(refusal) = route(Frame::Notification(notice)) {
                refuse(hub, &refusal);
            }
        }
    }
}

/// The client gives a request up: whoever has it is told.
fn cancel(hub: &Hub, id: &Id, line: &[u8]) {
    if hub.finish_answer(id) || hub.stop_listening(id) {
        return;
    }
    for session in hub.sessions() {
        pass_on(&session, line);
    }
}

/// The client answers a request: of ours, or of a server.
fn answer(hub: &Hub, response: Response<'_>, line: &[u8]) {
    let Some(id) = response.id else {
        return;
    };
    match hub.front.take_answer(&id) {
        Asked::Open => {
            let result = response.result.map(Value::into_owned);
            let _ = hub.front.tell_holder(Told::Said(id, result));
        }
        Asked::Past => {}
        Asked::Never => relay(&hub.relayed, &id, line),
    }
}

fn relay(relayed: &relayed::Relayed, id: &Id, line: &[u8]) {
    let Some(origin) = relayed.answer(id) else {
        return;
    };
    if let Some(session) = origin.session() {
        let mut edits = Edits::default();
        let whole = crate::wire::splice::root(line);
        edits.set(line, &whole, "id", &origin.id.to_string());
        session.write_to_server(&edits.apply(line));
    }
}

fn send(session: &Arc<Session>, edits: Edits, line: &[u8]) {
    if edits.is_empty() {
        pass_on(session, line);
    } else {
        pass_on(session, &edits.apply(line));
    }
}

fn is_free(hub: &Hub, id: &Id) -> bool {
    let is_free = hub.is_free(id);
    if !is_free {
        let to = ReplyTo::Caller(id.clone());
        refuse(hub, &Refusal::new(Flaw::DuplicateId, to));
    }
    is_free
}

fn refuse(hub: &Hub, refusal: &Refusal) {
    let Refusal { flaw, to } = refusal;
    record(hub, *flaw);
    let message = flaw.to_string();
    match to {
        ReplyTo::Caller(id) => {
            hub.write_to_client(&reply::error(Some(id), flaw.code(), &message));
        }
        ReplyTo::Unknown => hub.write_to_client(&reply::error(None, flaw.code(), &message)),
        ReplyTo::Nobody => {}
    }
}

fn record(hub: &Hub, flaw: Flaw) {
    let recorded = hub.front.governor.refused(NOBODY, None, flaw.name());
    if recorded.is_err() {
        hub.noise
            .say("the audit log can't be written; calls are denied until it can");
    }
}

fn gone(hub: &Hub, id: &Id) {
    let line = reply::error(Some(id), SERVER_GONE, "the server is gone");
    hub.write_to_client(&line);
}

fn quoted(name: &str) -> String {
    write(&Value::string(name))
}
