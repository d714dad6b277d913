//! Action scopes: what a procedure may touch, and what it must never.

mod conformance;
mod observed;
mod pattern;

pub(crate) use conformance::covers;
pub use conformance::{Conformance, Enclosing, Prohibited, conformance};
pub use observed::{Observed, Purchase};
pub(crate) use pattern::lies_below;
pub use pattern::{folded, matches_path, may_match};

use crate::manifest::Denials;

/// The kinds of things a scope speaks about, in the order in which they are looked at.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Dimension {
    /// Tools, by name.
    Tools,
    /// Paths, by pattern.
    Paths,
    /// Capabilities, by name.
    Capabilities,
}

impl Dimension {
    /// The member of a scope.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Paths => "paths",
            Self::Capabilities => "capabilities",
        }
    }

    /// What is denied of this kind.
    pub(crate) fn denied(self, deny: &Denials) -> &[String] {
        match self {
            Self::Tools => &deny.tools,
            Self::Paths => &deny.paths,
            Self::Capabilities => &deny.capabilities,
        }
    }

    /// The first pattern or name that denies a token.
    pub(crate) fn denying<'d>(self, deny: &'d Denials, token: &str) -> Option<&'d str> {
        let denied = self.denied(deny).iter().map(String::as_str);
        match self {
            Self::Tools | Self::Capabilities => denied.into_iter().find(|known| *known == token),
            Self::Paths => {
                let spellings = spellings(token);
                let hits = |pattern: &str, path: &String| {
                    matches_path(pattern, path) || may_match(pattern, path)
                };
                denied
                    .into_iter()
                    .find(|pattern| spellings.iter().any(|path| hits(pattern, path)))
            }
        }
    }
}

/// How a path may be meant: as written, folded, and taken to start where the scope starts.
pub(crate) fn spellings(path: &str) -> Vec<String> {
    let folded = folded(path);
    let within = folded.trim_start_matches("../").to_owned();
    vec![path.to_owned(), folded, within]
}
