//! How much harm a call could do.

use std::fmt;

/// How much harm a call could do (reference contract, `tier`). Later is stricter.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Tier {
    /// Allowed without asking.
    Routine,
    /// Needs a grant or an explicit rule.
    Sensitive,
    /// Needs a person, every time, unless a grant of this tier covers it.
    Critical,
}

impl Tier {
    /// All tiers, mildest first.
    pub const ALL: [Self; 3] = [Self::Routine, Self::Sensitive, Self::Critical];

    /// The word used on the wire and in files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Routine => "routine",
            Self::Sensitive => "sensitive",
            Self::Critical => "critical",
        }
    }

    /// The tier of that name, if there is one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tier| tier.as_str() == name)
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A set of tiers, as a row of the precedence table or a forced approval names them.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Tiers(u8);

impl Tiers {
    /// No tier.
    pub const NONE: Self = Self(0);
    /// Every tier.
    pub const ALL: Self = Self(0b111);
    /// Routine alone.
    pub const ROUTINE: Self = Self::only(Tier::Routine);
    /// Sensitive alone.
    pub const SENSITIVE: Self = Self::only(Tier::Sensitive);
    /// Critical alone.
    pub const CRITICAL: Self = Self::only(Tier::Critical);
    /// Sensitive and critical.
    pub const ABOVE_ROUTINE: Self = Self(0b110);

    /// The set of this one tier.
    #[must_use]
    pub const fn only(tier: Tier) -> Self {
        Self(1 << tier as u8)
    }

    /// Both sets together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the tier is in the set.
    #[must_use]
    pub const fn contains(self, tier: Tier) -> bool {
        self.0 & Self::only(tier).0 != 0
    }

    /// Whether no tier is in the set.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The tiers of the set, mildest first.
    pub fn iter(self) -> impl Iterator<Item = Tier> {
        Tier::ALL
            .into_iter()
            .filter(move |tier| self.contains(*tier))
    }
}
