//! Manifests: what `knowledge.yaml` says, as far as it matters here.
//!
//! Unknown members are ignored, as the specification asks. Known ones are what they must be or count as undeclared; where
//! undeclared would mean less restraint, what stands there instead restrains fully.

pub(crate) mod action_scope;
mod folded;
pub(crate) mod leave;
pub(crate) mod listing;
mod mapping;
mod member;
pub(crate) mod node;
pub(crate) mod path;
pub(crate) mod payment;
pub(crate) mod reference;
mod scalar;
pub(crate) mod signing;
pub(crate) mod step;
pub(crate) mod temporal;
pub(crate) mod unit;
pub(crate) mod yaml;

use std::collections::{BTreeMap, BTreeSet};

use knotrust_core::canonical::sha256_hex;
use thiserror::Error;

pub use action_scope::{ActionScope, Denials, Spend};
pub use leave::{ActionAuthority, Leave};
pub use listing::Listing;
use member::{asks, text};
use node::Node;
pub use path::PathFault;
pub use payment::{Method, Payment, Price, Rate, RateLimits, Requests};
pub use reference::{Identity, Reference};
pub use signing::{Serving, Signing};
pub use step::Step;
pub use temporal::{Standing, Temporal, WrittenDate};
pub use unit::{Access, ContentHash, Kind, Tokens, Unit};
pub use yaml::YamlError;

use crate::scope::folded;

/// A manifest, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// Its name.
    pub project: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// The version of the specification it follows.
    pub kcp_version: Option<String>,
    /// References to other manifests.
    pub references: Vec<Reference>,
    /// Limits by tier.
    pub rate_limits: Option<RateLimits>,
    /// Whether agents must attest what they are.
    pub attestation: Attestation,
    /// Its signature.
    pub signing: Option<Signing>,
    /// Where it is served.
    pub serving: Option<Serving>,
    /// Levels of authority from low to high, if it has its own.
    pub authority_scale: Option<Vec<String>>,
    /// Where it was read from: a path or the URL after all redirects.
    pub source: Option<String>,
    units: Vec<Unit>,
    by_id: BTreeMap<String, usize>,
    by_path: BTreeMap<String, Vec<usize>>,
    digest: String,
}

/// What `trust.agent_requirements` asks.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Attestation {
    /// Whether restricted units are for attested agents only.
    pub required: bool,
    /// Who may attest.
    pub trusted_providers: Vec<String>,
}

impl Manifest {
    /// Reads a manifest to plan with.
    ///
    /// # Errors
    ///
    /// What is no YAML, what the specification forbids outright, and what [`Manifest::survey`] refuses.
    pub fn read(text: &str) -> Result<Self, ManifestError> {
        let draft = Draft::read(text)?;
        draft.check()?;
        Ok(draft.finish(text))
    }

    /// Reads a manifest as far as it can be read: to load what is sound in it, or to plan again what was planned before.
    ///
    /// Units without an id are left out, and so are those whose id was used before.
    ///
    /// # Errors
    ///
    /// What is no YAML, or no mapping.
    pub fn survey(text: &str) -> Result<Self, ManifestError> {
        Ok(Draft::read(text)?.finish(text))
    }

    /// The units in their order, no two with one id.
    #[must_use]
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// The unit of that name.
    #[must_use]
    pub fn unit(&self, id: &str) -> Option<&Unit> {
        self.by_id.get(id).and_then(|index| self.units.get(*index))
    }

    /// The units whose content lies at a path, seen from the manifest's folder. Only the very path will do: not a folder
    /// above it, nor one that ends alike.
    pub fn units_at(&self, path: &str) -> impl Iterator<Item = &Unit> {
        let indexes = self
            .by_path
            .get(&folded(path))
            .map(Vec::as_slice)
            .unwrap_or_default();
        indexes.iter().filter_map(|index| self.units.get(*index))
    }

    /// Lower-case hex SHA-256 of the text it was read from.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The same manifest, known to come from there.
    #[must_use]
    pub fn from_source(mut self, source: &str) -> Self {
        self.source = Some(source.to_owned());
        self
    }
}

/// Why a manifest is refused.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
pub enum ManifestError {
    /// It is no YAML that can be taken at its word.
    #[error("the manifest is not readable: {0}")]
    Yaml(#[from] YamlError),
    /// It is a list, or a text, or nothing.
    #[error("the manifest is not a mapping")]
    NotAMapping,
    /// A unit without an id.
    #[error("unit {position} has no id")]
    UnitWithoutId {
        /// Counted from 1.
        position: usize,
    },
    /// A unit without an intent.
    #[error("unit `{unit}` has no intent")]
    UnitWithoutIntent {
        /// Its id.
        unit: String,
    },
    /// A unit whose path is no place below the manifest's folder.
    #[error("unit `{unit}`: {fault}")]
    UnitPath {
        /// Its id.
        unit: String,
        /// What is wrong.
        fault: PathFault,
    },
    /// Units that replace each other in a circle.
    #[error("unit `{unit}` comes after itself: superseded_by leads back to it")]
    SupersessionCycle {
        /// One of them.
        unit: String,
    },
}

/// A manifest before anything is left out or refused.
pub(crate) struct Draft {
    pub(crate) root: Node,
    /// All units, ids missing or repeated included, each with what it was read from.
    pub(crate) units: Vec<Unit>,
}

impl Draft {
    pub(crate) fn read(text: &str) -> Result<Self, ManifestError> {
        let root = yaml::read(text)?;
        let Node::Map(_) = root else {
            return Err(ManifestError::NotAMapping);
        };
        let defaults = unit::Defaults {
            temporal: Temporal::of(root.get("temporal")),
            payment: Payment::of(root.get("payment")),
            authority: ActionAuthority::of(root.get("authority")),
        };
        let units = Self::unit_nodes(&root)
            .map(|node| Unit::of(node, &defaults))
            .collect();
        Ok(Self { root, units })
    }

    /// The mappings among the elements of `units`; others are no units.
    pub(crate) fn unit_nodes(root: &Node) -> impl Iterator<Item = &Node> {
        mappings(root, "units")
    }

    pub(crate) fn project(&self) -> Option<String> {
        text(&self.root, "project").filter(|project| !project.is_empty())
    }

    pub(crate) fn references(&self) -> Vec<Reference> {
        mappings(&self.root, "manifests")
            .map(Reference::of)
            .collect()
    }

    pub(crate) fn attestation(&self) -> Attestation {
        let Some(node) = self
            .root
            .get("trust")
            .and_then(|trust| trust.get("agent_requirements"))
        else {
            return Attestation::default();
        };
        Attestation {
            required: asks(node, "require_attestation"),
            trusted_providers: Listing::of(node.get("trusted_providers")).texts().to_vec(),
        }
    }

    pub(crate) fn signing(&self) -> Option<Signing> {
        Signing::of(&self.root)
    }

    pub(crate) fn serving(&self) -> Option<Serving> {
        Serving::of(self.root.get("serving"))
    }

    pub(crate) fn check(&self) -> Result<(), ManifestError> {
        for (index, unit) in self.units.iter().enumerate() {
            if unit.id.is_empty() {
                return Err(ManifestError::UnitWithoutId {
                    position: index + 1,
                });
            }
            let fault = PathFault::of(&unit.path);
            match fault {
                Some(PathFault::Traverses) if !path::escapes(&unit.path) => {}
                Some(fault) => {
                    return Err(ManifestError::UnitPath {
                        unit: unit.id.clone(),
                        fault,
                    });
                }
                None => {}
            }
            if unit.intent.is_empty() {
                return Err(ManifestError::UnitWithoutIntent {
                    unit: unit.id.clone(),
                });
            }
        }
        match self.supersession_cycle() {
            Some(unit) => Err(ManifestError::SupersessionCycle { unit }),
            None => Ok(()),
        }
    }

    fn supersession_cycle(&self) -> Option<String> {
        let mut successors = BTreeMap::new();
        for unit in &self.units {
            if let Some(next) = &unit.temporal.superseded_by {
                successors.entry(unit.id.as_str()).or_insert(next.as_str());
            }
        }
        let mut settled = BTreeSet::new();
        for start in successors.keys() {
            let mut path = BTreeSet::new();
            let mut at = *start;
            while settled.insert(at) {
                path.insert(at);
                match successors.get(at) {
                    Some(next) => at = next,
                    None => break,
                }
            }
            if path.contains(at) && successors.contains_key(at) {
                return Some(at.to_owned());
            }
        }
        None
    }

    fn finish(self, text_read: &str) -> Manifest {
        let root = &self.root;
        let mut manifest = Manifest {
            project: self.project(),
            version: text(root, "version").filter(|version| !version.is_empty()),
            kcp_version: text(root, "kcp_version"),
            references: self.references(),
            rate_limits: RateLimits::of(root.get("rate_limits")),
            attestation: self.attestation(),
            signing: self.signing(),
            serving: self.serving(),
            authority_scale: root
                .get("authority_level_scale")
                .map(|node| Listing::of(Some(node)).texts().to_vec()),
            source: None,
            units: Vec::with_capacity(self.units.len()),
            by_id: BTreeMap::new(),
            by_path: BTreeMap::new(),
            digest: sha256_hex(text_read.as_bytes()),
        };
        for unit in self.units {
            let index = manifest.units.len();
            if !unit.id.is_empty() && !manifest.by_id.contains_key(&unit.id) {
                manifest.by_id.insert(unit.id.clone(), index);
                manifest
                    .by_path
                    .entry(folded(&unit.path))
                    .or_default()
                    .push(index);
                manifest.units.push(unit);
            }
        }
        manifest
    }
}

fn mappings<'a>(root: &'a Node, name: &str) -> impl Iterator<Item = &'a Node> + use<'a> {
    let elements = root.get(name).map(Node::elements).unwrap_or_default();
    elements.iter().filter(|node| matches!(node, Node::Map(_)))
}
