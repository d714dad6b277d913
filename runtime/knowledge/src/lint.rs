//! What is wrong with a manifest, and what is legal and hardly meant.

mod block;
mod procedure;
mod reference;
mod root;
mod unit;

use knotrust_core::json::Value;

use crate::date::IsoDate;
use crate::manifest::node::Node;
use crate::manifest::{Draft, ManifestError, Unit};
use crate::members::{Members, list, text};

/// Everything there is to say about a manifest.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Report {
    /// The manifest's name.
    pub project: Option<String>,
    /// What was found, in order.
    pub findings: Vec<Finding>,
    /// Whether nothing can be planned with it.
    pub refused: Option<ManifestError>,
    /// How many units there are.
    pub units: usize,
    /// How many relationships.
    pub relationships: usize,
}

/// One thing to say.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Finding {
    /// How bad it is.
    pub level: Level,
    /// The manifest, a unit or a reference.
    pub place: String,
    /// What it is; stable.
    pub code: &'static str,
    /// What it is, in words.
    pub message: String,
    /// The number that the specification's own linter gives it.
    pub spec_code: Option<&'static str>,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Level {
    /// An agent will be misled, or fail.
    Error,
    /// An agent will manage, but was meant to do better.
    Warning,
}

/// What is known beside the manifest's text.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// What day it is.
    pub today: &'a IsoDate,
    /// Whether there is a file at a path below the manifest's folder; nothing where nobody can look.
    pub exists: Option<&'a dyn Fn(&str) -> bool>,
}

/// Looks a manifest through.
#[must_use]
pub fn lint(manifest: &str, surroundings: Surroundings<'_>) -> Report {
    let draft = match Draft::read(manifest) {
        Ok(draft) => draft,
        Err(error) => return Report::unreadable(error),
    };
    let mut findings = Findings::default();
    root::look(&draft, &mut findings);
    unit::look(&draft, surroundings, &mut findings);
    reference::look(&draft, &mut findings);
    root::look_again(&draft, &mut findings);
    block::look(&draft, &mut findings);
    let relationships = draft
        .root
        .get("relationships")
        .map_or(0, |list| list.elements().len());
    Report {
        project: draft.project(),
        findings: findings.0,
        refused: draft.check().err(),
        units: draft.units.len(),
        relationships,
    }
}

impl Report {
    fn unreadable(error: ManifestError) -> Self {
        let mut findings = Findings::default();
        findings.error(MANIFEST, "unreadable", error.to_string());
        Self {
            project: None,
            findings: findings.0,
            refused: Some(error),
            units: 0,
            relationships: 0,
        }
    }

    /// Whether there are no errors. Warnings are allowed.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.refused.is_none()
            && self
                .findings
                .iter()
                .all(|finding| finding.level == Level::Warning)
    }

    /// The report as it is told.
    #[must_use]
    pub fn to_json(&self, source: &str) -> Value<'static> {
        Members::new()
            .text("source", source)
            .maybe("project", self.project.as_deref().map(text))
            .set("findings", list(self.findings.iter().map(Finding::to_json)))
            .maybe(
                "refused",
                self.refused.as_ref().map(|error| text(&error.to_string())),
            )
            .flag("ok", self.is_ok())
            .done()
    }
}

impl Finding {
    fn to_json(&self) -> Value<'static> {
        Members::new()
            .text("level", self.level.name())
            .text("where", &self.place)
            .text("code", self.code)
            .text("message", &self.message)
            .maybe("specCode", self.spec_code.map(text))
            .done()
    }
}

impl Level {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// What was found so far.
#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn error(&mut self, place: &str, code: &'static str, message: impl Into<String>) {
        self.add(Level::Error, place, code, message.into());
    }

    fn warning(&mut self, place: &str, code: &'static str, message: impl Into<String>) {
        self.add(Level::Warning, place, code, message.into());
    }

    fn add(&mut self, level: Level, place: &str, code: &'static str, message: String) {
        let spec_code = SPEC_CODES
            .iter()
            .find(|(ours, _)| *ours == code)
            .map(|(_, theirs)| *theirs);
        self.0.push(Finding {
            level,
            place: place.to_owned(),
            code,
            message,
            spec_code,
        });
    }
}

/// A unit, and what it was read from.
#[derive(Clone, Copy)]
struct Read<'a> {
    unit: &'a Unit,
    node: &'a Node,
}

fn units(draft: &Draft) -> impl Iterator<Item = Read<'_>> {
    let nodes = Draft::unit_nodes(&draft.root);
    draft
        .units
        .iter()
        .zip(nodes)
        .map(|(unit, node)| Read { unit, node })
}

fn unit_place(id: &str) -> String {
    format!("unit '{}'", if id.is_empty() { "(no id)" } else { id })
}

const MANIFEST: &str = "manifest";

const SPEC_CODES: [(&str, &str); 7] = [
    ("path-empty", "SK001"),
    ("intent-missing", "SK001"),
    ("skill-without-scope", "SK002"),
    ("granted-skill-without-scope", "SK002"),
    ("scope-member-malformed", "SK003"),
    ("scope-path-escapes", "SK004"),
    ("scope-member-unknown", "SK005"),
];
