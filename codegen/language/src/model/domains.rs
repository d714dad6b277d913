//! Governed knowledge, and what calls act on.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Entries, Identifier, Many, PathPattern, PathText, Pattern, Pointer, TierName, Url,
    text::{at_least_one, or_path},
};
use crate::located::Located;

/// What a call acts on, read from its arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Resource {
    /// The tools.
    #[serde(rename = "match")]
    pub patterns: Many<Located<Pattern>>,
    /// What kind of thing it is.
    #[serde(rename = "type")]
    pub kind: Located<Identifier>,
    /// Where its name stands in the arguments.
    pub id: Option<Located<Pointer>>,
    /// Where further properties of it stand in the arguments.
    pub properties: Option<Entries<Located<Pointer>>>,
}

/// Knowledge that may be used only as its manifest says.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Domain {
    /// What it is called.
    pub name: Located<Identifier>,
    /// The manifest, which says who may use what.
    pub manifest: Located<ManifestReference>,
    /// The files that belong to it.
    #[schemars(transform = at_least_one)]
    pub paths: Option<Vec<Located<PathPattern>>>,
    /// The addresses that belong to it, with all below them.
    #[schemars(transform = at_least_one)]
    pub urls: Option<Vec<Located<Url>>>,
    /// The tools that belong to it.
    #[schemars(transform = at_least_one)]
    pub tools: Option<Vec<Located<Pattern>>>,
    /// The skills that belong to it.
    #[schemars(transform = at_least_one)]
    pub skills: Option<Vec<Located<Pattern>>>,
    /// The least tier of a call that touches it.
    pub tier: Option<Located<TierName>>,
}

/// A manifest: a path beside this file, or a path and how it is read.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = or_path)]
pub struct ManifestReference {
    /// The file, seen from this one.
    pub path: Located<PathText>,
    /// When it is read. `pinned` if left out.
    pub mode: Option<ManifestMode>,
}

/// When a manifest is read.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum ManifestMode {
    /// Now: it is compiled in, and a file that has changed since closes the domain.
    #[default]
    Pinned,
    /// At run time, each time it has changed.
    Live,
}
