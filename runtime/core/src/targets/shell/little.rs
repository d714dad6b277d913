//! Programs with a language of their own in their words: `git`, `sed`, `awk`.

mod awk;
mod git;
mod sed;

pub(super) use awk::awk;
pub(super) use git::git;
pub(super) use sed::sed;
