//! Steps of a playbook.

use super::listing::Listing;
use super::member::text;
use super::node::Node;

/// One step (§4.3b): a skill it uses, or an action written in place.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Step {
    /// Its name within the playbook; empty if missing.
    pub id: String,
    /// The skill.
    pub uses: Option<String>,
    /// The action, in words.
    pub action: Option<String>,
    /// Steps that come first.
    pub depends_on: Listing,
    /// The authority it needs.
    pub authority_level: Option<String>,
    /// What calls for a person: `requires_approval`, `insufficient_authority_level`, `confidence_below_threshold`.
    pub escalation: Vec<String>,
}

impl Step {
    /// The steps, or nothing where no list stands.
    pub(super) fn list(node: Option<&Node>) -> Option<Vec<Self>> {
        match node? {
            Node::List(elements) => Some(elements.iter().map(Self::of).collect()),
            Node::Null | Node::Bool(_) | Node::Number(_) | Node::Text(_) | Node::Map(_) => None,
        }
    }

    fn of(node: &Node) -> Self {
        let nonempty = |name| text(node, name).filter(|text| !text.is_empty());
        Self {
            id: text(node, "id").unwrap_or_default(),
            uses: nonempty("uses"),
            action: nonempty("action"),
            depends_on: Listing::of(node.get("depends_on")),
            // A level that is no text is a level nobody has.
            authority_level: node
                .get("authority_level")
                .map(|_| text(node, "authority_level").unwrap_or_default()),
            escalation: Listing::of(node.get("escalation")).texts().to_vec(),
        }
    }
}
