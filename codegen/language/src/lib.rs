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

mod de;
pub mod located;
pub mod model;
mod node;
pub mod problem;
mod read;
pub mod render;
pub mod schema;
mod shape;
pub mod source;

use std::path::Path;

use crate::{
    model::{Pack, Ruleset},
    node::Node,
    problem::{Code, Problem, Problems, shown},
    source::{Files, Sources},
};

/// A file as written, by its kind.
#[derive(Debug)]
pub enum Written {
    /// A whole policy.
    Ruleset(Box<Ruleset>),
    /// Rules for all to use.
    Pack(Box<Pack>),
}

/// Reads a file of either kind.
pub fn read_file(path: &Path) -> (Option<Written>, Problems) {
    let mut sources = Sources::new(Files::Disk);
    let mut problems = Vec::new();
    let document = read::file(&mut sources, path, &mut problems);
    let written = document.and_then(|document| written(&sources, document, &mut problems));
    (written, Problems::new(problems, sources))
}

/// Reads a text of either kind, as if it stood in a file of this name.
pub fn read_str(name: &str, text: &str) -> (Option<Written>, Problems) {
    read_bytes(name, text.as_bytes())
}

/// Reads bytes of either kind, as if they stood in a file of this name.
pub fn read_bytes(name: &str, bytes: &[u8]) -> (Option<Written>, Problems) {
    let mut sources = Sources::new(Files::Disk);
    let mut problems = Vec::new();
    let document = read::bytes_of(&mut sources, Path::new(name), bytes, &mut problems);
    let written = written(&sources, document, &mut problems);
    (written, Problems::new(problems, sources))
}

fn written(
    sources: &Sources,
    document: read::Document,
    problems: &mut Vec<Problem>,
) -> Option<Written> {
    let mut root = document.root?;
    let is_pack = kind(&mut root, problems) == Kind::Pack;
    let schema = if is_pack {
        schema::pack()
    } else {
        schema::ruleset()
    };
    let sound = shape::check(sources, schema, root, problems)?;
    if !document.whole {
        return None;
    }
    let written = if is_pack {
        de::from_node(&sound).map(|pack| Written::Pack(Box::new(pack)))
    } else {
        de::from_node(&sound).map(|ruleset| Written::Ruleset(Box::new(ruleset)))
    };
    match written {
        Ok(written) => Some(written),
        Err(misread) => {
            let problem = Problem::new(
                Code::Misread,
                format!("this cannot be read: {}", misread.message),
            );
            let span = misread.span.unwrap_or(sound.span);
            problems.push(
                problem
                    .at(span, "here")
                    .help("this is a fault of knotrust: please report it"),
            );
            None
        }
    }
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum Kind {
    Ruleset,
    Pack,
}

/// What a file says it is. One that says nothing, or something unknown, is taken for a ruleset, so that the rest of it can be judged.
fn kind(root: &mut Node, problems: &mut Vec<Problem>) -> Kind {
    let Some(kind) = root
        .mapping_mut()
        .and_then(|mapping| mapping.get_mut("kind"))
    else {
        return Kind::Ruleset;
    };
    let span = kind.span;
    let Some(scalar) = kind.scalar_mut() else {
        return Kind::Ruleset;
    };
    match &*scalar.text {
        "Ruleset" => Kind::Ruleset,
        "Pack" => Kind::Pack,
        other => {
            let message = format!("`kind` is `Ruleset` or `Pack`, not `{}`", shown(other));
            problems.push(Problem::new(Code::UnknownKind, message).at(span, "no kind of file"));
            scalar.text = "Ruleset".into();
            Kind::Ruleset
        }
    }
}
