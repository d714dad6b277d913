//! The answer as the reference's contract has it, DecisionResponse 1.0: what is one, and what is not.

use crate::json::{Text, Value};
use crate::number::Number;
use crate::precedence::Outcome;
use crate::request::CONTRACT_VERSION;
use crate::tier::Tier;
use crate::time::Timestamp;

/// Whether a value is a decision response of the contract: closed objects, known words, required members.
#[must_use]
pub fn is_response(value: &Value<'_>) -> bool {
    let text = |value: &Value<'_>| value.as_str().is_some();
    let date = |value: &Value<'_>| value.as_str().and_then(Timestamp::parse).is_some();
    let one_of = |words: &'static [&'static str]| {
        move |value: &Value<'_>| value.as_str().is_some_and(|word| words.contains(&word))
    };
    let whole = |value: &Value<'_>| {
        value
            .as_number()
            .is_some_and(|number| number.as_u64().is_some())
    };
    let positive = |value: &Value<'_>| {
        value
            .as_number()
            .is_some_and(|number| *number >= Number::from(0u64))
    };
    let approval = |value: &Value<'_>| {
        let states = [
            "requested",
            "pending",
            "approved",
            "denied",
            "expired",
            "cancelled",
        ];
        Shape(value)
            .must("id", |id| {
                id.as_str().is_some_and(|id| id.starts_with("apr_"))
            })
            .must("state", |state| {
                state.as_str().is_some_and(|state| states.contains(&state))
            })
            .may("expiresAt", date)
            .closed(&["id", "state", "expiresAt"])
    };
    Shape(value)
        .must("contractVersion", one_of(&[CONTRACT_VERSION]))
        .must("requestId", text)
        .must("decisionId", text)
        .must("outcome", |word| {
            word.as_str().and_then(Outcome::from_name).is_some()
        })
        .must("tier", |word| {
            word.as_str().and_then(Tier::from_name).is_some()
        })
        .must("reasonCode", text)
        .may("reasonUser", text)
        .may("reasonAdmin", text)
        .may("approval", approval)
        .may("requestable", |value| {
            Shape(value).must("how", text).closed(&["how"])
        })
        .must("cache", |value| {
            let flag = |hit: &Value<'_>| hit.as_bool().is_some();
            Shape(value)
                .must("hit", flag)
                .may("ttlSeconds", whole)
                .closed(&["hit", "ttlSeconds"])
        })
        .must(
            "evaluatedBy",
            one_of(&["L0", "cedar", "authzen_http", "opa", "grant"]),
        )
        .must("latencyMs", positive)
        .closed(&[
            "contractVersion",
            "requestId",
            "decisionId",
            "outcome",
            "tier",
            "reasonCode",
            "reasonUser",
            "reasonAdmin",
            "approval",
            "requestable",
            "cache",
            "evaluatedBy",
            "latencyMs",
        ])
}

/// A value as long as it keeps to its shape; `null` stands for one that did not.
#[derive(Clone, Copy)]
struct Shape<'v, 'a>(&'v Value<'a>);

impl<'v, 'a> Shape<'v, 'a> {
    const BROKEN: Shape<'static, 'static> = Shape(&Value::Null);

    fn must(self, name: &str, fits: impl Fn(&Value<'a>) -> bool) -> Shape<'v, 'a> {
        if self.0.get(name).is_some_and(fits) {
            self
        } else {
            Self::broken()
        }
    }

    fn may(self, name: &str, fits: impl Fn(&Value<'a>) -> bool) -> Shape<'v, 'a> {
        if self.0.get(name).is_none_or(fits) {
            self
        } else {
            Self::broken()
        }
    }

    fn closed(self, known: &[&str]) -> bool {
        let is_known = |name: &Text<'_>| name.as_str().is_some_and(|name| known.contains(&name));
        self.0
            .as_object()
            .is_some_and(|object| object.iter().all(|(name, _)| is_known(name)))
    }

    fn broken() -> Shape<'v, 'a> {
        Shape(Self::BROKEN.0)
    }
}
