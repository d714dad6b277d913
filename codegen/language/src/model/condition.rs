//! `when`: what the arguments of a call must be like.

use std::{borrow::Cow, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};

use super::{Many, Pattern, text::at_least_one};
use crate::located::Located;

/// What the arguments must be like: every entry must hold. An entry is a JSON Pointer and a test of what it points to, or `all`, `any` or
/// `not` with further conditions.
#[derive(Clone, Debug)]
pub struct Condition {
    /// Tests by pointer.
    pub tests: Vec<(Located<String>, Located<Test>)>,
    /// All of these must hold.
    pub all: Vec<Located<Condition>>,
    /// Where given, one of these must hold.
    pub any: Option<Vec<Located<Condition>>>,
    /// Where given, this must not hold.
    pub not: Option<Box<Located<Condition>>>,
}

/// The keys of a [`Condition`] that are JSON Pointers.
pub const POINTER_KEYS: &str = "^(/.*)?$";

/// A test of one value. Every entry must hold.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("minProperties" = 1))]
pub struct Test {
    /// Equal to this.
    pub eq: Option<Located<Literal>>,
    /// There, and not equal to this.
    pub ne: Option<Located<Literal>>,
    /// Equal to one of these.
    #[serde(rename = "in")]
    #[schemars(transform = at_least_one)]
    pub one_of: Option<Vec<Located<Literal>>>,
    /// A number less than this.
    pub lt: Option<Located<super::Decimal>>,
    /// A number not greater than this.
    pub lte: Option<Located<super::Decimal>>,
    /// A number greater than this.
    pub gt: Option<Located<super::Decimal>>,
    /// A number not less than this.
    pub gte: Option<Located<super::Decimal>>,
    /// A text that this pattern matches.
    pub matches: Option<Many<Located<Pattern>>>,
    /// A path in this folder, or in one of these.
    pub under: Option<Many<Located<super::PathText>>>,
    /// There (`true`) or not there (`false`).
    pub exists: Option<Located<bool>>,
    /// All of these tests hold.
    #[schemars(transform = at_least_one)]
    pub all: Option<Vec<Located<Test>>>,
    /// One of these tests holds.
    #[schemars(transform = at_least_one)]
    pub any: Option<Vec<Located<Test>>>,
    /// This test does not hold.
    pub not: Option<Box<Located<Test>>>,
}

/// A value as JSON has it, numbers as they were written.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename = "$knotrust::Literal", rename_all = "lowercase")]
pub enum Literal {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, digit by digit.
    Number(String),
    /// A text.
    Text(String),
}

impl JsonSchema for Literal {
    fn schema_name() -> Cow<'static, str> {
        "Literal".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                { "type": ["string", "number", "boolean"], "title": "a text, a number, a truth value" },
                { "const": null },
            ],
        })
    }
}

impl<'de> Deserialize<'de> for Condition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ConditionVisitor)
    }
}

struct ConditionVisitor;

impl<'de> Visitor<'de> for ConditionVisitor {
    type Value = Condition;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a condition")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Condition, A::Error> {
        let mut condition = Condition {
            tests: Vec::new(),
            all: Vec::new(),
            any: None,
            not: None,
        };
        while let Some(key) = map.next_key::<Located<String>>()? {
            match key.value.as_str() {
                "all" => condition.all = map.next_value()?,
                "any" => condition.any = Some(map.next_value()?),
                "not" => condition.not = Some(map.next_value()?),
                _ => condition.tests.push((key, map.next_value()?)),
            }
        }
        Ok(condition)
    }
}

impl JsonSchema for Condition {
    fn schema_name() -> Cow<'static, str> {
        "Condition".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let condition = generator.subschema_for::<Condition>();
        let test = generator.subschema_for::<Test>();
        json_schema!({
            "type": "object",
            "title": "a condition",
            "description": "What the arguments must be like: every entry must hold. An entry is a JSON Pointer and a test of what it points \
                to, or `all`, `any` or `not` with further conditions.",
            "minProperties": 1,
            "properties": {
                "all": { "type": "array", "items": condition, "minItems": 1, "description": "All of these hold." },
                "any": { "type": "array", "items": condition, "minItems": 1, "description": "One of these holds." },
                "not": { "anyOf": [condition], "description": "This does not hold." },
            },
            "patternProperties": { POINTER_KEYS: test },
            "additionalProperties": false,
        })
    }
}
