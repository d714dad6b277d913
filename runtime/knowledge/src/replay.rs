//! Plans made again from what they say they were made from.

use std::collections::BTreeSet;

use knotrust_core::canonical::canonical;
use knotrust_core::json::{Object, Value};

use crate::date::IsoDate;
use crate::manifest::Manifest;
use crate::members::{Members, list, text, texts};
use crate::options::Options;
use crate::plan::Covering;
use crate::planner::{plan, plan_path, plan_unit};

/// A plan in a saved artifact.
#[derive(Clone, Copy, Debug)]
pub struct Recorded<'v, 'a>(&'v Value<'a>);

/// The plans in an artifact: the artifact itself, one wrapped in `plan`, and those of the nodes of a tree.
#[must_use]
pub fn recorded<'v, 'a>(artifact: &'v Value<'a>) -> Vec<Recorded<'v, 'a>> {
    let mut found = Vec::new();
    gather(artifact, &mut found);
    found
}

fn gather<'v, 'a>(value: &'v Value<'a>, found: &mut Vec<Recorded<'v, 'a>>) {
    if value.get("selected").and_then(Value::as_array).is_some() {
        found.push(Recorded(value));
        return;
    }
    if let Some(inner) = value.get("plan") {
        gather(inner, found);
    }
    for child in value
        .get("children")
        .and_then(Value::as_array)
        .unwrap_or_default()
    {
        gather(child, found);
    }
}

/// How a plan fared when it was made again.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Check {
    /// Where its manifest is.
    pub source: Option<String>,
    /// What was found.
    pub status: Status,
}

/// What was found.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Status {
    /// The same plan.
    Identical,
    /// The manifest is another text than it was.
    ManifestChanged,
    /// Another plan, in these members.
    Drifted(Vec<String>),
    /// It could not be made again.
    Failed(&'static str),
}

impl Recorded<'_, '_> {
    /// Where the plan's manifest is.
    #[must_use]
    pub fn source(&self) -> Option<&str> {
        self.0
            .get("manifest")?
            .get("source")?
            .as_str()
            .filter(|source| !source.is_empty())
    }

    /// Makes the plan again from the manifest's text as it is now, if it could be had.
    #[must_use]
    pub fn replay(&self, manifest: Option<&str>) -> Check {
        let status = self.status(manifest).unwrap_or_else(Status::Failed);
        Check {
            source: self.source().map(str::to_owned),
            status,
        }
    }

    fn status(&self, text: Option<&str>) -> Result<Status, &'static str> {
        let source = self
            .source()
            .ok_or("the plan does not say where its manifest is")?;
        let options = self.options()?;
        let text = text.ok_or("the manifest cannot be loaded")?;
        let manifest = Manifest::survey(text)
            .map_err(|_| "the manifest cannot be read")?
            .from_source(source);
        let digest = self
            .0
            .get("manifest")
            .and_then(|manifest| manifest.get("sha256"))
            .and_then(Value::as_str);
        if digest.is_some_and(|digest| digest != manifest.digest()) {
            return Ok(Status::ManifestChanged);
        }
        let task = self
            .0
            .get("task")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let again = match self.0.get("covering").and_then(Covering::read) {
            None => plan(&manifest, task, &options),
            Some(Covering::Path(path)) => plan_path(&manifest, &path, &options),
            Some(Covering::Unit(id)) => plan_unit(&manifest, &id, &options),
        };
        let fields = differing(self.0, &again.to_json());
        Ok(if fields.is_empty() {
            Status::Identical
        } else {
            Status::Drifted(fields)
        })
    }

    /// The options that the plan repeats, and what it says beside them.
    fn options(&self) -> Result<Options, &'static str> {
        let recorded = self
            .0
            .get("options")
            .and_then(Value::as_object)
            .ok_or("the plan does not say its options")?;
        let mut object: Object<'_> = recorded.clone();
        for (from, to) in [("environment", "env"), ("asOf", "asOf")] {
            if let Some(value) = self.0.get(from) {
                object.insert(to, value.clone());
            }
        }
        let as_of = self
            .0
            .get("asOf")
            .and_then(Value::as_str)
            .and_then(IsoDate::read);
        let as_of = as_of.ok_or("the plan does not say when it is for")?;
        Options::from_json(&Value::Object(object), &as_of)
            .map_err(|_| "the plan's options cannot be read")
    }
}

/// The members in which two plans differ, but for those that are no part of a plan.
fn differing(before: &Value<'_>, after: &Value<'_>) -> Vec<String> {
    let names: BTreeSet<String> = [before, after]
        .into_iter()
        .filter_map(Value::as_object)
        .flat_map(Object::iter)
        .map(|(name, _)| name.to_string_lossy().into_owned())
        .filter(|name| !APART.contains(&name.as_str()))
        .collect();
    let form = |plan: &Value<'_>, name: &str| {
        let member = plan.get(name)?;
        canonical(&if name == "manifest" {
            without_digest(member)
        } else {
            member.clone()
        })
        .ok()
    };
    names
        .into_iter()
        .filter(|name| form(before, name) != form(after, name))
        .collect()
}

fn without_digest<'a>(manifest: &Value<'a>) -> Value<'a> {
    let Some(object) = manifest.as_object() else {
        return manifest.clone();
    };
    let kept = object
        .iter()
        .filter(|(name, _)| name.as_str() != Some("sha256"));
    Value::Object(
        kept.map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
    )
}

/// All checks together: fine if there is one and all are identical.
#[must_use]
pub fn report(checks: &[Check]) -> Value<'static> {
    let ok = !checks.is_empty() && checks.iter().all(|check| check.status == Status::Identical);
    Members::new()
        .flag("ok", ok)
        .set("checks", list(checks.iter().map(Check::to_json)))
        .done()
}

impl Check {
    fn to_json(&self) -> Value<'static> {
        let (status, fields, detail) = match &self.status {
            Status::Identical => ("identical", None, "the same plan"),
            Status::ManifestChanged => ("drifted", None, "the manifest has changed"),
            Status::Drifted(fields) => ("drifted", Some(texts(fields)), "the plan differs"),
            Status::Failed(why) => ("error", None, *why),
        };
        Members::new()
            .maybe("source", self.source.as_deref().map(text))
            .text("status", status)
            .maybe("fields", fields)
            .text("detail", detail)
            .done()
    }
}

/// Members that wrap a plan, or vouch for it.
const APART: [&str; 4] = ["schemaVersion", "kind", "correlationId", "signature"];
