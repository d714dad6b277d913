//! From the name of an action to the patterns that match it.

use crate::glob::Glob;

/// All patterns of a policy over action names.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The patterns, by id.
    pub globs: &'a [Glob<'a>],
}

impl Names<'_> {
    /// No patterns.
    pub const NONE: Self = Self { globs: &[] };

    /// Hands over the ids of all patterns that match.
    pub fn each_matching(&self, name: &str, mut found: impl FnMut(u32)) {
        for (id, glob) in (0..).zip(self.globs) {
            if glob.matches(name) {
                found(id);
            }
        }
    }
}

/// The characters that make a tool's name one that no server may use (MCP: `A-Z a-z 0-9 _ - .`, 1 to 128).
#[must_use]
pub fn irregular(name: &str) -> Vec<u32> {
    let plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    name.chars().filter(|c| !plain(c)).map(u32::from).collect()
}
