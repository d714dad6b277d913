//! Where the words of MCP end: a call of a tool in the words of the decision.

use knotrust_govern::caller::Call;

use crate::enforce::Form;
use crate::listing::Listing;
use crate::revision::Era;
use crate::route::Place;
use crate::wire::frame::{TOOLS_CALL, ToolCall};
use crate::wire::id::Id;

/// A question to the governor, and what it takes to answer the caller.
#[derive(Debug)]
pub struct Asked<'a> {
    /// The request.
    pub id: Id,
    /// How its answer has to look.
    pub form: Form,
    /// What is asked.
    pub call: Call<'a>,
}

/// The question that a call of a tool of this server is.
#[must_use]
pub fn call<'a>(server: &'a str, call: ToolCall<'a>, listing: &Listing) -> Asked<'a> {
    let form = Form {
        era: Era::of(call.meta()),
        schema: listing.output_schema(call.name().as_bytes()),
    };
    let (id, tool, arguments) = call.into_parts();
    Asked {
        id,
        form,
        call: Call {
            server,
            tool,
            arguments,
            method: TOOLS_CALL,
        },
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
