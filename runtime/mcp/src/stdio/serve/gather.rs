//! Asks servers for what they offer.

use std::sync::Arc;
use std::time::Duration;

use knotrust_core::json::{self, Object, Value};

use super::catalog::{Item, Kind};
use super::hub::Hub;
use super::member::{Feature, Features};
use crate::listing;
use crate::revision::{self, Era};
use crate::stdio::own::NoResult;
use crate::stdio::session::Session;
use crate::wire::splice::{Span, at, elements};

/// How long a server may take for one page.
const PATIENCE: Duration = Duration::from_secs(30);
/// A server may list for ever.
const MOST_PAGES: usize = 1000;
/// What comes after so many is not offered.
const MOST_ITEMS: usize = 10_000;

/// Asks a server for everything that it offers.
pub(super) fn all(hub: &Hub, index: usize, session: &Arc<Session>, features: Features) {
    for kind in Kind::ALL {
        if one(hub, index, session, features, kind) {
            hub.tell_change(kind);
        }
    }
}

/// Asks a server for one kind of what it offers. True if that changes what is offered.
pub(super) fn one(
    hub: &Hub,
    index: usize,
    session: &Arc<Session>,
    features: Features,
    kind: Kind,
) -> bool {
    if of(features, kind) == Feature::None {
        return false;
    }
    match pages(session, kind) {
        Ok(items) => return hub.catalog().update(kind, index, items),
        // Not every server that has resources has patterns of them.
        Err(NoResult::Error) if kind == Kind::Templates => {}
        // It will be asked again when it is back.
        Err(NoResult::Gone) => {}
        Err(error) => {
            let (server, method) = (&session.options.server, kind.method());
            let said = format!("`{server}`, {method}: {error}");
            hub.noise.say(&said);
        }
    }
    false
}

/// What a server can do about a kind of things.
pub(super) const fn of(features: Features, kind: Kind) -> Feature {
    match kind {
        Kind::Tools => features.tools,
        Kind::Prompts => features.prompts,
        Kind::Resources | Kind::Templates => features.resources,
    }
}

fn pages(session: &Session, kind: Kind) -> Result<Vec<Item>, NoResult> {
    let (mut items, mut cursor) = (Vec::new(), None::<Value<'static>>);
    let is_newer = session
        .serving
        .as_ref()
        .is_some_and(|serving| serving.era.get() == Some(&Era::Modern));
    for _ in 0..MOST_PAGES {
        let mut params = Object::new();
        let is_first = cursor.is_none();
        if let Some(cursor) = cursor.take() {
            params.insert("cursor", cursor);
        }
        if is_newer {
            params.insert("_meta", Value::Object(revision::meta()));
        }
        let answer = session.ask_server(kind.method(), params, PATIENCE)?;
        let answer = match kind {
            Kind::Tools => heard(session, answer, is_first)?,
            Kind::Prompts | Kind::Resources | Kind::Templates => answer,
        };
        let read = json::parse(&answer).map_err(|_| NoResult::Ambiguous)?;
        items.extend(listed(&answer, &read, kind));
        let next = read
            .get("result")
            .and_then(|result| result.get("nextCursor"));
        if items.len() >= MOST_ITEMS {
            break;
        }
        match next.filter(|next| !next.is_null()) {
            Some(next) => cursor = Some(next.clone().into_owned()),
            None => break,
        }
    }
    Ok(items)
}

/// Takes in a page of tools: what has changed is recorded, and what is denied is left out.
fn heard(session: &Session, answer: Vec<u8>, is_first: bool) -> Result<Vec<u8>, NoResult> {
    let server = &session.options.server;
    match listing::hear_tools(&session.governor, server, &answer, is_first) {
        Ok(list) => Ok(list.and_then(|list| list.line).unwrap_or(answer)),
        Err(_) => Err(NoResult::Ambiguous),
    }
}

fn listed(answer: &[u8], read: &Value<'_>, kind: Kind) -> Vec<Item> {
    let place = at(answer, &["result", kind.member()]);
    let places = place.iter().flat_map(|list| elements(answer, list));
    let values = read
        .get("result")
        .and_then(|result| result.get(kind.member()))
        .and_then(Value::as_array)
        .unwrap_or_default();
    let item = |(value, place): (&Value<'_>, Span)| {
        // What must be run as a task can't be run through us.
        let tasks = value
            .pointer("/execution/taskSupport")
            .and_then(Value::as_str);
        if kind == Kind::Tools && tasks == Some("required") {
            return None;
        }
        Some(Item {
            name: value.get(kind.key())?.as_str()?.to_owned(),
            written: answer.get(place)?.to_vec(),
        })
    };
    values.iter().zip(places).filter_map(item).collect()
}
