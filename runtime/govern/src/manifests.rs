//! The manifests of governed domains, as they are at this moment.
//!
//! What is pinned was compiled in, and what lies on the disk only says whether somebody has changed it since: then the
//! domain is closed until the policy is built again. What is live is read when it has changed. Neither costs more than one
//! look at the file while nothing happens to it.

use std::fs;
use std::io::{self, ErrorKind, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use knotrust_core::canonical::sha256_hex;
use knotrust_core::ruleset::{self, Ruleset};
use knotrust_knowledge::governing::Unusable;
use knotrust_knowledge::manifest::{Manifest, PathFault, Signing};
use knotrust_knowledge::signature::{Fetched, Needs, PublicKey, Verification, verify};

/// The manifests of a policy.
#[derive(Debug)]
pub struct Manifests<'r> {
    ruleset: &'r Ruleset<'r>,
    folder: PathBuf,
    watching: Watching,
    keys: Vec<PublicKey>,
    slots: Vec<Option<Slot>>,
}

/// Whether the disk is asked if a pinned manifest has changed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Watching {
    /// It is: a changed file closes its domain.
    Disk,
    /// It is not: for what-ifs, where the policy alone counts.
    Nothing,
}

/// A manifest as it was found.
#[derive(Clone, Debug)]
pub struct Held {
    /// The manifest, or why there is none to plan with.
    pub manifest: Result<Arc<Manifest>, Unusable>,
    /// What its signature proves; nothing where its text could not be had.
    pub verification: Option<Verification>,
    /// Its text.
    pub text: Arc<str>,
}

#[derive(Debug)]
struct Slot {
    stamp: Option<Stamp>,
    held: Held,
}

/// What tells one state of a file from another. Nobody can set the time at which it changed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Stamp {
    device: u64,
    inode: u64,
    length: u64,
    changed: (i64, i64),
}

impl<'r> Manifests<'r> {
    /// The manifests of a policy, seen from a working folder.
    #[must_use]
    pub fn of(ruleset: &'r Ruleset<'r>, folder: &Path, watching: Watching) -> Self {
        let key = |text: &&str| {
            let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
            PublicKey::of_bytes(&bytes.try_into().ok()?)
        };
        Self {
            ruleset,
            folder: folder.to_owned(),
            watching,
            keys: ruleset.gates.trusted_keys.iter().filter_map(key).collect(),
            slots: Vec::new(),
        }
    }

    /// The manifest of a domain as it is now; nothing if there is no such domain.
    pub fn at(&mut self, domain: u32) -> Option<&Held> {
        let index = usize::try_from(domain).ok()?;
        let declared = self.ruleset.domains.get(index)?.manifest;
        let path = self.path(declared);
        let stamp = match (self.watching, declared.pinned) {
            (Watching::Nothing, Some(_)) => Ok(None),
            (Watching::Disk, _) | (Watching::Nothing, None) => Stamp::of(&path),
        };
        if self.slots.len() <= index {
            self.slots.resize_with(index + 1, || None);
        }
        let known = self.slots.get(index).and_then(Option::as_ref);
        let is_fresh = matches!((&stamp, known), (Ok(stamp), Some(slot)) if *stamp == slot.stamp);
        if !is_fresh {
            let held = self.read(declared, &path, &stamp);
            let slot = Slot {
                stamp: stamp.ok().flatten(),
                held,
            };
            if let Some(place) = self.slots.get_mut(index) {
                *place = Some(slot);
            }
        }
        let slot = self.slots.get(index).and_then(Option::as_ref);
        slot.map(|slot| &slot.held)
    }

    /// Where a manifest lies on the disk.
    #[must_use]
    pub fn path(&self, manifest: ruleset::Manifest<'_>) -> PathBuf {
        self.folder.join(manifest.path)
    }

    /// Keys that were pinned when the policy was built.
    #[must_use]
    pub fn keys(&self) -> &[PublicKey] {
        &self.keys
    }

    fn read(
        &self,
        declared: ruleset::Manifest<'_>,
        path: &Path,
        stamp: &io::Result<Option<Stamp>>,
    ) -> Held {
        let text = match (declared.pinned, stamp) {
            // What was compiled in needs no file beside it.
            (Some(pinned), Ok(None)) => Ok(Arc::from(pinned.text)),
            (Some(pinned), Ok(Some(_))) => match bytes(path) {
                Ok(bytes) if sha256_hex(&bytes) == pinned.digest => Ok(Arc::from(pinned.text)),
                Ok(_) | Err(_) => Err(Unusable::Changed),
            },
            (Some(_), Err(_)) => Err(Unusable::Changed),
            (None, Ok(None)) => Err(Unusable::Missing),
            (None, Ok(Some(_))) => bytes(path)
                .ok()
                .and_then(|bytes| String::from_utf8(bytes).ok())
                .map(Arc::from)
                .ok_or(Unusable::Unreadable),
            (None, Err(_)) => Err(Unusable::Unreadable),
        };
        match text {
            Ok(text) => self.judged(text, declared, path),
            Err(unusable) => Held {
                manifest: Err(unusable),
                verification: None,
                text: Arc::from(""),
            },
        }
    }

    fn judged(&self, text: Arc<str>, declared: ruleset::Manifest<'_>, path: &Path) -> Held {
        let gates = &self.ruleset.gates;
        let manifest = Manifest::read(&text).map_err(|_| Unusable::Unreadable);
        let signing = manifest
            .as_ref()
            .ok()
            .and_then(|read| read.signing.as_ref());
        let folder = path.parent().unwrap_or(Path::new(""));
        let fetched = signing.map_or_else(Fetched::default, |signing| fetch(signing, folder));
        let verification = verify(&text, signing, &fetched, &self.keys);
        let suffices = verification.suffices(gates.signature_required);
        let manifest = manifest.and_then(|read| {
            if !suffices {
                return Err(Unusable::Signature);
            }
            let mut read = read.from_source(declared.path);
            read.attestation.required |= gates.attestation_required;
            Ok(Arc::new(read))
        });
        Held {
            manifest,
            verification: Some(verification),
            text,
        }
    }
}

/// The folder of a manifest, absolute: as it is written, and with links resolved.
#[must_use]
pub fn folders(cwd: &str, manifest: &str) -> Vec<String> {
    let path = Path::new(cwd).join(manifest);
    let folder = folded(path.parent().unwrap_or(Path::new("/")));
    let real = fs::canonicalize(&folder).ok();
    let texts = [Some(folder), real].into_iter().flatten();
    let mut folders: Vec<String> = texts
        .map(|folder| folder.to_string_lossy().into_owned())
        .collect();
    folders.dedup();
    folders
}

/// What a signing block names beside its manifest. Nothing is fetched from elsewhere, and nothing above the folder.
#[must_use]
pub fn fetch(signing: &Signing, folder: &Path) -> Fetched {
    let read = |place: Option<&str>| {
        let place = place.filter(|place| PathFault::of(place).is_none())?;
        let bytes = bytes(&folder.join(place)).ok()?;
        String::from_utf8(bytes).ok()
    };
    let needs = Needs::of(signing);
    Fetched {
        signature: read(needs.signature),
        public_key: read(needs.public_key),
    }
}

/// The content of a plain file of the project.
///
/// # Errors
///
/// It cannot be read, is no plain file, or is longer than anyone writes.
pub fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let file = fs::File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(ErrorKind::InvalidInput.into());
    }
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

impl Stamp {
    fn of(path: &Path) -> io::Result<Option<Self>> {
        match fs::metadata(path) {
            Ok(metadata) => Ok(Some(Self {
                device: metadata.dev(),
                inode: metadata.ino(),
                length: metadata.len(),
                changed: (metadata.ctime(), metadata.ctime_nsec()),
            })),
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

fn folded(path: &Path) -> PathBuf {
    let mut folded = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                folded.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                folded.push(component);
            }
        }
    }
    folded
}

/// The largest file of a project that is read: that of the build, too.
const LARGEST: u64 = 8 * 1024 * 1024;

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use knotrust_core::ruleset::{Domain, Gates};

    use super::*;
    use crate::testing::POLICY;

    const TEXT: &str = "project: p\nunits:\n- {id: a, path: a.md, intent: A}\n";

    /// What becomes of a manifest when the file beside it is `file`.
    #[track_caller]
    fn check(declared: ruleset::Manifest<'_>, gates: Gates<'_>, file: Option<&str>, to: Expect) {
        let scratch = tempfile::tempdir().unwrap();
        if let Some(text) = file {
            fs::write(scratch.path().join("knowledge.yaml"), text).unwrap();
        }
        let domains = [Domain {
            name: "d",
            floor: None,
            manifest: declared,
            urls: &[],
        }];
        let ruleset = Ruleset {
            domains: &domains,
            gates,
            ..POLICY
        };
        let mut manifests = Manifests::of(&ruleset, scratch.path(), Watching::Disk);
        let held = manifests.at(0).unwrap();
        to.assert_eq(match &held.manifest {
            Ok(manifest) => manifest.project.as_deref().unwrap(),
            Err(unusable) => unusable.reason(),
        });
        assert!(manifests.at(1).is_none());
    }

    #[test]
    fn a_pinned_manifest_is_closed_by_a_changed_file_and_by_no_missing_one() {
        let digest = sha256_hex(TEXT.as_bytes());
        let pinned = ruleset::Manifest::pinned("knowledge.yaml", &digest, TEXT);
        check(pinned, Gates::DEFAULT, Some(TEXT), expect!["p"]);
        check(pinned, Gates::DEFAULT, None, expect!["p"]);
        check(
            pinned,
            Gates::DEFAULT,
            Some("project: q\n"),
            expect!["the domain's manifest has changed since the policy was built; build it again"],
        );
    }

    #[test]
    fn a_live_manifest_is_what_lies_there() {
        let live = ruleset::Manifest::live("knowledge.yaml");
        let gates = Gates::DEFAULT;
        check(live, gates, Some("project: q\n"), expect!["q"]);
        check(
            live,
            gates,
            None,
            expect!["the domain's manifest is not there"],
        );
        check(
            live,
            gates,
            Some("- a\n"),
            expect!["the domain's manifest cannot be read"],
        );
        let gates = Gates {
            signature_required: true,
            ..Gates::DEFAULT
        };
        check(
            live,
            gates,
            Some(TEXT),
            expect!["the domain's manifest is not signed as it must be"],
        );
    }

    #[test]
    fn a_live_manifest_is_read_again_when_it_has_changed() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("knowledge.yaml");
        let domains = [Domain {
            name: "d",
            floor: None,
            manifest: ruleset::Manifest::live("knowledge.yaml"),
            urls: &[],
        }];
        let ruleset = Ruleset {
            domains: &domains,
            ..POLICY
        };
        let mut manifests = Manifests::of(&ruleset, scratch.path(), Watching::Disk);
        for project in ["one", "second"] {
            fs::write(&path, format!("project: {project}\n")).unwrap();
            let held = manifests.at(0).unwrap().manifest.clone().unwrap();
            assert_eq!(held.project.as_deref(), Some(project));
        }
    }

    #[test]
    fn a_folder_has_both_of_its_names() {
        assert_eq!(folders("/no/where", "../k/knowledge.yaml"), ["/no/k"]);
        assert_eq!(folders("/no/where", "knowledge.yaml"), ["/no/where"]);
    }
}
