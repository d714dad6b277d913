//! What a message of the client asks for: to be passed on, to be decided on, or to be refused.

use knotrust_core::json::{Text, Value};

use crate::elicit::Asks;
use crate::revision::Era;
use crate::wire::frame::{Frame, Notice, Response, ToolCall};
use crate::wire::id::Id;
use crate::wire::refusal::{Flaw, Refusal, ReplyTo};

/// Where a message goes.
#[derive(Debug)]
pub enum Route<'a> {
    /// To the server: nothing about it needs a decision.
    Relay(Relay),
    /// To the decision: it runs a tool.
    Call(ToolCall<'a>),
    /// To the decision: it may name a governed place.
    Place(Place<'a>),
    /// To whoever asked: the server, or us.
    Answer(Response<'a>),
    /// To whoever has the request with this id: a call that is held, or the server.
    Cancel(Id),
    /// Nowhere.
    Refuse(Refusal),
}

/// A message that is passed on.
#[derive(Debug)]
pub enum Relay {
    /// A request: its answer is waited for.
    Request(Id, Watch),
    /// `initialize`, and what the client says there that it can ask its person.
    Opening(Id, Asks),
    /// A notification.
    OneWay,
}

/// What is looked at when the answer comes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Watch {
    /// Nothing but its id.
    Nothing,
    /// The tools it lists.
    Tools {
        /// Whether the list is asked for from its beginning.
        from_start: bool,
    },
    /// What the server says about itself.
    Introduction,
    /// The result: something is added to it.
    Result,
    /// All of it, and the client never sees it: the request was our own.
    Own,
}

/// A request or notification other than `tools/call` that may name a governed place.
#[derive(Debug)]
pub struct Place<'a> {
    /// The id, unless it is a notification.
    pub id: Option<Id>,
    /// The method and what it is asked to do.
    pub notice: Notice<'a>,
}

impl Place<'_> {
    /// The kind of revision that the request follows.
    #[must_use]
    pub fn era(&self) -> Era {
        let meta = self.notice.params.get("_meta").and_then(Value::as_object);
        meta.map_or(Era::Legacy, Era::of)
    }
}

/// Decides where a message goes.
#[must_use]
pub fn route(frame: Frame<'_>) -> Route<'_> {
    match frame {
        Frame::Call(call) => Route::Call(call),
        Frame::Response(response) => Route::Answer(response),
        Frame::Request(id, notice) => request(id, notice),
        Frame::Notification(notice) => notification(notice),
    }
}

fn request(id: Id, notice: Notice<'_>) -> Route<'_> {
    let watch = match known(&notice.method) {
        Ok(Known::Plain) => Watch::Nothing,
        Ok(Known::List) => Watch::Tools {
            from_start: notice.params.get("cursor").is_none(),
        },
        Ok(Known::Introduction) if notice.method.as_str() == Some("initialize") => {
            let asks = Asks::of(notice.params.get("capabilities"));
            return Route::Relay(Relay::Opening(id, asks));
        }
        Ok(Known::Introduction) => Watch::Introduction,
        Ok(Known::Place) => {
            return Route::Place(Place {
                id: Some(id),
                notice,
            });
        }
        Err(flaw) => return Route::Refuse(Refusal::new(flaw, ReplyTo::Caller(id))),
    };
    Route::Relay(Relay::Request(id, watch))
}

fn notification(notice: Notice<'_>) -> Route<'_> {
    if notice.method.as_str() == Some("notifications/cancelled") {
        return match notice.params.get("requestId").and_then(Id::of) {
            Some(id) => Route::Cancel(id),
            None => Route::Refuse(Refusal::new(Flaw::Params, ReplyTo::Nobody)),
        };
    }
    match known(&notice.method) {
        Ok(Known::Plain | Known::List | Known::Introduction) => Route::Relay(Relay::OneWay),
        Ok(Known::Place) => Route::Place(Place { id: None, notice }),
        Err(flaw) => Route::Refuse(Refusal::new(flaw, ReplyTo::Nobody)),
    }
}

#[derive(Clone, Copy)]
enum Known {
    /// Names no place and runs nothing.
    Plain,
    /// `tools/list`.
    List,
    /// `initialize` and `server/discover`.
    Introduction,
    /// May name a place.
    Place,
}

/// What is known of a method. One that nobody knows may name anything, so it is looked at like one that names places.
fn known(method: &Text<'_>) -> Result<Known, Flaw> {
    let name = method
        .as_str()
        .filter(|name| name.bytes().all(|byte| byte.is_ascii_graphic()));
    let Some(name) = name else {
        return Err(Flaw::LookAlikeMethod);
    };
    match name {
        "" => Err(Flaw::Method),
        "tools/list" => Ok(Known::List),
        "initialize" | "server/discover" => Ok(Known::Introduction),
        _ if PLAIN.contains(&name) => Ok(Known::Plain),
        _ if PLACES.contains(&name) => Ok(Known::Place),
        _ if is_look_alike(name) => Err(Flaw::LookAlikeMethod),
        _ if name.starts_with("tools/") || name.starts_with("tasks/") => Err(Flaw::UnknownMethod),
        _ => Ok(Known::Place),
    }
}

// Of both eras. What only a server may send is here as well: a client that sends it gets the server's own answer.
const PLAIN: &[&str] = &[
    "ping",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "resources/unsubscribe",
    "logging/setLevel",
    "tasks/get",
    "tasks/result",
    "tasks/list",
    "tasks/cancel",
    "tasks/update",
    "notifications/initialized",
    "notifications/progress",
    "notifications/roots/list_changed",
    "notifications/tasks/status",
];
const PLACES: &[&str] = &[
    "resources/read",
    "resources/subscribe",
    "prompts/get",
    "completion/complete",
    "subscriptions/listen",
];
const OTHERS: &[&str] = &[
    "tools/call",
    "tools/list",
    "initialize",
    "server/discover",
    "notifications/cancelled",
];

/// Whether a lenient router could take this name for one that it is not. No honest client sends such a name.
fn is_look_alike(name: &str) -> bool {
    let all = [PLAIN, PLACES, OTHERS];
    all.into_iter()
        .flatten()
        .any(|known| skeleton(name).eq(skeleton(known)))
}

/// The name as a careless eye or a lenient program sees it: without case, with one letter for those that look the same, and
/// with any run of separators for a single one.
fn skeleton(name: &str) -> impl Iterator<Item = u8> {
    let is_separator = |byte: &u8| matches!(byte, b'/' | b'\\' | b'.' | b'_' | b'-' | b':' | b'%');
    let parts = name.as_bytes().split(is_separator);
    let parts = parts.filter(|part| !part.is_empty());
    parts.flat_map(|part| part.iter().map(|byte| alike(*byte)).chain([b'/']))
}

const fn alike(byte: u8) -> u8 {
    match byte.to_ascii_lowercase() {
        b'0' => b'o',
        b'1' | b'i' | b'|' | b'!' => b'l',
        b'5' | b'$' => b's',
        b'3' => b'e',
        b'4' | b'@' => b'a',
        b'7' => b't',
        lower => lower,
    }
}
