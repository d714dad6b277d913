//! From the parser's events to a tree.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, Tag};

use super::{Document, hint};
use crate::{
    located::Span,
    node::{Entry, Key, Kind, Mapping, Node, Scalar},
    problem::{Code, Problem, enough, place, shown},
    source::{FileId, Sources},
};

/// The deepest policy that makes sense has nested a dozen times.
const DEEPEST: usize = 64;
/// The longest text, in bytes. Descriptions are the longest that there are.
const LONGEST: usize = 64 * 1024;
/// Ten thousand rules with conditions take half of it.
const MOST_NODES: usize = 300_000;

pub(super) fn build(
    sources: &Sources,
    file: FileId,
    faulty_lines: &[u32],
    problems: &mut Vec<Problem>,
) -> Document {
    let text = sources.text(file);
    let mut builder = Builder {
        sources,
        file,
        text: &text,
        open: Vec::new(),
        root: None,
        nodes: 0,
        aliases: HashSet::new(),
        problems,
    };
    let whole = builder.run(faulty_lines);
    let root = builder.finish(whole);
    Document { file, root, whole }
}

struct Builder<'a> {
    sources: &'a Sources,
    file: FileId,
    text: &'a str,
    open: Vec<Open>,
    root: Option<Node>,
    nodes: usize,
    /// The anchors whose aliases were refused.
    aliases: HashSet<usize>,
    problems: &'a mut Vec<Problem>,
}

/// A list or a mapping whose end has not come yet.
struct Open {
    span: Span,
    flow: bool,
    content: Content,
}

enum Content {
    Sequence(Vec<Node>),
    Mapping {
        entries: Vec<Entry>,
        places: HashMap<Box<str>, Span>,
        key: Option<Pending>,
    },
}

/// What the next value belongs to.
enum Pending {
    Key(Key),
    /// The key was refused, and its value goes with it.
    Nothing,
}

impl Builder<'_> {
    /// Takes in all events. False if the text stopped being YAML.
    fn run(&mut self, faulty_lines: &[u32]) -> bool {
        let mut options = granit_parser::Options::default();
        options.emit_unresolved_aliases = true;
        options.emit_anchor_events = true;
        options.set_emit_comments(false);
        options.flow_nesting_limit = DEEPEST;
        options.block_nesting_limit = DEEPEST;
        let text = self.text;
        self.directives();
        let mut documents = 0;
        for next in Parser::new_from_str_with_options(text, options) {
            let (event, span) = match next {
                Ok(next) => next,
                Err(error) => {
                    self.stopped(&error, faulty_lines);
                    return false;
                }
            };
            let here = self.span(&span);
            if let Event::DocumentStart(..) = event {
                documents += 1;
                if documents > 1 {
                    self.second_document(here);
                    self.forget_nothing();
                    return true;
                }
            }
            let tag = span.tag_span().map(|tag| self.span(&tag));
            if !self.take(event, here, tag) {
                return false;
            }
        }
        self.forget_nothing();
        if self.root.is_none() {
            self.nothing();
        }
        true
    }

    /// A document in which nothing is written is no document.
    fn forget_nothing(&mut self) {
        let nothing = |root: &Node| {
            let scalar = root.scalar();
            root.span.is_empty()
                && scalar.is_some_and(|scalar| scalar.plain && &*scalar.text == "~")
        };
        self.root = self.root.take().filter(|root| !nothing(root));
    }

    fn nothing(&mut self) {
        let width = self.text.chars().next().map_or(0, char::len_utf8);
        let place = Span {
            file: self.file,
            start: 0,
            end: u32::try_from(width).unwrap_or(0),
        };
        self.problems.push(
            Problem::new(Code::EmptyFile, "the file is empty: it says nothing").at(place, ""),
        );
    }

    /// Takes in one event. False if there are too many, or too many faults.
    fn take(&mut self, event: Event<'_>, span: Span, tag: Option<Span>) -> bool {
        if enough(self.problems) {
            return false;
        }
        self.nodes += usize::from(event.is_node());
        if self.nodes > MOST_NODES {
            let message = format!("the file has more than {MOST_NODES} values");
            self.problems
                .push(Problem::new(Code::TooLarge, message).at(span, "this is one more"));
            return false;
        }
        match event {
            Event::Scalar(text, style, _, given) => {
                self.scalar(text, style, given.as_deref(), tag, span)
            }
            Event::SequenceStart(style, _, given) => {
                self.refuse_tag(given.as_deref(), tag, span);
                let flow = style == granit_parser::StructureStyle::Flow;
                self.open.push(Open {
                    span,
                    flow,
                    content: Content::Sequence(Vec::new()),
                });
            }
            Event::MappingStart(style, _, given) => {
                self.refuse_tag(given.as_deref(), tag, span);
                let flow = style == granit_parser::StructureStyle::Flow;
                let content = Content::Mapping {
                    entries: Vec::new(),
                    places: HashMap::new(),
                    key: None,
                };
                self.open.push(Open {
                    span,
                    flow,
                    content,
                });
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span),
            Event::Alias(anchor) => {
                // One word for an alias is enough: a hostile file uses it ten thousand times.
                if self.aliases.insert(anchor) {
                    let name = shown(self.sources.slice(span));
                    self.problems.push(
                        Problem::new(
                            Code::Alias,
                            format!("`{name}` is an alias, and a policy has none"),
                        )
                        .at(span, "an alias")
                        .help("write the value out where it is used"),
                    );
                }
                self.put(Node {
                    span,
                    kind: Kind::Refused,
                });
            }
            Event::UnresolvedAlias(_) => {
                let written = hint::token(self.text, span);
                let name = shown(self.sources.slice(written));
                self.problems.push(
                    Problem::new(
                        Code::Alias,
                        format!("unquoted, `{name}` is an alias, and a policy has none"),
                    )
                    .at(written, "put this in quotes")
                    .help(hint::quoted(self.sources.slice(written))),
                );
                self.put(Node {
                    span,
                    kind: Kind::Refused,
                });
            }
            Event::Anchor(..) => {
                self.give_up_what_is_empty();
                let name = shown(self.sources.slice(span));
                self.problems.push(
                    Problem::new(
                        Code::Alias,
                        format!(
                            "`{name}` is an anchor, and a policy has no anchors and no aliases"
                        ),
                    )
                    .at(span, "an anchor")
                    .help(format!(
                        "remove it; if the text is meant, put it in quotes: {}",
                        hint::quoted_only(&name)
                    )),
                );
            }
            Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(..)
            | Event::DocumentEnd => {}
            // A newer parser may know more than this reader: what it does not know it cannot leave out.
            _ => {
                self.problems.push(
                    Problem::new(Code::Syntax, "this kind of YAML is not known here")
                        .at(span, "here"),
                );
                return false;
            }
        }
        true
    }

    fn scalar(
        &mut self,
        text: Cow<'_, str>,
        style: ScalarStyle,
        given: Option<&Tag>,
        tag: Option<Span>,
        span: Span,
    ) {
        if given.is_some() {
            self.refuse_tag(given, tag, span);
            self.put(Node {
                span,
                kind: Kind::Refused,
            });
        } else if text.len() > LONGEST {
            let whose = match self.open.last().map(|open| &open.content) {
                Some(Content::Mapping {
                    key: Some(Pending::Key(key)),
                    ..
                }) => format!("the text of `{}`", shown(&key.text)),
                Some(_) | None => "this text".to_owned(),
            };
            let message = format!(
                "{whose} is {} bytes long, and {LONGEST} are the most",
                text.len()
            );
            self.problems
                .push(Problem::new(Code::TooLarge, message).at(span.start(), "it begins here"));
            self.put(Node {
                span,
                kind: Kind::Refused,
            });
        } else {
            let plain = style == ScalarStyle::Plain;
            let kind = Kind::Scalar(Scalar {
                text: text.into(),
                plain,
            });
            self.put(Node { span, kind });
        }
    }

    fn refuse_tag(&mut self, given: Option<&Tag>, tag: Option<Span>, node: Span) {
        if given.is_none() {
            return;
        }
        let span = tag.unwrap_or(node);
        let written = hint::token(self.text, span);
        let name = shown(self.sources.slice(written));
        self.problems.push(
            Problem::new(
                Code::Tag,
                format!("unquoted, `{name}` is a tag, and a policy has none"),
            )
            .at(written, "put this in quotes, or remove it")
            .help(hint::quoted(self.sources.slice(written))),
        );
    }

    fn close(&mut self, end: Span) {
        let Some(open) = self.open.pop() else { return };
        let span = if open.flow {
            Span {
                end: end.end,
                ..open.span
            }
        } else {
            open.span
        };
        let node = open.into_node(span, true);
        self.put(node);
    }

    /// Puts a finished value where it belongs.
    fn put(&mut self, node: Node) {
        match self.open.last_mut().map(|open| &mut open.content) {
            None => self.root = Some(node),
            Some(Content::Sequence(items)) => items.push(node),
            Some(Content::Mapping { entries, key, .. }) => match key.take() {
                Some(Pending::Key(key)) => entries.push(Entry { key, value: node }),
                Some(Pending::Nothing) => {}
                None => {
                    let pending = self.key(node);
                    if let Some(Content::Mapping { key, .. }) =
                        self.open.last_mut().map(|open| &mut open.content)
                    {
                        *key = Some(pending);
                    }
                }
            },
        }
    }

    fn key(&mut self, node: Node) -> Pending {
        let span = node.span;
        let (text, plain) = match node.kind {
            Kind::Scalar(scalar) => (scalar.text, scalar.plain),
            Kind::Refused => return Pending::Nothing,
            Kind::Sequence(_) | Kind::Mapping(_) => {
                self.problems.push(
                    Problem::new(Code::ComplexKey, "a key must be text")
                        .at(span, "not a text")
                        .help("put it in quotes"),
                );
                return Pending::Nothing;
            }
        };
        if plain && &*text == "<<" {
            self.problems.push(
                Problem::new(
                    Code::MergeKey,
                    "`<<` is a merge key: readers disagree on which of two equal keys wins",
                )
                .at(span, "a merge key")
                .help("write the keys out"),
            );
            return Pending::Nothing;
        }
        let Some(Content::Mapping { places, .. }) =
            self.open.last_mut().map(|open| &mut open.content)
        else {
            return Pending::Nothing;
        };
        if let Some(first) = places.get(&text).copied() {
            let message = format!(
                "duplicate key `{}`: it already stands on {}",
                shown(&text),
                place(self.sources, first, self.file)
            );
            self.problems.push(
                Problem::new(Code::DuplicateKey, message)
                    .at(span, "again here")
                    .at(first, "first here")
                    .help("keep one of the two: some readers take the first, others the last"),
            );
            return Pending::Nothing;
        }
        places.insert(text.clone(), span);
        Pending::Key(Key { span, text, plain })
    }

    fn second_document(&mut self, span: Span) {
        self.problems.push(
            Problem::new(
                Code::SeveralDocuments,
                "a second document begins here, and a policy is one document",
            )
            .at(span, "this would be left out")
            .help("put everything into one document, or into packs"),
        );
    }

    /// Directives stand before the document, each on a line of its own.
    fn directives(&mut self) {
        let mut start = 0;
        for line in self.text.split_inclusive('\n') {
            let content = line.trim_end();
            if content.starts_with('%')
                && content.split_whitespace().collect::<Vec<_>>() != ["%YAML", "1.2"]
            {
                let offset = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
                let span = Span {
                    file: self.file,
                    start: offset(start),
                    end: offset(start + content.len()),
                };
                self.problems.push(
                    Problem::new(
                        Code::Directive,
                        format!("the directive `{}` is not `%YAML 1.2`", shown(content)),
                    )
                    .at(span, "")
                    .help("remove this line: a policy is YAML 1.2 and needs no directive"),
                );
            }
            if !content.is_empty() && !content.starts_with(['%', '#', '\u{feff}']) {
                return;
            }
            start += line.len();
        }
    }

    fn stopped(&mut self, error: &ScanError, faulty_lines: &[u32]) {
        let marker = error.marker();
        let offset = marker.byte_offset().unwrap_or(self.text.len());
        let offset = u32::try_from(offset.min(self.text.len())).unwrap_or(u32::MAX);
        let span = Span {
            file: self.file,
            start: offset,
            end: offset,
        };
        if *error.kind() == ErrorKind::RecursionLimitExceeded {
            let message = format!("lists and mappings are nested more than {DEEPEST} deep");
            self.problems
                .push(Problem::new(Code::Nesting, message).at(span, "too deep from here"));
            return;
        }
        // What the parser stumbles over may have been named already: a tab, a hidden character, a directive.
        let known = self
            .problems
            .iter()
            .any(|problem| problem.code == Code::Directive);
        if known || faulty_lines.contains(&self.sources.position(span).line) {
            return;
        }
        self.give_up_what_ends_at(offset);
        let flow = self
            .open
            .iter()
            .rev()
            .take_while(|open| open.flow)
            .last()
            .map(|open| open.span);
        self.problems
            .push(hint::syntax(self.text, span, error.kind(), flow));
    }

    /// A value that ends where the parser stumbled is only the beginning of what was meant.
    fn give_up_what_ends_at(&mut self, offset: u32) {
        if let Some(node) = self.last_value()
            && node.span.end == offset
        {
            node.kind = Kind::Refused;
        }
    }

    /// Nothing stands beside an anchor that was meant as a value.
    fn give_up_what_is_empty(&mut self) {
        if let Some(node) = self.last_value()
            && node.span.is_empty()
        {
            node.kind = Kind::Refused;
        }
    }

    fn last_value(&mut self) -> Option<&mut Node> {
        match self.open.last_mut().map(|open| &mut open.content) {
            Some(Content::Mapping { entries, .. }) => {
                entries.last_mut().map(|entry| &mut entry.value)
            }
            Some(Content::Sequence(items)) => items.last_mut(),
            None => None,
        }
    }

    /// Closes what is open, keeping what was complete.
    fn finish(&mut self, whole: bool) -> Option<Node> {
        while let Some(open) = self.open.pop() {
            // An unfinished flow collection has swallowed text that was not meant for it.
            if open.flow {
                if let Some(Content::Mapping { key, .. }) =
                    self.open.last_mut().map(|open| &mut open.content)
                {
                    *key = None;
                }
            } else {
                let span = open.span;
                let node = open.into_node(span, whole);
                self.put(node);
            }
        }
        self.root.take()
    }

    fn span(&self, span: &granit_parser::Span) -> Span {
        let range = span.byte_range().unwrap_or(0..0);
        let offset = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Span {
            file: self.file,
            start: offset(range.start),
            end: offset(range.end),
        }
    }
}

impl Open {
    fn into_node(self, span: Span, whole: bool) -> Node {
        match self.content {
            Content::Sequence(items) => Node {
                span,
                kind: Kind::Sequence(items),
            },
            Content::Mapping { entries, .. } => {
                // A block mapping has no bracket to point at, so its first key stands for it.
                let first = entries.first().map(|entry| entry.key.span);
                let span = if self.flow {
                    span
                } else {
                    first.unwrap_or(span)
                };
                Node {
                    span,
                    kind: Kind::Mapping(Mapping { entries, whole }),
                }
            }
        }
    }
}
