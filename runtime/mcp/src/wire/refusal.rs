//! Why a message of the client is not taken.

use thiserror::Error;

use super::id::Id;

/// A message that is not taken: what is wrong with it, and who is told.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Refusal {
    /// What is wrong.
    pub flaw: Flaw,
    /// Who is told.
    pub to: ReplyTo,
}

impl Refusal {
    /// A refusal.
    #[must_use]
    pub const fn new(flaw: Flaw, to: ReplyTo) -> Self {
        Self { flaw, to }
    }
}

/// To whom a refusal is addressed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum ReplyTo {
    /// The request with this id.
    Caller(Id),
    /// A message whose id is unknown or ambiguous: the answer carries `null`.
    Unknown,
    /// A notification, which is never answered.
    Nobody,
}

/// What is wrong with a message. The texts go to the client, so they repeat nothing of what was sent.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
pub enum Flaw {
    /// Not RFC 8259 JSON in UTF-8.
    #[error("not JSON")]
    NotJson,
    /// Deeper than anybody reads.
    #[error("nested too deeply")]
    TooDeep,
    /// A member is named twice, at any depth.
    #[error("a member is named twice")]
    Repeated,
    /// A batch, which no revision of the protocol that is in use has.
    #[error("batches are not part of the protocol")]
    Batch,
    /// Neither request nor notification nor response.
    #[error("not a message of JSON-RPC 2.0")]
    NoMessage,
    /// A request and a response at once.
    #[error("a request and a response at once")]
    TwoAtOnce,
    /// Another version than `"2.0"`.
    #[error("`jsonrpc` must be \"2.0\"")]
    Version,
    /// A member that JSON-RPC doesn't have.
    #[error("an unknown member beside `jsonrpc`, `id`, `method` and `params`")]
    UnknownMember,
    /// A member whose name a lenient reader takes for another one.
    #[error("a member's name differs from a known one only in case")]
    LookAlikeMember,
    /// An id that is neither a string nor a whole number.
    #[error("`id` must be a string or a whole number")]
    Id,
    /// An id that another request has, which is still waiting for its answer.
    #[error("a request with this id is still waiting for its answer")]
    DuplicateId,
    /// A method that is no string.
    #[error("`method` must be a string")]
    Method,
    /// A method that a lenient server takes for a known one.
    #[error("a method's name differs from a known one only in its spelling")]
    LookAlikeMethod,
    /// A method below `tools/` or `tasks/` that the protocol doesn't have.
    #[error("no such method")]
    UnknownMethod,
    /// Parameters that are no object.
    #[error("`params` must be an object")]
    Params,
    /// A call of a tool without the tool's name.
    #[error("`params.name` must be a string that is not empty")]
    ToolName,
    /// Arguments that are no object.
    #[error("`params.arguments` must be an object")]
    Arguments,
    /// A call of a tool that doesn't ask for an answer.
    #[error("a tool can't be called by a notification")]
    CallWithoutId,
    /// A state of ours that does not belong to this call.
    #[error("`requestState` does not belong to this call")]
    State,
    /// A request of the older kind before the session has begun.
    #[error("the session has not begun: `initialize` comes first")]
    NotBegun,
    /// A session that begins a second time.
    #[error("the session has begun already")]
    BegunTwice,
    /// A message over the limit.
    #[error("a message is over the limit")]
    TooLong,
}

impl Flaw {
    /// The error code of JSON-RPC.
    #[must_use]
    pub const fn code(self) -> i32 {
        match self {
            Self::NotJson => -32700,
            Self::UnknownMethod => -32601,
            Self::Params | Self::ToolName | Self::Arguments | Self::State => -32602,
            Self::TooDeep
            | Self::Repeated
            | Self::Batch
            | Self::NoMessage
            | Self::TwoAtOnce
            | Self::Version
            | Self::UnknownMember
            | Self::LookAlikeMember
            | Self::Id
            | Self::DuplicateId
            | Self::Method
            | Self::LookAlikeMethod
            | Self::CallWithoutId
            | Self::NotBegun
            | Self::BegunTwice
            | Self::TooLong => -32600,
        }
    }

    /// The stable name under which the record knows it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotJson => "not_json",
            Self::TooDeep => "too_deep",
            Self::Repeated => "repeated_member",
            Self::Batch => "batch",
            Self::NoMessage => "no_message",
            Self::TwoAtOnce => "two_at_once",
            Self::Version => "version",
            Self::UnknownMember => "unknown_member",
            Self::LookAlikeMember => "look_alike_member",
            Self::Id => "id",
            Self::DuplicateId => "duplicate_id",
            Self::Method => "method",
            Self::LookAlikeMethod => "look_alike_method",
            Self::UnknownMethod => "unknown_method",
            Self::Params => "params",
            Self::ToolName => "tool_name",
            Self::Arguments => "arguments",
            Self::CallWithoutId => "call_without_id",
            Self::State => "request_state",
            Self::NotBegun => "not_begun",
            Self::BegunTwice => "begun_twice",
            Self::TooLong => "too_long",
        }
    }
}
