//! The content of units, from the folder of their manifest.

use std::path::Path;

use crate::manifests::bytes;

/// The content of a unit: of a plain file below the folder, wherever links in it lead. A link to another unit leads to what
/// that unit would have to admit, which `may` says of the path it has in truth.
///
/// # Errors
///
/// Why it can't be had.
pub fn content(
    folder: &Path,
    path: &str,
    may: impl Fn(&str) -> bool,
) -> Result<Vec<u8>, &'static str> {
    let missing = "the content cannot be read";
    let root = folder.canonicalize().map_err(|_| missing)?;
    let real = root.join(path).canonicalize().map_err(|_| missing)?;
    let below = real
        .strip_prefix(&root)
        .map_err(|_| "the content lies outside of the manifest's folder")?;
    let below = below.to_str().ok_or(missing)?;
    if !may(below) {
        return Err("the content is that of a unit that is not load-eligible");
    }
    bytes(&real).map_err(|_| missing)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_lead_nowhere_else() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("docs");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("a.md"), "a").unwrap();
        fs::write(folder.join("b.md"), "b").unwrap();
        fs::write(scratch.path().join("secret"), "s").unwrap();
        symlink("b.md", folder.join("to-b.md")).unwrap();
        symlink("../secret", folder.join("out.md")).unwrap();
        let read = |path: &str| content(&folder, path, |real| real != "b.md");
        assert_eq!(read("a.md").unwrap(), b"a");
        for path in ["to-b.md", "out.md", "gone.md", "../secret", "."] {
            assert!(read(path).is_err(), "{path}");
        }
    }
}
