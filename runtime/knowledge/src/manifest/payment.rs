//! What loading costs, and how often it may be asked for.

use super::member::{as_amount, text};
use super::node::Node;
use crate::amount::Amount;

/// How a unit may be paid for; the first method an agent has is the one it pays by.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Payment {
    /// In the order declared. None at all is free.
    pub methods: Vec<Method>,
    /// Whether something else stands where methods should. It must not pass for free.
    pub malformed: bool,
}

/// One way to pay.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Method {
    /// `free`, `x402`, `meter`, `subscription` or anything else; empty if missing.
    pub kind: String,
    /// The currency of the price.
    pub currency: Option<String>,
    /// The price of one request.
    pub price: Option<Price>,
}

/// A price as it was written, and what it says, if it is a decimal.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Price {
    /// As written.
    pub text: String,
    /// What it is: a plain decimal that isn't negative.
    pub amount: Option<Amount>,
}

impl Payment {
    pub(super) fn of(node: Option<&Node>) -> Option<Self> {
        let node = node?;
        let methods = node.get("methods");
        Some(Self {
            methods: methods
                .map(Node::elements)
                .unwrap_or_default()
                .iter()
                .map(Method::of)
                .collect(),
            malformed: !matches!(node, Node::Map(_))
                || methods.is_some_and(|methods| !matches!(methods, Node::List(_))),
        })
    }
}

impl Method {
    fn of(node: &Node) -> Self {
        Self {
            kind: text(node, "type").unwrap_or_default(),
            currency: text(node, "currency").filter(|currency| !currency.is_empty()),
            price: node.get("price_per_request").map(Price::of),
        }
    }
}

impl Price {
    fn of(node: &Node) -> Self {
        Self {
            text: node
                .as_text()
                .map(|text| text.into_owned())
                .unwrap_or_default(),
            amount: as_amount(node).filter(|amount| !amount.is_negative()),
        }
    }
}

/// Limits by tier. They are reported, not enforced.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct RateLimits {
    /// For anyone.
    pub default: Option<Rate>,
    /// For who holds a credential.
    pub authenticated: Option<Rate>,
    /// For subscribers.
    pub premium: Option<Rate>,
}

/// The limit of one tier.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Rate {
    /// Requests a minute.
    pub per_minute: Option<Requests>,
}

/// How many requests.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Requests {
    /// No limit.
    Unlimited,
    /// That many.
    Limited(Amount),
}

impl RateLimits {
    pub(super) fn of(node: Option<&Node>) -> Option<Self> {
        let node = node?;
        Some(Self {
            default: Rate::of(node.get("default")),
            authenticated: Rate::of(node.get("authenticated")),
            premium: Rate::of(node.get("premium")),
        })
    }
}

impl Rate {
    fn of(node: Option<&Node>) -> Option<Self> {
        let node = node?;
        let Node::Map(_) = node else { return None };
        let per_minute =
            node.get("requests_per_minute")
                .and_then(|value| match value.as_text().as_deref() {
                    Some("unlimited") => Some(Requests::Unlimited),
                    _ => as_amount(value).map(Requests::Limited),
                });
        Some(Self { per_minute })
    }
}
