//! The words for what is wrong with the shape of a file.

use serde_json::Value;

use super::{Shape, constants, types};
use crate::{
    located::Span,
    node::{Key, Scalar},
    problem::{Code, Problem, shown},
    read::{Plain, quoted},
};

impl Shape<'_> {
    pub(super) fn missing(&self, span: Span, name: &str) -> Problem {
        let message = match self.whose() {
            whose if whose.is_empty() => format!("`{name}` is missing"),
            whose => format!("`{name}` is missing in `{whose}`"),
        };
        Problem::new(Code::MissingKey, message).at(span, "in this mapping")
    }

    pub(super) fn empty(&self, span: Span, what: &str) -> Problem {
        let message = format!("`{}` is an empty {what}", self.whose());
        Problem::new(Code::EmptyList, message)
            .at(span, "nothing in it")
            .help("say what is meant, or leave the key out")
    }

    pub(super) fn unknown_key(&self, schema: &Value, key: &Key) -> Problem {
        let properties = schema.get("properties").and_then(Value::as_object);
        let known: Vec<&str> = properties
            .into_iter()
            .flat_map(|known| known.keys())
            .map(String::as_str)
            .collect();
        let name = shown(&key.text);
        let whose = self.whose();
        let message = match whose.as_str() {
            "" => format!("unknown key `{name}`"),
            _ => format!("unknown key `{name}` in `{whose}`"),
        };
        let problem = Problem::new(Code::UnknownKey, message).at(key.span, "not known here");
        if let Some(reason) = refused(&whose, &key.text) {
            return problem.help(reason);
        }
        match similar(&key.text, known.iter().copied()) {
            Some(near) => problem.help(format!("did you mean `{near}`?")),
            None if schema.get("patternProperties").is_some() => problem.help(format!(
                "a JSON Pointer into the arguments begins with `/`: `/{name}`"
            )),
            None if known.len() <= FEW => {
                problem.help(format!("known here: {}", list(&known, "and")))
            }
            None => problem.help("`knotrust policy schema` shows every key and what it is for"),
        }
    }

    pub(super) fn not_a(&self, leaves: &[&Value], span: Span, what: &str) -> Problem {
        let message = match self.whose() {
            whose if whose.is_empty() => format!("the file must be a mapping, but is {what}"),
            whose => format!("`{whose}` must be {}, but this is {what}", expected(leaves)),
        };
        let problem = Problem::new(Code::WrongType, message).at(span, what);
        let written = self.sources.slice(span);
        let text_is_meant = leaves
            .iter()
            .any(|leaf| types(leaf).any(|kind| kind == "string"));
        if text_is_meant
            && (written.starts_with(['{', '[']) || written.contains(": "))
            && !written.contains('\n')
        {
            problem.help(format!("if a text is meant, {}", quoted(written)))
        } else {
            problem
        }
    }

    pub(super) fn not_this(
        &self,
        leaves: &[&Value],
        span: Span,
        scalar: &Scalar,
        reading: Plain,
    ) -> Problem {
        let text = shown(&scalar.text);
        let whose = self.whose();
        if whose.is_empty() {
            let message = format!("the file must be a mapping, but is {}", reading.name());
            return Problem::new(Code::WrongType, message).at(span, reading.name());
        }
        if reading == Plain::Null && span.is_empty() {
            return self.nothing(leaves, span, &whose);
        }
        let choices: Vec<&str> = leaves
            .iter()
            .flat_map(|leaf| constants(leaf))
            .filter_map(Value::as_str)
            .collect();
        let text_fits = leaves.iter().any(|leaf| {
            types(leaf).any(|kind| kind == "string") && constants(leaf).next().is_none()
        });
        if !choices.is_empty() && !text_fits {
            let message = format!("`{whose}` is {}, not `{text}`", list(&choices, "or"));
            let problem = Problem::new(Code::UnknownValue, message).at(span, "none of these");
            return match similar(&scalar.text, choices.iter().copied()) {
                Some(near) => problem.help(format!("did you mean `{near}`?")),
                None => problem,
            };
        }
        if text_fits && matches!(reading, Plain::Ambiguous(_)) && examples(leaves).is_none() {
            return self.needs_quotes(span, &scalar.text, reading);
        }
        let what = if scalar.plain {
            reading.name()
        } else {
            "text, since it is in quotes"
        };
        let message = format!(
            "`{whose}` must be {}, but `{text}` is {what}",
            expected(leaves)
        );
        let problem = Problem::new(Code::WrongType, message).at(span, what);
        match way_out(leaves, scalar, reading) {
            Some(help) => problem.help(help),
            None => problem,
        }
    }

    /// A key without a value. A comment may have eaten it.
    fn nothing(&self, leaves: &[&Value], span: Span, whose: &str) -> Problem {
        let message = format!("`{whose}` has no value; it must be {}", expected(leaves));
        let line = self
            .sources
            .line(span.file, self.sources.position(span).line);
        let text = self.sources.text(span.file);
        let rest = text
            .get(span.start as usize..line.end)
            .unwrap_or("")
            .trim_start_matches([' ', ':']);
        let problem = Problem::new(Code::WrongType, message).at(span, "nothing here");
        if rest.starts_with('#') {
            problem.help(format!(
                "`#` begins a comment; if a value is meant, {}",
                quoted(rest)
            ))
        } else {
            problem
                .help("give it a value, in quotes if it begins with a sign, or leave the key out")
        }
    }

    pub(super) fn needs_quotes(&self, span: Span, text: &str, reading: Plain) -> Problem {
        let message = match self.whose() {
            whose if whose.is_empty() => format!("`{}` is {}", shown(text), reading.name()),
            whose => format!("`{}` in `{whose}` is {}", shown(text), reading.name()),
        };
        Problem::new(Code::NeedsQuotes, message)
            .at(span, "readers of YAML disagree on this")
            .help(format!(
                "if the text is meant, {}; if not, write it so that all agree",
                quoted(text)
            ))
    }

    pub(super) fn range(
        &self,
        span: Span,
        text: &str,
        least: Option<&Value>,
        most: Option<&Value>,
    ) -> Problem {
        let too_long = !text.starts_with('-') && text.len() > 19;
        let bounds = match (least, most) {
            (Some(least), Some(most)) => format!("from {least} to {most}"),
            (Some(least), None) if too_long => format!("from {least} to {}", u64::MAX),
            (Some(least), None) => format!("at least {least}"),
            (None, Some(most)) => format!("at most {most}"),
            (None, None) => format!("at most {}", u64::MAX),
        };
        let message = format!(
            "`{}` must be {bounds}, but is {}",
            self.whose(),
            shown(text)
        );
        Problem::new(Code::OutOfRange, message).at(span, "out of range")
    }
}

/// As many keys as a person reads through.
const FEW: usize = 12;

/// Keys that are left out of the language on purpose, and why.
fn refused(whose: &str, key: &str) -> Option<&'static str> {
    match (whose, key) {
        ("cache", "critical") => Some("a critical decision is never kept"),
        ("failOpen", "critical" | "sensitive") => {
            Some("only routine calls can be let through when something fails")
        }
        (whose, "allow" | "deny") if whose.starts_with("tiers.rules[") => {
            Some("a pack can neither allow nor deny; only a ruleset's own rules can")
        }
        _ => None,
    }
}

/// How a scalar of the wrong kind becomes one of the right kind.
fn way_out(leaves: &[&Value], scalar: &Scalar, reading: Plain) -> Option<String> {
    let takes = |name: &str| {
        leaves
            .iter()
            .any(|leaf| types(leaf).any(|kind| kind == name) && constants(leaf).next().is_none())
    };
    let takes_truth = takes("boolean")
        || leaves
            .iter()
            .flat_map(|leaf| constants(leaf))
            .any(Value::is_boolean);
    if !scalar.plain {
        return Some("write it without quotes".to_owned());
    }
    if let Some(examples) = examples(leaves) {
        return Some(format!("for example {examples}"));
    }
    match reading {
        Plain::Null => None,
        _ if takes("string") => Some(quoted(&scalar.text)),
        Plain::Ambiguous(_) if takes_truth => {
            Some("write `true` or `false`, as all readers read them".to_owned())
        }
        Plain::Ambiguous(_) => Some(
            "write plain digits: no leading zero, no `_`, no exponent, no sign but `-`".to_owned(),
        ),
        Plain::Text if takes("array") => {
            let words: Vec<String> = scalar
                .text
                .split_whitespace()
                .map(|word| format!("\"{}\"", shown(word)))
                .collect();
            Some(format!("write a list: `[{}]`", words.join(", ")))
        }
        Plain::True | Plain::False | Plain::Integer | Plain::Decimal | Plain::Text => None,
    }
}

/// What was expected, in words.
fn expected(leaves: &[&Value]) -> String {
    let mut choices: Vec<String> = Vec::new();
    for leaf in leaves {
        let constants: Vec<String> = constants(leaf)
            .map(|constant| format!("`{}`", constant.to_string().trim_matches('"')))
            .collect();
        let title = leaf.get("title").and_then(Value::as_str).map(str::to_owned);
        let named = title.into_iter().chain(constants);
        let before = choices.len();
        choices.extend(named);
        if choices.len() == before {
            choices.extend(types(leaf).map(|kind| type_name(kind).to_owned()));
        }
    }
    let mut unique: Vec<&str> = Vec::new();
    for choice in &choices {
        if !unique.contains(&choice.as_str()) {
            unique.push(choice);
        }
    }
    join(&unique, "or")
}

fn type_name(kind: &str) -> &str {
    match kind {
        "string" => "text",
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "`true` or `false`",
        "array" => "a list",
        "object" => "a mapping",
        other => other,
    }
}

/// Examples where they say more than quotes would: the value is no text that lacks its quotes.
fn examples(leaves: &[&Value]) -> Option<String> {
    let leaf = leaves.iter().find(|leaf| {
        leaf.get("title")
            .is_some_and(|title| title == "a duration with a unit")
    })?;
    let examples: Vec<&str> = leaf
        .get("examples")?
        .as_array()?
        .iter()
        .filter_map(Value::as_str)
        .collect();
    Some(list(&examples, "or"))
}

fn list(names: &[&str], last: &str) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let quoted: Vec<&str> = quoted.iter().map(String::as_str).collect();
    join(&quoted, last)
}

fn join(names: &[&str], last: &str) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [most @ .., end] => format!("{} {last} {end}", most.join(", ")),
    }
}

/// The known name that is one slip away.
pub(crate) fn similar<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    let wanted = plain(name);
    let near = known.map(|known| (strsim::damerau_levenshtein(&wanted, &plain(known)), known));
    let (distance, best) = near.min()?;
    (distance <= 1 + wanted.len() / 5 && distance < wanted.len()).then_some(best)
}
