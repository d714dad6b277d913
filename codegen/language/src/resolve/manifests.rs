//! Manifests that are compiled in: that they can be read, and that somebody trusted signed them where that is wanted.
//!
//! The running program asks the same of them. Asked here, a fault is told to whoever can mend it, instead of closing a domain.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use knotrust_knowledge::manifest::{Manifest, PathFault, Signing};
use knotrust_knowledge::signature::{Fetched, Needs, PublicKey, verify};

use super::Resolver;
use super::domains::LARGEST_MANIFEST;
use crate::{
    located::Located,
    model::{self, ManifestMode, ManifestReference},
    problem::{Code, Problem, shown},
    resolved::Gates,
};

/// The longest signature or key beside a manifest, in bytes.
const LONGEST: u64 = 64 * 1024;

impl Resolver<'_> {
    pub(super) fn pinned_manifests(&mut self, domains: &[Located<model::Domain>], gates: &Gates) {
        for domain in domains {
            let reference = &domain.value.manifest.value;
            if reference.mode.unwrap_or_default() == ManifestMode::Pinned {
                self.pinned_manifest(reference, gates);
            }
        }
    }

    fn pinned_manifest(&mut self, reference: &ManifestReference, gates: &Gates) {
        let path = self.path(&reference.path);
        // That it cannot be had, or is no text, was told where it is named.
        let Ok(bytes) = self.sources.bytes(&path, LARGEST_MANIFEST) else {
            return;
        };
        let Ok(text) = String::from_utf8(bytes) else {
            return;
        };
        let name = shown(&reference.path.value.0);
        let span = reference.path.span;
        let manifest = match Manifest::read(&text) {
            Ok(manifest) => manifest,
            Err(fault) => {
                let message = format!("the manifest `{name}` cannot be used: {fault}");
                let problem = Problem::new(Code::BadManifest, message).at(span, "named here");
                self.push(
                    problem
                        .help("`knotrust manifest validate FILE` tells all that is wrong with it"),
                );
                return;
            }
        };
        let signing = manifest.signing.as_ref();
        let fetched =
            signing.map_or_else(Fetched::default, |signing| self.beside(reference, signing));
        let key = |text: &String| {
            let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
            PublicKey::of_bytes(&bytes.try_into().ok()?)
        };
        let keys: Vec<_> = gates.trusted_keys.iter().filter_map(key).collect();
        let verification = verify(&text, signing, &fetched, &keys);
        if verification.suffices(gates.signature_required) {
            return;
        }
        let message = format!(
            "the signature of the manifest `{name}` does not do: {}",
            verification.detail
        );
        let problem = Problem::new(Code::BadSignature, message).at(span, "named here");
        self.push(problem.help(
            "sign it anew with `knotrust manifest sign FILE --key FILE`, with a key that `gates.signatures.trustedKeys` names",
        ));
    }

    /// What a signing block names beside its manifest; nothing above its folder.
    fn beside(&mut self, reference: &ManifestReference, signing: &Signing) -> Fetched {
        let needs = Needs::of(signing);
        let folder = self
            .path(&reference.path)
            .parent()
            .map(std::path::Path::to_owned)
            .unwrap_or_default();
        let mut read = |place: Option<&str>| {
            let place = place.filter(|place| PathFault::of(place).is_none())?;
            let bytes = self.sources.bytes(&folder.join(place), LONGEST).ok()?;
            String::from_utf8(bytes).ok()
        };
        Fetched {
            signature: read(needs.signature),
            public_key: read(needs.public_key),
        }
    }
}
