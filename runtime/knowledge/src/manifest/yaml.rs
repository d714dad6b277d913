//! Text to a tree: YAML 1.2 with its core schema, and nothing that could surprise.
//!
//! Names that occur twice, tags that build objects, and documents that unfold without end are refused.

use std::borrow::Cow;
use std::collections::BTreeMap;

use granit_parser::{Event, Parser, ScalarStyle, StrInput, Tag};
use thiserror::Error;

use super::mapping::Mapping;
use super::node::Node;
use super::scalar::resolve;

/// Reads one document.
pub(crate) fn read(text: &str) -> Result<Node, YamlError> {
    if text.len() > MAX_BYTES {
        return Err(YamlError::TooLarge);
    }
    let mut options = granit_parser::options! {};
    options.set_emit_comments(false);
    let mut reader = Reader {
        parser: Parser::new_from_str_with_options(text, options),
        anchors: BTreeMap::new(),
        nodes: 0,
        unfolded: 0,
    };
    reader.document()
}

/// Why a text is no manifest in YAML.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
pub enum YamlError {
    /// The text breaks YAML's grammar.
    #[error("line {line}, column {column}: {what}")]
    Syntax {
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
        /// What the reader met.
        what: String,
    },
    /// The text is longer than a manifest may be.
    #[error("the text is larger than 8 MiB")]
    TooLarge,
    /// Lists and mappings lie too deep in each other.
    #[error("lists and mappings lie more than 64 deep in each other")]
    TooDeep,
    /// There are too many values, or aliases unfold to too many.
    #[error("there are too many values, aliases counted as what they stand for")]
    TooMany,
    /// A second document follows.
    #[error("there is more than one document")]
    ManyDocuments,
    /// A mapping names a member twice.
    #[error("line {line}: `{name}` is named twice")]
    NamedTwice {
        /// Counted from 1.
        line: usize,
        /// The name.
        name: String,
    },
    /// A member's name is a list or a mapping.
    #[error("line {line}: a name is no plain text")]
    StrangeName {
        /// Counted from 1.
        line: usize,
    },
    /// A tag other than those of YAML's core schema, or one that its value does not fit.
    #[error("line {line}: the tag `{tag}` is not allowed here")]
    Tag {
        /// Counted from 1.
        line: usize,
        /// The tag as written.
        tag: String,
    },
    /// An alias that stands for nothing, or for what it lies in.
    #[error("line {line}: an alias stands for nothing before it")]
    Alias {
        /// Counted from 1.
        line: usize,
    },
    /// A merge key whose value is no mapping.
    #[error("line {line}: `<<` merges what is no mapping")]
    Merge {
        /// Counted from 1.
        line: usize,
    },
}

struct Reader<'a> {
    parser: Parser<'a, StrInput<'a>>,
    anchors: BTreeMap<usize, Node>,
    nodes: usize,
    unfolded: usize,
}

impl<'a> Reader<'a> {
    fn document(&mut self) -> Result<Node, YamlError> {
        let mut root = None;
        while let Some((event, line)) = self.next()? {
            let is_frame = matches!(
                event,
                Event::StreamStart
                    | Event::DocumentStart(..)
                    | Event::DocumentEnd
                    | Event::StreamEnd
            );
            if is_frame {
                continue;
            }
            if root.is_some() {
                return Err(YamlError::ManyDocuments);
            }
            root = Some(self.node(event, line, 0)?);
        }
        Ok(root.unwrap_or(Node::Null))
    }

    fn next(&mut self) -> Result<Option<(Event<'a>, usize)>, YamlError> {
        match self.parser.next() {
            None => Ok(None),
            Some(Ok((event, span))) => Ok(Some((event, span.start.line()))),
            Some(Err(error)) => Err(YamlError::Syntax {
                line: error.marker().line(),
                column: error.marker().col() + 1,
                what: error.info(),
            }),
        }
    }

    fn node(&mut self, event: Event<'a>, line: usize, depth: usize) -> Result<Node, YamlError> {
        self.nodes += 1;
        if depth > MAX_DEPTH {
            return Err(YamlError::TooDeep);
        }
        if self.nodes > MAX_NODES {
            return Err(YamlError::TooMany);
        }
        let (node, anchor) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                (scalar(text, style, tag.as_deref(), line)?, anchor)
            }
            Event::SequenceStart(_, anchor, tag) => {
                expect_tag(tag.as_deref(), "seq", line)?;
                (self.list(depth)?, anchor)
            }
            Event::MappingStart(_, anchor, tag) => {
                expect_tag(tag.as_deref(), "map", line)?;
                (self.map(depth)?, anchor)
            }
            Event::Alias(anchor) => return self.alias(anchor, line),
            // Aliases for nothing are errors of the parser already, and the rest is no beginning of a value.
            Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(..)
            | Event::DocumentEnd
            | Event::Anchor(..)
            | Event::UnresolvedAlias(_)
            | Event::SequenceEnd
            | Event::MappingEnd
            | _ => return Err(YamlError::Alias { line }),
        };
        if anchor != 0 {
            // The copy counts, or anchors that lie in each other would multiply what is kept.
            self.nodes += node.size();
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn list(&mut self, depth: usize) -> Result<Node, YamlError> {
        let mut elements = Vec::new();
        while let Some((event, line)) = self.next()? {
            if event == Event::SequenceEnd {
                break;
            }
            elements.push(self.node(event, line, depth + 1)?);
        }
        Ok(Node::List(elements))
    }

    fn map(&mut self, depth: usize) -> Result<Node, YamlError> {
        let mut members = Mapping::default();
        while let Some((event, line)) = self.next()? {
            if event == Event::MappingEnd {
                break;
            }
            let is_merge =
                matches!(&event, Event::Scalar(text, ScalarStyle::Plain, _, None) if text == "<<");
            let name = self.node(event, line, depth + 1)?;
            let name = if name == Node::Null {
                String::new()
            } else {
                name.as_text()
                    .ok_or(YamlError::StrangeName { line })?
                    .into_owned()
            };
            let Some((event, line)) = self.next()? else {
                break;
            };
            let value = self.node(event, line, depth + 1)?;
            if is_merge {
                members.merge(value, line)?;
            } else {
                members.insert(name, value, line)?;
            }
        }
        Ok(Node::Map(members.done()))
    }

    fn alias(&mut self, anchor: usize, line: usize) -> Result<Node, YamlError> {
        let node = self.anchors.get(&anchor).ok_or(YamlError::Alias { line })?;
        self.unfolded += node.size();
        if self.unfolded > MAX_UNFOLDED {
            return Err(YamlError::TooMany);
        }
        Ok(node.clone())
    }
}

fn scalar(
    text: Cow<'_, str>,
    style: ScalarStyle,
    tag: Option<&Tag>,
    line: usize,
) -> Result<Node, YamlError> {
    let plain = style == ScalarStyle::Plain;
    let Some(tag) = tag else {
        return Ok(if plain {
            resolve(text)
        } else {
            Node::Text(text.into_owned())
        });
    };
    let resolved = resolve(text.clone());
    match (tag.core_suffix(), &resolved) {
        (Some("str"), _) => Ok(Node::Text(text.into_owned())),
        (Some("null"), Node::Null)
        | (Some("bool"), Node::Bool(_))
        | (Some("int" | "float"), Node::Number(_)) => Ok(resolved),
        _ => Err(YamlError::Tag {
            line,
            tag: tag.original(),
        }),
    }
}

fn expect_tag(tag: Option<&Tag>, name: &str, line: usize) -> Result<(), YamlError> {
    match tag {
        Some(tag) if tag.core_suffix() != Some(name) => Err(YamlError::Tag {
            line,
            tag: tag.original(),
        }),
        Some(_) | None => Ok(()),
    }
}

const MAX_BYTES: usize = 8 << 20;
const MAX_DEPTH: usize = 64;
const MAX_NODES: usize = 2_000_000;
const MAX_UNFOLDED: usize = 100_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = match read(text) {
            Ok(node) => format!("{node:?}"),
            Err(error) => format!("! {error}"),
        };
        assert!(found.contains(expected), "{text:?}: {found}");
    }

    #[test]
    fn scalars_are_what_the_core_schema_says() {
        check("0.30", "Number(\"0.3\")");
        check("1.0", "Number(\"1\")");
        check("-0042", "Number(\"-42\")");
        check(".5", "Number(\"0.5\")");
        check("1e3", "Number(\"1000\")");
        check("0x10", "Number(\"16\")");
        check("1.2.3", "Text(\"1.2.3\")");
        check("2020-01-01", "Text(\"2020-01-01\")");
        check("no", "Text(\"no\")");
        check("\"true\"", "Text(\"true\")");
        check("!!str 42", "Text(\"42\")");
        check("~", "Null");
        check("e5", "Text(\"e5\")");
        check(".", "Text(\".\")");
        check("1_000", "Text(\"1_000\")");
    }

    #[test]
    fn what_could_surprise_is_refused() {
        check("a: 1\na: 2", "`a` is named twice");
        check("1: a\n\"1\": b", "`1` is named twice");
        check("a: !!js/function \"f\"", "tag `!!js/function`");
        check("a: !mine {b: 1}", "tag `!mine`");
        check("!!int abc", "tag `!!int`");
        check("a: 1\n---\nb: 2", "more than one document");
        check("? [a, b]\n: c", "a name is no plain text");
        check("a: *b", "!");
        check("a: &x [*x]", "!");
        check("a: [", "! line");
        check(
            &format!("{}{}", "[".repeat(100), "]".repeat(100)),
            "more than 64 deep",
        );
    }

    #[test]
    fn aliases_unfold_but_not_without_end() {
        check("a: &x [1]\nb: *x", "(\"b\", List([Number(\"1\")]))");
        let bomb = (1..20).fold(
            "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned(),
            |text, level| {
                let previous = level - 1;
                let line = vec![format!("*a{previous}"); 10].join(",");
                format!("{text}a{level}: &a{level} [{line}]\n")
            },
        );
        check(&bomb, "too many values");
    }

    #[test]
    fn merged_members_yield_to_written_ones() {
        check(
            "b: &b {x: 1, y: 2}\nm: {<<: *b, x: 3}",
            "(\"x\", Number(\"3\")), (\"y\", Number(\"2\"))",
        );
        check(
            "m: {x: 3, <<: [{x: 1}, {x: 2, z: 4}]}",
            "(\"x\", Number(\"3\")), (\"z\", Number(\"4\"))",
        );
        check("m: {<<: 3}", "merges what is no mapping");
    }
}
