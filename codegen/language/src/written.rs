//! From a tree to the file as written, by its kind.

use crate::{
    de::{self, Misread},
    located::Span,
    model::{Pack, Ruleset},
    node::Node,
    problem::{Code, Problem, shown},
    read::Document,
    schema, shape,
    source::Sources,
};

/// A file as written.
pub(crate) enum Written {
    Ruleset(Box<Ruleset>),
    Pack(Box<Pack>),
}

/// Checks the shape of a file and reads it.
pub(crate) fn read(
    sources: &Sources,
    document: Document,
    problems: &mut Vec<Problem>,
) -> Option<Written> {
    let mut root = document.root?;
    let kind = kind(&mut root, problems);
    let schema = match kind {
        Kind::Ruleset => schema::ruleset(),
        Kind::Pack => schema::pack(),
    };
    let sound = shape::check(sources, schema, root, problems)?;
    if !document.whole {
        return None;
    }
    let written = match kind {
        Kind::Ruleset => de::from_node(&sound).map(|ruleset| Written::Ruleset(Box::new(ruleset))),
        Kind::Pack => de::from_node(&sound).map(|pack| Written::Pack(Box::new(pack))),
    };
    match written {
        Ok(written) => Some(written),
        Err(error) => {
            problems.push(misread(&error, sound.span));
            None
        }
    }
}

/// The tree of a file that another names as a pack.
pub(crate) fn pack(
    sources: &Sources,
    document: Document,
    problems: &mut Vec<Problem>,
) -> Option<Node> {
    let mut root = document.root?;
    let span = root.span;
    let named = root
        .mapping_mut()
        .and_then(|mapping| mapping.get_mut("kind"));
    let text = named.and_then(|kind| Some((kind.span, kind.scalar_mut()?.text.clone())));
    if let Some((span, text)) = text
        && &*text != "Pack"
    {
        let message = format!(
            "this file is named as a pack, and its `kind` is `{}`",
            shown(&text)
        );
        problems.push(Problem::new(Code::NotAPack, message).at(span, "not `Pack`"));
        return None;
    }
    let whole = document.whole;
    let sound = shape::check(sources, schema::pack(), root, problems);
    debug_assert!(
        sound.is_some() || !problems.is_empty(),
        "refused without a word at {span:?}"
    );
    sound.filter(|_| whole)
}

/// The problem of a tree that its schema admits and its type does not.
pub(crate) fn misread(error: &Misread, span: Span) -> Problem {
    Problem::new(
        Code::Misread,
        format!("this cannot be read: {}", error.message),
    )
    .at(error.span.unwrap_or(span), "here")
    .help("this is a fault of knotrust: please report it")
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
