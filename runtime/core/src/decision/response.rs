//! The answer as the reference's contract writes it: DecisionResponse 1.0.

use crate::json::{Object, Text, Value};
use crate::number::Number;
use crate::precedence::Outcome;
use crate::reason::Reason;
use crate::request::CONTRACT_VERSION;
use crate::tier::Tier;
use crate::time::Timestamp;

use super::Decision;

/// What a caller outside this process is told of a decision, beside the decision itself.
#[derive(Clone, Copy, Debug)]
pub struct Answered<'a> {
    /// The request that is answered.
    pub request_id: &'a str,
    /// Names this decision; new for each, also for one that was remembered.
    pub decision_id: &'a str,
    /// Whether it was remembered.
    pub cache_hit: bool,
    /// How long it took, in milliseconds.
    pub latency_ms: u64,
}

/// The response to a request, members in the order of the contract.
#[must_use]
pub fn to_json<'a>(decision: &Decision, answered: Answered<'a>) -> Value<'a> {
    let mut cache = Object::new();
    cache.insert("hit", Value::Bool(answered.cache_hit));
    let evaluated_by = if decision.reason == Reason::GrantAllow {
        "grant"
    } else {
        "L0"
    };
    let members = [
        ("contractVersion", Value::string(CONTRACT_VERSION)),
        ("requestId", Value::string(answered.request_id)),
        ("decisionId", Value::string(answered.decision_id)),
        ("outcome", Value::string(decision.outcome.as_str())),
        ("tier", Value::string(decision.tier.as_str())),
        ("reasonCode", Value::string(decision.reason.code())),
        ("reasonAdmin", Value::string(decision.reason.for_people())),
        ("cache", Value::Object(cache)),
        ("evaluatedBy", Value::string(evaluated_by)),
        (
            "latencyMs",
            Value::Number(Number::from(answered.latency_ms)),
        ),
    ];
    Value::Object(
        members
            .into_iter()
            .map(|(name, value)| (Text::from(name), value))
            .collect(),
    )
}

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
