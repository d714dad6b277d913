//! A value as it stands in a manifest.
//!
//! Nothing is turned into something else: a quoted `"true"` is a text, and a date without quotes is its own text.

use std::borrow::Cow;

use knotrust_core::canonical::canonical;
use knotrust_core::json::{Text, Value};
use knotrust_core::number::Number;

/// A value as it stands in a manifest.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Null,
    Bool(bool),
    /// The shortest spelling of its value, as ECMAScript writes numbers.
    Number(String),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

impl Node {
    /// The member of a mapping, unless it is absent or null.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        let (_, node) = self.members().iter().find(|(known, _)| known == name)?;
        (*node != Self::Null).then_some(node)
    }

    /// The members of a mapping; none for anything else.
    pub(crate) fn members(&self) -> &[(String, Self)] {
        match self {
            Self::Map(members) => members,
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) | Self::List(_) => &[],
        }
    }

    /// The elements of a list; none for anything else.
    pub(crate) fn elements(&self) -> &[Self] {
        match self {
            Self::List(elements) => elements,
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) | Self::Map(_) => &[],
        }
    }

    /// A scalar as text: texts as they are, numbers and truth values as they print.
    pub(crate) fn as_text(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Text(text) | Self::Number(text) => Some(Cow::Borrowed(text)),
            Self::Bool(value) => Some(Cow::Borrowed(if *value { "true" } else { "false" })),
            Self::Null | Self::List(_) | Self::Map(_) => None,
        }
    }

    pub(crate) fn size(&self) -> usize {
        1 + match self {
            Self::List(elements) => elements.iter().map(Self::size).sum(),
            Self::Map(members) => members.iter().map(|(_, node)| node.size()).sum(),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) => 0,
        }
    }
}

/// JSON says the same things; lone surrogates are replaced, as no name that matters holds one.
impl From<&Value<'_>> for Node {
    fn from(value: &Value<'_>) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => Self::Number(number_text(number)),
            Value::String(text) => Self::Text(text.to_string_lossy().into_owned()),
            Value::Array(elements) => Self::List(elements.iter().map(Self::from).collect()),
            Value::Object(object) => {
                let member = |(name, value)| (name_of(name), Self::from(value));
                Self::Map(object.iter().map(member).collect())
            }
        }
    }
}

fn name_of(name: &Text<'_>) -> String {
    name.to_string_lossy().into_owned()
}

/// The number as ECMAScript prints it, or in its own spelling if it has no finite double.
pub(super) fn number_text(number: &Number<'_>) -> String {
    canonical(&Value::Number(number.clone())).unwrap_or_else(|_| number.as_str().to_owned())
}
