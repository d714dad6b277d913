//! From bytes to a tree: strict YAML, and no more of it than a policy needs.
//!
//! What some reader would read otherwise is refused: repeated and merged keys, several documents, tags, anchors, characters that cannot be
//! seen. Everything is bounded, since a pack comes from somebody else.

mod hint;
mod plain;
mod raw;
mod tree;

use std::path::Path;

use crate::{
    node::Node,
    problem::{Code, Problem, shown},
    source::{self, FileId, MAX_BYTES, Sources},
};

pub(crate) use hint::quoted;
pub(crate) use plain::Plain;

/// A file that was read, as far as it could be.
pub(crate) struct Document {
    pub(crate) file: FileId,
    /// The tree; if the text stopped being YAML, what stood before.
    pub(crate) root: Option<Node>,
    /// False if the text stopped being YAML.
    pub(crate) whole: bool,
}

/// Reads a file and adds what is wrong with its text.
pub(crate) fn file(
    sources: &mut Sources,
    path: &Path,
    problems: &mut Vec<Problem>,
) -> Option<Document> {
    match sources.bytes(path, MAX_BYTES) {
        Ok(bytes) => Some(bytes_of(sources, path, &bytes, problems)),
        Err(error) => {
            let name = source::display(path);
            let message = format!(
                "`{}` cannot be read: {}",
                shown(&name),
                source::reason(&error)
            );
            problems.push(Problem::new(Code::Unreadable, message));
            None
        }
    }
}

/// Reads bytes under the name of a file and adds what is wrong with them.
pub(crate) fn bytes_of(
    sources: &mut Sources,
    path: &Path,
    bytes: &[u8],
    problems: &mut Vec<Problem>,
) -> Document {
    let text = raw::decode(bytes);
    let file = sources.add(path, &text.text);
    let before = problems.len();
    raw::check(sources, file, &text, problems);
    if text.stops() {
        return Document {
            file,
            root: None,
            whole: false,
        };
    }
    let lines_at_fault: Vec<_> = problems
        .iter()
        .skip(before)
        .filter_map(Problem::span)
        .map(|span| sources.position(span).line)
        .collect();
    tree::build(sources, file, &lines_at_fault, problems)
}
