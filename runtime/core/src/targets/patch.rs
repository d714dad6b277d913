//! The files that a patch names.

/// The paths that the header lines of a patch name, in the forms of agents and of `diff` and `git`.
pub(super) fn paths(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(header)
}

/// Whether a text is a patch rather than something that mentions one.
pub(super) fn is_patch(text: &str) -> bool {
    let text = text.trim_start();
    ["*** Begin Patch", "diff --git ", "--- ", "Index: "]
        .iter()
        .any(|start| text.starts_with(start))
}

fn header(line: &str) -> Vec<&str> {
    let line = line.trim_end();
    let after = |start| line.strip_prefix(start);
    if let Some(files) = after("diff --git ") {
        return files.split(' ').flat_map(sides).collect();
    }
    for start in AGENT {
        if let Some(path) = after(start) {
            return vec![path.trim()];
        }
    }
    for start in DIFF {
        if let Some(path) = after(start) {
            let path = path.split('\t').next().unwrap_or(path);
            return sides(path).collect();
        }
    }
    Vec::new()
}

/// A path as it stands, and without the `a/` or `b/` that `git` puts in front, or any other first folder.
fn sides(path: &str) -> impl Iterator<Item = &str> {
    let path = path.trim().trim_matches('"');
    let stripped = path.split_once('/').map(|(_, rest)| rest);
    [Some(path), stripped].into_iter().flatten()
}

const AGENT: [&str; 4] = [
    "*** Update File:",
    "*** Add File:",
    "*** Delete File:",
    "*** Move to:",
];
const DIFF: [&str; 9] = [
    "--- ",
    "+++ ",
    "*** ",
    "rename from ",
    "rename to ",
    "copy from ",
    "copy to ",
    "Index: ",
    "diff -r ",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_name_files() {
        let patch = "*** Begin Patch\n*** Update File: docs/a.md\n*** Move to: b.md\n@@\n-x\n+y\n*** End Patch";
        let found: Vec<_> = paths(patch).collect();
        assert!(
            found.contains(&"docs/a.md") && found.contains(&"b.md"),
            "{found:?}"
        );
        let diff = "diff --git a/docs/a.md b/docs/b.md\n--- a/docs/a.md\t2024\n+++ b/docs/b.md\n@@ -1 +1 @@\n-x/y\n";
        let found: Vec<_> = paths(diff).collect();
        assert!(
            found.contains(&"docs/a.md") && found.contains(&"docs/b.md"),
            "{found:?}"
        );
        assert!(!found.contains(&"x/y"));
    }
}
