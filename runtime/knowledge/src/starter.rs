//! A first manifest for a project that has none.

use std::collections::BTreeSet;
use std::fmt::Write;

use knotrust_core::json::write;

use crate::manifest::PathFault;
use crate::members::text;

/// A manifest with one unit for each of some files. What the units answer is for a person to say; this is where to begin.
#[must_use]
pub fn starter(project: &str, paths: &[&str]) -> String {
    let mut out = format!(
        "kcp_version: \"0.32\"\nproject: {}\nversion: \"0.1.0\"\nunits:\n",
        quoted(project)
    );
    let mut ids = BTreeSet::new();
    for path in paths
        .iter()
        .filter(|path| PathFault::of(path).is_none())
        .take(MOST_UNITS)
    {
        let words = words(path);
        let Some(id) = free_id(&words.join("-"), &mut ids) else {
            continue;
        };
        let triggers: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        let unit = format!(
            "  - id: {}\n    path: {}\n    intent: {}\n    scope: project\n    audience: [agent, human]\n    triggers: [{}]\n",
            quoted(&id),
            quoted(path),
            quoted(&format!("What is in {path}?")),
            triggers.join(", ")
        );
        // Writing to a string cannot fail.
        let _ = out.write_str(&unit);
    }
    if ids.is_empty() {
        out = out.replace("units:\n", "units: []\n");
    }
    out
}

/// A text that YAML reads back as it is: JSON's strings are YAML's.
fn quoted(value: &str) -> String {
    write(&text(value))
}

/// The words of a path, without the ending of the file's name.
fn words(path: &str) -> Vec<String> {
    let stem = path
        .rsplit_once('.')
        .map_or(path, |(stem, _)| if stem.is_empty() { path } else { stem });
    let folded = stem.to_lowercase();
    let words = folded
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

fn free_id(wanted: &str, taken: &mut BTreeSet<String>) -> Option<String> {
    let plain: String = wanted
        .chars()
        .filter(|character| character.is_ascii_alphanumeric() || *character == '-')
        .collect();
    let plain = plain.trim_matches('-');
    let base = if plain.is_empty() { "unit" } else { plain };
    let numbered = (2..).map(|number| format!("{base}-{number}"));
    let id = std::iter::once(base.to_owned())
        .chain(numbered)
        .take(1_000)
        .find(|id| !taken.contains(id))?;
    taken.insert(id.clone());
    Some(id)
}

const MOST_UNITS: usize = 30;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::date::IsoDate;
    use crate::lint::{Surroundings, lint};
    use crate::manifest::Manifest;

    #[test]
    fn a_first_manifest_is_one() {
        let paths = [
            "README.md",
            "docs/a \"b\".md",
            "docs/ø.md",
            "docs/a-b.md",
            "../x.md",
            ".env",
        ];
        for paths in [paths.as_slice(), &[]] {
            let text = starter("my: project", paths);
            let manifest = Manifest::read(&text).unwrap();
            assert_eq!(manifest.project.as_deref(), Some("my: project"));
            assert_eq!(manifest.units().len(), paths.len().saturating_sub(1));
            let today = IsoDate::read("2026-07-06").unwrap();
            let report = lint(
                &text,
                Surroundings {
                    today: &today,
                    exists: None,
                },
            );
            assert!(report.is_ok(), "{:?}", report.findings);
        }
    }
}
