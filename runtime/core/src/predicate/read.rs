//! Predicates from their JSON form, as rulesets and grants write it.
//!
//! ```json
//! { "/amount": { "lt": 500 }, "/currency": { "in": ["usd", "eur"] }, "not": { "/note": { "exists": true } } }
//! ```
//!
//! All members of an object must hold. `all` and `any` take lists of such objects, `not` takes one.

use thiserror::Error;

use super::{Scalar, Step, Test};
use crate::glob::Pattern;
use crate::json::Value;

/// How deep `all`, `any` and `not` may lie in each other.
const MAX_DEPTH: usize = 16;

/// How many steps a predicate may have.
const MAX_STEPS: usize = 1_000;

/// Why a value is no predicate. `at` is the JSON Pointer of what is wrong within it.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[error("{kind}")]
pub struct PredicateFault {
    /// A JSON Pointer to what is wrong, within the value.
    pub at: String,
    /// What is wrong there.
    pub kind: PredicateFaultKind,
}

/// What is wrong with a predicate.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
pub enum PredicateFaultKind {
    /// Conditions are objects.
    #[error("conditions are a mapping from JSON Pointers to tests")]
    NotAnObject,
    /// An object without members says nothing.
    #[error("empty conditions always hold: leave them out")]
    Empty,
    /// A member is neither a pointer nor a word.
    #[error("`{0}` is neither a JSON Pointer (`/amount`) nor one of `all`, `any`, `not`")]
    NotAPointer(String),
    /// A pointer has a `~` that is not `~0` or `~1`.
    #[error("`{0}` is no JSON Pointer: `~` is written `~0`, and `/` within a name `~1`")]
    BadEscape(String),
    /// A test is not known.
    #[error("`{0}` is no test; tests are eq, ne, in, lt, lte, gt, gte, matches, under, exists")]
    UnknownTest(String),
    /// A test compares with something it cannot compare with.
    #[error("`{test}` takes {takes}")]
    WrongOperand {
        /// The test.
        test: &'static str,
        /// What it takes.
        takes: &'static str,
    },
    /// A pattern is malformed.
    #[error("{0}")]
    BadPattern(String),
    /// The predicate is larger than anybody needs.
    #[error("conditions are nested too deeply, or too many")]
    TooLarge,
}

/// A predicate that owns its text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    steps: Vec<Owned>,
}

#[derive(Clone, Debug, PartialEq)]
enum Owned {
    All(u32),
    Any(u32),
    Not,
    At(String, Asked),
}

#[derive(Clone, Debug, PartialEq)]
enum Asked {
    Exists(bool),
    Eq(Value<'static>),
    Ne(Value<'static>),
    Lt(String),
    Lte(String),
    Gt(String),
    Gte(String),
    Matches(String),
    Under(String),
}

impl Tree {
    /// The steps, borrowing from this tree.
    #[must_use]
    pub fn steps(&self) -> Vec<Step<'_>> {
        self.steps.iter().map(Owned::lend).collect()
    }

    /// Whether it has no steps, and so always holds.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}

impl Owned {
    fn lend(&self) -> Step<'_> {
        match self {
            Self::All(count) => Step::All(*count),
            Self::Any(count) => Step::Any(*count),
            Self::Not => Step::Not,
            Self::At(pointer, asked) => Step::At(pointer, asked.lend()),
        }
    }
}

impl Asked {
    fn lend(&self) -> Test<'_> {
        match self {
            Self::Exists(wanted) => Test::Exists(*wanted),
            Self::Eq(value) => Test::Eq(scalar(value)),
            Self::Ne(value) => Test::Ne(scalar(value)),
            Self::Lt(limit) => Test::Lt(limit),
            Self::Lte(limit) => Test::Lte(limit),
            Self::Gt(limit) => Test::Gt(limit),
            Self::Gte(limit) => Test::Gte(limit),
            Self::Matches(glob) => Test::Matches(crate::glob::Glob::name(glob)),
            Self::Under(folder) => Test::Under(folder),
        }
    }
}

fn scalar<'t>(value: &'t Value<'static>) -> Scalar<'t> {
    match value {
        Value::Bool(flag) => Scalar::Bool(*flag),
        Value::Number(number) => Scalar::Number(number.as_str()),
        Value::String(text) => Scalar::String(text.as_str().unwrap_or_default()),
        Value::Null | Value::Array(_) | Value::Object(_) => Scalar::Null,
    }
}

/// Reads a predicate from its JSON form.
///
/// # Errors
///
/// The first thing in it that is no condition, with its place.
pub fn read(value: &Value<'_>) -> Result<Tree, PredicateFault> {
    let mut reader = Reader { steps: Vec::new() };
    reader.conditions(value, &mut String::new(), 0)?;
    Ok(Tree {
        steps: reader.steps,
    })
}

struct Reader {
    steps: Vec<Owned>,
}

impl Reader {
    fn conditions(
        &mut self,
        value: &Value<'_>,
        at: &mut String,
        depth: usize,
    ) -> Result<(), PredicateFault> {
        if depth > MAX_DEPTH || self.steps.len() > MAX_STEPS {
            return Err(fault(at, PredicateFaultKind::TooLarge));
        }
        let Value::Object(members) = value else {
            return Err(fault(at, PredicateFaultKind::NotAnObject));
        };
        self.all_of(members.len(), at)?;
        for (name, member) in members.iter() {
            let name = name.to_string_lossy();
            within(at, &name, |at| match &*name {
                "all" => self.list(Owned::All, member, at, depth),
                "any" => self.list(Owned::Any, member, at, depth),
                "not" => {
                    self.steps.push(Owned::Not);
                    self.conditions(member, at, depth + 1)
                }
                pointer => self.tests(check_pointer(pointer, at)?, member, at),
            })?;
        }
        Ok(())
    }

    fn all_of(&mut self, count: usize, at: &str) -> Result<(), PredicateFault> {
        match u32::try_from(count) {
            Ok(0) => Err(fault(at, PredicateFaultKind::Empty)),
            Ok(1) => Ok(()),
            Ok(count) => {
                self.steps.push(Owned::All(count));
                Ok(())
            }
            Err(_) => Err(fault(at, PredicateFaultKind::TooLarge)),
        }
    }

    fn list(
        &mut self,
        step: fn(u32) -> Owned,
        value: &Value<'_>,
        at: &mut String,
        depth: usize,
    ) -> Result<(), PredicateFault> {
        let takes = PredicateFaultKind::WrongOperand {
            test: "all, any",
            takes: "a list of conditions",
        };
        let elements = value.as_array().filter(|elements| !elements.is_empty());
        let elements = elements.ok_or_else(|| fault(at, takes))?;
        let count = u32::try_from(elements.len());
        self.steps.push(step(
            count.map_err(|_| fault(at, PredicateFaultKind::TooLarge))?,
        ));
        for (index, element) in elements.iter().enumerate() {
            within(at, &index.to_string(), |at| {
                self.conditions(element, at, depth + 1)
            })?;
        }
        Ok(())
    }

    fn tests(
        &mut self,
        pointer: &str,
        value: &Value<'_>,
        at: &mut String,
    ) -> Result<(), PredicateFault> {
        let Value::Object(tests) = value else {
            let takes = "a mapping of tests, as in { lt: 500 }";
            return Err(fault(
                at,
                PredicateFaultKind::WrongOperand {
                    test: "a pointer",
                    takes,
                },
            ));
        };
        self.all_of(tests.len(), at)?;
        for (name, operand) in tests.iter() {
            let name = name.to_string_lossy();
            within(at, &name, |at| self.test(pointer, &name, operand, at))?;
        }
        Ok(())
    }

    fn test(
        &mut self,
        pointer: &str,
        name: &str,
        operand: &Value<'_>,
        at: &str,
    ) -> Result<(), PredicateFault> {
        let wrong = |test, takes| fault(at, PredicateFaultKind::WrongOperand { test, takes });
        let a_number = |test| {
            let number = operand.as_number().map(|number| number.as_str().to_owned());
            number.ok_or_else(|| wrong(test, "a number"))
        };
        let asked = match name {
            "exists" => operand
                .as_bool()
                .map(Asked::Exists)
                .ok_or(wrong("exists", "true or false"))?,
            "eq" => Asked::Eq(as_scalar(operand).ok_or(wrong("eq", SCALAR))?),
            "ne" => Asked::Ne(as_scalar(operand).ok_or(wrong("ne", SCALAR))?),
            "lt" => Asked::Lt(a_number("lt")?),
            "lte" => Asked::Lte(a_number("lte")?),
            "gt" => Asked::Gt(a_number("gt")?),
            "gte" => Asked::Gte(a_number("gte")?),
            "in" => return self.one_of(pointer, operand, at),
            "matches" => return self.matches(pointer, operand, at),
            "under" => {
                let folder = operand.as_str().filter(|folder| !folder.is_empty());
                Asked::Under(folder.ok_or(wrong("under", "a folder"))?.to_owned())
            }
            unknown => {
                return Err(fault(
                    at,
                    PredicateFaultKind::UnknownTest(unknown.to_owned()),
                ));
            }
        };
        self.steps.push(Owned::At(pointer.to_owned(), asked));
        Ok(())
    }

    fn one_of(
        &mut self,
        pointer: &str,
        operand: &Value<'_>,
        at: &str,
    ) -> Result<(), PredicateFault> {
        let wrong = || {
            let takes = "a list of strings, numbers, true, false or null";
            fault(at, PredicateFaultKind::WrongOperand { test: "in", takes })
        };
        let elements = operand
            .as_array()
            .filter(|elements| !elements.is_empty())
            .ok_or_else(wrong)?;
        let count = u32::try_from(elements.len()).map_err(|_| wrong())?;
        self.steps.push(Owned::Any(count));
        for element in elements {
            let scalar = as_scalar(element).ok_or_else(wrong)?;
            self.steps
                .push(Owned::At(pointer.to_owned(), Asked::Eq(scalar)));
        }
        Ok(())
    }

    // A pattern with braces is one of several patterns without.
    fn matches(
        &mut self,
        pointer: &str,
        operand: &Value<'_>,
        at: &str,
    ) -> Result<(), PredicateFault> {
        let takes = PredicateFaultKind::WrongOperand {
            test: "matches",
            takes: "a pattern",
        };
        let text = operand.as_str().ok_or_else(|| fault(at, takes))?;
        let pattern = Pattern::name(text)
            .map_err(|error| fault(at, PredicateFaultKind::BadPattern(error.to_string())))?;
        let globs = pattern.globs();
        if let (Ok(count), true) = (u32::try_from(globs.len()), globs.len() != 1) {
            self.steps.push(Owned::Any(count));
        }
        for glob in globs {
            self.steps.push(Owned::At(
                pointer.to_owned(),
                Asked::Matches(glob.text().to_owned()),
            ));
        }
        Ok(())
    }
}

const SCALAR: &str = "a string, a number, true, false or null";

fn as_scalar(value: &Value<'_>) -> Option<Value<'static>> {
    match value {
        Value::String(text) => text
            .as_str()
            .map(|text| Value::String(text.to_owned().into())),
        Value::Null | Value::Bool(_) | Value::Number(_) => Some(value.clone().into_owned()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

fn check_pointer<'p>(pointer: &'p str, at: &str) -> Result<&'p str, PredicateFault> {
    if !pointer.starts_with('/') {
        return Err(fault(
            at,
            PredicateFaultKind::NotAPointer(pointer.to_owned()),
        ));
    }
    let escaped = pointer
        .split('~')
        .skip(1)
        .all(|rest| rest.starts_with(['0', '1']));
    if escaped {
        Ok(pointer)
    } else {
        Err(fault(at, PredicateFaultKind::BadEscape(pointer.to_owned())))
    }
}

fn within<T>(at: &mut String, name: &str, inner: impl FnOnce(&mut String) -> T) -> T {
    let length = at.len();
    at.push('/');
    at.push_str(&name.replace('~', "~0").replace('/', "~1"));
    let result = inner(at);
    at.truncate(length);
    result
}

fn fault(at: &str, kind: PredicateFaultKind) -> PredicateFault {
    PredicateFault {
        at: at.to_owned(),
        kind,
    }
}

#[cfg(test)]
mod tests {
    use super::super::holds;
    use super::*;
    use crate::json::parse;
    use crate::surroundings::Surroundings;

    #[track_caller]
    fn check(predicate: &str, rows: &[(&str, bool)]) {
        let tree = read(&parse(predicate.as_bytes()).unwrap()).unwrap();
        for (arguments, expected) in rows {
            let arguments = parse(arguments.as_bytes()).unwrap();
            let held = holds(&tree.steps(), &arguments, &Surroundings::NOWHERE);
            assert_eq!(held, *expected, "{predicate} over {arguments:?}");
        }
    }

    #[track_caller]
    fn refused(predicate: &str, at: &str, message: &str) {
        let fault = read(&parse(predicate.as_bytes()).unwrap()).unwrap_err();
        assert_eq!(fault.at, at, "{predicate}");
        assert!(fault.to_string().contains(message), "{predicate}: {fault}");
    }

    #[test]
    fn numbers_compare_exactly_and_only_with_numbers() {
        check(
            r#"{"/amount":{"lte":9007199254740992}}"#,
            &[
                (r#"{"amount":9007199254740992}"#, true),
                (r#"{"amount":9007199254740993}"#, false),
                (r#"{"amount":9007199254740992.0000000001}"#, false),
                (r#"{"amount":9007199254740992e0}"#, true),
                (r#"{"amount":"1"}"#, false),
                (r#"{}"#, false),
                (r#"{"amount":null}"#, false),
            ],
        );
    }

    #[test]
    fn everything_in_one_mapping_must_hold() {
        check(
            r#"{"/amount":{"gt":0,"lt":500},"/currency":{"in":["usd","eur"]}}"#,
            &[
                (r#"{"amount":1,"currency":"usd"}"#, true),
                (r#"{"amount":1,"currency":"chf"}"#, false),
                (r#"{"amount":0,"currency":"usd"}"#, false),
                (r#"{"amount":1}"#, false),
            ],
        );
    }

    #[test]
    fn absence_is_told_only_by_exists_and_not() {
        check(
            r#"{"/a":{"ne":1}}"#,
            &[("{}", false), (r#"{"a":2}"#, true), (r#"{"a":1}"#, false)],
        );
        check(
            r#"{"/a":{"exists":false}}"#,
            &[("{}", true), (r#"{"a":null}"#, false)],
        );
        check(
            r#"{"not":{"/a":{"eq":1}}}"#,
            &[("{}", true), (r#"{"a":1.0}"#, false)],
        );
    }

    #[test]
    fn all_any_and_not_nest() {
        check(
            r#"{"any":[{"/a":{"eq":1}},{"all":[{"/b":{"eq":true}},{"not":{"/c":{"eq":null}}}]}]}"#,
            &[
                (r#"{"a":1}"#, true),
                (r#"{"b":true}"#, true),
                (r#"{"b":true,"c":null}"#, false),
                (r#"{"b":false}"#, false),
            ],
        );
    }

    #[test]
    fn patterns_match_whole_strings() {
        check(
            r#"{"/channel":{"matches":"{team,bot}-*"}}"#,
            &[
                (r#"{"channel":"team-x"}"#, true),
                (r#"{"channel":"bot-"}"#, true),
                (r#"{"channel":"xteam-x"}"#, false),
                (r#"{"channel":["team-x"]}"#, false),
            ],
        );
    }

    #[test]
    fn paths_are_folded_before_they_are_held_against_a_folder() {
        check(
            r#"{"/p":{"under":"/srv/docs"}}"#,
            &[
                (r#"{"p":"/srv/docs/a"}"#, true),
                (r#"{"p":"/srv/docs"}"#, true),
                (r#"{"p":"/srv/docs/../docs/a"}"#, true),
                (r#"{"p":"/srv/docs/../a"}"#, false),
                (r#"{"p":"/srv/docsx"}"#, false),
                (r#"{"p":["/srv/docs/a","/srv/docs/b"]}"#, true),
                (r#"{"p":["/srv/docs/a","/srv/b"]}"#, false),
                (r#"{"p":[]}"#, false),
                (r#"{"p":["/srv/docs/a",5]}"#, false),
            ],
        );
    }

    #[test]
    fn what_is_no_condition_is_refused_with_its_place() {
        refused(
            r#"{"amount":{"lt":5}}"#,
            "/amount",
            "neither a JSON Pointer",
        );
        refused(r#"{"/a":{"less":5}}"#, "/~1a/less", "no test");
        refused(r#"{"/a":{"lt":"5"}}"#, "/~1a/lt", "a number");
        refused(r#"{"/a":{}}"#, "/~1a", "leave them out");
        refused(r#"{}"#, "", "leave them out");
        refused(r#"{"/a":{"in":[]}}"#, "/~1a/in", "a list");
        refused(r#"{"/a~2":{"eq":1}}"#, "/~1a~02", "no JSON Pointer");
        refused(r#"{"any":[{"/a":5}]}"#, "/any/0/~1a", "mapping of tests");
        refused(r#"{"/a":{"matches":"[x"}}"#, "/~1a/matches", "]");
    }
}
