//! Strict JSON, kept as it was written.
//!
//! A guard that reads a message differently from the server behind it guards nothing. This reader takes RFC 8259 and no
//! more, refuses repeated member names at every depth, keeps the spelling of numbers and the order of members, and holds
//! lone surrogates, which are JSON but fit no Rust string.

mod fault;
mod parse;
mod text;
mod write;

pub use fault::{Fault, FaultKind};
pub use parse::{MAX_DEPTH, parse, parse_noting_repeats};
pub use text::Text;
pub use write::write;
pub(crate) use write::{Order, separate, write_object, write_str, write_text, write_value};

use crate::number::Number;

/// A JSON value that borrows from the text it was read from, where it can.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Value<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, in the spelling it came with.
    Number(Number<'a>),
    /// A string, lone surrogates included.
    String(Text<'a>),
    /// An array.
    Array(Vec<Value<'a>>),
    /// An object.
    Object(Object<'a>),
}

impl<'a> Value<'a> {
    /// A string value.
    #[must_use]
    pub fn string(text: &'a str) -> Self {
        Self::String(Text::from(text))
    }

    /// The text, if this is a string without lone surrogates.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        self.as_text().and_then(Text::as_str)
    }

    /// The string, if this is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&Text<'a>> {
        match self {
            Self::String(text) => Some(text),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Array(_) | Self::Object(_) => None,
        }
    }

    /// The truth value, if this is one.
    #[must_use]
    pub const fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            Self::Null | Self::Number(_) | Self::String(_) | Self::Array(_) | Self::Object(_) => {
                None
            }
        }
    }

    /// The number, if this is one.
    #[must_use]
    pub const fn as_number(&self) -> Option<&Number<'a>> {
        match self {
            Self::Number(number) => Some(number),
            Self::Null | Self::Bool(_) | Self::String(_) | Self::Array(_) | Self::Object(_) => None,
        }
    }

    /// The elements, if this is an array.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Value<'a>]> {
        match self {
            Self::Array(elements) => Some(elements),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) | Self::Object(_) => {
                None
            }
        }
    }

    /// The members, if this is an object.
    #[must_use]
    pub const fn as_object(&self) -> Option<&Object<'a>> {
        match self {
            Self::Object(object) => Some(object),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) | Self::Array(_) => None,
        }
    }

    /// The member of that name, if this is an object that has one.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value<'a>> {
        self.as_object().and_then(|object| object.get(name))
    }

    /// Whether this is `null`.
    #[must_use]
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The value at a JSON Pointer (RFC 6901): `""` is the value itself, `/a/0` the first element of its member `a`.
    ///
    /// Array indexes are plain decimal digits without leading zeros; `-` and anything else points at nothing.
    #[must_use]
    pub fn pointer(&self, pointer: &str) -> Option<&Value<'a>> {
        let mut steps = pointer.split('/');
        if steps.next() != Some("") {
            return None;
        }
        steps.try_fold(self, |value, step| match value {
            Self::Object(object) if step.contains('~') => {
                object.get(&step.replace("~1", "/").replace("~0", "~"))
            }
            Self::Object(object) => object.get(step),
            Self::Array(elements) => elements.get(array_index(step)?),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) => None,
        })
    }

    /// The same value, owning all it holds.
    #[must_use]
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(value),
            Self::Number(number) => Value::Number(number.into_owned()),
            Self::String(text) => Value::String(text.into_owned()),
            Self::Array(elements) => {
                Value::Array(elements.into_iter().map(Value::into_owned).collect())
            }
            Self::Object(object) => Value::Object(object.into_owned()),
        }
    }
}

impl<'a> From<Vec<Value<'a>>> for Value<'a> {
    fn from(elements: Vec<Value<'a>>) -> Self {
        Self::Array(elements)
    }
}

fn array_index(step: &str) -> Option<usize> {
    let plain = step == "0" || !step.starts_with('0');
    let digits = !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit());
    (plain && digits).then(|| step.parse().ok()).flatten()
}

/// The members of an object, in the order they were written. No name occurs twice.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Object<'a> {
    members: Vec<(Text<'a>, Value<'a>)>,
}

impl<'a> Object<'a> {
    /// An object without members.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            members: Vec::new(),
        }
    }

    // INVARIANT: whoever calls this has made sure that no name occurs twice.
    pub(crate) const fn from_unique(members: Vec<(Text<'a>, Value<'a>)>) -> Self {
        Self { members }
    }

    /// Sets a member: replaces the value of an equal name, else appends.
    pub fn insert(&mut self, name: impl Into<Text<'a>>, value: Value<'a>) {
        let name = name.into();
        match self.members.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => self.members.push((name, value)),
        }
    }

    /// The value of the member with that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value<'a>> {
        let found = self
            .members
            .iter()
            .find(|(known, _)| known.as_bytes() == name.as_bytes());
        found.map(|(_, value)| value)
    }

    /// Takes the member with that name out.
    pub fn remove(&mut self, name: &str) -> Option<Value<'a>> {
        let is_named = |(known, _): &(Text<'a>, Value<'a>)| known.as_bytes() == name.as_bytes();
        let index = self.members.iter().position(is_named)?;
        Some(self.members.remove(index).1)
    }

    /// The members in the order they were written.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Text<'a>, &Value<'a>)> {
        self.members.iter().map(|(name, value)| (name, value))
    }

    /// How many members there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The same object, owning all it holds.
    #[must_use]
    pub fn into_owned(self) -> Object<'static> {
        let owned = |(name, value): (Text<'a>, Value<'a>)| (name.into_owned(), value.into_owned());
        Object {
            members: self.members.into_iter().map(owned).collect(),
        }
    }
}

impl<'a> FromIterator<(Text<'a>, Value<'a>)> for Object<'a> {
    fn from_iter<I: IntoIterator<Item = (Text<'a>, Value<'a>)>>(members: I) -> Self {
        let mut object = Self::new();
        for (name, value) in members {
            object.insert(name, value);
        }
        object
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pointer: &str, expected: Option<&str>) {
        let value = parse(br#"{"a":[10,{"b":"deep"}],"":0,"x/y":1,"m~n":2,"01":3}"#).unwrap();
        let found = value.pointer(pointer).map(|value| write(value));
        assert_eq!(found.as_deref(), expected, "{pointer}");
    }

    #[test]
    fn pointers_follow_rfc_6901() {
        check("/a/0", Some("10"));
        check("/a/1/b", Some("\"deep\""));
        check("/", Some("0"));
        check("/x~1y", Some("1"));
        check("/m~0n", Some("2"));
        check("/01", Some("3"));
        check("/a/00", None);
        check("/a/-", None);
        check("/a/+1", None);
        check("/a/2", None);
        check("a", None);
    }
}
