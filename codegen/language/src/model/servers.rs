//! The servers that calls go to.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Sentence, Url, text::at_least_one};
use crate::located::Located;

/// A server: how it is started, or where it is. One of the two.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Server {
    /// The program and its arguments, each a text of its own. No shell is involved.
    #[schemars(transform = at_least_one)]
    pub command: Option<Located<Vec<Located<String>>>>,
    /// The address of a Streamable HTTP server.
    pub url: Option<Located<Url>>,
    /// The names of the environment variables that are handed on. All of them if left out, as clients expect.
    pub env: Option<Vec<Located<String>>>,
    /// What it is for, in a sentence.
    pub description: Option<Sentence>,
}

/// What becomes of calls to servers that the ruleset does not name.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum Unlisted {
    /// They are decided by the rules, as others are.
    Allow,
    /// They are denied.
    #[default]
    Deny,
}
