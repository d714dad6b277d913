//! What a policy must decide, by its author's own word.

use std::{borrow::Cow, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};

use super::{Literal, Sentence, TierName};
use crate::located::Located;

/// A call, and what must be decided about it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PolicyTest {
    /// A sentence that can be false.
    pub name: Located<Sentence>,
    /// The call.
    pub call: Located<ActionCall>,
    /// What must be decided.
    pub expect: Located<Expectation>,
}

/// A call.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ActionCall {
    /// The server.
    pub server: Located<String>,
    /// The tool's own name.
    pub tool: Located<String>,
    /// The arguments. None if left out.
    pub arguments: Option<Located<JsonObject>>,
    /// What the server says about the tool.
    pub annotations: Option<Annotations>,
    /// Who calls.
    pub agent: Option<Located<String>>,
}

/// What a server says about a tool.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Annotations {
    /// It changes nothing.
    pub read_only_hint: Option<bool>,
    /// What it changes may be lost.
    pub destructive_hint: Option<bool>,
    /// Doing it twice is like doing it once.
    pub idempotent_hint: Option<bool>,
    /// It reaches beyond the machine.
    pub open_world_hint: Option<bool>,
}

/// What must be decided.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("minProperties" = 1))]
pub struct Expectation {
    /// The outcome.
    pub outcome: Option<Located<OutcomeName>>,
    /// The tier.
    pub tier: Option<Located<TierName>>,
    /// The reason code.
    pub reason: Option<Located<String>>,
}

/// What becomes of a call.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeName {
    /// It goes on.
    Allow,
    /// It does not.
    Deny,
    /// A person is asked.
    PendingApproval,
    /// A person would have to be asked, and none can be.
    DeferredNotEligible,
}

/// A JSON object, written in YAML.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct JsonObject(pub Vec<(String, Json)>);

/// A JSON value, numbers as they were written.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Json {
    /// Neither an array nor an object.
    Literal(Literal),
    /// An array.
    Array(Vec<Json>),
    /// An object.
    Object(Vec<(String, Json)>),
}

impl<'de> Deserialize<'de> for JsonObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_map(JsonVisitor)
            .map(|json| match json {
                Json::Object(members) => Self(members),
                Json::Literal(_) | Json::Array(_) => Self(Vec::new()),
            })
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        Literal::deserialize(deserializer).map(Json::Literal)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element()? {
            array.push(item);
        }
        Ok(Json::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
        let mut object = Vec::new();
        while let Some(member) = members.next_entry()? {
            object.push(member);
        }
        Ok(Json::Object(object))
    }
}

impl JsonSchema for JsonObject {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "JsonObject".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "additionalProperties": true })
    }
}
