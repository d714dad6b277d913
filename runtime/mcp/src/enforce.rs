//! A ruling carried out: the original bytes to the server, or a refusal to the caller.
//!
//! A refused call is answered by a *result* that says the tool failed, since that is what a model gets to see; an error of
//! the protocol it may never hear of. The result says three times what became of the call: as text, which every client
//! hands to its model; under [`META_KEY`], which no client checks against anything; and as structured content, but only if
//! the tool is known to declare no output schema, since older clients hold even a refusal against the schema and would
//! show a schema error in its place.

use knotrust_core::json::{Object, Text, Value, write};
use knotrust_core::precedence::Outcome;
use knotrust_core::reason::AgentCode;
use knotrust_govern::inventory::Traits;
use knotrust_govern::permit::{Denial, Permit};

use crate::revision::Era;
use crate::wire::id::Id;
use crate::wire::reply;

/// Under this key of a result's `_meta`, and of an error's `data`, stands what became of the call.
pub const META_KEY: &str = "io.knotrust/decision";

/// The code of the error that refuses a request which is no call of a tool. Not one of JSON-RPC's own.
pub const DENIED: i32 = 403;

/// How an answer to one request has to look.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The revision that the request follows.
    pub era: Era,
    /// Whether the result may carry structured content.
    pub content: Content,
}

/// Whether a refusal may carry structured content.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Content {
    /// The tool is known to declare no output schema.
    Structured,
    /// It declares one, or nothing is known of it.
    Plain,
}

impl From<Option<Traits>> for Content {
    fn from(traits: Option<Traits>) -> Self {
        match traits {
            Some(traits) if !traits.output_schema => Self::Structured,
            Some(_) | None => Self::Plain,
        }
    }
}

impl Form {
    /// The refusal of a call, as a line to the caller.
    #[must_use]
    pub fn denied(&self, id: &Id, denial: &Denial) -> Vec<u8> {
        let block = block(denial);
        let mut text = Object::new();
        text.insert("type", Value::string("text"));
        text.insert("text", Value::String(Text::from(write(&block))));
        let mut result = Object::new();
        result.insert("content", Value::Array(vec![Value::Object(text)]));
        result.insert("isError", Value::Bool(true));
        if self.content == Content::Structured {
            result.insert("structuredContent", nested("knotrust", block.clone()));
        }
        result.insert("_meta", nested(META_KEY, block));
        if self.era == Era::Modern {
            result.insert("resultType", Value::string("complete"));
        }
        reply::result(id, &Value::Object(result))
    }
}

/// The refusal of a request that is no call of a tool, as a line to the caller.
#[must_use]
pub fn denied_place(id: &Id, denial: &Denial) -> Vec<u8> {
    let data = nested(META_KEY, block(denial));
    reply::error_with(Some(id), DENIED, words(denial), Some(data))
}

/// What the result of a permitted call says of the decision, for its `_meta`.
#[must_use]
pub fn remark(permit: &Permit) -> String {
    let decision = permit.decision();
    let mut remark = Object::new();
    remark.insert("outcome", Value::string(decision.outcome.as_str()));
    remark.insert("decisionId", Value::string(permit.decision_id()));
    remark.insert("tierClass", Value::string(decision.tier.as_str()));
    remark.insert("auditRef", Value::string(permit.decision_id()));
    write(&Value::Object(remark))
}

/// What the caller is told: the status, the class of the call, what could be done. Nothing of the policy.
fn block(denial: &Denial) -> Value<'_> {
    let decision = &denial.decision;
    let code = decision.reason.for_agent();
    let is_pending = decision.outcome == Outcome::PendingApproval;
    let retryable = is_pending || code == AgentCode::Unavailable;
    let mut human = Object::new();
    human.insert("possible", Value::Bool(decision.reason.human_can_approve()));
    human.insert("hint", Value::string(hint(code)));
    let mut block = Object::new();
    block.insert("message", Value::string(words(denial)));
    block.insert("outcome", Value::string(decision.outcome.as_str()));
    block.insert("decisionId", Value::string(&denial.decision_id));
    block.insert("tierClass", Value::string(decision.tier.as_str()));
    block.insert("reasonCode", Value::string(code.as_str()));
    block.insert("retryable", Value::Bool(retryable));
    block.insert("humanApproval", Value::Object(human));
    if let Some(how) = &denial.how {
        block.insert("requestable", nested("how", Value::string(how)));
    }
    if let Some(approval) = &denial.approval_id {
        block.insert("approvalId", Value::string(approval));
    }
    block.insert("auditRef", Value::string(&denial.decision_id));
    Value::Object(block)
}

fn nested<'a>(name: &'a str, value: Value<'a>) -> Value<'a> {
    let mut object = Object::new();
    object.insert(name, value);
    Value::Object(object)
}

fn words(denial: &Denial) -> &'static str {
    match denial.decision.outcome {
        Outcome::PendingApproval => "This call waits for a person's approval and was not made.",
        Outcome::DeferredNotEligible => {
            "This call needs a person's approval, and nobody can be asked here. It was not made."
        }
        Outcome::Deny | Outcome::Allow => match denial.decision.reason.for_agent() {
            AgentCode::Unavailable => {
                "This call could not be checked and was not made. It may work later."
            }
            AgentCode::BlockedNeedsGrant => {
                "This call needs a grant that nobody has given. It was not made."
            }
            AgentCode::BlockedNeedsApproval
            | AgentCode::BlockedByPolicy
            | AgentCode::NotEligibleHere => "This call is not permitted and was not made.",
        },
    }
}

const fn hint(code: AgentCode) -> &'static str {
    match code {
        AgentCode::BlockedNeedsGrant => "Tell the user. A person can grant calls like this one.",
        AgentCode::BlockedNeedsApproval => {
            "Tell the user. Once a person has approved, the same call passes once."
        }
        AgentCode::BlockedByPolicy => "Tell the user. Do not try other ways to the same end.",
        AgentCode::Unavailable => "Nothing to approve. Tell the user if it stays like this.",
        AgentCode::NotEligibleHere => "Tell the user, who can do this where they can be asked.",
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use knotrust_core::decision::Decision;
    use knotrust_core::reason::Reason;

    use super::*;

    fn denial(reason: Reason, outcome: Outcome) -> Denial {
        let decision = Decision {
            outcome,
            ..Decision::failed(reason)
        };
        Denial {
            decision_id: "01J".to_owned(),
            decision,
            how: None,
            approval_id: None,
        }
    }

    #[track_caller]
    fn check(form: Form, denial: &Denial, expect: Expect) {
        let line = form.denied(&Id::read(b"7").unwrap(), denial);
        let value: serde_json::Value = serde_json::from_slice(&line).unwrap();
        expect.assert_eq(&serde_json::to_string_pretty(&value["result"]).unwrap());
    }

    #[test]
    fn a_refusal_is_a_result_that_says_so() {
        let form = Form {
            era: Era::Legacy,
            content: Content::Plain,
        };
        let mut denial = denial(Reason::NoGrantSensitive, Outcome::Deny);
        denial.how = Some("knotrust grant --server a --tool b".to_owned());
        check(
            form,
            &denial,
            expect![[r#"
            {
              "_meta": {
                "io.knotrust/decision": {
                  "auditRef": "01J",
                  "decisionId": "01J",
                  "humanApproval": {
                    "hint": "Tell the user. A person can grant calls like this one.",
                    "possible": true
                  },
                  "message": "This call needs a grant that nobody has given. It was not made.",
                  "outcome": "deny",
                  "reasonCode": "blocked_needs_grant",
                  "requestable": {
                    "how": "knotrust grant --server a --tool b"
                  },
                  "retryable": false,
                  "tierClass": "critical"
                }
              },
              "content": [
                {
                  "text": "{\"message\":\"This call needs a grant that nobody has given. It was not made.\",\"outcome\":\"deny\",\"decisionId\":\"01J\",\"tierClass\":\"critical\",\"reasonCode\":\"blocked_needs_grant\",\"retryable\":false,\"humanApproval\":{\"possible\":true,\"hint\":\"Tell the user. A person can grant calls like this one.\"},\"requestable\":{\"how\":\"knotrust grant --server a --tool b\"},\"auditRef\":\"01J\"}",
                  "type": "text"
                }
              ],
              "isError": true
            }"#]],
        );
    }

    #[test]
    fn structured_content_needs_a_tool_without_schema_and_modern_requests_a_type() {
        let denial = denial(Reason::NoGrantCritical, Outcome::PendingApproval);
        let parts = |era, content| {
            let line = Form { era, content }.denied(&Id::read(b"7").unwrap(), &denial);
            let value: serde_json::Value = serde_json::from_slice(&line).unwrap();
            let result = value["result"].clone();
            (
                result.get("structuredContent").is_some(),
                result.get("resultType").cloned(),
            )
        };
        assert_eq!(parts(Era::Legacy, Content::Structured), (true, None));
        assert_eq!(parts(Era::Legacy, Content::Plain), (false, None));
        assert_eq!(
            parts(Era::Modern, Content::Plain),
            (false, Some("complete".into()))
        );
    }

    #[test]
    fn no_reason_shows_through() {
        for reason in Reason::ALL {
            for outcome in [
                Outcome::Deny,
                Outcome::PendingApproval,
                Outcome::DeferredNotEligible,
            ] {
                let denial = denial(reason, outcome);
                let line = write(&block(&denial));
                assert!(!line.contains(reason.code()), "{line}");
            }
        }
    }
}
