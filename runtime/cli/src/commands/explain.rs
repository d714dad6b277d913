//! `knotrust explain`: what the policy makes of a call, and why.

use std::io::{self, BufRead};
use std::path::Path;

use knotrust_core::json::{self, Object, Text, Value};
use knotrust_core::ruleset::Ruleset;

use super::Done;
use super::policy::with_ruleset;
use crate::arguments::Format;
use crate::arguments::policy::Explain;
use crate::question::{Context, Gates, Question, answer};
use crate::{exit, output};

/// Answers one question, or a batch of them.
pub(super) fn run(compiled: &Ruleset<'_>, explain: &Explain) -> Done {
    with_ruleset(compiled, &explain.of, |ruleset| {
        let folder = explain.of.ruleset.as_deref().and_then(Path::parent);
        let gates = Gates::of(ruleset, folder.unwrap_or(Path::new("")));
        if explain.batch {
            batch(&gates)
        } else {
            single(&gates, explain)
        }
    })
}

fn single(gates: &Gates<'_>, explain: &Explain) -> Done {
    let (Some(server), Some(tool)) = (&explain.server, &explain.tool) else {
        return Ok(exit::USAGE);
    };
    let arguments = read_object("--arguments", explain.arguments.as_deref())?;
    let annotations = explain.annotations.as_deref();
    let annotations = annotations
        .map(|text| read_value("--annotations", text))
        .transpose()?;
    let question = Question {
        server: server.clone(),
        tool: Text::from(tool.as_str()),
        arguments,
        annotations,
        agent: explain.agent.clone(),
        context: Context::here(),
    };
    let words = question.ask_at(gates, |asked| match explain.format {
        Format::Text => answer::text(asked),
        Format::Json => json::write(&answer::json(asked)),
    });
    output::line(&words)?;
    Ok(exit::OK)
}

// A line that is no question gets an answer too, so that answers stay beside their questions.
fn batch(gates: &Gates<'_>) -> Done {
    let context = Context::here();
    let mut code = exit::OK;
    for line in io::stdin().lock().split(b'\n') {
        let line = line?;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let answer = answer_line(gates, &line, &context).unwrap_or_else(|fault| {
            code = exit::FAILED;
            let mut error = Object::new();
            error.insert("error", Value::String(Text::from(fault)));
            Value::Object(error)
        });
        output::line(&json::write(&answer))?;
    }
    Ok(code)
}

fn answer_line(
    gates: &Gates<'_>,
    line: &[u8],
    context: &Context,
) -> Result<Value<'static>, String> {
    let value = json::parse(line).map_err(|fault| fault.to_string())?;
    let question = Question::read(&value, context)?;
    Ok(question.ask_at(gates, answer::json))
}

fn read_value<'t>(name: &str, text: &'t str) -> Result<Value<'t>, String> {
    json::parse(text.as_bytes()).map_err(|fault| format!("{name}: {fault}"))
}

fn read_object<'t>(name: &str, text: Option<&'t str>) -> Result<Option<Object<'t>>, String> {
    let Some(text) = text else { return Ok(None) };
    match read_value(name, text)? {
        Value::Object(object) => Ok(Some(object)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Err(format!("{name} must be a JSON object"))
        }
    }
}
