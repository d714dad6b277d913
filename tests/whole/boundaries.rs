//! Who may import whom, and which words may appear where (`docs/architecture.md`).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, MetadataCommand};

/// Each of our packages, and all that it may depend on when it is built into the binary.
const MAY_USE: &[(&str, &[&str])] = &[
    (
        "knotrust-core",
        &[
            "base64",
            "ed25519-dalek",
            "memchr",
            "p256",
            "ryu-js",
            "serde",
            "serde_json",
            "sha2",
            "thiserror",
            "unicode-normalization",
            "url",
        ],
    ),
    (
        "knotrust-knowledge",
        &[
            "base64",
            "ed25519-dalek",
            "granit-parser",
            "knotrust-core",
            "serde",
            "serde_json",
            "thiserror",
            "unicode-normalization",
        ],
    ),
    (
        "knotrust-govern",
        &[
            "argon2",
            "base64",
            "ed25519-dalek",
            "getrandom",
            "knotrust-core",
            "knotrust-knowledge",
            "rustix",
            "serde",
            "serde_json",
            "sha2",
            "thiserror",
        ],
    ),
    (
        "knotrust-mcp",
        &[
            "knotrust-core",
            "knotrust-govern",
            "libc",
            "memchr",
            "rustix",
            "serde",
            "serde_json",
            "signal-hook",
            "thiserror",
        ],
    ),
    (
        "knotrust-web",
        &[
            "base64",
            "getrandom",
            "httparse",
            "knotrust-core",
            "knotrust-govern",
            "maud",
            "sha2",
            "subtle",
        ],
    ),
    (
        "knotrust-language",
        &[
            "annotate-snippets",
            "base64",
            "granit-parser",
            "knotrust-core",
            "knotrust-knowledge",
            "schemars",
            "serde",
            "serde_json",
            "strsim",
            "thiserror",
        ],
    ),
    (
        "knotrust-codegen",
        &[
            "knotrust-core",
            "knotrust-language",
            "prettyplease",
            "proc-macro2",
            "quote",
            "syn",
        ],
    ),
    (
        "knotrust-cli",
        &[
            "anstream",
            "anstyle",
            "clap",
            "clap_complete",
            "clap_mangen",
            "knotrust-core",
            "knotrust-govern",
            "knotrust-knowledge",
            "knotrust-language",
            "knotrust-mcp",
            "knotrust-web",
            "serde",
            "serde_json",
            "tempfile",
            "thiserror",
        ],
    ),
    ("knotrust", &["knotrust-cli", "knotrust-core"]),
];

/// Words of the protocol, and the crates that know none of them.
const PROTOCOL_WORDS: &[&str] = &[
    "jsonrpc",
    "tools/call",
    "tools/list",
    "isError",
    "elicitation/create",
];
const WITHOUT_PROTOCOL: &[&str] = &["runtime/core", "runtime/knowledge", "codegen"];

/// What a pure crate never touches.
const EFFECTS: &[&str] = &[
    "std::fs",
    "std::net::Tcp",
    "std::net::Udp",
    "std::process",
    "std::thread",
    "std::env::var",
    "SystemTime::now",
    "Instant::now",
    "HashMap<",
];
const PURE: &[&str] = &["runtime/core", "runtime/knowledge"];

#[test]
fn packages_depend_on_what_the_table_says_and_nothing_else() {
    let metadata = MetadataCommand::new().no_deps().exec().unwrap();
    let mut seen = BTreeSet::new();
    for package in &metadata.packages {
        let table: BTreeMap<_, _> = MAY_USE.iter().copied().collect();
        let allowed = table
            .get(package.name.as_str())
            .unwrap_or_else(|| panic!("{} is not in the table", package.name));
        seen.insert(package.name.to_string());
        for dependency in &package.dependencies {
            if dependency.kind == DependencyKind::Normal {
                assert!(
                    allowed.contains(&dependency.name.as_str()),
                    "{} uses {}",
                    package.name,
                    dependency.name
                );
            }
        }
    }
    assert_eq!(seen.len(), MAY_USE.len());
}

#[test]
fn no_crate_below_the_surfaces_knows_the_protocol() {
    for (path, text) in WITHOUT_PROTOCOL.iter().flat_map(|folder| sources(folder)) {
        for word in PROTOCOL_WORDS {
            assert!(
                !code(&text).contains(word),
                "{} says {word}",
                path.display()
            );
        }
    }
}

#[test]
fn the_pure_crates_touch_nothing() {
    for (path, text) in PURE.iter().flat_map(|folder| sources(folder)) {
        for effect in EFFECTS {
            assert!(
                !code(&text).contains(effect),
                "{} uses {effect}",
                path.display()
            );
        }
    }
}

/// A file's code: without comments, and without its tests.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]").next().unwrap();
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n")
}

fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && !["tests", "benches", "target"].contains(&name.as_str()) {
                folders.push(path);
            } else if name.ends_with(".rs") && name != "tests.rs" {
                found.push((path.clone(), fs::read_to_string(&path).unwrap()));
            }
        }
    }
    assert!(!found.is_empty());
    found
}
