//! What agents may do with a unit of their own accord (§4.17).

use super::member::text;
use super::node::Node;

/// The `authority` block, as far as it says something.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct ActionAuthority {
    /// Reading.
    pub read: Option<Leave>,
    /// Changing.
    pub modify: Option<Leave>,
}

/// Whether an agent may.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Leave {
    /// Of its own accord.
    Initiative,
    /// Once somebody has said yes.
    RequiresApproval,
    /// Not at all.
    Denied,
}

impl ActionAuthority {
    pub(super) fn of(node: Option<&Node>) -> Self {
        let leave = |name| node.and_then(|node| Leave::of(node, name));
        Self {
            read: leave("read"),
            modify: leave("modify"),
        }
    }

    /// The same, with what it doesn't say taken from the default.
    pub(super) fn or(self, default: Self) -> Self {
        Self {
            read: self.read.or(default.read),
            modify: self.modify.or(default.modify),
        }
    }
}

impl Leave {
    // Words that later versions may add say nothing here.
    fn of(node: &Node, name: &str) -> Option<Self> {
        match text(node, name)?.as_str() {
            "initiative" => Some(Self::Initiative),
            "requires_approval" => Some(Self::RequiresApproval),
            "denied" => Some(Self::Denied),
            _ => None,
        }
    }
}
