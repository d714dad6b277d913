//! `policyDigest`: one number for what a ruleset means.
//!
//! It is the SHA-256 of the canonical form (RFC 8785) of a JSON value that holds everything which can change a decision, and nothing else: no
//! comment, no order that has no meaning, no path, no line, no spelling. A default that is written out is the same as one that is left out.

use knotrust_core::{
    canonical::{canonical, sha256_hex},
    glob,
    json::{Object, Text, Value},
    number::Number,
    ruleset::{self, Channel, Effect, Settings, Source},
    tier::Tier,
};

use crate::resolved::{
    ApprovalRule, Approvals, Approver, Bound, Condition, Domain, Engine, Envelope, Gates, Launch,
    Manifest, Money, Resolved, Resource, Reviewer, Route, Rule, Server,
};

/// The digest of a ruleset, in lower-case hex.
pub fn of(resolved: &Resolved) -> String {
    sha256_hex(meaning(resolved).as_bytes())
}

/// The canonical form of what a ruleset means.
pub fn meaning(resolved: &Resolved) -> String {
    // INVARIANT: no number is in it that a double cannot hold, so that nothing is rounded and nothing lacks a canonical form.
    canonical(&ruleset(resolved)).unwrap_or_default()
}

/// The form itself has a version: a change of it changes every digest.
const FORM: &str = "knotrust/v1";

fn ruleset(resolved: &Resolved) -> Value<'static> {
    // Every member is named, so that a new one cannot be forgotten here.
    let Resolved {
        name,
        version,
        files: _,
        servers,
        unlisted,
        unknown_tool,
        destructive_looking,
        rules,
        resources,
        domains,
        envelope: ceiling,
        approvals: asking,
        fail_open,
        settings: around,
        gates: parameters,
        engine: further,
        tests: _,
    } = resolved;
    object([
        ("form", text(FORM)),
        ("name", text(name)),
        ("version", whole(u64::from(*version))),
        ("servers", list(servers.iter().map(server))),
        (
            "unlistedServers",
            text(match unlisted {
                ruleset::Unlisted::Allow => "allow",
                ruleset::Unlisted::Deny => "deny",
            }),
        ),
        ("unknownTool", tier(*unknown_tool)),
        ("destructiveLooking", tier(*destructive_looking)),
        ("rules", set(rules.iter().map(rule))),
        ("resources", list(resources.iter().map(resource))),
        ("domains", list(domains.iter().map(domain))),
        ("envelope", envelope(ceiling)),
        ("approvals", approvals(asking)),
        ("failOpen", bounds(fail_open)),
        ("settings", settings(around)),
        ("gates", gates(parameters)),
        ("engine", engine(further)),
    ])
}

fn server(server: &Server) -> Value<'static> {
    let Server { name, launch } = server;
    let launch = match launch {
        Launch::Command { command, env } => object([
            ("command", texts(command)),
            (
                "env",
                env.as_ref().map_or(Value::Null, |names| texts(names)),
            ),
        ]),
        Launch::Url(url) => object([("url", text(url))]),
    };
    object([("name", text(name)), ("launch", launch)])
}

fn rule(rule: &Rule) -> Value<'static> {
    let Rule {
        patterns,
        effect,
        source,
        place: _,
        span: _,
        condition,
    } = rule;
    let effect = match effect {
        Effect::Deny => text("deny"),
        Effect::Tier(level) => object([("tier", tier(*level))]),
        Effect::Allow(level) => object([("allow", level.map_or(Value::Null, tier))]),
    };
    object([
        ("match", bounds(patterns)),
        ("effect", effect),
        (
            "source",
            text(match source {
                Source::Own => "own",
                Source::Pack => "pack",
            }),
        ),
        ("when", condition.as_ref().map_or(Value::Null, when)),
    ])
}

fn when(condition: &Condition) -> Value<'static> {
    let Condition { json, tree: _ } = condition;
    exact(json)
}

/// A value with its numbers as texts in their shortest spelling: RFC 8785 would round them to doubles.
fn exact(value: &Value<'_>) -> Value<'static> {
    match value {
        Value::Number(number) => object([("number", text(&shortest(number.as_str())))]),
        Value::Array(items) => Value::Array(items.iter().map(exact).collect()),
        Value::Object(members) => {
            let members = members.iter().map(|(name, member)| {
                let member = match (name.as_str(), member) {
                    // Their order has no meaning.
                    (Some("in" | "all" | "any"), Value::Array(items)) => {
                        set(items.iter().map(exact))
                    }
                    (_, member) => exact(member),
                };
                (name.clone().into_owned(), member)
            });
            Value::Object(members.collect())
        }
        Value::Null | Value::Bool(_) | Value::String(_) => value.clone().into_owned(),
    }
}

fn shortest(number: &str) -> String {
    let trimmed = match number.split_once('.') {
        Some((whole, fraction)) => {
            let fraction = fraction.trim_end_matches('0');
            if fraction.is_empty() {
                whole.to_owned()
            } else {
                format!("{whole}.{fraction}")
            }
        }
        None => number.to_owned(),
    };
    if trimmed == "-0" {
        "0".to_owned()
    } else {
        trimmed
    }
}

fn resource(resource: &Resource) -> Value<'static> {
    let Resource {
        patterns,
        kind,
        id,
        properties,
    } = resource;
    let properties = properties
        .iter()
        .map(|(name, pointer)| (Text::from(name.clone()), text(pointer)));
    object([
        ("match", bounds(patterns)),
        ("type", text(kind)),
        ("id", optional(id.as_deref())),
        ("properties", Value::Object(properties.collect())),
    ])
}

fn domain(domain: &Domain) -> Value<'static> {
    let Domain {
        name,
        manifest,
        paths,
        urls,
        tools,
        skills,
        floor,
    } = domain;
    let manifest = match manifest {
        Manifest::Pinned {
            path: _,
            text: _,
            digest,
        } => object([("pinned", text(digest))]),
        Manifest::Live { path, text: _ } => object([("live", text(path))]),
    };
    object([
        ("name", text(name)),
        ("manifest", manifest),
        ("paths", globs(paths)),
        ("urls", set(urls.iter().map(|url| text(url)))),
        ("tools", bounds(tools)),
        ("skills", bounds(skills)),
        ("tier", floor.map_or(Value::Null, tier)),
    ])
}

fn envelope(envelope: &Envelope) -> Value<'static> {
    let Envelope {
        deny,
        force_tiers,
        force_tools,
        floors,
        grant_ceiling,
    } = envelope;
    let floors = floors.iter().map(|(bound, level)| {
        object([
            ("match", text(bound.pattern.text())),
            ("tier", tier(*level)),
        ])
    });
    object([
        ("deny", bounds(deny)),
        ("forceTiers", list(force_tiers.iter().map(tier))),
        ("forceTools", bounds(force_tools)),
        ("floors", set(floors)),
        ("grantCeiling", tier(*grant_ceiling)),
    ])
}

fn approvals(approvals: &Approvals) -> Value<'static> {
    let Approvals {
        channels,
        hold,
        expires,
        approver,
        require_signed,
        reviewers,
        rules,
    } = approvals;
    let approver = match approver {
        Approver::None => Value::Null,
        Approver::Pin { salt, public_key } => {
            object([("salt", text(salt)), ("publicKey", text(public_key))])
        }
        Approver::Passkey(passkeys) => set(passkeys.iter().map(|passkey| {
            object([
                ("credential", text(&passkey.credential)),
                ("publicKey", text(&passkey.public_key)),
            ])
        })),
    };
    object([
        (
            "channels",
            list(channels.iter().copied().map(Channel::as_str).map(text)),
        ),
        ("hold", whole(*hold)),
        ("expires", whole(*expires)),
        ("approver", approver),
        ("requireSigned", Value::Bool(*require_signed)),
        ("reviewers", set(reviewers.iter().map(reviewer))),
        ("rules", set(rules.iter().map(approval_rule))),
    ])
}

fn reviewer(reviewer: &Reviewer) -> Value<'static> {
    let Reviewer {
        name,
        role,
        public_key,
    } = reviewer;
    object([
        ("name", text(name)),
        ("role", text(role)),
        ("publicKey", optional(public_key.as_deref())),
    ])
}

fn approval_rule(rule: &ApprovalRule) -> Value<'static> {
    let ApprovalRule {
        tools,
        paths,
        required_role,
        expires,
        policy_ref,
        line: _,
        span: _,
    } = rule;
    object([
        ("tools", bounds(tools)),
        ("paths", globs(paths)),
        ("requiredRole", text(required_role)),
        ("expires", whole(*expires)),
        ("policyRef", optional(policy_ref.as_deref())),
    ])
}

fn settings(settings: &Settings) -> Value<'static> {
    let Settings {
        scope,
        mode,
        cache,
        listing,
        mark_critical,
        respond,
        capture_arguments,
        audit_all_calls,
    } = settings;
    object([
        (
            "scope",
            text(match scope {
                ruleset::Scope::Personal => "personal",
                ruleset::Scope::Org => "org",
            }),
        ),
        (
            "mode",
            text(match mode {
                ruleset::Mode::Enforce => "enforce",
                ruleset::Mode::Observe => "observe",
            }),
        ),
        ("cacheRoutine", whole(cache.routine)),
        ("cacheSensitive", whole(cache.sensitive)),
        (
            "listing",
            text(match listing {
                ruleset::Listing::Passthrough => "passthrough",
                ruleset::Listing::HideDenied => "hide-denied",
            }),
        ),
        ("markCritical", Value::Bool(*mark_critical)),
        (
            "respond",
            text(match respond {
                ruleset::Respond::Never => "never",
                ruleset::Respond::Governed => "governed",
                ruleset::Respond::Always => "always",
            }),
        ),
        ("captureArguments", Value::Bool(*capture_arguments)),
        ("auditAllCalls", Value::Bool(*audit_all_calls)),
    ])
}

fn gates(gates: &Gates) -> Value<'static> {
    let Gates {
        role,
        env,
        attestation_provider,
        attestation_required,
        payment_methods,
        credentials,
        strict,
        max_units,
        money,
        context_budget,
        confidence,
        conformance,
        signature_required,
        trusted_keys,
        withheld_tools,
    } = gates;
    let money = money
        .as_ref()
        .map_or(Value::Null, |Money { amount, currency }| {
            object([
                ("amount", text(&shortest(amount))),
                ("currency", text(currency)),
            ])
        });
    let confidence = confidence.as_ref().map_or(Value::Null, |confidence| {
        object([
            ("threshold", text(&shortest(&confidence.threshold))),
            ("severity", optional(confidence.severity.as_deref())),
            (
                "route",
                confidence.route.as_ref().map_or(Value::Null, route),
            ),
        ])
    });
    object([
        ("role", text(role)),
        ("env", optional(env.as_deref())),
        (
            "attestationProvider",
            optional(attestation_provider.as_deref()),
        ),
        ("attestationRequired", Value::Bool(*attestation_required)),
        (
            "paymentMethods",
            list(payment_methods.iter().map(|method| text(method.as_str()))),
        ),
        ("credentials", texts(credentials)),
        ("strict", Value::Bool(*strict)),
        ("maxUnits", whole(u64::from(*max_units))),
        ("money", money),
        ("contextBudget", context_budget.map_or(Value::Null, whole)),
        ("confidence", confidence),
        (
            "conformance",
            conformance.as_ref().map_or(Value::Null, route),
        ),
        ("signatureRequired", Value::Bool(*signature_required)),
        ("trustedKeys", texts(trusted_keys)),
        ("withheldTools", texts(withheld_tools)),
    ])
}

fn route(route: &Route) -> Value<'static> {
    let Route {
        role,
        expires,
        policy_ref,
        span: _,
    } = route;
    object([
        ("role", text(role)),
        ("expires", expires.map_or(Value::Null, whole)),
        ("policyRef", optional(policy_ref.as_deref())),
    ])
}

fn engine(engine: &Engine) -> Value<'static> {
    match engine {
        Engine::Builtin => Value::Null,
        Engine::Cedar(policies) => object([(
            "cedar",
            set(policies
                .iter()
                .map(|(_, policy)| text(&sha256_hex(policy.as_bytes())))),
        )]),
        Engine::Opa { url, timeout } => object([("opa", text(url)), ("timeout", whole(*timeout))]),
        Engine::Authzen { url, timeout } => {
            object([("authzen", text(url)), ("timeout", whole(*timeout))])
        }
    }
}

fn bounds(bounds: &[Bound]) -> Value<'static> {
    set(bounds
        .iter()
        .flat_map(|bound| bound.pattern.globs())
        .map(|glob| text(glob.text())))
}

fn globs(patterns: &[glob::Pattern]) -> Value<'static> {
    set(patterns
        .iter()
        .flat_map(glob::Pattern::globs)
        .map(|glob| text(glob.text())))
}

fn object<const N: usize>(members: [(&'static str, Value<'static>); N]) -> Value<'static> {
    let members: Object<'static> = members
        .into_iter()
        .map(|(name, value)| (name.into(), value))
        .collect();
    Value::Object(members)
}

fn list(items: impl Iterator<Item = Value<'static>>) -> Value<'static> {
    Value::Array(items.collect())
}

/// A list whose order has no meaning and in which nothing counts twice.
fn set(items: impl Iterator<Item = Value<'static>>) -> Value<'static> {
    let mut items: Vec<(String, Value<'static>)> = items
        .map(|item| (canonical(&item).unwrap_or_default(), item))
        .collect();
    items.sort_by(|one, other| one.0.cmp(&other.0));
    items.dedup_by(|one, other| one.0 == other.0);
    list(items.into_iter().map(|(_, item)| item))
}

fn texts(items: &[String]) -> Value<'static> {
    list(items.iter().map(|item| text(item)))
}

fn text(text: &str) -> Value<'static> {
    Value::String(text.to_owned().into())
}

fn optional(item: Option<&str>) -> Value<'static> {
    item.map_or(Value::Null, text)
}

fn tier(tier: Tier) -> Value<'static> {
    text(tier.as_str())
}

/// Whole numbers that RFC 8785 would round are texts as well.
fn whole(number: u64) -> Value<'static> {
    if number < 1 << 53 {
        Value::Number(Number::from(number))
    } else {
        text(&number.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_one_if_their_values_are() {
        for (number, expected) in [
            ("500", "500"),
            ("500.0", "500"),
            ("0.50", "0.5"),
            ("-0", "0"),
            ("-0.0", "0"),
            ("9007199254740993", "9007199254740993"),
        ] {
            assert_eq!(shortest(number), expected);
        }
    }
}
