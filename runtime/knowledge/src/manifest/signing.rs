//! What a manifest says about its signature, and about where it is served.

use super::listing::Listing;
use super::member::text;
use super::node::Node;

/// The `signing` block, or the older `trust.content_integrity` read as one.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Signing {
    /// The algorithm, `ed25519` if absent.
    pub scheme: Option<String>,
    /// A public key or where to find it.
    pub public_key: Option<String>,
    /// A signature or where to find it.
    pub signature: Option<String>,
    /// The name of the key.
    pub key_id: Option<String>,
}

impl Signing {
    pub(super) fn of(root: &Node) -> Option<Self> {
        let nonempty = |node: &Node, name| text(node, name).filter(|text| !text.is_empty());
        if let Some(node) = root.get("signing") {
            return Some(Self {
                scheme: nonempty(node, "scheme"),
                public_key: nonempty(node, "public_key"),
                signature: nonempty(node, "signature"),
                key_id: nonempty(node, "key_id"),
            });
        }
        let integrity = root.get("trust")?.get("content_integrity")?;
        let inner = integrity.get("signing").unwrap_or(&Node::Null);
        Some(Self {
            scheme: nonempty(inner, "algorithm"),
            public_key: nonempty(inner, "public_key"),
            signature: nonempty(integrity, "signature_file"),
            key_id: nonempty(inner, "key_id"),
        })
    }
}

/// Where the manifest says it is served (§3.12).
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Serving {
    /// URLs of the manifest itself.
    pub manifest: Listing,
    /// URLs of servers that speak for it.
    pub mcp: Listing,
}

impl Serving {
    pub(super) fn of(node: Option<&Node>) -> Option<Self> {
        let node = node?;
        if !matches!(node, Node::Map(_)) {
            // It means to name places, and names none.
            let manifest = Listing::of(Some(node));
            return Some(Self {
                manifest,
                ..Self::default()
            });
        }
        Some(Self {
            manifest: Listing::of(node.get("manifest")),
            mcp: Listing::of(node.get("mcp")),
        })
    }
}
