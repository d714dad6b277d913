//! Whether a tree has the shape that its schema asks for.
//!
//! All faults are found at once, so the check goes on after each: what is at fault is left out of the tree that it returns, and the rest can
//! be judged by what a schema cannot say.

mod wording;

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::{
    located::Span,
    model::POINTER_KEYS,
    node::{Entry, Key, Kind, Mapping, Node, Scalar},
    problem::{Problem, enough, shown},
    read::Plain,
    source::Sources,
};

/// Checks a tree and returns what of it is sound.
pub(crate) fn check(
    sources: &Sources,
    schema: &Value,
    root: Node,
    problems: &mut Vec<Problem>,
) -> Option<Node> {
    let definitions = schema.get("$defs").and_then(Value::as_object);
    Shape {
        sources,
        definitions,
        path: Vec::new(),
        problems,
    }
    .node(schema, root)
}

struct Shape<'a> {
    sources: &'a Sources,
    definitions: Option<&'a Map<String, Value>>,
    path: Vec<Step>,
    problems: &'a mut Vec<Problem>,
}

/// One step from a value to a part of it.
enum Step {
    Key(Box<str>),
    Item(usize),
}

impl<'a> Shape<'a> {
    fn node(&mut self, schema: &'a Value, node: Node) -> Option<Node> {
        if *schema == Value::Bool(true) {
            return self.free(node);
        }
        let mut leaves = Vec::new();
        self.leaves(schema, &mut leaves);
        let span = node.span;
        match node.kind {
            Kind::Refused => None,
            Kind::Mapping(mapping) => match leaf(&leaves, "object") {
                Some(object) => self.object(object, span, mapping),
                None => {
                    self.problems.push(self.not_a(&leaves, span, "a mapping"));
                    None
                }
            },
            Kind::Sequence(items) => match leaf(&leaves, "array") {
                Some(array) => self.array(array, span, items),
                None => {
                    self.problems.push(self.not_a(&leaves, span, "a list"));
                    None
                }
            },
            Kind::Scalar(scalar) => self.scalar(&leaves, span, scalar),
        }
    }

    /// The alternatives that a schema offers, with references followed.
    fn leaves(&self, schema: &'a Value, leaves: &mut Vec<&'a Value>) {
        if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
            let name = name.rsplit('/').next().unwrap_or(name);
            if let Some(target) = self
                .definitions
                .and_then(|definitions| definitions.get(name))
            {
                self.leaves(target, leaves);
            }
            return;
        }
        let branches = schema
            .get("anyOf")
            .or_else(|| schema.get("oneOf"))
            .and_then(Value::as_array);
        match branches {
            Some(branches) => branches
                .iter()
                .for_each(|branch| self.leaves(branch, leaves)),
            None => leaves.push(schema),
        }
    }

    fn object(&mut self, schema: &'a Value, span: Span, mapping: Mapping) -> Option<Node> {
        let properties = schema.get("properties").and_then(Value::as_object);
        let required: BTreeSet<&str> = match schema.get("required").and_then(Value::as_array) {
            Some(names) => names.iter().filter_map(Value::as_str).collect(),
            None => BTreeSet::new(),
        };
        let least = schema
            .get("minProperties")
            .and_then(Value::as_u64)
            .unwrap_or(0);
        if mapping.whole && (mapping.entries.len() as u64) < least {
            self.problems.push(self.empty(span, "mapping"));
            return None;
        }
        let mut missing: BTreeSet<&str> = required
            .iter()
            .copied()
            .filter(|name| mapping.get(name).is_none())
            .collect();
        if mapping.whole {
            for name in &missing {
                self.problems.push(self.missing(span, name));
            }
        }
        let mut whole = mapping.whole;
        let mut entries = Vec::with_capacity(mapping.entries.len());
        for Entry { key, value } in mapping.entries {
            if enough(self.problems) {
                return None;
            }
            let Some(member) = self.member(schema, properties, &key) else {
                whole = false;
                continue;
            };
            self.path.push(Step::Key(key.text.clone()));
            let sound = self.node(member, value);
            self.path.pop();
            match sound {
                Some(value) => entries.push(Entry { key, value }),
                None => {
                    whole = false;
                    missing.extend(required.get(&*key.text));
                }
            }
        }
        for name in missing {
            let stand_in = self
                .path
                .is_empty()
                .then(|| stand_in(name, span))
                .flatten()?;
            entries.push(stand_in);
        }
        Some(Node {
            span,
            kind: Kind::Mapping(Mapping { entries, whole }),
        })
    }

    /// The schema of a member.
    fn member(
        &mut self,
        schema: &'a Value,
        properties: Option<&'a Map<String, Value>>,
        key: &Key,
    ) -> Option<&'a Value> {
        if let Some(member) = properties.and_then(|properties| properties.get(&*key.text)) {
            return Some(member);
        }
        let pointers = schema
            .get("patternProperties")
            .and_then(|patterns| patterns.get(POINTER_KEYS));
        if let Some(member) = pointers
            && (key.text.is_empty() || key.text.starts_with('/'))
        {
            return Some(member);
        }
        match schema.get("additionalProperties") {
            None | Some(Value::Bool(false)) => {
                self.problems.push(self.unknown_key(schema, key));
                None
            }
            Some(member) => {
                if key.plain && Plain::of(&key.text) != Plain::Text {
                    self.problems.push(self.needs_quotes(
                        key.span,
                        &key.text,
                        Plain::of(&key.text),
                    ));
                    return None;
                }
                Some(member)
            }
        }
    }

    fn array(&mut self, schema: &'a Value, span: Span, items: Vec<Node>) -> Option<Node> {
        let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0);
        if (items.len() as u64) < least {
            self.problems.push(self.empty(span, "list"));
            return None;
        }
        let Some(item_schema) = schema.get("items") else {
            return Some(Node {
                span,
                kind: Kind::Sequence(items),
            });
        };
        let mut sound = Vec::with_capacity(items.len());
        for (number, item) in items.into_iter().enumerate() {
            if enough(self.problems) {
                return None;
            }
            self.path.push(Step::Item(number));
            sound.extend(self.node(item_schema, item));
            self.path.pop();
        }
        // A list that has lost all its items would be at fault for being empty.
        (sound.len() as u64 >= least).then_some(Node {
            span,
            kind: Kind::Sequence(sound),
        })
    }

    fn scalar(&mut self, leaves: &[&'a Value], span: Span, scalar: Scalar) -> Option<Node> {
        let reading = if scalar.plain {
            Plain::of(&scalar.text)
        } else {
            Plain::Text
        };
        if leaves
            .iter()
            .any(|leaf| fits_constant(leaf, &scalar, reading))
        {
            return Some(Node {
                span,
                kind: Kind::Scalar(scalar),
            });
        }
        let number = leaf(leaves, "integer").or_else(|| leaf(leaves, "number"));
        let fits = match reading {
            Plain::Text => leaf(leaves, "string").is_some(),
            Plain::True | Plain::False => leaf(leaves, "boolean").is_some(),
            Plain::Decimal => leaf(leaves, "number").is_some(),
            Plain::Integer => number.is_some(),
            Plain::Ambiguous(_) | Plain::Null => false,
        };
        let problem = if !fits {
            Some(self.not_this(leaves, span, &scalar, reading))
        } else if let (Plain::Integer | Plain::Decimal, Some(number)) = (reading, number) {
            self.out_of_range(number, span, &scalar.text)
        } else {
            None
        };
        match problem {
            Some(problem) => {
                self.problems.push(problem);
                None
            }
            None => Some(Node {
                span,
                kind: Kind::Scalar(scalar),
            }),
        }
    }

    /// Any JSON value, as long as every reader reads it alike.
    fn free(&mut self, node: Node) -> Option<Node> {
        if enough(self.problems) {
            return None;
        }
        let span = node.span;
        let kind = match node.kind {
            Kind::Refused => return None,
            Kind::Scalar(scalar) => {
                let reading = if scalar.plain {
                    Plain::of(&scalar.text)
                } else {
                    Plain::Text
                };
                let absent = reading == Plain::Null && &*scalar.text != "null";
                if absent || matches!(reading, Plain::Ambiguous(_)) {
                    self.problems
                        .push(self.needs_quotes(span, &scalar.text, reading));
                    return None;
                }
                Kind::Scalar(scalar)
            }
            Kind::Sequence(items) => Kind::Sequence(
                items
                    .into_iter()
                    .filter_map(|item| self.free(item))
                    .collect(),
            ),
            Kind::Mapping(mapping) => {
                let mut entries = Vec::with_capacity(mapping.entries.len());
                for Entry { key, value } in mapping.entries {
                    if key.plain && Plain::of(&key.text) != Plain::Text {
                        self.problems.push(self.needs_quotes(
                            key.span,
                            &key.text,
                            Plain::of(&key.text),
                        ));
                        continue;
                    }
                    entries.extend(self.free(value).map(|value| Entry { key, value }));
                }
                Kind::Mapping(Mapping {
                    entries,
                    whole: mapping.whole,
                })
            }
        };
        Some(Node { span, kind })
    }

    fn out_of_range(&self, schema: &Value, span: Span, text: &str) -> Option<Problem> {
        let least = schema.get("minimum");
        let most = schema.get("maximum");
        // What cannot be held here, cannot be held by the type either.
        let number = text.parse::<f64>().unwrap_or(f64::INFINITY);
        let below = least
            .and_then(Value::as_f64)
            .is_some_and(|least| number < least);
        let above = most
            .and_then(Value::as_f64)
            .is_some_and(|most| number > most);
        let too_long = schema.get("type").is_some_and(|kind| kind == "integer")
            && text.parse::<u64>().is_err();
        (below || above || too_long).then(|| self.range(span, text, least, most))
    }
}

/// The alternative of a type.
fn leaf<'a>(leaves: &[&'a Value], name: &str) -> Option<&'a Value> {
    leaves
        .iter()
        .copied()
        .find(|leaf| types(leaf).any(|kind| kind == name) && constants(leaf).next().is_none())
}

fn types(leaf: &Value) -> impl Iterator<Item = &str> {
    let list = leaf.get("type").map(|kind| {
        kind.as_array()
            .map_or(std::slice::from_ref(kind), Vec::as_slice)
    });
    list.unwrap_or_default().iter().filter_map(Value::as_str)
}

/// The values that an alternative lists one by one.
fn constants(leaf: &Value) -> impl Iterator<Item = &Value> {
    let list = leaf
        .get("enum")
        .and_then(Value::as_array)
        .map(Vec::as_slice);
    leaf.get("const")
        .into_iter()
        .chain(list.unwrap_or_default())
}

fn fits_constant(leaf: &Value, scalar: &Scalar, reading: Plain) -> bool {
    constants(leaf).any(|constant| match constant {
        Value::String(text) => **text == *scalar.text,
        Value::Bool(true) => reading == Plain::True,
        Value::Bool(false) => reading == Plain::False,
        // A value that a comment has eaten is no value; `null` has to be spelled.
        Value::Null => reading == Plain::Null && &*scalar.text == "null",
        Value::Number(_) | Value::Array(_) | Value::Object(_) => false,
    })
}

/// What stands in for the head of a file that is at fault, so that its body can be judged all the same.
fn stand_in(name: &str, span: Span) -> Option<Entry> {
    let text = |text: &str| Node {
        span,
        kind: Kind::Scalar(Scalar {
            text: text.into(),
            plain: false,
        }),
    };
    let entry = |name: &str, value: Node| Entry {
        key: Key {
            span,
            text: name.into(),
            plain: false,
        },
        value,
    };
    let number = Node {
        span,
        kind: Kind::Scalar(Scalar {
            text: "1".into(),
            plain: true,
        }),
    };
    let value = match name {
        "apiVersion" => text("knotrust/v1"),
        "kind" => text("Ruleset"),
        "metadata" => {
            let entries = vec![entry("name", text("unnamed")), entry("version", number)];
            Node {
                span,
                kind: Kind::Mapping(Mapping {
                    entries,
                    whole: true,
                }),
            }
        }
        _ => return None,
    };
    Some(entry(name, value))
}

impl Shape<'_> {
    /// The place in the file, as a path of keys.
    fn whose(&self) -> String {
        let mut out = String::new();
        for step in &self.path {
            match step {
                Step::Key(key) => {
                    if !out.is_empty() {
                        out.push('.');
                    }
                    out.push_str(&shown(key));
                }
                Step::Item(number) => {
                    out.push_str(&format!("[{number}]"));
                }
            }
        }
        out
    }
}
