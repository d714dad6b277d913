//! How a decision is worded in the log.

use knotrust_core::canonical::write_canonical_object;
use knotrust_core::case::Case;
use knotrust_core::json::{Object, Value};
use knotrust_core::request::DecisionRequest;
use knotrust_core::ruleset::Ruleset;
use knotrust_knowledge::correlation::Traceparent;

/// Where the rule that decided stands: `file:line`.
pub(super) fn rule_place(ruleset: &Ruleset<'_>, rank: Option<u32>) -> Option<String> {
    ruleset
        .rules
        .get(rank?)
        .map(|rule| ruleset.spelled(rule.place))
}

/// What a reader of the log must be told beside the reason: what is odd about the name.
pub(super) fn flags(case: &Case<'_>) -> Option<String> {
    case.irregular
        .as_ref()
        .map(|fault| format!("irregular name: {fault}"))
}

/// The arguments themselves, as the log keeps them; nothing if there is no canonical form.
pub(super) fn arguments(request: &DecisionRequest<'_>) -> Option<String> {
    let mut written = String::new();
    let arguments = request.context.arguments.as_ref()?;
    write_canonical_object(&mut written, arguments).ok()?;
    Some(written)
}

/// Which trace a call belongs to, by what was sent beside its arguments, or else in them.
pub(super) fn trace(request: &DecisionRequest<'_>, sent: Option<&str>) -> Option<Traceparent> {
    if let Some(sent) = sent.and_then(Traceparent::read) {
        return Some(sent);
    }
    let arguments = request.context.arguments.as_ref()?;
    let own = arguments.get("traceparent");
    let meta = || arguments.get("_meta").and_then(Value::as_object);
    let value = own.or_else(|| meta().and_then(|meta: &Object<'_>| meta.get("traceparent")));
    Traceparent::read(value?.as_str()?)
}
