//! What a policy must decide, by its author's own word.

use std::collections::BTreeMap;

use knotrust_core::json::Value;

use super::Resolver;
use crate::{
    located::{Located, Span},
    model::{Annotations, OutcomeName, PolicyTest},
    problem::{Code, Problem, shown},
    resolved::Test,
};

impl Resolver<'_> {
    pub(super) fn tests(&mut self, written: &[Located<PolicyTest>]) -> Vec<Test> {
        let mut names: BTreeMap<&str, Span> = BTreeMap::new();
        let mut tests = Vec::new();
        for test in written {
            let name = &test.value.name;
            if self.sentence(Some(&name.value), "name").is_none() {
                continue;
            }
            if let Some(first) = names.insert(&name.value.0, name.span) {
                self.twice("test", &name.value.0, name.span, first);
                continue;
            }
            tests.extend(self.policy_test(test));
        }
        tests
    }

    fn policy_test(&mut self, written: &Located<PolicyTest>) -> Option<Test> {
        let test = &written.value;
        let call = &test.call.value;
        let server = self.server_name(&call.server.value, call.server.span);
        if call.tool.value.is_empty() {
            self.push(
                Problem::new(Code::BadName, "the name of a tool is empty")
                    .at(call.tool.span, "a tool's own name"),
            );
            return None;
        }
        let expect = &test.expect.value;
        let reason = expect.reason.as_ref().map(|reason| reason.value.clone());
        if let Some(reason) = &expect.reason
            && !reason
                .value
                .chars()
                .all(|char| char.is_ascii_lowercase() || char == '_')
        {
            let message = format!("`{}` is no reason code", shown(&reason.value));
            self.push(
                Problem::new(Code::UnknownValue, message).at(reason.span, "not a reason code"),
            );
        }
        Some(Test {
            name: test.name.value.0.clone(),
            span: test.name.span,
            server: server?,
            tool: call.tool.value.clone(),
            arguments: call
                .arguments
                .as_ref()
                .map(|arguments| self.object(arguments)),
            annotations: call.annotations.map(annotations),
            agent: call.agent.as_ref().map(|agent| agent.value.clone()),
            outcome: expect
                .outcome
                .as_ref()
                .map(|outcome| outcome_word(outcome.value)),
            tier: expect.tier.as_ref().map(|tier| tier.value.into()),
            reason,
        })
    }
}

fn annotations(written: Annotations) -> Value<'static> {
    let hints = [
        ("readOnlyHint", written.read_only_hint),
        ("destructiveHint", written.destructive_hint),
        ("idempotentHint", written.idempotent_hint),
        ("openWorldHint", written.open_world_hint),
    ];
    let given = hints
        .into_iter()
        .filter_map(|(name, hint)| Some((name.into(), Value::Bool(hint?))));
    Value::Object(given.collect())
}

fn outcome_word(outcome: OutcomeName) -> &'static str {
    match outcome {
        OutcomeName::Allow => "allow",
        OutcomeName::Deny => "deny",
        OutcomeName::PendingApproval => "pending_approval",
        OutcomeName::DeferredNotEligible => "deferred_not_eligible",
    }
}
