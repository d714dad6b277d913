//! A YAML document as a tree that knows where each part was written.

use crate::located::Span;

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) span: Span,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Scalar(Scalar),
    Sequence(Vec<Node>),
    Mapping(Mapping),
    /// Something was written here and has been found fault with: an alias, a tag, a text without end.
    Refused,
}

/// A text, a number, a truth value or nothing: which of them, the place where it stands decides.
#[derive(Clone, Debug)]
pub(crate) struct Scalar {
    /// The text after unescaping.
    pub(crate) text: Box<str>,
    /// Written without quotes, and so open to interpretation.
    pub(crate) plain: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Mapping {
    pub(crate) entries: Vec<Entry>,
    /// False if reading stopped inside it, or if a part of it was at fault: then what is missing may have been written.
    pub(crate) whole: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: Key,
    pub(crate) value: Node,
}

#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub(crate) span: Span,
    pub(crate) text: Box<str>,
    pub(crate) plain: bool,
}

impl Mapping {
    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.entries
            .iter_mut()
            .find(|entry| &*entry.key.text == key)
            .map(|entry| &mut entry.value)
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.entries
            .iter()
            .find(|entry| &*entry.key.text == key)
            .map(|entry| &entry.value)
    }
}

impl Node {
    pub(crate) fn mapping(&self) -> Option<&Mapping> {
        match &self.kind {
            Kind::Mapping(mapping) => Some(mapping),
            Kind::Scalar(_) | Kind::Sequence(_) | Kind::Refused => None,
        }
    }

    pub(crate) fn mapping_mut(&mut self) -> Option<&mut Mapping> {
        match &mut self.kind {
            Kind::Mapping(mapping) => Some(mapping),
            Kind::Scalar(_) | Kind::Sequence(_) | Kind::Refused => None,
        }
    }

    pub(crate) fn scalar_mut(&mut self) -> Option<&mut Scalar> {
        match &mut self.kind {
            Kind::Scalar(scalar) => Some(scalar),
            Kind::Sequence(_) | Kind::Mapping(_) | Kind::Refused => None,
        }
    }

    pub(crate) fn scalar(&self) -> Option<&Scalar> {
        match &self.kind {
            Kind::Scalar(scalar) => Some(scalar),
            Kind::Sequence(_) | Kind::Mapping(_) | Kind::Refused => None,
        }
    }
}
