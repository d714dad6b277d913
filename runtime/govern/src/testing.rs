//! A policy that says nothing, for tests to say something with.

use knotrust_core::names::Names;
use knotrust_core::precedence::STANDARD;
use knotrust_core::ruleset::{
    Approvals, Defaults, Envelope, Gates, Rules, Ruleset, Settings, Unlisted,
};
use knotrust_core::targets::place::Places;
use knotrust_core::tier::Tier;

/// A policy that says nothing.
pub(crate) const POLICY: Ruleset<'static> = Ruleset {
    name: "test",
    version: 1,
    digest: "",
    files: &[],
    servers: &[],
    unlisted_servers: Unlisted::Allow,
    defaults: Defaults {
        unknown_tool: Tier::Sensitive,
        destructive_looking: Tier::Critical,
    },
    rules: Rules::Rows(&[]),
    resources: &[],
    domains: &[],
    gates: Gates::DEFAULT,
    places: Places::NONE,
    envelope: Envelope::NONE,
    approvals: Approvals::DEFAULT,
    settings: Settings::DEFAULT,
    names: Names::listed(&[]),
    precedence: STANDARD,
};
