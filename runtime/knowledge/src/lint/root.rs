//! The manifest as a whole.

use super::{Findings, MANIFEST};
use crate::manifest::{Draft, Listing, Signing};
use crate::members::quoted;
use crate::serving::Place;

/// What stands at the top.
pub(super) fn look(draft: &Draft, findings: &mut Findings) {
    let written = |name: &str| {
        draft
            .root
            .get(name)
            .and_then(|node| node.as_text())
            .is_some_and(|text| !text.is_empty())
    };
    for (name, code) in [
        ("project", "project-missing"),
        ("version", "version-missing"),
        ("kcp_version", "kcp-version-missing"),
    ] {
        if !written(name) {
            findings.warning(MANIFEST, code, format!("`{name}` is missing"));
        }
    }
    if let Some(version) = draft
        .root
        .get("kcp_version")
        .and_then(|node| node.as_text())
        && !version.is_empty()
        && !is_known_version(&version)
    {
        findings.warning(
            MANIFEST,
            "kcp-version-unknown",
            format!("version `{version}` of the specification is not known"),
        );
    }
    if draft.units.is_empty() {
        findings.warning(
            MANIFEST,
            "no-units",
            "there are no units, so there is nothing to navigate",
        );
    }
}

fn is_known_version(version: &str) -> bool {
    let mut parts = version.split('.').map(str::parse::<u32>);
    let (major, minor) = (parts.next(), parts.next());
    matches!((major, minor), (Some(Ok(0)), Some(Ok(1..=LAST_MINOR))))
        && parts.all(|part| part.is_ok())
}

/// Trust, signature and places of service.
pub(super) fn look_again(draft: &Draft, findings: &mut Findings) {
    let attestation = draft.attestation();
    if attestation.required && attestation.trusted_providers.is_empty() {
        findings.error(
            MANIFEST,
            "attestation-unsatisfiable",
            "attestation is required and nobody is trusted to give it, so no agent can ever qualify",
        );
    }
    let signing = draft.signing();
    if let Some(scheme) = signing
        .as_ref()
        .and_then(|signing| signing.scheme.as_deref())
        && !["ed25519", "eddsa"]
            .iter()
            .any(|known| scheme.eq_ignore_ascii_case(known))
    {
        findings.warning(
            MANIFEST,
            "signing-scheme-unknown",
            format!("scheme `{scheme}` cannot be verified; use ed25519"),
        );
    }
    look_at_serving(draft, signing.as_ref(), findings);
}

fn look_at_serving(draft: &Draft, signing: Option<&Signing>, findings: &mut Findings) {
    let Some(serving) = draft.serving() else {
        return;
    };
    for (name, listing) in [("manifest", &serving.manifest), ("mcp", &serving.mcp)] {
        if let Listing::Malformed(texts) = listing {
            let written = quoted(texts);
            findings.error(
                MANIFEST,
                "serving-not-a-list",
                format!("serving.{name} {written} is no list of URLs"),
            );
        }
        for url in listing.texts() {
            match Place::of(url) {
                Some(place) if place.is_secure() => {}
                Some(_) => findings.error(
                    MANIFEST,
                    "serving-not-https",
                    format!("serving.{name} `{url}` is not https"),
                ),
                None => findings.error(
                    MANIFEST,
                    "serving-not-a-url",
                    format!("serving.{name} `{url}` is no URL"),
                ),
            }
        }
    }
    if signing.is_none_or(|signing| signing.signature.is_none()) {
        findings.warning(
            MANIFEST,
            "serving-unsigned",
            "places of service are named, but nothing is signed, so anyone can name them",
        );
    }
}

const LAST_MINOR: u32 = 33;
