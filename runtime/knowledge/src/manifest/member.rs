//! Members of a mapping, read as what they must be.

use super::node::Node;
use crate::amount::Amount;

/// The text of a member. Numbers and dates are their text; lists and mappings are none.
pub(super) fn text(node: &Node, name: &str) -> Option<String> {
    node.get(name)
        .and_then(Node::as_text)
        .map(|text| text.into_owned())
}

/// A truth value that is one. Anything else is as good as undeclared (§2.1): `"false"` is no yes, and neither is `yes`.
pub(super) fn flag(node: &Node, name: &str) -> Option<bool> {
    match node.get(name)? {
        Node::Bool(value) => Some(*value),
        Node::Null | Node::Number(_) | Node::Text(_) | Node::List(_) | Node::Map(_) => None,
    }
}

/// Whether a requirement is made: anything but a plain no makes it, as what asks in the wrong words still asks.
pub(super) fn asks(node: &Node, name: &str) -> bool {
    match node.get(name) {
        None | Some(Node::Null | Node::Bool(false)) => false,
        Some(Node::Text(word)) => !matches!(word.as_str(), "" | "false" | "no" | "off"),
        Some(Node::Bool(true) | Node::Number(_) | Node::List(_) | Node::Map(_)) => true,
    }
}

/// A number, also one in quotes.
pub(super) fn amount(node: &Node, name: &str) -> Option<Amount> {
    as_amount(node.get(name)?)
}

pub(super) fn as_amount(node: &Node) -> Option<Amount> {
    match node {
        Node::Number(text) => {
            knotrust_core::number::Number::read(text).and_then(|number| Amount::of_number(&number))
        }
        Node::Text(text) => Amount::read(text),
        Node::Null | Node::Bool(_) | Node::List(_) | Node::Map(_) => None,
    }
}

/// A number that isn't negative.
pub(super) fn size(node: &Node, name: &str) -> Option<Amount> {
    amount(node, name).filter(|amount| !amount.is_negative())
}
