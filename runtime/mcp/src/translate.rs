//! Where the words of MCP end: requests in the words of the decision.

use knotrust_core::json::{Object, Value};
use knotrust_govern::caller::Call;

use crate::route::Place;
use crate::wire::frame::{TOOLS_CALL, ToolCall};

/// The question that a call of a tool of this server is.
#[must_use]
pub fn call<'a>(server: &'a str, call: ToolCall<'a>) -> Call<'a> {
    let trace = trace(call.meta());
    let (tool, arguments) = call.into_parts();
    Call {
        server,
        tool,
        arguments,
        method: TOOLS_CALL,
        trace,
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
        trace: trace(call.meta()),
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
        trace: None,
    }
}

/// Which trace a request says that it belongs to (MCP, "Trace context" of `_meta`).
fn trace(meta: &Object<'_>) -> Option<String> {
    let named = meta.get("traceparent").and_then(Value::as_str);
    named.map(str::to_owned)
}
