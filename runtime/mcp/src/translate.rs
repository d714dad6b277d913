//! Where the words of MCP end: requests in the words of the decision.

use knotrust_govern::caller::Call;

use crate::route::Place;
use crate::wire::frame::{TOOLS_CALL, ToolCall};

/// The question that a call of a tool of this server is.
#[must_use]
pub fn call<'a>(server: &'a str, call: ToolCall<'a>) -> Call<'a> {
    let (tool, arguments) = call.into_parts();
    Call {
        server,
        tool,
        arguments,
        method: TOOLS_CALL,
    }
}

/// The same, of a call that goes on to nobody.
#[must_use]
pub fn question<'a>(server: &'a str, call: &ToolCall<'a>) -> Call<'a> {
    Call {
        server,
        tool: call.name().clone(),
        arguments: call.arguments().cloned(),
        method: TOOLS_CALL,
    }
}

/// The question that any other request to this server is which may name a governed place.
#[must_use]
pub fn place<'a>(server: &'a str, place: &'a Place<'a>) -> Call<'a> {
    Call {
        server,
        tool: place.notice.method.clone(),
        arguments: Some(place.notice.params.clone()),
        method: place.notice.method.as_str().unwrap_or_default(),
    }
}
