//! What a server says of one tool, all of it.

use knotrust_core::canonical::{sha256_hex, sha256_of};
use knotrust_core::json::{self, Object, Text, Value};
use knotrust_core::request::{Annotations, Untrusted};

/// A definition, and the hash of everything in it.
///
/// Descriptions are instructions to the model, and so is every other member that a client may show it: titles, schemas with
/// their own descriptions, annotations, icons, metadata, members that nobody has heard of. The fingerprint is over the
/// canonical form of them all, so that order and escapes do not matter and a blank does.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Definition {
    pub(super) fingerprint: String,
    /// The definition itself, for a person to compare; only its fingerprint is kept of a very long one.
    pub(super) value: Option<Value<'static>>,
    pub(super) traits: Traits,
}

/// What is to be known of a tool when it is called.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Traits {
    /// What the server admits.
    pub annotations: Untrusted<Annotations>,
    /// Whether the tool declares the shape of its results.
    pub output_schema: bool,
}

impl Traits {
    /// Both together: the worse reading of what is admitted.
    pub(super) fn and(self, other: Self) -> Self {
        let worse = if self.annotations.admits_destruction() {
            self
        } else {
            other
        };
        Self {
            annotations: worse.annotations,
            output_schema: self.output_schema || other.output_schema,
        }
    }
}

impl Definition {
    pub(super) fn of(value: &Value<'_>) -> Self {
        let written = json::write(value);
        // A number beyond all doubles has no canonical form. Its own spelling will do: it changes less than it might.
        let fingerprint = sha256_of(value)
            .unwrap_or_else(|_| format!("sha256:{}", sha256_hex(written.as_bytes())));
        let kept = written.len() <= LONGEST_KEPT;
        Self {
            fingerprint,
            value: kept.then(|| value.clone().into_owned()),
            traits: Traits {
                annotations: Untrusted::read(value.get("annotations").unwrap_or(&Value::Null)),
                output_schema: value.get("outputSchema").is_some(),
            },
        }
    }

    pub(super) fn to_json(&self) -> Value<'_> {
        let mut object = Object::new();
        let destructive = self.traits.annotations.admits_destruction();
        object.insert("destructive", Value::Bool(destructive));
        object.insert("fingerprint", Value::string(&self.fingerprint));
        object.insert("outputSchema", Value::Bool(self.traits.output_schema));
        if let Some(value) = &self.value {
            object.insert("definition", value.clone());
        }
        Value::Object(object)
    }

    pub(super) fn read(value: &Value<'_>) -> Option<Self> {
        let destructive = value.get("destructive")?.as_bool()?;
        let hint = [(Text::from("destructiveHint"), Value::Bool(destructive))];
        Some(Self {
            fingerprint: value.get("fingerprint")?.as_str()?.to_owned(),
            value: value
                .get("definition")
                .map(|value| value.clone().into_owned()),
            traits: Traits {
                annotations: Untrusted::read(&Value::Object(hint.into_iter().collect())),
                output_schema: value.get("outputSchema")?.as_bool()?,
            },
        })
    }
}

// A person compares no longer ones, and a server must not be able to fill the disk.
const LONGEST_KEPT: usize = 64 << 10;
