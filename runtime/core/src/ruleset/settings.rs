//! Modes and times of a policy.

use crate::tier::Tier;

/// Modes and times.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Settings {
    /// Whose policy it is.
    pub scope: Scope,
    /// Whether decisions are carried out.
    pub mode: Mode,
    /// How long decisions may be remembered.
    pub cache: CacheTimes,
    /// What a client sees of tools it may not call.
    pub listing: Listing,
    /// Whether critical tools are marked in listings.
    pub mark_critical: bool,
    /// Which results carry a note of what was decided.
    pub respond: Respond,
    /// Whether raw arguments are written to the audit log.
    pub capture_arguments: bool,
    /// Whether calls that nothing governs are written to the audit log.
    pub audit_all_calls: bool,
}

/// Whose policy it is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Scope {
    /// One person's.
    Personal,
    /// An organisation's.
    Org,
}

/// Whether decisions are carried out.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Mode {
    /// They are.
    Enforce,
    /// A dry run: all is decided and recorded, nothing is withheld.
    Observe,
}

/// How long decisions may be remembered, in milliseconds. Critical ones never are.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct CacheTimes {
    /// Routine decisions.
    pub routine: u64,
    /// Sensitive decisions.
    pub sensitive: u64,
}

impl CacheTimes {
    /// For how many milliseconds a decision of that tier may be remembered.
    #[must_use]
    pub const fn of(self, tier: Tier) -> Option<u64> {
        match tier {
            Tier::Routine => Some(self.routine),
            Tier::Sensitive => Some(self.sensitive),
            Tier::Critical => None,
        }
    }
}

/// What a client sees of tools it may not call.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Listing {
    /// The server's list, as it is.
    Passthrough,
    /// The list without what is denied unconditionally.
    HideDenied,
}

/// Which results carry a note of what was decided.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Respond {
    /// None.
    Never,
    /// Those of calls that governance touched.
    Governed,
    /// All.
    Always,
}

impl Settings {
    /// What holds where a policy says nothing.
    pub const DEFAULT: Self = Self {
        scope: Scope::Personal,
        mode: Mode::Enforce,
        cache: CacheTimes {
            routine: 300_000,
            sensitive: 60_000,
        },
        listing: Listing::Passthrough,
        mark_critical: false,
        respond: Respond::Governed,
        capture_arguments: false,
        audit_all_calls: true,
    };
}
