//! What a client's line is: a message that has one meaning, or a refusal.

use knotrust_core::json::{self, FaultKind, Object, Text, Value};

use super::id::Id;
use super::names::look_alike;
use super::refusal::{Flaw, Refusal, ReplyTo};
use super::scan::Scanner;

/// The one method whose requests run tools.
pub const TOOLS_CALL: &str = "tools/call";

const CALL_PARAMS: &[&str] = &[
    "name",
    "arguments",
    "_meta",
    "task",
    "inputResponses",
    "requestState",
];
const ENVELOPE: &[&str] = &["jsonrpc", "id", "method", "params", "result", "error"];

/// A message of a client, read strictly.
#[derive(Debug)]
pub enum Frame<'a> {
    /// A request to run a tool.
    Call(ToolCall<'a>),
    /// Any other request.
    Request(Id, Notice<'a>),
    /// A notification.
    Notification(Notice<'a>),
    /// The answer to a request of the server, or of ours.
    Response(Response<'a>),
}

/// An answer.
#[derive(Debug)]
pub struct Response<'a> {
    /// To which request; nothing if the client could not tell.
    pub id: Option<Id>,
    /// The result; nothing if it is an error.
    pub result: Option<Value<'a>>,
}

/// A method and its parameters.
#[derive(Debug)]
pub struct Notice<'a> {
    /// The name of the method.
    pub method: Text<'a>,
    /// Its parameters; without any, an empty object.
    pub params: Object<'a>,
}

/// A request to run a tool: it has an id, a name, and arguments that are an object.
///
/// That such a value exists says that its line has one meaning only: no member is named twice or in a spelling that some
/// reader takes for another.
#[derive(Debug)]
pub struct ToolCall<'a> {
    id: Id,
    name: Text<'a>,
    arguments: Option<Object<'a>>,
    meta: Object<'a>,
    params: Object<'a>,
}

impl<'a> Frame<'a> {
    /// Reads a line, with or without its line feed.
    ///
    /// # Errors
    ///
    /// Whatever is not exactly one message of JSON-RPC 2.0, or could be read as another one by somebody else.
    pub fn parse(line: &'a [u8]) -> Result<Self, Refusal> {
        let mut envelope = Envelope::open(line)?;
        let frame = envelope.frame();
        frame.map_err(|flaw| Refusal::new(flaw, envelope.reply_to()))
    }
}

impl<'a> ToolCall<'a> {
    /// The id of the request.
    #[must_use]
    pub const fn id(&self) -> &Id {
        &self.id
    }

    /// The name of the tool, as the server knows it.
    #[must_use]
    pub const fn name(&self) -> &Text<'a> {
        &self.name
    }

    /// The arguments, if any were sent.
    #[must_use]
    pub const fn arguments(&self) -> Option<&Object<'a>> {
        self.arguments.as_ref()
    }

    /// What was sent under `_meta`.
    #[must_use]
    pub const fn meta(&self) -> &Object<'a> {
        &self.meta
    }

    /// What else was sent.
    #[must_use]
    pub const fn params(&self) -> &Object<'a> {
        &self.params
    }

    /// The name and the arguments.
    #[must_use]
    pub fn into_parts(self) -> (Text<'a>, Option<Object<'a>>) {
        (self.name, self.arguments)
    }

    fn of(id: Id, mut params: Object<'a>) -> Result<Self, Flaw> {
        if look_alike(&params, CALL_PARAMS).is_some() {
            return Err(Flaw::LookAlikeMember);
        }
        let name = match params.remove("name") {
            Some(Value::String(name)) if !name.as_bytes().is_empty() => name,
            Some(_) | None => return Err(Flaw::ToolName),
        };
        let arguments = match params.remove("arguments") {
            Some(Value::Object(arguments)) => Some(arguments),
            None => None,
            Some(_) => return Err(Flaw::Arguments),
        };
        let meta = match params.remove("_meta") {
            Some(Value::Object(meta)) => meta,
            None => Object::new(),
            Some(_) => return Err(Flaw::Params),
        };
        Ok(Self {
            id,
            name,
            arguments,
            meta,
            params,
        })
    }
}

/// A message whose members have been taken apart, and not yet put together.
struct Envelope<'a> {
    root: Object<'a>,
    id: Option<Value<'a>>,
    is_notification: bool,
}

impl<'a> Envelope<'a> {
    fn open(line: &'a [u8]) -> Result<Self, Refusal> {
        let (value, repeat) =
            json::parse_noting_repeats(line).map_err(|fault| match fault.kind {
                FaultKind::TooDeep => too_deep(line),
                FaultKind::Syntax | FaultKind::NotUtf8 | FaultKind::Repeated => {
                    Refusal::new(Flaw::NotJson, ReplyTo::Unknown)
                }
            })?;
        if repeat.is_some() {
            return Err(Refusal::new(Flaw::Repeated, unambiguous(line)));
        }
        match value {
            Value::Object(mut root) => {
                let id = root.remove("id");
                Ok(Self {
                    root,
                    id,
                    is_notification: false,
                })
            }
            Value::Array(_) => Err(Refusal::new(Flaw::Batch, ReplyTo::Unknown)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                Err(Refusal::new(Flaw::NoMessage, ReplyTo::Unknown))
            }
        }
    }

    fn frame(&mut self) -> Result<Frame<'a>, Flaw> {
        self.check_members()?;
        if self.root.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return Err(Flaw::Version);
        }
        let answers = [self.root.get("result"), self.root.get("error")];
        let answers = answers.into_iter().flatten().count();
        match self.root.remove("method") {
            Some(_) if answers > 0 => Err(Flaw::TwoAtOnce),
            Some(Value::String(method)) => self.asking(method),
            Some(_) => Err(Flaw::Method),
            None if answers == 1 => self.answering(),
            None => Err(Flaw::NoMessage),
        }
    }

    fn check_members(&self) -> Result<(), Flaw> {
        if look_alike(&self.root, ENVELOPE).is_some() {
            return Err(Flaw::LookAlikeMember);
        }
        let known = |name: &Text<'_>| name.as_str().is_some_and(|name| ENVELOPE.contains(&name));
        if self.root.iter().all(|(name, _)| known(name)) {
            Ok(())
        } else {
            Err(Flaw::UnknownMember)
        }
    }

    fn asking(&mut self, method: Text<'a>) -> Result<Frame<'a>, Flaw> {
        let id = self
            .id
            .as_ref()
            .map(|id| Id::of(id).ok_or(Flaw::Id))
            .transpose()?;
        self.is_notification = self.id.is_none();
        let is_call = method.as_str() == Some(TOOLS_CALL);
        let params = match self.root.remove("params") {
            Some(Value::Object(params)) => params,
            Some(Value::Null) | None if !is_call => Object::new(),
            Some(_) | None => return Err(Flaw::Params),
        };
        match id {
            Some(id) if is_call => ToolCall::of(id, params).map(Frame::Call),
            None if is_call => Err(Flaw::CallWithoutId),
            Some(id) => Ok(Frame::Request(id, Notice { method, params })),
            None => Ok(Frame::Notification(Notice { method, params })),
        }
    }

    fn answering(&mut self) -> Result<Frame<'a>, Flaw> {
        let id = self.id.as_ref().and_then(Id::of);
        let has_id = id.is_some();
        let is_error = self.root.get("error").is_some();
        let unknown_id = matches!(self.id, None | Some(Value::Null));
        match self.root.get("params") {
            None if has_id || is_error && unknown_id => {
                let result = self.root.remove("result");
                Ok(Frame::Response(Response { id, result }))
            }
            None => Err(Flaw::Id),
            Some(_) => Err(Flaw::TwoAtOnce),
        }
    }

    /// To whom a refusal is addressed. What can't be read as a request still gets one: somebody may be waiting.
    fn reply_to(&self) -> ReplyTo {
        match &self.id {
            Some(id) => Id::of(id).map_or(ReplyTo::Unknown, ReplyTo::Caller),
            None if self.is_notification => ReplyTo::Nobody,
            None => ReplyTo::Unknown,
        }
    }
}

fn unambiguous(line: &[u8]) -> ReplyTo {
    let id = Scanner::glance(line).id().cloned();
    id.map_or(ReplyTo::Unknown, ReplyTo::Caller)
}

// What ends in the middle is not even JSON, and nothing of it counts.
fn too_deep(line: &[u8]) -> Refusal {
    let scanner = Scanner::glance(line);
    match scanner.id().filter(|_| scanner.is_whole()) {
        Some(id) => Refusal::new(Flaw::TooDeep, ReplyTo::Caller(id.clone())),
        None => Refusal::new(Flaw::NotJson, ReplyTo::Unknown),
    }
}
