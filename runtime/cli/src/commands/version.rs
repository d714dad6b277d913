//! `knotrust --version`: the program, and the policy it holds.

use knotrust_core::ruleset::Ruleset;

/// Version of the program; name, version and digest of the policy.
pub(crate) fn line(ruleset: &Ruleset<'_>) -> String {
    format!(
        "{} (ruleset {} {}, policy sha256:{})",
        env!("CARGO_PKG_VERSION"),
        ruleset.name,
        ruleset.version,
        ruleset.digest
    )
}
