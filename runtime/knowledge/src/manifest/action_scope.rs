//! What a procedure may touch, and what it must never.

use knotrust_core::json::Value;

use super::listing::Listing;
use super::member::{amount, text};
use super::node::Node;
use crate::amount::Amount;
use crate::members::{Members, text as json_text, texts};

/// The declared reach of a skill or playbook (§4.3a).
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ActionScope {
    /// Names of tools.
    pub tools: Listing,
    /// Path patterns.
    pub paths: Listing,
    /// Capabilities.
    pub capabilities: Listing,
    /// What it may buy. Without it: nothing (§4.3a.1).
    pub spend: Option<Spend>,
    /// What it must not do, whatever else says it may.
    pub deny: Option<Denials>,
    /// Whether something stands where `spend` or `deny` must be a mapping, or the scope itself is none.
    pub malformed: bool,
}

/// Bounds of purchases.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Spend {
    /// The most one purchase may cost.
    pub max_spend: Option<Amount>,
    /// Whom it may buy from; anyone if there are none.
    pub allowed_vendors: Vec<String>,
    /// The currency of the bound.
    pub currency: Option<String>,
    /// Whether some bound is declared that can't be read. Nothing can be bought under it.
    pub unreadable: bool,
}

/// What is denied, by dimension. Whatever stands there denies, list or not.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Denials {
    /// Names of tools.
    pub tools: Vec<String>,
    /// Path patterns.
    pub paths: Vec<String>,
    /// Capabilities.
    pub capabilities: Vec<String>,
}

impl ActionScope {
    /// Reads a scope that was written as JSON; what is no object is a scope that can't be read.
    #[must_use]
    pub fn from_json(value: &Value<'_>) -> Self {
        Self::of(Some(&Node::from(value))).unwrap_or_default()
    }

    pub(crate) fn of(node: Option<&Node>) -> Option<Self> {
        let node = node?;
        let Node::Map(_) = node else {
            return Some(Self {
                malformed: true,
                ..Self::default()
            });
        };
        let listing = |name| Listing::of(node.get(name)).without_blanks();
        let is_map = |name| {
            node.get(name)
                .is_none_or(|value| matches!(value, Node::Map(_)))
        };
        Some(Self {
            tools: listing("tools"),
            paths: listing("paths"),
            capabilities: listing("capabilities"),
            spend: node.get("spend").map(Spend::of),
            deny: node.get("deny").map(Denials::of),
            malformed: !is_map("spend") || !is_map("deny"),
        })
    }

    /// Whether it grants nothing at all.
    #[must_use]
    pub fn grants_nothing(&self) -> bool {
        [&self.tools, &self.paths, &self.capabilities]
            .iter()
            .all(|list| list.texts().is_empty())
            && self.spend.is_none()
    }

    /// Whether some member is not what it must be, so that nobody can say what it binds.
    #[must_use]
    pub const fn is_malformed(&self) -> bool {
        self.malformed
            || self.tools.is_malformed()
            || self.paths.is_malformed()
            || self.capabilities.is_malformed()
    }
}

impl ActionScope {
    /// The scope as plans repeat it: lists always, the rest where it is declared.
    pub(crate) fn to_json(&self) -> Value<'static> {
        self.members()
            .maybe("deny", self.deny.as_ref().map(Denials::to_json))
            .done()
    }

    fn members(&self) -> Members {
        Members::new()
            .set("tools", texts(self.tools.listed()))
            .set("paths", texts(self.paths.texts()))
            .set("capabilities", texts(self.capabilities.listed()))
            .maybe("spend", self.spend.as_ref().map(Spend::to_json))
    }
}

impl ActionScope {
    /// The scope as it binds what follows: denials only where there are some.
    pub(crate) fn to_brief_json(&self) -> Value<'static> {
        self.members()
            .maybe("deny", self.deny.as_ref().map(Denials::to_brief_json))
            .done()
    }
}

impl Spend {
    pub(crate) fn to_json(&self) -> Value<'static> {
        let vendors = (!self.allowed_vendors.is_empty()).then(|| texts(&self.allowed_vendors));
        Members::new()
            .maybe("max_spend", self.max_spend.map(Amount::to_json))
            .maybe("allowed_vendors", vendors)
            .maybe("currency", self.currency.as_deref().map(json_text))
            .done()
    }

    fn of(node: &Node) -> Self {
        let vendors = Listing::of(node.get("allowed_vendors"));
        let max_spend = amount(node, "max_spend");
        let bound_is_readable =
            node.get("max_spend").is_none() || max_spend.is_some_and(|bound| !bound.is_negative());
        Self {
            max_spend,
            allowed_vendors: vendors.texts().to_vec(),
            currency: text(node, "currency"),
            unreadable: !matches!(node, Node::Map(_))
                || vendors.is_malformed()
                || !bound_is_readable,
        }
    }
}

impl Denials {
    fn of(node: &Node) -> Self {
        let texts = |name| Listing::of(node.get(name)).texts().to_vec();
        Self {
            tools: texts("tools"),
            paths: texts("paths"),
            capabilities: texts("capabilities"),
        }
    }

    fn to_json(&self) -> Value<'static> {
        Members::new()
            .set("tools", texts(&self.tools))
            .set("paths", texts(&self.paths))
            .set("capabilities", texts(&self.capabilities))
            .done()
    }

    fn to_brief_json(&self) -> Value<'static> {
        let some = |names: &[String]| (!names.is_empty()).then(|| texts(names));
        Members::new()
            .maybe("tools", some(&self.tools))
            .maybe("paths", some(&self.paths))
            .maybe("capabilities", some(&self.capabilities))
            .done()
    }

    /// Whether nothing is denied.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.tools.is_empty() && self.paths.is_empty() && self.capabilities.is_empty()
    }
}
