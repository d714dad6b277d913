//! Requests to JSON, in the member order of the contract.

use super::{Agent, CONTRACT_VERSION, DecisionRequest, Environment, Surface, object};
use crate::json::{Object, Text, Value};

/// The request as the contract writes it. Annotations are left out: what a server says is not handed on as a fact.
#[must_use]
pub fn to_json<'a>(request: &'a DecisionRequest<'a>) -> Value<'a> {
    let mut subject = Object::new();
    subject.insert("type", Value::string(request.subject.kind.as_str()));
    subject.insert("id", Value::string(&request.subject.id));
    put(&mut subject, "properties", &request.subject.properties);
    let mut action = Object::new();
    action.insert("name", Value::String(request.action.name.clone()));
    put(&mut action, "properties", &request.action.properties);
    let mut resource = Object::new();
    resource.insert("type", Value::String(request.resource.kind.clone()));
    resource.insert("id", Value::String(request.resource.id.clone()));
    put(&mut resource, "properties", &request.resource.properties);
    let mut context = Object::new();
    context.insert("agent", agent(&request.context.agent));
    context.insert("env", environment(&request.context.env));
    put(&mut context, "arguments", &request.context.arguments);
    object([
        ("contractVersion", Value::string(CONTRACT_VERSION)),
        ("requestId", Value::string(&request.request_id)),
        (
            "timestamp",
            Value::String(Text::from(request.timestamp.to_string())),
        ),
        ("subject", Value::Object(subject)),
        ("action", Value::Object(action)),
        ("resource", Value::Object(resource)),
        ("context", Value::Object(context)),
        ("surface", surface(&request.surface)),
    ])
}

fn agent<'a>(agent: &'a Agent<'a>) -> Value<'a> {
    let mut members = Object::new();
    members.insert("id", Value::string(&agent.id));
    members.insert("type", Value::string(agent.kind.as_str()));
    put_text(&mut members, "clientId", agent.client_id.as_deref());
    put_text(&mut members, "model", agent.model.as_deref());
    Value::Object(members)
}

fn environment<'a>(env: &'a Environment<'a>) -> Value<'a> {
    let mut members = Object::new();
    members.insert("time", Value::String(Text::from(env.time.to_string())));
    members.insert("surfaceLocal", Value::Bool(env.surface_local));
    for (name, value) in env.more.iter() {
        members.insert(name.clone(), value.clone());
    }
    Value::Object(members)
}

fn surface<'a>(surface: &'a Surface<'a>) -> Value<'a> {
    let mut members = Object::new();
    members.insert("kind", Value::string(surface.kind.as_str()));
    members.insert("instanceId", Value::string(&surface.instance_id));
    put_text(&mut members, "server", surface.server.as_deref());
    put_text(&mut members, "specVersion", surface.spec_version.as_deref());
    put_text(&mut members, "transport", surface.transport.as_deref());
    Value::Object(members)
}

fn put<'a>(members: &mut Object<'a>, name: &'static str, value: &Option<Object<'a>>) {
    if let Some(value) = value {
        members.insert(name, Value::Object(value.clone()));
    }
}

fn put_text<'a>(members: &mut Object<'a>, name: &'static str, value: Option<&'a str>) {
    if let Some(value) = value {
        members.insert(name, Value::string(value));
    }
}
