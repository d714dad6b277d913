//! How much a grant that lasts is to cover.

use knotrust_core::grant::{Bounds, Conditions};
use knotrust_core::json::{Object, Text, Value};
use knotrust_govern::approvals::Ticket;

/// How much a grant is to cover, the narrowest first.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Width {
    /// Calls on this target whose arguments say the same.
    Same,
    /// Any call on this target.
    Target,
    /// Any call of this tool.
    Tool,
}

impl Width {
    pub(crate) const ALL: [Self; 3] = [Self::Same, Self::Target, Self::Tool];

    /// The word in the form.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Target => "target",
            Self::Tool => "tool",
        }
    }

    /// The words on the page.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Same => "Calls that say the same",
            Self::Target => "Any call on this target",
            Self::Tool => "Any call of this tool",
        }
    }

    /// What a person may not think of.
    pub(crate) const fn caution(self) -> &'static str {
        match self {
            Self::Same => "Arguments that do not stand here may come along.",
            Self::Target => "Whatever the other arguments are.",
            Self::Tool => "On whatever target, whatever the arguments are.",
        }
    }

    /// The one that a form names; a form that names none means this target.
    pub(super) fn read(name: Option<&str>) -> Option<Self> {
        let Some(name) = name else {
            return Some(Self::Target);
        };
        Self::ALL.into_iter().find(|width| width.as_str() == name)
    }

    /// The conditions on arguments that go with it; nothing where they cannot be written.
    pub(super) fn conditions(self, ticket: &Ticket) -> Option<Conditions> {
        match self {
            Self::Same => same(ticket),
            Self::Target | Self::Tool => Some(Conditions::None),
        }
    }
}

fn same(ticket: &Ticket) -> Option<Conditions> {
    let arguments = ticket.request.arguments();
    let mut when = Object::new();
    equal(arguments.as_object()?, "", &mut when)?;
    if when.is_empty() {
        return None;
    }
    let mut conditions = Object::new();
    conditions.insert("when", Value::Object(when));
    let bounds = Bounds::read(&conditions)?;
    Some(Conditions::Bounds(Box::new(bounds)))
}

/// One test for each value. Lists have none that would say how long they are.
fn equal(object: &Object<'_>, place: &str, when: &mut Object<'static>) -> Option<()> {
    for (name, value) in object.iter() {
        let name = name.as_str()?.replace('~', "~0").replace('/', "~1");
        let place = format!("{place}/{name}");
        match value {
            Value::Object(inner) if !inner.is_empty() => equal(inner, &place, when)?,
            Value::Array(_) | Value::Object(_) => return None,
            Value::String(text) if text.as_bytes().len() > LONGEST => return None,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                let mut test = Object::new();
                test.insert("eq", value.clone().into_owned());
                when.insert(Text::from(place), Value::Object(test));
            }
        }
        if when.len() > MOST {
            return None;
        }
    }
    Some(())
}

/// More would fill the token, and no page.
const MOST: usize = 24;
const LONGEST: usize = 120;
