//! `knotrust manifest sign` and `verify`.

use std::fs;
use std::path::{Path, PathBuf};

use knotrust_core::json;
use knotrust_core::ruleset::Ruleset;
use knotrust_govern::manifests::{Manifests, Watching, fetch};
use knotrust_knowledge::manifest::Manifest;
use knotrust_knowledge::signature::{self, Fetched, PublicKey, Status};

use super::Done;
use crate::arguments::Format;
use crate::{exit, output};

/// Signs a manifest exactly as it is. The manifest must name the signature already, for that is part of what is signed.
pub(super) fn sign(file: &Path, key: &Path, out: Option<PathBuf>) -> Done {
    let text = fs::read_to_string(file)?;
    let Some(seed) = signature::seed(&fs::read_to_string(key)?) else {
        return Err(format!("{} holds no private Ed25519 key", key.display()).into());
    };
    let out = out.unwrap_or_else(|| {
        let mut name = file.as_os_str().to_owned();
        name.push(".sig");
        PathBuf::from(name)
    });
    let manifest = Manifest::survey(&text)?;
    let named = manifest.signing.and_then(|signing| signing.signature);
    let name = out.file_name().unwrap_or_default().to_string_lossy();
    if named.as_deref() != Some(&*name) {
        let help = format!(
            "add `signing: {{ scheme: ed25519, signature: {name} }}` to {} first: it is part of what is signed",
            file.display()
        );
        return Err(help.into());
    }
    fs::write(&out, format!("{}\n", signature::sign(&text, &seed)))?;
    output::line(&format!("signed: {}", out.display()))?;
    output::line(&format!("key: {}", signature::public_key(&seed)))?;
    Ok(exit::OK)
}

/// Says what a signature proves. Where keys are trusted, one of them must have signed.
pub(super) fn verify(ruleset: &Ruleset<'_>, file: &Path, keys: &[PathBuf], format: Format) -> Done {
    let text = fs::read_to_string(file)?;
    let mut trusted = Vec::new();
    for path in keys {
        let key = PublicKey::read(fs::read_to_string(path)?.trim());
        trusted.push(key.ok_or_else(|| format!("{} holds no Ed25519 public key", path.display()))?);
    }
    if keys.is_empty() {
        let manifests = Manifests::of(ruleset, Path::new(""), Watching::Nothing);
        trusted.extend_from_slice(manifests.keys());
    }
    let manifest = Manifest::survey(&text)?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let signing = manifest.signing.as_ref();
    let fetched = signing.map_or_else(Fetched::default, |signing| fetch(signing, folder));
    let found = signature::verify(&text, signing, &fetched, &trusted);
    match format {
        Format::Json => output::line(&json::write(&found.to_json()))?,
        Format::Text => {
            let detail = output::inert(&found.detail);
            output::line(&format!("{}: {detail}", found.status.name()))?;
        }
    }
    let good = found.status == Status::Verified && (trusted.is_empty() || found.is_trusted());
    Ok(if good { exit::OK } else { exit::FAILED })
}
