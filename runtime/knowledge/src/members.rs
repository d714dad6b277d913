//! Objects put together member by member, in the order in which a reader expects them.

use knotrust_core::json::{Object, Value, write};
use knotrust_core::number::Number;

/// An object under construction.
#[derive(Debug, Default)]
pub(crate) struct Members(Object<'static>);

impl Members {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn set(mut self, name: &'static str, value: Value<'static>) -> Self {
        self.0.insert(name, value);
        self
    }

    pub(crate) fn text(self, name: &'static str, value: &str) -> Self {
        self.set(name, text(value))
    }

    pub(crate) fn flag(self, name: &'static str, value: bool) -> Self {
        self.set(name, Value::Bool(value))
    }

    pub(crate) fn maybe(self, name: &'static str, value: Option<Value<'static>>) -> Self {
        match value {
            Some(value) => self.set(name, value),
            None => self,
        }
    }

    /// All members of an object.
    pub(crate) fn merge(mut self, object: Value<'static>) -> Self {
        if let Value::Object(object) = object {
            for (name, value) in object.iter() {
                self.0.insert(name.clone(), value.clone());
            }
        }
        self
    }

    pub(crate) fn done(self) -> Value<'static> {
        Value::Object(self.0)
    }
}

pub(crate) fn text(value: &str) -> Value<'static> {
    Value::String(value.to_owned().into())
}

pub(crate) fn texts<T: AsRef<str>>(values: &[T]) -> Value<'static> {
    list(values.iter().map(|value| text(value.as_ref())))
}

pub(crate) fn list(values: impl IntoIterator<Item = Value<'static>>) -> Value<'static> {
    Value::Array(values.into_iter().collect())
}

pub(crate) fn count(value: usize) -> Value<'static> {
    Value::Number(Number::from(value as u64))
}

/// The texts as a JSON array without blanks, as reasons quote lists.
pub(crate) fn quoted<T: AsRef<str>>(values: &[T]) -> String {
    write(&texts(values))
}
