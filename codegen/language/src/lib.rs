//! The policy language: from the text of a ruleset to a checked ruleset, or to problems.
//!
//! ```text
//! bytes ─▶ tree ─▶ model (as written) ─▶ resolved (as meant) ─▶ checked (ranked, tried)
//!   read     shape, de                resolve                 …
//! ```
//!
//! It promises that all problems are found at once, that each names its place, and that nothing in a file makes it panic, hang or take more
//! memory than the file deserves. It knows nothing of run time, of processes or of MCP.
//!
//! The YAML is read with granit-parser, the parser of serde-saphyr, and not through serde-saphyr itself: serde stops at the first fault, and
//! an author wants all of them. Order of reading: [`source`], [`located`], [`problem`], `read`, [`model`], `shape`, `de`, then what gives a
//! file its meaning.

pub mod checked;
mod de;
pub mod digest;
pub mod lints;
pub mod located;
pub mod messages;
pub mod model;
mod node;
pub mod pattern;
pub mod problem;
pub mod rank;
mod read;
pub mod render;
mod resolve;
pub mod resolved;
pub mod schema;
mod shape;
pub mod source;
pub mod trial;
mod written;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::{
    checked::Checked,
    pattern::Set,
    problem::{Problem, Problems, Severity},
    rank::RuleShape,
    read::Document,
    source::{Files, Sources},
    written::Written,
};

/// Checks a file and all that it names. A pack is checked too, and is no ruleset by itself.
///
/// The ruleset is there if, and only if, no error was found.
pub fn check_file(path: &Path) -> (Option<Checked>, Problems) {
    check(Files::Disk, path)
}

/// Checks a text as if it stood in a file of that name in a folder. What it names is read from the disk.
pub fn check_str(name: &str, text: &str, folder: &Path) -> (Option<Checked>, Problems) {
    check_bytes(name, text.as_bytes(), folder)
}

/// Checks bytes as if they stood in a file of that name in a folder. What it names is read from the disk.
pub fn check_bytes(name: &str, bytes: &[u8], folder: &Path) -> (Option<Checked>, Problems) {
    let mut sources = Sources::new(Files::Disk);
    let mut problems = Vec::new();
    let document = read::bytes_of(&mut sources, &folder.join(name), bytes, &mut problems);
    judged(sources, Some(document), problems)
}

/// Checks a file, from wherever files come.
pub fn check(files: Files, path: &Path) -> (Option<Checked>, Problems) {
    let mut sources = Sources::new(files);
    let mut problems = Vec::new();
    let document = read::file(&mut sources, path, &mut problems);
    judged(sources, document, problems)
}

/// Checks several files, each for itself, and reports on all of them together.
pub fn check_files(paths: &[PathBuf]) -> Problems {
    check_files_against(paths, &BTreeMap::new())
}

/// The same, and says which patterns match none of the tools that servers have listed, by the names of the servers.
pub fn check_files_against(
    paths: &[PathBuf],
    inventory: &BTreeMap<String, Vec<String>>,
) -> Problems {
    let mut sources = Sources::new(Files::Disk);
    let mut all = Vec::new();
    for path in paths {
        let mut problems = Vec::new();
        let document = read::file(&mut sources, path, &mut problems);
        if let Some(checked) =
            document.and_then(|document| sound(&mut sources, document, &mut problems))
        {
            problems.extend(trial::problems(&checked));
            problems.extend(lints::patterns::idle(checked.resolved(), inventory));
        }
        all.extend(problems);
    }
    Problems::new(all, sources)
}

/// Checks a file like [`check_file`], but leaves the ruleset's own tests to whoever wants to see how each went.
pub fn check_untried(path: &Path) -> (Option<Checked>, Problems) {
    let mut sources = Sources::new(Files::Disk);
    let mut problems = Vec::new();
    let document = read::file(&mut sources, path, &mut problems);
    let checked = document.and_then(|document| sound(&mut sources, document, &mut problems));
    (checked, Problems::new(problems, sources))
}

fn judged(
    mut sources: Sources,
    document: Option<Document>,
    mut problems: Vec<Problem>,
) -> (Option<Checked>, Problems) {
    let checked = document.and_then(|document| sound(&mut sources, document, &mut problems));
    let checked = checked.filter(|checked| {
        // Tests of a policy that is not what its author wrote would fail for no reason of theirs.
        problems.extend(trial::problems(checked));
        !has_errors(&problems)
    });
    (checked, Problems::new(problems, sources))
}

/// The ruleset of a document, if nothing is wrong with it but, perhaps, its own tests.
fn sound(
    sources: &mut Sources,
    document: Document,
    problems: &mut Vec<Problem>,
) -> Option<Checked> {
    let file = document.file;
    match written::read(sources, document, problems)? {
        Written::Pack(pack) => {
            resolve::pack_alone(sources, &pack, file, problems);
            None
        }
        Written::Ruleset(ruleset) => {
            let resolved = resolve::ruleset(sources, &ruleset, file, problems);
            if has_errors(problems) {
                return None;
            }
            let shapes: Vec<_> = resolved.rules.iter().map(RuleShape::of).collect();
            let routine: Vec<_> = resolved
                .fail_open
                .iter()
                .map(|bound| Set::of([&bound.pattern]))
                .collect();
            match rank::rank(&shapes, &routine) {
                Ok(ranked) => {
                    problems.extend(lints::find(&resolved, &ranked));
                    Some(Checked::new(resolved, ranked, sources))
                }
                Err(entangled) => {
                    problems.extend(entangled.problem(&resolved.rules));
                    None
                }
            }
        }
    }
}

fn has_errors(problems: &[Problem]) -> bool {
    problems
        .iter()
        .any(|problem| problem.severity() == Severity::Error)
}
