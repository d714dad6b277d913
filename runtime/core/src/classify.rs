//! From the targets of a call to the domains it touches.

use crate::json::Value;
use crate::surroundings::Links;
use crate::targets::ground::Ground;
use crate::targets::place::Holder;
use crate::targets::target::{Kind, Target};
use crate::targets::{self};

/// What a call touches by path, by URL, or because it cannot be told.
///
/// Tools and skills that a domain lists are names, and are found with all other names.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Classification {
    targets: Vec<Target>,
    own: bool,
}

/// Why a call is governed.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Governed {
    /// It names a governed path, or a folder it goes into has one.
    Path,
    /// It names a governed URL.
    Url,
    /// It cannot be told what it reaches for.
    Indeterminate,
}

impl Governed {
    /// The word of the classification.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Url => "url",
            Self::Indeterminate => "indeterminate",
        }
    }
}

/// Classifies a call of a tool: the tool's own name, and its arguments.
#[must_use]
pub fn classify(
    ground: &Ground<'_>,
    links: &dyn Links,
    tool: &str,
    arguments: &Value<'_>,
) -> Classification {
    let (targets, own) = targets::of_call(ground, links, tool, arguments);
    Classification { targets, own }
}

/// Classifies the address of a resource, which may be a URL or a path.
#[must_use]
pub fn classify_address(ground: &Ground<'_>, links: &dyn Links, address: &str) -> Classification {
    let (targets, own) = targets::of_address(ground, links, address);
    Classification { targets, own }
}

impl Classification {
    /// Whether any domain is touched.
    #[must_use]
    pub fn is_governed(&self) -> bool {
        !self.domains().is_empty()
    }

    /// The domains touched, by index, ascending, each once.
    #[must_use]
    pub fn domains(&self) -> Vec<u32> {
        self.held(|holder| match holder {
            Holder::Domain(index) => Some(index),
            Holder::Approval(_) => None,
        })
    }

    /// The approval rules whose paths are touched, by index, ascending, each once.
    #[must_use]
    pub fn approvals(&self) -> Vec<u32> {
        self.held(|holder| match holder {
            Holder::Approval(index) => Some(index),
            Holder::Domain(_) => None,
        })
    }

    /// Why domains are touched, each reason once.
    #[must_use]
    pub fn reasons(&self) -> Vec<Governed> {
        let in_domain = |target: &&Target| {
            let domain = |holder: &Holder| matches!(holder, Holder::Domain(_));
            target.holders().iter().any(domain)
        };
        let reason = |target: &Target| match target.kind() {
            Kind::Path | Kind::Paths => Governed::Path,
            Kind::Url => Governed::Url,
            Kind::Unknown(_) => Governed::Indeterminate,
        };
        let mut reasons: Vec<_> = self.targets.iter().filter(in_domain).map(reason).collect();
        reasons.sort_unstable();
        reasons.dedup();
        reasons
    }

    /// What is touched, and what cannot be told.
    #[must_use]
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// Whether the call reaches for knotrust's own home, page or program.
    #[must_use]
    pub const fn touches_own(&self) -> bool {
        self.own
    }

    fn held(&self, pick: impl Fn(Holder) -> Option<u32>) -> Vec<u32> {
        let holders = self
            .targets
            .iter()
            .flat_map(|target| target.holders().iter().copied());
        let mut held: Vec<u32> = holders.filter_map(pick).collect();
        held.sort_unstable();
        held.dedup();
        held
    }
}
