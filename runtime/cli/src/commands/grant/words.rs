//! Grants in words.

use knotrust_core::grant::{AgentScope, Claims};
use knotrust_core::json::{self, Object, Text, Value};
use knotrust_core::number::Number;
use knotrust_core::time::Timestamp;
use knotrust_govern::grants::Listed;

use crate::output::inert;

/// What a grant lets happen, as a person would say it.
pub(crate) fn sentence(claims: &Claims) -> String {
    let agent = match &claims.agent {
        AgentScope::Any => "any agent".to_owned(),
        AgentScope::Named(party) => format!("the agent `{}`", inert(&party.id)),
    };
    let mut sentence = format!(
        "{agent} may call `{}` on behalf of `{}`, up to the tier {}",
        inert(&claims.tool.to_text()),
        inert(&claims.principal.id),
        claims.cap
    );
    if let Some(kind) = &claims.scope.resource_type {
        sentence.push_str(&format!(", on a `{}`", inert(kind)));
    }
    if let Some(id) = &claims.scope.id {
        sentence.push_str(&format!(", with the id `{}`", inert(&id.to_text())));
    }
    if let Some(bounds) = claims.bounds() {
        let bounds = json::write(&Value::Object(bounds.to_object()));
        sentence.push_str(&format!(", within {}", inert(&bounds)));
    }
    if claims.single_use {
        sentence.push_str(", once");
    }
    sentence.push_str(&format!(", until {}", until(claims)));
    sentence
}

/// One line of a list.
pub(super) fn line(listed: &Listed, now: Timestamp) -> String {
    let name = listed.file.trim_end_matches(".jws");
    let Some(claims) = &listed.claims else {
        return format!("{}  cannot be read", inert(name));
    };
    format!(
        "{}  {:<10} {:<9} {}  {}",
        inert(name),
        state(listed, claims, now),
        claims.cap.as_str(),
        until(claims),
        inert(&claims.tool.to_text())
    )
}

/// A grant for programs.
pub(super) fn json(listed: &Listed, now: Timestamp) -> Value<'static> {
    let owned = |text: &str| Value::String(Text::from(text.to_owned()));
    let mut object = Object::new();
    object.insert("id", owned(listed.file.trim_end_matches(".jws")));
    let Some(claims) = &listed.claims else {
        object.insert("state", Value::string("unreadable"));
        return Value::Object(object);
    };
    object.insert("state", Value::string(state(listed, claims, now)));
    object.insert("tool", owned(&claims.tool.to_text()));
    object.insert(
        "agent",
        match &claims.agent {
            AgentScope::Any => Value::string("*"),
            AgentScope::Named(party) => owned(&party.id),
        },
    );
    object.insert("tierCap", Value::string(claims.cap.as_str()));
    object.insert("kind", Value::string(claims.kind.as_str()));
    object.insert("singleUse", Value::Bool(claims.single_use));
    object.insert("expires", Value::Number(Number::from(claims.expires)));
    if let Some(bounds) = claims.bounds() {
        object.insert("conditions", Value::Object(bounds.to_object()));
    }
    Value::Object(object)
}

fn state(listed: &Listed, claims: &Claims, now: Timestamp) -> &'static str {
    let second = u64::try_from(now.seconds()).unwrap_or_default();
    match &listed.grant {
        Err(_) => "invalid",
        Ok(_) if listed.spent => "spent",
        Ok(_) if claims.expires <= second => "expired",
        Ok(_) if claims.not_before.is_some_and(|first| second < first) => "not yet",
        Ok(_) => "active",
    }
}

fn until(claims: &Claims) -> Timestamp {
    Timestamp::from_seconds(i64::try_from(claims.expires).unwrap_or(i64::MAX / 1000))
}
