//! Exit codes, as `docs/cli.md` lists them.

/// What was asked for was done.
pub(crate) const OK: u8 = 0;
/// It was not: an invalid ruleset, a failed test, a broken chain, an unusable home.
pub(crate) const FAILED: u8 = 1;
/// The command line makes no sense.
pub(crate) const USAGE: u8 = 2;
