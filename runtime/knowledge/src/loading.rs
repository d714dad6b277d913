//! What a plan lets be loaded, and what of it the reader already has.

use std::collections::BTreeMap;

use knotrust_core::canonical::sha256_hex;
use knotrust_core::json::Value;

use crate::manifest::{ContentHash, Manifest, PathFault};
use crate::members::{Members, count, list, text};
use crate::plan::{Plan, Selected};

/// A unit that may be fetched.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Wanted {
    /// Its name.
    pub id: String,
    /// Where it is, seen from the manifest's folder: relative, and never leading out of it.
    pub path: String,
    content_hash: Option<ContentHash>,
}

/// A unit that can't be had.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Unavailable {
    /// Its name.
    pub id: String,
    /// Where it would be.
    pub path: String,
    /// Why not.
    pub reason: String,
}

/// What to fetch for a plan, in load order, and what must not or can't be.
#[must_use]
pub fn wanted(plan: &Plan, manifest: &Manifest) -> Vec<Result<Wanted, Unavailable>> {
    plan.selected
        .iter()
        .map(|unit| want(unit, manifest))
        .collect()
}

fn want(unit: &Selected, manifest: &Manifest) -> Result<Wanted, Unavailable> {
    let unavailable = |reason: String| Unavailable {
        id: unit.id.clone(),
        path: unit.path.clone(),
        reason,
    };
    if !unit.load_eligible {
        let reason = unit
            .reasons
            .last()
            .map_or("it is not load-eligible", String::as_str);
        return Err(unavailable(format!("not load-eligible: {reason}")));
    }
    if let Some(fault) = PathFault::of(&unit.path) {
        return Err(unavailable(fault.to_string()));
    }
    if unit.path.contains('%') && unit.path.to_ascii_lowercase().contains("%2e") {
        return Err(unavailable("the path hides dots".to_owned()));
    }
    let content_hash = manifest
        .unit(&unit.id)
        .and_then(|unit| unit.content_hash.clone());
    Ok(Wanted {
        id: unit.id.clone(),
        path: unit.path.clone(),
        content_hash,
    })
}

/// What the reader has already, by unit.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Known(BTreeMap<String, String>);

impl Known {
    /// Reads `[{id, sha256}]` or `{id: sha256}`. What is neither is nothing known.
    #[must_use]
    pub fn read(value: &Value<'_>) -> Self {
        let mut known = Self::default();
        for entry in value.as_array().unwrap_or_default() {
            let member = |name: &str| entry.get(name).and_then(Value::as_str);
            if let (Some(id), Some(sha256)) = (member("id"), member("sha256")) {
                known.add(id, sha256);
            }
        }
        for (id, sha256) in value
            .as_object()
            .into_iter()
            .flat_map(|object| object.iter())
        {
            if let (Some(id), Some(sha256)) = (id.as_str(), sha256.as_str()) {
                known.add(id, sha256);
            }
        }
        known
    }

    /// Remembers the digest of a unit's content.
    pub fn add(&mut self, id: &str, sha256: &str) {
        self.0.insert(id.to_owned(), sha256.to_ascii_lowercase());
    }

    fn holds(&self, id: &str, sha256: &str) -> bool {
        self.0.get(id).is_some_and(|known| known == sha256)
    }

    /// What is known, by unit.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(id, sha256)| (id.as_str(), sha256.as_str()))
    }
}

/// What was loaded.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Loaded {
    /// In load order.
    pub units: Vec<LoadedUnit>,
    /// What could not be had.
    pub unavailable: Vec<Unavailable>,
}

/// A unit that was loaded.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LoadedUnit {
    /// Its name.
    pub id: String,
    /// Where it is.
    pub path: String,
    /// SHA-256 of its content.
    pub sha256: String,
    /// Its length in UTF-16 units.
    pub chars: usize,
    /// Its content, unless the reader has it.
    pub content: Option<String>,
}

impl Loaded {
    /// Takes in what was fetched for a unit. Content that is not what the manifest announces is no content of it.
    pub fn take(&mut self, wanted: &Wanted, fetched: Result<&[u8], &str>, known: &Known) {
        match LoadedUnit::of(wanted, fetched, known) {
            Ok(unit) => self.units.push(unit),
            Err(reason) => self.refuse(Unavailable {
                id: wanted.id.clone(),
                path: wanted.path.clone(),
                reason,
            }),
        }
    }

    /// Takes in that a unit can't be had.
    pub fn refuse(&mut self, unavailable: Unavailable) {
        self.unavailable.push(unavailable);
    }

    fn deduped(&self) -> impl Iterator<Item = &LoadedUnit> {
        self.units.iter().filter(|unit| unit.content.is_none())
    }

    /// What was loaded, as it is told.
    #[must_use]
    pub fn to_json(&self, manifest: &str) -> Value<'static> {
        let deduped = |unit: &LoadedUnit| {
            Members::new()
                .text("id", &unit.id)
                .text("sha256", &unit.sha256)
                .done()
        };
        let saved = self.deduped().map(|unit| unit.chars).sum();
        Members::new()
            .set(
                "units",
                list(self.units.iter().map(|unit| unit.to_json(manifest))),
            )
            .set(
                "unavailable",
                list(self.unavailable.iter().map(Unavailable::to_json)),
            )
            .set("deduped", list(self.deduped().map(deduped)))
            .set("bytesSaved", count(saved))
            .done()
    }
}

impl LoadedUnit {
    fn of(wanted: &Wanted, fetched: Result<&[u8], &str>, known: &Known) -> Result<Self, String> {
        let bytes = fetched.map_err(str::to_owned)?;
        let content =
            std::str::from_utf8(bytes).map_err(|_| "the content is no text".to_owned())?;
        let sha256 = sha256_hex(bytes);
        match &wanted.content_hash {
            Some(ContentHash::Sha256(announced)) if *announced != sha256 => {
                return Err("the content is not what the manifest announces".to_owned());
            }
            Some(ContentHash::Unknown) => {
                return Err(
                    "the manifest announces the content in a way that cannot be checked".to_owned(),
                );
            }
            Some(ContentHash::Sha256(_)) | None => {}
        }
        let withheld = known.holds(&wanted.id, &sha256);
        Ok(Self {
            id: wanted.id.clone(),
            path: wanted.path.clone(),
            sha256,
            chars: content.encode_utf16().count(),
            content: (!withheld).then(|| content.to_owned()),
        })
    }

    fn to_json(&self, manifest: &str) -> Value<'static> {
        let members = Members::new().text("id", &self.id).text("path", &self.path);
        match &self.content {
            Some(content) => members
                .text("manifest", manifest)
                .set("chars", count(self.chars))
                .text("sha256", &self.sha256)
                .text("content", content)
                .done(),
            None => members
                .text("sha256", &self.sha256)
                .flag("unchanged", true)
                .text(
                    "note",
                    "unchanged since it was loaded; the content is withheld",
                )
                .done(),
        }
    }
}

impl Unavailable {
    fn to_json(&self) -> Value<'static> {
        Members::new()
            .text("id", &self.id)
            .text("path", &self.path)
            .set("reason", text(&self.reason))
            .done()
    }
}
