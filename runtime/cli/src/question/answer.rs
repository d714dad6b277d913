//! The answer to a question: the decision, who decided, and why everybody else lost.

use knotrust_core::case::{Case, TierSource};
use knotrust_core::decision::Decision;
use knotrust_core::json::{Object, Text, Value};
use knotrust_core::number::Number;
use knotrust_core::ruleset::{Bound, Effect, Rule, Ruleset};

use super::Asked;

/// The answer as JSON.
pub(crate) fn json(asked: &Asked<'_>) -> Value<'static> {
    let Asked {
        request,
        case,
        decision,
        ..
    } = *asked;
    let mut answer = Object::new();
    answer.insert(
        "action",
        Value::String(request.action.name.clone().into_owned()),
    );
    answer.insert("outcome", Value::string(decision.outcome.as_str()));
    answer.insert("tier", Value::string(decision.tier.as_str()));
    answer.insert("tierSource", Value::string(decision.tier_source.as_str()));
    if let Some(tier) = case.raised_from {
        answer.insert("raisedFrom", Value::string(tier.as_str()));
    }
    answer.insert(
        "layer",
        Value::Number(Number::from(u64::from(decision.layer.number()))),
    );
    answer.insert("layerName", Value::string(decision.layer.as_str()));
    answer.insert("reasonCode", Value::string(decision.reason.code()));
    answer.insert("reason", Value::string(decision.reason.for_people()));
    answer.insert(
        "rule",
        decider(case, decision).map_or(Value::Null, Decider::json),
    );
    answer.insert(
        "matched",
        Value::Array(matched(case, decision).map(Matched::json).collect()),
    );
    if let Some(fault) = &case.irregular {
        answer.insert("irregularName", owned(fault.to_string()));
    }
    answer.insert("classification", classification(asked));
    if !asked.gated.answers.is_empty() {
        let name = |domain| domain_name(case, domain).to_owned();
        answer.insert("gates", asked.gated.to_json(name));
    }
    let mut resource = Object::new();
    resource.insert(
        "type",
        Value::String(request.resource.kind.clone().into_owned()),
    );
    resource.insert(
        "id",
        Value::String(request.resource.id.clone().into_owned()),
    );
    if let Some(properties) = &request.resource.properties {
        resource.insert("properties", Value::Object(properties.clone().into_owned()));
    }
    answer.insert("resource", Value::Object(resource));
    Value::Object(answer)
}

/// The answer in words.
pub(crate) fn text(asked: &Asked<'_>) -> String {
    let Asked {
        request,
        case,
        decision,
        ..
    } = *asked;
    let inert = |text: &str| crate::output::inert(text);
    let name = inert(&request.action.name.to_string_lossy());
    let mut lines = vec![
        format!("{name}: {}, {}", decision.outcome, decision.tier),
        format!(
            "  because  {} ({})",
            decision.reason.for_people(),
            decision.reason.code()
        ),
        format!("  layer    {} {}", decision.layer.number(), decision.layer),
    ];
    if let Some(Decider { what, place }) = decider(case, decision) {
        lines.push(format!("  rule     {} at {place}", inert(&what)));
    }
    lines.push(format!("  tier     {}", tier_origin(case)));
    if let Some(fault) = &case.irregular {
        lines.push(format!("  name     {fault}"));
    }
    let resource = &request.resource;
    let (kind, id) = (
        resource.kind.to_string_lossy(),
        resource.id.to_string_lossy(),
    );
    lines.push(format!("  on       {} {}", inert(&kind), inert(&id)));
    for domain in domain_names(case) {
        lines.push(format!("  touches  {domain}"));
    }
    for (domain, answer) in &asked.gated.answers {
        let name = domain_name(case, *domain);
        let (mode, reason) = (answer.mode.name(), inert(&answer.reason));
        lines.push(format!("  gates    {name}: {mode}, {reason}"));
    }
    for other in matched(case, decision) {
        if let Some(lost) = other.lost {
            let (what, place) = (inert(&other.decider.what), &other.decider.place);
            lines.push(format!("  also     {what} at {place}: {lost}"));
        }
    }
    lines.join("\n")
}

/// What decided: a rule or a bound, and where it stands.
struct Decider {
    what: String,
    place: String,
}

impl Decider {
    fn json(self) -> Value<'static> {
        let mut object = Object::new();
        object.insert("what", owned(self.what));
        object.insert("place", owned(self.place));
        Value::Object(object)
    }
}

/// A rule that matched, and why it did not decide.
struct Matched {
    decider: Decider,
    lost: Option<&'static str>,
}

impl Matched {
    fn json(self) -> Value<'static> {
        let mut object = Object::new();
        object.insert("what", owned(self.decider.what));
        object.insert("place", owned(self.decider.place));
        object.insert("lost", self.lost.map_or(Value::Null, Value::string));
        Value::Object(object)
    }
}

fn decider(case: &Case<'_>, decision: &Decision) -> Option<Decider> {
    if let Some(rank) = decision.rule {
        return case
            .ruleset
            .rules
            .get(rank)
            .map(|rule| described(case.ruleset, &rule));
    }
    let bound = match decision.tier_source {
        _ if case.envelope_deny.is_some() => bound(case.ruleset.envelope.deny, case.envelope_deny),
        TierSource::Floor(index) => case
            .ruleset
            .envelope
            .floors
            .get(index as usize)
            .map(|floor| floor.bound),
        TierSource::Rule(_)
        | TierSource::Annotation
        | TierSource::Verb
        | TierSource::Default
        | TierSource::Domain(_)
        | TierSource::Drift
        | TierSource::IrregularName => None,
    }?;
    Some(Decider {
        what: format!("`{}` of the envelope", bound.pattern),
        place: case.ruleset.spelled(bound.place),
    })
}

fn bound<'a>(bounds: &[Bound<'a>], index: Option<u32>) -> Option<Bound<'a>> {
    bounds.get(index? as usize).copied()
}

fn matched<'c>(case: &'c Case<'_>, decision: &'c Decision) -> impl Iterator<Item = Matched> + 'c {
    let rules = case.ruleset.rules;
    let tier_rule = case.matching.tier(rules).map(|(rank, _)| rank);
    let lost = move |rank: u32, rule: &Rule<'_>| {
        let deciding = decision.rule == Some(rank);
        let setting = tier_rule == Some(rank) && decision.tier_source.rule() == Some(rank);
        if deciding || setting {
            return None;
        }
        Some(if case.matching.failing.contains(&rank) {
            "its conditions do not hold"
        } else if case.irregular.is_some() && rule.effect != Effect::Deny {
            "no rule lowers the tier of a name that no server may use"
        } else if case.denied_by.is_some() {
            "a rule that denies stands before it"
        } else if !case.matching.unbeaten.contains(&rank) {
            "a narrower rule matches"
        } else if tier_rule == Some(rank) {
            "something stronger decided"
        } else {
            "a stricter rule matches"
        })
    };
    let all = case.matching.holding.iter().chain(&case.matching.failing);
    all.filter_map(move |rank| {
        let rule = rules.get(*rank)?;
        let decider = described(case.ruleset, &rule);
        Some(Matched {
            decider,
            lost: lost(*rank, &rule),
        })
    })
}

fn described(ruleset: &Ruleset<'_>, rule: &Rule<'_>) -> Decider {
    let effect = match rule.effect {
        Effect::Deny => "deny".to_owned(),
        Effect::Tier(tier) => format!("tier: {tier}"),
        Effect::Allow(None) => "allow".to_owned(),
        Effect::Allow(Some(tier)) => format!("allow, tier: {tier}"),
    };
    let condition = if rule.when.is_empty() {
        ""
    } else {
        " when its conditions hold"
    };
    Decider {
        what: format!("`{}`{condition}: {effect}", rule.pattern),
        place: ruleset.spelled(rule.place),
    }
}

fn tier_origin(case: &Case<'_>) -> String {
    let origin = match case.tier_source {
        TierSource::Rule(_) => "set by a rule",
        TierSource::Annotation => {
            "no rule names it, and the server says that it destroys something"
        }
        TierSource::Verb => "no rule names it, and its name says that it destroys something",
        TierSource::Default => "no rule names it",
        TierSource::Floor(_) => "raised by a floor of the envelope",
        TierSource::Domain(_) => "raised by a domain that it touches",
        TierSource::Drift => "raised, since what the server says of it has changed",
        TierSource::IrregularName => "raised, since no server may use such a name",
    };
    match case.raised_from {
        Some(from) => format!("{}, {origin} from {from}", case.tier),
        None => format!("{}, {origin}", case.tier),
    }
}

fn domain_name<'c>(case: &Case<'c>, domain: u32) -> &'c str {
    let index = usize::try_from(domain).ok();
    let domain = index.and_then(|index| case.ruleset.domains.get(index));
    domain.map_or("", |domain| domain.name)
}

fn domain_names<'c>(case: &'c Case<'_>) -> impl Iterator<Item = &'c str> {
    case.domains
        .iter()
        .filter_map(|index| case.ruleset.domains.get(*index as usize))
        .map(|domain| domain.name)
}

fn classification(asked: &Asked<'_>) -> Value<'static> {
    let domains = domain_names(asked.case)
        .map(|name| owned(name.to_owned()))
        .collect();
    let reasons = asked.classification.reasons();
    let mut reasons: Vec<_> = reasons
        .iter()
        .map(|reason| Value::string(reason.as_str()))
        .collect();
    // Names stand beside paths and URLs.
    if !asked.case.tool_domains.is_empty() {
        reasons.push(Value::string("tool"));
    }
    if asked.case.skill.is_some() {
        reasons.push(Value::string("skill"));
    }
    let targets = asked.classification.targets().iter();
    let targets = targets
        .map(|target| owned(target.text().to_owned()))
        .collect();
    let mut object = Object::new();
    object.insert("governed", Value::Bool(!asked.case.domains.is_empty()));
    object.insert("domains", Value::Array(domains));
    object.insert("reasons", Value::Array(reasons));
    object.insert("targets", Value::Array(targets));
    Value::Object(object)
}

fn owned(text: String) -> Value<'static> {
    Value::String(Text::from(text))
}
