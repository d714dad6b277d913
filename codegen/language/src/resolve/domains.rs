//! Governed knowledge, and what calls act on.

use std::collections::BTreeMap;

use knotrust_core::canonical::sha256_hex;

use super::{Resolver, utf8};
use crate::{
    located::{Located, Span},
    model::{self, ManifestMode, ManifestReference},
    problem::{Code, Problem, place, shown},
    resolved::{Domain, Manifest, Resource},
};

/// The largest manifest that is compiled in.
pub(super) const LARGEST_MANIFEST: u64 = 8 * 1024 * 1024;

impl Resolver<'_> {
    pub(super) fn resources(&mut self, written: &[Located<model::Resource>]) -> Vec<Resource> {
        let mut resources = Vec::new();
        for resource in written {
            let resource = &resource.value;
            let patterns = self.patterns(&resource.patterns.0);
            let kind = self.identifier(&resource.kind, "type");
            let id = resource
                .id
                .as_ref()
                .and_then(|pointer| self.pointer(pointer));
            let mut properties = Vec::new();
            for (name, pointer) in resource.properties.iter().flat_map(|entries| &entries.0) {
                let pointer = self.pointer(pointer);
                properties.extend(pointer.map(|pointer| (name.value.clone(), pointer)));
            }
            properties.sort();
            resources.extend(kind.map(|kind| Resource {
                patterns,
                kind,
                id,
                properties,
            }));
        }
        resources
    }

    pub(super) fn domains(&mut self, written: &[Located<model::Domain>]) -> Vec<Domain> {
        let mut domains = Vec::new();
        let mut names: BTreeMap<String, Span> = BTreeMap::new();
        for domain in written {
            let Some(resolved) = self.domain(domain) else {
                continue;
            };
            let span = domain.value.name.span;
            if let Some(first) = names.insert(resolved.name.clone(), span) {
                self.twice("domain", &resolved.name, span, first);
            } else {
                domains.push(resolved);
            }
        }
        domains.sort_by(|one, other| one.name.cmp(&other.name));
        domains
    }

    pub(super) fn twice(&mut self, what: &str, name: &str, again: Span, first: Span) {
        let message = format!(
            "the {what} `{}` already stands on {}",
            shown(name),
            place(self.sources, first, again.file)
        );
        self.push(
            Problem::new(Code::DuplicateName, message)
                .at(again, "again here")
                .at(first, "first here")
                .help("give one of the two another name"),
        );
    }

    fn domain(&mut self, written: &Located<model::Domain>) -> Option<Domain> {
        let domain = &written.value;
        let name = self.identifier(&domain.name, "name");
        let manifest = self.manifest(&domain.manifest);
        let paths = domain
            .paths
            .iter()
            .flatten()
            .filter_map(|path| self.path_pattern(path))
            .collect();
        let urls = domain
            .urls
            .iter()
            .flatten()
            .filter_map(|url| self.url(url))
            .collect();
        let tools = self.patterns(domain.tools.iter().flatten());
        let skills = self.skills(domain.skills.iter().flatten());
        let nothing = domain.paths.is_none()
            && domain.urls.is_none()
            && domain.tools.is_none()
            && domain.skills.is_none();
        if nothing && written.whole {
            let message = format!(
                "the domain `{}` governs nothing",
                shown(&domain.name.value.0)
            );
            self.push(
                Problem::new(Code::MissingKey, message)
                    .at(written.span, "this domain")
                    .help("name what belongs to it: `paths`, `urls`, `tools` or `skills`"),
            );
        }
        let floor = domain.tier.as_ref().map(|tier| tier.value.into());
        Some(Domain {
            name: name?,
            manifest: manifest?,
            paths,
            urls,
            tools,
            skills,
            floor,
        })
    }

    fn manifest(&mut self, written: &Located<ManifestReference>) -> Option<Manifest> {
        let reference = &written.value;
        let path = reference.path.value.0.trim_start_matches("./").to_owned();
        self.visible(&path, reference.path.span, "a path")?;
        // A live manifest too must be there now: a name with a slip in it would close the domain for ever.
        let bytes = self.bytes(&reference.path, "the manifest", LARGEST_MANIFEST)?;
        match reference.mode.unwrap_or_default() {
            ManifestMode::Live => {
                let text = utf8(bytes).ok();
                Some(Manifest::Live { path, text })
            }
            ManifestMode::Pinned => {
                let digest = sha256_hex(&bytes);
                match utf8(bytes) {
                    Ok(text) => Some(Manifest::Pinned { path, text, digest }),
                    Err(offset) => {
                        let message = format!(
                            "the manifest `{}` is not UTF-8: byte {} cannot be part of it",
                            shown(&path),
                            offset + 1
                        );
                        self.push(
                            Problem::new(Code::NotUtf8, message)
                                .at(reference.path.span, "named here"),
                        );
                        None
                    }
                }
            }
        }
    }
}
