//! Grants of the middle size: between once and always (`ruleset.md`, section 5).
//!
//! Bounds stand among the conditions of a grant (`c`), so that an implementation that does not know them refuses the
//! grant instead of passing them over. For the same reason a bound that is not understood here voids the grant.

mod amount;
mod hours;

pub use amount::Amount;
pub use hours::Hours;

use thiserror::Error;

use super::covers::Call;
use crate::json::{self, Object, Value};
use crate::predicate::{self, Tree};

/// What bounds a grant, beside who, what and when.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bounds {
    /// What the arguments must be like (`when`), as rules have it.
    pub when: Option<When>,
    /// How often it may be used (`uses`).
    pub uses: Option<u64>,
    /// How much arguments may come to in all uses together (`limit`).
    pub limits: Vec<Limit>,
    /// The only session in which it holds (`session`).
    pub session: Option<String>,
    /// The hours at which it holds (`hours`).
    pub hours: Option<Hours>,
    /// Whether the tool pattern is one as rules have them (`tools: "rule"`).
    pub wide: bool,
}

/// Conditions on arguments, as rules have them.
#[derive(Clone, Debug, PartialEq)]
pub struct When {
    written: Value<'static>,
    read: Tree,
}

/// How much an argument may come to in all uses together.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Limit {
    /// Where the argument stands, as a JSON Pointer into the arguments.
    pub pointer: String,
    /// The most that all uses may come to.
    pub most: Amount,
}

/// What has been used of a grant.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Tally {
    /// How many uses.
    pub uses: u64,
    /// How much each limited argument has come to, in the order of the limits.
    pub sums: Vec<Amount>,
}

/// A use that the bounds do not leave room for.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
pub enum TooMuch {
    /// All uses are spent.
    #[error("all uses of the grant are spent")]
    Uses,
    /// The argument would exceed what is left.
    #[error("the call exceeds what is left of the grant's limit")]
    Limit,
    /// The argument is absent, no number, negative, or has more digits than can be counted.
    #[error("the argument that the grant limits can not be counted")]
    Uncountable,
}

impl Bounds {
    /// Reads the conditions of a grant; `None` if any of them is not known here.
    #[must_use]
    pub fn read(conditions: &Object<'_>) -> Option<Self> {
        let mut bounds = Self::default();
        for (name, value) in conditions.iter() {
            match name.as_str()? {
                "when" => bounds.when = Some(When::read(value)?),
                "uses" => bounds.uses = Some(count(value)?),
                "limit" => bounds.limits = limits(value)?,
                "session" => bounds.session = Some(filled(value)?),
                "hours" => bounds.hours = Some(Hours::read(value)?),
                "tools" if value.as_str() == Some(RULE) => bounds.wide = true,
                _ => return None,
            }
        }
        Some(bounds)
    }

    /// The conditions as they stand in a grant.
    #[must_use]
    pub fn to_object(&self) -> Object<'static> {
        let mut conditions = Object::new();
        if let Some(when) = &self.when {
            conditions.insert("when", when.written.clone());
        }
        if let Some(uses) = self.uses {
            conditions.insert("uses", Value::Number(uses.into()));
        }
        if !self.limits.is_empty() {
            let limit = |limit: &Limit| {
                (
                    limit.pointer.clone().into(),
                    Value::Number(limit.most.to_number()),
                )
            };
            let limits = self.limits.iter().map(limit).collect();
            conditions.insert("limit", Value::Object(limits));
        }
        if let Some(session) = &self.session {
            conditions.insert("session", Value::String(session.clone().into()));
        }
        if let Some(hours) = &self.hours {
            conditions.insert("hours", Value::Object(hours.to_object()));
        }
        if self.wide {
            conditions.insert("tools", Value::string(RULE));
        }
        conditions
    }

    /// Whether the conditions admit a call; hours, uses and sums aside.
    #[must_use]
    pub fn admit(&self, call: &Call<'_>) -> bool {
        let session = self.session.as_deref();
        let when = self.when.as_ref();
        session.is_none_or(|session| call.session == Some(session))
            && when.is_none_or(|when| when.holds(call))
    }

    /// Whether uses must be counted.
    #[must_use]
    pub const fn is_counted(&self) -> bool {
        self.uses.is_some() || !self.limits.is_empty()
    }

    /// What will have been used once this call is made.
    ///
    /// # Errors
    ///
    /// There is no room left for it.
    pub fn spend(&self, used: &Tally, arguments: &Value<'_>) -> Result<Tally, TooMuch> {
        if self.uses.is_some_and(|most| used.uses >= most) {
            return Err(TooMuch::Uses);
        }
        let add = |(index, limit): (usize, &Limit)| {
            let value = arguments.pointer(&limit.pointer);
            let amount = value.and_then(Value::as_number).and_then(Amount::of);
            let amount = amount.ok_or(TooMuch::Uncountable)?;
            let before = used.sums.get(index).copied().unwrap_or_default();
            let sum = before.plus(amount).ok_or(TooMuch::Limit)?;
            if sum > limit.most {
                return Err(TooMuch::Limit);
            }
            Ok(sum)
        };
        let sums = self.limits.iter().enumerate().map(add);
        Ok(Tally {
            sums: sums.collect::<Result<_, _>>()?,
            uses: used.uses.saturating_add(1),
        })
    }
}

impl When {
    /// Reads conditions in the form that rules have.
    #[must_use]
    pub fn read(value: &Value<'_>) -> Option<Self> {
        Some(Self {
            read: predicate::read(value).ok()?,
            written: value.clone().into_owned(),
        })
    }

    /// The conditions as they were written.
    #[must_use]
    pub fn to_text(&self) -> String {
        json::write(&self.written)
    }

    fn holds(&self, call: &Call<'_>) -> bool {
        predicate::holds(&self.read.steps(), call.arguments, call.around)
    }
}

fn count(value: &Value<'_>) -> Option<u64> {
    let count = value.as_number()?.as_str().parse().ok()?;
    (count > 0).then_some(count)
}

fn limits(value: &Value<'_>) -> Option<Vec<Limit>> {
    let limits = value.as_object()?;
    let limit = |(name, most): (&crate::json::Text<'_>, &Value<'_>)| {
        let pointer = name.as_str()?;
        Some(Limit {
            pointer: pointer.starts_with('/').then(|| pointer.to_owned())?,
            most: Amount::of(most.as_number()?)?,
        })
    };
    let limits: Vec<_> = limits.iter().map(limit).collect::<Option<_>>()?;
    (!limits.is_empty()).then_some(limits)
}

fn filled(value: &Value<'_>) -> Option<String> {
    value
        .as_str()
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}

/// The word for patterns as rules have them.
const RULE: &str = "rule";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::parse;

    fn bounds(text: &str) -> Option<Bounds> {
        Bounds::read(parse(text.as_bytes()).unwrap().as_object().unwrap())
    }

    #[track_caller]
    fn check(text: &str, understood: bool) {
        let read = bounds(text);
        assert_eq!(read.is_some(), understood, "{text}");
        if let Some(read) = read {
            assert_eq!(json::write(&Value::Object(read.to_object())), text);
        }
    }

    #[test]
    fn what_is_not_understood_voids_the_grant() {
        check(r#"{"uses":3}"#, true);
        check(r#"{"uses":3,"limit":{"/amount":5000,"/fee/0":1.25}}"#, true);
        check(r#"{"session":"ses_1"}"#, true);
        check(r#"{"when":{"/amount":{"lte":5000}},"tools":"rule"}"#, true);
        check(r#"{"hours":{"from":"08:00","to":"18:30"}}"#, true);
        for bad in [
            r#"{"maxAmount":5}"#,
            r#"{"uses":0}"#,
            r#"{"uses":1.5}"#,
            r#"{"uses":-1}"#,
            r#"{"uses":"3"}"#,
            r#"{"limit":{}}"#,
            r#"{"limit":{"amount":1}}"#,
            r#"{"limit":{"/amount":-1}}"#,
            r#"{"limit":{"/amount":"1"}}"#,
            r#"{"limit":{"/amount":1e40}}"#,
            r#"{"session":""}"#,
            r#"{"hours":{"from":"8:00","to":"18:00"}}"#,
            r#"{"uses":3,"mystery":true}"#,
            r#"{"when":{"amount":{"lt":5}}}"#,
            r#"{"when":{}}"#,
            r#"{"tools":"regex"}"#,
        ] {
            check(bad, false);
        }
    }

    #[test]
    fn a_sum_is_exact_and_counts_only_what_can_be_counted() {
        let bounds = bounds(r#"{"limit":{"/amount":0.3}}"#).unwrap();
        let mut tally = Tally::default();
        for (arguments, expected) in [
            (r#"{"amount":0.1}"#, Ok("0.1")),
            (
                r#"{"amount":0.2000000000000000001}"#,
                Err(TooMuch::Uncountable),
            ),
            (r#"{"amount":0.200000000000000001}"#, Err(TooMuch::Limit)),
            (r#"{"amount":-0.1}"#, Err(TooMuch::Uncountable)),
            (r#"{"amount":"0.1"}"#, Err(TooMuch::Uncountable)),
            (r#"{}"#, Err(TooMuch::Uncountable)),
            (r#"{"amount":2e-1}"#, Ok("0.3")),
            (r#"{"amount":0}"#, Ok("0.3")),
            (r#"{"amount":0.000000000000000001}"#, Err(TooMuch::Limit)),
        ] {
            let value = parse(arguments.as_bytes()).unwrap();
            let next = bounds.spend(&tally, &value);
            let seen = next.clone().map(|tally| tally.sums[0].to_string());
            assert_eq!(seen, expected.map(str::to_owned), "{arguments}");
            tally = next.unwrap_or(tally);
        }
    }

    proptest! {
        #[test]
        fn no_order_of_uses_exceeds_the_bounds(
            uses in 1..6u64,
            most in 0..500u64,
            amounts in proptest::collection::vec(0..200u64, 0..12),
        ) {
            let bounds = bounds(&format!(r#"{{"uses":{uses},"limit":{{"/a":{most}}}}}"#)).unwrap();
            let (mut tally, mut granted) = (Tally::default(), Vec::new());
            for amount in amounts {
                let text = format!(r#"{{"a":{amount}}}"#);
                let arguments = parse(text.as_bytes()).unwrap();
                if let Ok(next) = bounds.spend(&tally, &arguments) {
                    tally = next;
                    granted.push(amount);
                }
            }
            prop_assert!(granted.len() as u64 <= uses);
            prop_assert!(granted.iter().sum::<u64>() <= most);
        }
    }
}
