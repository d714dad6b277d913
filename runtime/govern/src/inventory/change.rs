//! What has changed at a server, for the log.

use knotrust_core::audit::event::{Event, Fingerprints, Kind};
use knotrust_core::json::Text;

/// Something that is no longer as it was, told once.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Change {
    /// What happened.
    pub kind: Kind,
    /// The server.
    pub server: String,
    /// The action, `server.tool`; none if it is about what the server says of itself.
    pub action: Option<Text<'static>>,
    /// The fingerprint of what was shown, or accepted, before.
    pub old: Option<String>,
    /// The fingerprint of what is shown, or accepted, now.
    pub new: Option<String>,
}

impl Change {
    /// The event that records it, over one that says where it was seen.
    #[must_use]
    pub fn event<'a>(&'a self, seen: Event<'a>) -> Event<'a> {
        Event {
            kind: self.kind,
            server: Some(&self.server),
            tool: self.action.as_ref(),
            reason: if self.action.is_none() {
                Some("instructions of the server")
            } else {
                None
            },
            fingerprints: Fingerprints {
                old: self.old.as_deref(),
                new: self.new.as_deref(),
            },
            ..seen
        }
    }
}
