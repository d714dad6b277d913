//! Programs with a language of their own in their words: `git`, `sed`, `awk`, `tar`.

mod awk;
mod git;
mod sed;
mod tar;

pub(super) use awk::awk;
pub(super) use git::git;
pub(super) use sed::sed;
pub(super) use tar::tar;
