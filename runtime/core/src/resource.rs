//! From arguments to resources.

use crate::json::{Object, Text, Value};
use crate::request::Resource;
use crate::ruleset::Bound;

/// Where in the arguments of a tool its resource is named.
#[derive(Clone, Copy, Debug)]
pub struct Mapping<'a> {
    /// The pattern of the tools it is for.
    pub bound: Bound<'a>,
    /// The resource's type, as written; `None` leaves the server's name.
    pub kind: Option<&'a str>,
    /// A JSON Pointer to the resource's id.
    pub id: Option<&'a str>,
    /// Names of properties and JSON Pointers to their values.
    pub properties: &'a [(&'a str, &'a str)],
}

impl Mapping<'_> {
    /// A mapping that maps nothing.
    pub const NONE: Self = Mapping {
        bound: Bound::new("*", 0),
        kind: None,
        id: None,
        properties: &[],
    };
}

/// The resource of a call: as the mapping says, else the server's name as type and the tool's name as id.
///
/// Strings, numbers and truth values become text; anything else, and whatever is not there, does not resolve.
#[must_use]
pub fn of<'a>(
    mapping: &Mapping<'a>,
    server: &'a str,
    tool: &Text<'a>,
    arguments: &Value<'a>,
) -> Resource<'a> {
    let id = mapping
        .id
        .and_then(|pointer| as_text(arguments.pointer(pointer)?));
    let property = |(name, pointer): &(&'a str, &'a str)| {
        Some((
            Text::from(*name),
            Value::String(as_text(arguments.pointer(pointer)?)?),
        ))
    };
    let properties: Object<'a> = mapping.properties.iter().filter_map(property).collect();
    Resource {
        kind: Text::from(mapping.kind.unwrap_or(server)),
        id: id.unwrap_or_else(|| tool.clone()),
        properties: (!properties.is_empty()).then_some(properties),
    }
}

fn as_text<'a>(value: &Value<'a>) -> Option<Text<'a>> {
    Some(match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => Text::from(number.as_str().to_owned()),
        Value::Bool(true) => Text::from("true"),
        Value::Bool(false) => Text::from("false"),
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    })
}
