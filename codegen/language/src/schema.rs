//! The JSON Schemas of everything that a person or a program writes or reads, made from the types.

use std::sync::OnceLock;

use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde_json::Value;

use crate::messages::{Decision, DecisionRequest, Denial, Event, Explanation, Grant, Ticket};
use crate::model::{Pack, Ruleset};

/// A schema that is kept in `schemas/`, and as text in the program: what makes it is many times as large.
#[derive(Clone, Copy, Debug)]
pub struct Published {
    /// What it is called: its file's name without the ending.
    pub name: &'static str,
    /// Its file.
    pub text: &'static str,
}

macro_rules! published {
    ($($name:literal: $type:ty,)*) => {
        /// All of them. A test fails when a file and its types differ.
        pub const PUBLISHED: &[Published] = &[$(Published {
            name: $name,
            text: include_str!(concat!("../../../schemas/", $name, ".schema.json")),
        }),*];

        /// What their files should say, by their names, in the same order.
        #[must_use]
        pub fn generated() -> Vec<(&'static str, String)> {
            vec![$(($name, text(&schema_of::<$type>()))),*]
        }
    };
}

published! {
    "ruleset.v1": Ruleset,
    "pack.v1": Pack,
    "decision-request.v1": DecisionRequest,
    "decision.v1": Decision,
    "explanation.v1": Explanation,
    "denial.v1": Denial,
    "event.v1": Event,
    "grant.v1": Grant,
    "ticket.v1": Ticket,
}

impl Published {
    /// The one that a person means: by its name, with or without the version, whatever the case (`Ruleset`, `decision-request.v1`).
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        let name = name.to_ascii_lowercase().replace('_', "-");
        let fits =
            |known: &&Self| known.name == name || known.name.strip_suffix(".v1") == Some(&name);
        PUBLISHED.iter().find(fits)
    }
}

fn text(schema: &Schema) -> String {
    let mut text = serde_json::to_string_pretty(schema.as_value()).unwrap_or_default();
    text.push('\n');
    text
}

/// The schema of a type, as a file of its own.
pub fn schema_of<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    if let Some(root) = schema.as_object_mut() {
        root.values_mut().for_each(without_null);
    }
    schema
}

/// The schema that a ruleset is checked against.
pub(crate) fn ruleset() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| schema_of::<Ruleset>().to_value())
}

/// The schema that a pack is checked against.
pub(crate) fn pack() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| schema_of::<Pack>().to_value())
}

/// What may be left out may not be `null` instead: a value that YAML's comments have eaten would look like it.
fn without_null(value: &mut Value) {
    if let Value::Array(items) = value {
        items.iter_mut().for_each(without_null);
    }
    let Some(object) = value.as_object_mut() else {
        return;
    };
    object.values_mut().for_each(without_null);
    let null = Value::from("null");
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| *name != null);
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = object.get_mut("enum") {
        choices.retain(|choice| !choice.is_null());
    }
    let Some(Value::Array(branches)) = object.get_mut("anyOf") else {
        return;
    };
    branches.retain(|branch| branch.get("type") != Some(&null));
    if let [Value::Object(only)] = branches.as_mut_slice() {
        let only = std::mem::take(only);
        object.remove("anyOf");
        for (key, value) in only {
            object.entry(key).or_insert(value);
        }
    }
}
