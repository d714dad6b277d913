//! References to other manifests.

use super::listing::Listing;
use super::member::{asks, text};
use super::node::Node;
use super::temporal::Temporal;

/// Another manifest that this one stands in relation to (§3.6).
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Reference {
    /// Its name here.
    pub id: String,
    /// Where it is.
    pub url: String,
    /// The environments it is for; all of them if nothing is declared.
    pub context: Listing,
    /// When it may be followed.
    pub temporal: Temporal,
    /// A copy beside this manifest.
    pub local_mirror: Option<String>,
    /// Who must be who to fetch it.
    pub identity: Identity,
}

/// What a reference asks of who fetches it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Identity {
    /// Whether a credential is needed.
    pub required: bool,
    /// Which.
    pub credential_hint: Option<String>,
    /// Where to read how to get it.
    pub docs_url: Option<String>,
}

impl Reference {
    pub(super) fn of(node: &Node) -> Self {
        let identity = node.get("agent_identity");
        let of_identity = |name| {
            identity
                .and_then(|node| text(node, name))
                .filter(|text| !text.is_empty())
        };
        Self {
            id: text(node, "id").unwrap_or_default(),
            url: text(node, "url").unwrap_or_default(),
            context: Listing::of(node.get("context")),
            temporal: Temporal::of(node.get("temporal")),
            local_mirror: text(node, "local_mirror").filter(|path| !path.is_empty()),
            identity: Identity {
                required: identity.is_some_and(|node| asks(node, "required")),
                credential_hint: of_identity("credential_hint"),
                docs_url: of_identity("docs_url"),
            },
        }
    }
}
