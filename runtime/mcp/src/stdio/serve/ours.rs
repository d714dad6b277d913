//! Tools of our own: those by which an agent asks about governed knowledge.

use std::sync::Arc;
use std::thread;

use knotrust_core::json::{Object, Text, Value, write};
use knotrust_core::ruleset::Ruleset;
use knotrust_govern::governance::{self, Answer, Tool};

use super::catalog::Item;
use super::hub::Hub;
use crate::revision::Era;
use crate::wire::frame::ToolCall;
use crate::wire::reply;

/// The tools that the policy offers, as they are listed.
pub(super) fn items(ruleset: &Ruleset<'_>) -> Vec<Item> {
    let tools = governance::tools(ruleset).into_iter();
    tools
        .map(|tool| Item {
            name: tool.name.to_owned(),
            written: write(&definition(&tool)).into_bytes(),
        })
        .collect()
}

fn definition(tool: &Tool) -> Value<'_> {
    let mut annotations = Object::new();
    annotations.insert("readOnlyHint", Value::Bool(tool.only_reads));
    annotations.insert("destructiveHint", Value::Bool(false));
    annotations.insert("openWorldHint", Value::Bool(false));
    let mut definition = Object::new();
    definition.insert("name", Value::string(tool.name));
    definition.insert("description", Value::string(tool.description));
    definition.insert("inputSchema", tool.input.clone());
    definition.insert("outputSchema", tool.output.clone());
    definition.insert("annotations", Value::Object(annotations));
    Value::Object(definition)
}

/// Calls one of them. It reads files, so nobody else waits for it.
pub(super) fn call(hub: &Arc<Hub>, call: &ToolCall<'_>, era: Era) {
    let id = call.id().clone();
    let name = call.name().to_string_lossy().into_owned();
    let arguments = call.arguments().cloned().unwrap_or_default().into_owned();
    hub.begin_answer(&id);
    let hub = Arc::clone(hub);
    let thread = thread::Builder::new().name("ours".to_owned());
    let _ = thread.spawn(move || {
        let governor = &hub.front.governor;
        let answer = governor.call_tool(&name, &Value::Object(arguments));
        let Some(answer) = answer.filter(|_| hub.finish_answer(&id)) else {
            return;
        };
        hub.write_to_client(&reply::result(&id, &result(answer, era)));
    });
}

fn result(answer: Answer, era: Era) -> Value<'static> {
    let mut text = Object::new();
    text.insert("type", Value::string("text"));
    text.insert("text", Value::String(Text::from(answer.text)));
    let mut result = Object::new();
    result.insert("content", Value::Array(vec![Value::Object(text)]));
    if let Some(structured) = answer.structured {
        result.insert("structuredContent", structured);
    }
    if answer.is_error {
        result.insert("isError", Value::Bool(true));
    }
    if era == Era::Modern {
        result.insert("resultType", Value::string("complete"));
    }
    Value::Object(result)
}
