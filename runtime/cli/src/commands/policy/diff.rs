//! `knotrust policy diff`: which calls change their outcome.
//!
//! Both policies are asked about the same calls: for every pattern of either, and for every pair of patterns that
//! overlap, a name that shows it; without arguments, and with those that the conditions speak of. What no pattern of
//! either tells apart behaves like the name that stands for it.

use std::collections::{BTreeMap, BTreeSet};

use knotrust_core::glob::{Glob, Token};
use knotrust_core::json::{self, Object, Text, Value};
use knotrust_core::predicate::{Scalar, Step, Test};
use knotrust_core::ruleset::Ruleset;

use super::super::Done;
use crate::arguments::Format;
use crate::question::{Context, Question};
use crate::{exit, output};

/// Prints the calls whose outcome or tier differs. Exit code 1 says that there are some, as `diff` does.
///
/// Of the calls of one tool that change alike, the simplest speaks for all.
pub(super) fn run(before: &Ruleset<'_>, after: &Ruleset<'_>, format: Format) -> Done {
    let mut told = BTreeSet::new();
    let changes: Vec<Change> = questions(before, after)
        .iter()
        .filter_map(|question| Change::between(question, before, after))
        .filter(|change| told.insert((change.call.clone(), change.before, change.after)))
        .collect();
    match format {
        Format::Text if changes.is_empty() => output::line("no call changes its outcome")?,
        Format::Text => {
            for change in &changes {
                output::line(&change.text())?;
            }
        }
        Format::Json => {
            let changes = changes.iter().map(Change::json).collect();
            output::line(&json::write(&Value::Array(changes)))?;
        }
    }
    Ok(if changes.is_empty() {
        exit::OK
    } else {
        exit::FAILED
    })
}

struct Change {
    call: String,
    arguments: Option<String>,
    before: Outcome,
    after: Outcome,
}

#[derive(Clone, Copy, Eq, Ord, PartialEq, PartialOrd)]
struct Outcome {
    outcome: &'static str,
    tier: &'static str,
    reason: &'static str,
}

impl Change {
    fn between(question: &Question<'_>, before: &Ruleset<'_>, after: &Ruleset<'_>) -> Option<Self> {
        let ask = |ruleset: &Ruleset<'_>| {
            question.ask(ruleset, |asked| Outcome {
                outcome: asked.decision.outcome.as_str(),
                tier: asked.decision.tier.as_str(),
                reason: asked.decision.reason.code(),
            })
        };
        let (before, after) = (ask(before), ask(after));
        let arguments = question
            .arguments
            .clone()
            .map(|arguments| json::write(&Value::Object(arguments)));
        (before != after).then(|| Self {
            call: question.name().into_owned(),
            arguments,
            before,
            after,
        })
    }

    fn text(&self) -> String {
        let arguments = self
            .arguments
            .as_deref()
            .map(|text| format!(" {text}"))
            .unwrap_or_default();
        let (before, after) = (&self.before, &self.after);
        format!(
            "{}{arguments}: {} ({}, {}) -> {} ({}, {})",
            output::inert(&self.call),
            before.outcome,
            before.tier,
            before.reason,
            after.outcome,
            after.tier,
            after.reason
        )
    }

    fn json(&self) -> Value<'static> {
        let side = |side: &Outcome| {
            let mut object = Object::new();
            object.insert("outcome", Value::string(side.outcome));
            object.insert("tier", Value::string(side.tier));
            object.insert("reasonCode", Value::string(side.reason));
            Value::Object(object)
        };
        let mut object = Object::new();
        object.insert("action", Value::String(Text::from(self.call.clone())));
        if let Some(arguments) = &self.arguments {
            object.insert("arguments", Value::String(Text::from(arguments.clone())));
        }
        object.insert("before", side(&self.before));
        object.insert("after", side(&self.after));
        Value::Object(object)
    }
}

fn questions(before: &Ruleset<'_>, after: &Ruleset<'_>) -> Vec<Question<'static>> {
    let patterns: BTreeSet<&str> = [before, after]
        .into_iter()
        .flat_map(|ruleset| ruleset.names.rows().map(|(glob, _)| glob.text()))
        .collect();
    let patterns: Vec<&str> = patterns.into_iter().collect();
    let context = Context::here();
    let mut argument_sets = BTreeMap::new();
    for ruleset in [before, after] {
        for (_, rule) in ruleset.rules.iter() {
            for arguments in witnesses(rule.when) {
                argument_sets.insert(json::write(&Value::Object(arguments.clone())), arguments);
            }
        }
    }
    let mut questions = Vec::new();
    for name in examples(&patterns) {
        let Some((server, tool)) = name.split_once('.') else {
            continue;
        };
        let ask = |arguments| Question {
            server: server.to_owned(),
            tool: Text::from(tool.to_owned()),
            arguments,
            annotations: None,
            agent: None,
            context: context.clone(),
        };
        questions.push(ask(None));
        questions.extend(
            argument_sets
                .values()
                .map(|arguments| ask(Some(arguments.clone()))),
        );
    }
    questions
}

/// Arguments on both sides of what the conditions ask: for each test, one value for which it holds and one beside it.
fn witnesses(steps: &[Step<'_>]) -> Vec<Object<'static>> {
    let tests: Vec<(&str, [Option<Value<'static>>; 2])> = steps
        .iter()
        .filter_map(|step| match step {
            Step::At(pointer, test) => Some((*pointer, sides(test))),
            Step::All(_) | Step::Any(_) | Step::Not => None,
        })
        .collect();
    let holding = together(tests.iter().map(|(pointer, [holds, _])| (*pointer, holds)));
    let beside = tests.iter().enumerate().map(|(odd, _)| {
        together(
            tests
                .iter()
                .enumerate()
                .map(|(index, (pointer, [holds, fails]))| {
                    (*pointer, if index == odd { fails } else { holds })
                }),
        )
    });
    let beside: Vec<_> = beside.collect();
    if tests.is_empty() {
        Vec::new()
    } else {
        [vec![holding], beside].concat()
    }
}

fn sides(test: &Test<'_>) -> [Option<Value<'static>>; 2] {
    let number = |text: &str| json::parse(text.as_bytes()).ok().map(Value::into_owned);
    let string = |text: &str| Some(Value::String(Text::from(text.to_owned())));
    let (low, high) = (number("-1e300"), number("1e300"));
    match test {
        Test::Exists(true) => [string("x"), None],
        Test::Exists(false) => [None, string("x")],
        Test::Eq(scalar) => [value(scalar), string("\u{1}")],
        Test::Ne(scalar) => [string("\u{1}"), value(scalar)],
        Test::Lt(limit) => [low, number(limit)],
        Test::Lte(limit) => [number(limit), high],
        Test::Gt(limit) => [high, number(limit)],
        Test::Gte(limit) => [number(limit), low],
        Test::Matches(glob) => {
            let name = examples(&[glob.text()]).into_iter().next();
            [name.as_deref().and_then(string), string("")]
        }
        Test::Under(folder) => [string(&format!("{folder}/x")), string("/\u{1}")],
    }
}

fn value(scalar: &Scalar<'_>) -> Option<Value<'static>> {
    Some(match scalar {
        Scalar::Null => Value::Null,
        Scalar::Bool(flag) => Value::Bool(*flag),
        Scalar::Number(number) => json::parse(number.as_bytes()).ok()?.into_owned(),
        Scalar::String(text) => Value::String(Text::from((*text).to_owned())),
    })
}

// Only what lies directly in the arguments: deeper pointers are left out, and their tests do not hold.
fn together<'t>(
    values: impl Iterator<Item = (&'t str, &'t Option<Value<'static>>)>,
) -> Object<'static> {
    let mut object = Object::new();
    for (pointer, value) in values {
        let name = pointer.strip_prefix('/').filter(|name| !name.contains('/'));
        if let (Some(name), Some(value)) = (name, value) {
            let name = name.replace("~1", "/").replace("~0", "~");
            object.insert(name, value.clone());
        }
    }
    object
}

/// Names that show the patterns, one for each.
fn examples(patterns: &[&str]) -> BTreeSet<String> {
    patterns
        .iter()
        .map(|pattern| shown_by(Glob::name(pattern)))
        .collect()
}

fn shown_by(glob: Glob<'_>) -> String {
    let mut name = String::new();
    for token in glob.tokens() {
        match token {
            Token::Char(character) => name.push(character),
            Token::One | Token::Star | Token::Deep => name.push('x'),
            Token::Class(class) => name.extend(('!'..='~').find(|c| class.contains(*c))),
            Token::Folders | Token::Below => {}
        }
    }
    name
}
