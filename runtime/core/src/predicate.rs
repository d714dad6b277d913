//! Conditions on arguments: what stands behind `when` in a ruleset and behind `c` in a grant.
//!
//! A predicate is a flat list of [`Step`]s in prefix order, so that it can be a literal in generated code, be lent by an
//! owner, and be evaluated without building anything. Every test speaks of one value, found by JSON Pointer, and holds
//! only for a value that is there and of the kind the test is about: a string is never less than a number, and nothing
//! is unequal to a value that is absent. `exists: false` and `not` are the only ways to speak of absence.

mod read;

pub use read::{PredicateFault, PredicateFaultKind, Tree, read};

use crate::glob::Glob;
use crate::json::Value;
use crate::number::Number;
use crate::surroundings::Surroundings;

/// One step of a predicate in prefix order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step<'a> {
    /// All of the next `n` terms hold. With 0 it always holds.
    All(u32),
    /// At least one of the next `n` terms holds. With 0 it never holds.
    Any(u32),
    /// The next term does not hold.
    Not,
    /// A test of the value at a JSON Pointer (RFC 6901).
    At(&'a str, Test<'a>),
}

/// What is asked of one value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Test<'a> {
    /// It is there (or, with `false`, it is not).
    Exists(bool),
    /// It equals the scalar.
    Eq(Scalar<'a>),
    /// It is there and does not equal the scalar.
    Ne(Scalar<'a>),
    /// It is a number below.
    Lt(&'a str),
    /// It is a number below or equal.
    Lte(&'a str),
    /// It is a number above.
    Gt(&'a str),
    /// It is a number above or equal.
    Gte(&'a str),
    /// It is a string that matches the pattern; `*` crosses every character.
    Matches(Glob<'a>),
    /// It is a path to the folder or to what lies below it, once folded; or a list of such paths.
    Under(&'a str),
}

/// A value that is compared with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar<'a> {
    /// `null`.
    Null,
    /// A truth value.
    Bool(bool),
    /// A number in the spelling of the policy; compared exactly.
    Number(&'a str),
    /// A string; compared character for character.
    String(&'a str),
}

/// Whether the predicate holds for the arguments. An empty list of steps always holds.
///
/// Steps that are cut off in the middle (no reader of ours makes such) do not hold.
#[must_use]
pub fn holds(steps: &[Step<'_>], arguments: &Value<'_>, around: &Surroundings<'_>) -> bool {
    let mut steps = steps.iter();
    steps.len() == 0 || term(&mut steps, arguments, around).unwrap_or(false)
}

// Every term is walked, also when the answer is known, since that is how the next one is found.
fn term<'s>(
    steps: &mut impl Iterator<Item = &'s Step<'s>>,
    arguments: &Value<'_>,
    around: &Surroundings<'_>,
) -> Option<bool> {
    Some(match steps.next()? {
        Step::All(count) => {
            let mut all = true;
            for _ in 0..*count {
                all &= term(steps, arguments, around)?;
            }
            all
        }
        Step::Any(count) => {
            let mut any = false;
            for _ in 0..*count {
                any |= term(steps, arguments, around)?;
            }
            any
        }
        Step::Not => !term(steps, arguments, around)?,
        Step::At(pointer, test) => test_value(*test, arguments.pointer(pointer), around),
    })
}

fn test_value(test: Test<'_>, value: Option<&Value<'_>>, around: &Surroundings<'_>) -> bool {
    let Some(value) = value else {
        return test == Test::Exists(false);
    };
    match test {
        Test::Exists(wanted) => wanted,
        Test::Eq(scalar) => equals(value, scalar),
        Test::Ne(scalar) => !equals(value, scalar),
        Test::Lt(limit) => compare(value, limit).is_some_and(|order| order.is_lt()),
        Test::Lte(limit) => compare(value, limit).is_some_and(|order| order.is_le()),
        Test::Gt(limit) => compare(value, limit).is_some_and(|order| order.is_gt()),
        Test::Gte(limit) => compare(value, limit).is_some_and(|order| order.is_ge()),
        Test::Matches(glob) => value.as_str().is_some_and(|text| glob.matches(text)),
        Test::Under(folder) => is_under(value, folder, around),
    }
}

// One path, or a list of them: all must lie there, and there must be one.
fn is_under(value: &Value<'_>, folder: &str, around: &Surroundings<'_>) -> bool {
    let one = |value: &Value<'_>| {
        value
            .as_str()
            .is_some_and(|path| around.is_under(path, folder))
    };
    match value.as_array() {
        Some(paths) => !paths.is_empty() && paths.iter().all(one),
        None => one(value),
    }
}

fn equals(value: &Value<'_>, scalar: Scalar<'_>) -> bool {
    match scalar {
        Scalar::Null => value.is_null(),
        Scalar::Bool(wanted) => value.as_bool() == Some(wanted),
        Scalar::Number(number) => compare(value, number).is_some_and(|order| order.is_eq()),
        Scalar::String(text) => value
            .as_text()
            .is_some_and(|found| found.as_bytes() == text.as_bytes()),
    }
}

fn compare(value: &Value<'_>, with: &str) -> Option<std::cmp::Ordering> {
    value
        .as_number()
        .map(|number| number.cmp(&Number::from_spelling(with.into())))
}
