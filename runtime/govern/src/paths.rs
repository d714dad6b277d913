//! Symbolic links: the one thing about paths that only the file system knows.

use std::fs;
use std::path::{Path, PathBuf};

/// Where a symbolic link leads, absolute; nothing if the path is no link.
#[must_use]
pub fn link(path: &str) -> Option<String> {
    let target = fs::read_link(path).ok()?;
    let folder = Path::new(path)
        .parent()
        .map_or_else(PathBuf::new, Path::to_path_buf);
    Some(folder.join(target).to_string_lossy().into_owned())
}
