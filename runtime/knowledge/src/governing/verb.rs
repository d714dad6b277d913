//! What a call does to what it touches.

use crate::manifest::{ActionScope, Leave, Unit};
use crate::scope::{Dimension, covers};

/// What a call does to what it touches.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub enum Verb {
    /// It only looks.
    #[default]
    Read,
    /// It changes, or may.
    Write,
    /// It takes away.
    Delete,
}

impl Verb {
    pub(super) const fn participle(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "changed",
            Self::Delete => "deleted",
        }
    }

    /// The capabilities that say so.
    pub(super) const fn capabilities(self) -> &'static [&'static str] {
        match self {
            Self::Read => &["read"],
            Self::Write => &["write", "edit", "modify"],
            Self::Delete => &["delete", "remove"],
        }
    }

    /// Whether a unit lets itself be treated so, by that tool, once a plan admits it.
    pub(super) fn is_allowed_by(self, unit: &Unit, tool: &str) -> bool {
        let leave = match self {
            Self::Read => unit.authority.read,
            Self::Write | Self::Delete => unit.authority.modify,
        };
        match leave {
            Some(Leave::RequiresApproval | Leave::Denied) => return false,
            Some(Leave::Initiative) if self == Self::Write => return true,
            Some(Leave::Initiative) | None => {}
        }
        let scope = unit.action_scope.as_ref();
        let is_denied = scope
            .and_then(|scope| scope.deny.as_ref())
            .is_some_and(|deny| {
                let denies =
                    |dimension: Dimension, token: &str| dimension.denying(deny, token).is_some();
                denies(Dimension::Tools, tool)
                    || denies(Dimension::Paths, &unit.path)
                    || self
                        .capabilities()
                        .iter()
                        .any(|capability| denies(Dimension::Capabilities, capability))
            });
        if is_denied {
            return false;
        }
        self == Self::Read || scope.is_some_and(|scope| self.is_said_by(scope, tool, &unit.path))
    }

    /// Whether a scope names this expressly: its capability, or the tool; and, where it names paths, this one.
    pub(super) fn is_said_by(self, scope: &ActionScope, tool: &str, path: &str) -> bool {
        let named = scope.tools.listed().iter().any(|known| known == tool)
            || self.capabilities().iter().any(|capability| {
                scope
                    .capabilities
                    .listed()
                    .iter()
                    .any(|known| known == capability)
            });
        let paths = scope.paths.texts();
        !scope.is_malformed()
            && named
            && (paths.is_empty() || paths.iter().any(|pattern| covers(pattern, path)))
    }
}
