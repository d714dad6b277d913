//! References to other manifests.

use std::collections::BTreeSet;

use super::{Findings, unit_place, units};
use crate::manifest::node::Node;
use crate::manifest::{Draft, Reference};

pub(super) fn look(draft: &Draft, findings: &mut Findings) {
    let references = draft.references();
    let mut ids = BTreeSet::new();
    for reference in &references {
        let name = if reference.id.is_empty() {
            "(no id)"
        } else {
            &reference.id
        };
        let place = format!("manifest ref '{name}'");
        match reference.id.as_str() {
            "" => findings.error(&place, "id-missing", "`id` is missing"),
            id if !ids.insert(id) => {
                findings.error(&place, "reference-id-duplicate", "the id was used before")
            }
            id if !is_legal(id) => {
                findings.error(
                    &place,
                    "reference-id-malformed",
                    "an id is lower-case letters, digits, dots and hyphens",
                );
            }
            _ => {}
        }
        look_at_url(reference, &place, findings);
        if reference.identity.required && reference.identity.credential_hint.is_none() {
            let message = "an identity is required and nothing says which, so no agent can prepare";
            findings.warning(&place, "identity-without-hint", message);
        }
    }
    look_at_dependencies(draft, &ids, findings);
}

fn is_legal(id: &str) -> bool {
    id.bytes()
        .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-'))
}

/// What is fetched without protection is refused (§3.6); what is named from here may be no URL at all.
fn look_at_url(reference: &Reference, place: &str, findings: &mut Findings) {
    let url = reference.url.trim_start().to_ascii_lowercase();
    if url.is_empty() {
        findings.error(place, "reference-url-missing", "`url` is missing");
    } else if url.starts_with("http://") {
        findings.error(
            place,
            "reference-not-https",
            "the url is not https, so anyone on the way can change what it names",
        );
    } else if !url.starts_with("https://") {
        findings.warning(place, "reference-not-https", "the url is not https");
    }
}

/// Units that depend on manifests nobody refers to.
fn look_at_dependencies(draft: &Draft, ids: &BTreeSet<&str>, findings: &mut Findings) {
    for read in units(draft) {
        let dependencies = read
            .node
            .get("external_depends_on")
            .map(Node::elements)
            .unwrap_or_default();
        for dependency in dependencies {
            let manifest = dependency
                .get("manifest")
                .and_then(Node::as_text)
                .unwrap_or_default();
            if !ids.contains(&*manifest) {
                let message =
                    format!("it depends on manifest `{manifest}`, which is not referred to");
                findings.warning(&unit_place(&read.unit.id), "dependency-unknown", message);
            }
        }
    }
}
