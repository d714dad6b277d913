//! From a ruleset to the text of a module, and the tables it links.
//!
//! The input is a [`Ruleset`] that the language lends; the output, compiled, is the same ruleset. Sections are built as
//! tokens, formatted one by one and joined under their comments, since formatting drops comments inside tokens.

mod approvals;
mod domains;
mod names;
mod places;
mod policy;
mod resources;
mod rules;
mod section;
mod servers;

use knotrust_core::ruleset::Ruleset;

/// Past this many rules, tables are linked as bytes: as literals they would take the compiler a second a thousand.
pub const MOST_ROWS: usize = 1_000;

/// The text of a module, and the files that it links.
#[derive(Debug, Default)]
pub struct Module {
    /// Rust, formatted.
    pub text: String,
    /// Names of files beside it, and their bytes.
    pub tables: Vec<(&'static str, Vec<u8>)>,
}

/// Writes a ruleset as a module. The same ruleset gives the same bytes, on any machine.
#[must_use]
pub fn emit(ruleset: &Ruleset<'_>) -> Module {
    let mut module = Module::default();
    let source = ruleset.files.first().copied().unwrap_or("a ruleset");
    module.text.push_str(&format!(
        "// @generated from {source} by knotrust-codegen. Edits here are lost.\n\nuse knotrust_core::prelude::*;\n"
    ));
    let sections = [
        policy::section(ruleset),
        rules::section(ruleset, &mut module.tables),
        names::section(ruleset, &mut module.tables),
        policy::envelope(ruleset),
        policy::precedence(ruleset),
        servers::section(ruleset),
        resources::section(ruleset),
        domains::section(ruleset),
        domains::gates(ruleset),
        places::section(ruleset),
        approvals::section(ruleset),
    ];
    for section in sections.into_iter().flatten() {
        module.text.push('\n');
        module.text.push_str(&section.format());
    }
    module
}
