//! Symbolic links: the one thing about paths that only the file system knows.

use std::fs;
use std::io::ErrorKind;

use knotrust_core::surroundings::{Entry, Links};

/// The links of the file system that this process sees.
#[derive(Clone, Copy, Debug)]
pub struct FileSystem;

impl Links for FileSystem {
    fn look(&self, folder: &str, name: &str) -> Entry {
        let path = [folder, name].join("/");
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => target(&path),
            Ok(_) => Entry::Plain,
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename
                ) =>
            {
                Entry::Missing
            }
            Err(_) => Entry::Unknown,
        }
    }
}

// A target that is no text names no governed path as the policy spells it, and nothing else can be said of it.
fn target(path: &str) -> Entry {
    match fs::read_link(path).map(|target| target.into_os_string().into_string()) {
        Ok(Ok(target)) => Entry::Link(target),
        Ok(Err(_)) | Err(_) => Entry::Unknown,
    }
}
