//! The names that generated code is written with.

pub use crate::finding::Finding;
pub use crate::glob::Glob;
pub use crate::names::{Names, Row as NameRow};
pub use crate::precedence::Row;
pub use crate::predicate::{Scalar, Step, Test};
pub use crate::reason::Reason;
pub use crate::resource::Mapping;
pub use crate::ruleset::{
    ApprovalRule, Approvals, Approver, Bound, CacheTimes, Channel, Confidence, Defaults, Domain,
    Envelope, Floor, Gates, Launch, Listing, Manifest, Mode, Money, PackedRules, Passkey, Respond,
    Reviewer, Route, Rule, Rules, Ruleset, Scope, Server, Settings, Unlisted, Use,
};
pub use crate::targets::place::{Anchor, Holder, PathTable, Places, Prefix, Prefixes};
pub use crate::tier::{Tier, Tiers};
