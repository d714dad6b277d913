//! What a walk has found.

use knotrust_core::json::Value;

use super::Location;
use crate::members::{Members, list, text};
use crate::plan::Plan;
use crate::signature::Verification;

/// One manifest of a walk.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The reference that led to it; nothing for the first.
    pub reference: Option<String>,
    /// Where it came from.
    pub location: Location,
    /// Its plan, unless it is dead.
    pub plan: Option<Plan>,
    /// What its signature proves.
    pub signature: Option<Verification>,
    /// What it died of.
    pub error: Option<String>,
    /// References that were not followed.
    pub not_followed: Vec<NotFollowed>,
    pub(super) children: Vec<usize>,
}

/// A reference that was not followed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct NotFollowed {
    /// Its name.
    pub id: String,
    /// Where it would have led.
    pub url: String,
    /// Why it wasn't.
    pub reason: String,
}

/// The manifests of a walk. The first is the one it started from.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree(pub(super) Vec<Node>);

impl Node {
    pub(super) fn at(location: &Location, reference: Option<String>) -> Self {
        Self {
            reference,
            location: location.clone(),
            plan: None,
            signature: None,
            error: None,
            not_followed: Vec::new(),
            children: Vec::new(),
        }
    }
}

impl Tree {
    /// All manifests, each before those it refers to.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.0
    }

    /// The places among [`Self::nodes`] of those that one refers to.
    pub fn children(&self, index: usize) -> impl Iterator<Item = usize> {
        let children = self.0.get(index).map(|node| node.children.as_slice());
        children.unwrap_or_default().iter().copied()
    }

    /// The manifest it started from.
    #[must_use]
    pub fn root(&self) -> Option<&Node> {
        self.0.first()
    }

    /// The tree as it is told.
    #[must_use]
    pub fn to_json(&self) -> Value<'static> {
        self.root().map_or(Value::Null, |root| self.node(root))
    }

    // Children come after their parents, and the walk bounds how deep they lie.
    fn node(&self, node: &Node) -> Value<'static> {
        let not_followed = |reference: &NotFollowed| {
            Members::new()
                .text("id", &reference.id)
                .text("url", &reference.url)
                .text("reason", &reference.reason)
                .done()
        };
        let children = node.children.iter().filter_map(|index| self.0.get(*index));
        Members::new()
            .maybe("refId", node.reference.as_deref().map(text))
            .text("location", node.location.as_str())
            .maybe("plan", node.plan.as_ref().map(Plan::to_json))
            .maybe(
                "signature",
                node.signature.as_ref().map(Verification::to_json),
            )
            .maybe("error", node.error.as_deref().map(text))
            .set(
                "notFollowed",
                list(node.not_followed.iter().map(not_followed)),
            )
            .set("children", list(children.map(|child| self.node(child))))
            .done()
    }
}
