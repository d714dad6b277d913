//! Decisions, requests and canonical forms, as data that other implementations agree on.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop"
)]

use std::fs;
use std::path::{Path, PathBuf};

use knotrust_core::canonical::{canonical, sha256_of};
use knotrust_core::case::{Case, Standing};
use knotrust_core::decide::decide;
use knotrust_core::decision::{Decision, response};
use knotrust_core::evidence::{Evidence, GrantAtHand};
use knotrust_core::json::{self, Value};
use knotrust_core::precedence::Layer;
use knotrust_core::request::{self, Untrusted};
use knotrust_core::ruleset::Ruleset;
use knotrust_core::surroundings::Surroundings;
use knotrust_core::tier::Tier;
use knotrust_core::time::Timestamp;

#[path = "support/policy.rs"]
mod policy;

use policy::{Entry, Policy};

#[test]
fn decisions_are_those_of_the_golden_set() {
    for (name, text) in corpus("decisions", "json") {
        let vector = json::parse(text.as_bytes()).unwrap();
        let input = vector.get("input").unwrap();
        let decision = decide_input(input);
        let expected = vector.get("expected").unwrap();
        let word = |member: &str| {
            expected
                .get(member)
                .and_then(Value::as_str)
                .unwrap()
                .to_owned()
        };
        assert_eq!(decision.outcome.as_str(), word("outcome"), "{name}");
        assert_eq!(decision.reason.code(), word("reasonCode"), "{name}");
        assert_eq!(decision.tier.as_str(), word("tier"), "{name}");
        let layer = expected
            .get("precedenceLayer")
            .and_then(Value::as_number)
            .unwrap()
            .as_u64();
        assert_eq!(Some(reference_layer(&decision)), layer, "{name}");
        assert_eq!(
            Some(decision.cacheable),
            expected.get("cacheEligible").and_then(Value::as_bool),
            "{name}"
        );
        let grant = expected.get("grantRef").and_then(Value::as_str);
        assert_eq!(decision.grant.as_deref(), grant, "{name}");
    }
}

/// Every row but those in which a floor lies above a user's own entry: there the reference leaves the entry, and
/// `ruleset.md` §5.2 raises it, since nothing inside may exceed the envelope.
#[test]
fn decisions_are_those_of_the_precedence_table() {
    let table = fs::read_to_string(folder("decisions").join("precedence-table.csv")).unwrap();
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let mut rows = 0;
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let cell = |name: &str| cells[header.iter().position(|known| *known == name).unwrap()];
        let tier = |name: &str| Tier::from_name(cell(name));
        if cell("source") == "user" && tier("floor") > tier("tier") {
            continue;
        }
        rows += 1;
        let decision = decide_row(&cell);
        let grant = decision.grant.as_deref().unwrap_or_default();
        let seen = format!(
            "{},{},{},{},{},{}",
            decision.outcome,
            decision.reason.code(),
            decision.tier,
            reference_layer(&decision),
            grant,
            u8::from(decision.cacheable)
        );
        let expected = format!(
            "{},{},{},{},{},{}",
            cell("outcome"),
            cell("reasonCode"),
            cell("resolvedTier"),
            cell("layer"),
            cell("grantRef"),
            cell("cacheEligible")
        );
        assert_eq!(seen, expected, "{line}");
    }
    assert!(rows > 5_000, "{rows} rows");
}

#[test]
fn values_are_requests_and_responses_or_not() {
    for (name, text) in corpus("schema", "json") {
        let vector = json::parse(text.as_bytes()).unwrap();
        let value = vector.get("value").unwrap();
        let valid = match vector.get("target").and_then(Value::as_str) {
            Some("decision-request.v1") => request::read(value).is_ok(),
            Some("decision.v1") => response::is_response(value),
            other => panic!("{name}: {other:?}"),
        };
        assert_eq!(
            Some(valid),
            vector.get("valid").and_then(Value::as_bool),
            "{name}"
        );
    }
}

#[test]
fn requests_have_one_normal_form() {
    for (name, text) in corpus("normal-form", "json") {
        let vector = json::parse(text.as_bytes()).unwrap();
        let request = request::read(vector.get("request").unwrap()).unwrap();
        let form = vector.get("canonical").and_then(Value::as_str);
        assert_eq!(request.normal_form().ok().as_deref(), form, "{name}");
        let hash = vector.get("hash").and_then(Value::as_str);
        assert_eq!(request.call_hash().ok().as_deref(), hash, "{name}");
    }
}

#[test]
fn values_have_one_canonical_form() {
    let text = fs::read_to_string(folder("canonical").join("forms.json")).unwrap();
    let vectors = json::parse(text.as_bytes()).unwrap();
    let vectors = vectors.as_array().unwrap();
    assert!(vectors.len() > 20);
    for vector in vectors {
        let text = vector.get("json").and_then(Value::as_str).unwrap();
        let value = match json::parse(text.as_bytes()) {
            Ok(value) => value,
            // The reference lets the last of two equal names win; for us such a text has no meaning.
            Err(fault) => {
                assert_eq!(fault.kind, json::FaultKind::Repeated, "{text}");
                continue;
            }
        };
        let expected = vector.get("canonical").and_then(Value::as_str);
        assert_eq!(canonical(&value).ok().as_deref(), expected, "{text}");
        let hash = vector.get("argsHash").and_then(Value::as_str);
        assert_eq!(sha256_of(&value).ok().as_deref(), hash, "{text}");
    }
}

fn decide_input(input: &Value<'_>) -> Decision {
    let request = request::read(input.get("request").unwrap()).unwrap();
    let tools = input
        .get("tierPolicy")
        .and_then(|policy| policy.get("tools"));
    let mut policy = Policy::default();
    for (name, entry) in tools.and_then(Value::as_object).unwrap().iter() {
        let flag = |name: &str| entry.get(name).and_then(Value::as_bool) == Some(true);
        policy.tool(&Entry {
            name: name.as_str().unwrap(),
            tier: entry.get("tier").and_then(tier).unwrap(),
            own: entry.get("source").and_then(Value::as_str) == Some("user"),
            allow: flag("explicitAllow"),
            deny: flag("explicitDeny"),
        });
    }
    if let Some(envelope) = input.get("envelope") {
        let list = |name: &str| {
            envelope
                .get(name)
                .and_then(Value::as_array)
                .unwrap_or_default()
        };
        list("denyTools")
            .iter()
            .filter_map(Value::as_str)
            .for_each(|name| policy.deny(name));
        list("forceApprovalTools")
            .iter()
            .filter_map(Value::as_str)
            .for_each(|name| policy.force(name));
        list("forceApprovalTiers")
            .iter()
            .filter_map(tier)
            .for_each(|tier| policy.force_tier(tier));
        for (name, floor) in envelope
            .get("tierFloors")
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(|floors| floors.iter())
        {
            policy.floor(name.as_str().unwrap(), tier(floor).unwrap());
        }
        policy.ceiling = envelope
            .get("grantCeiling")
            .and_then(tier)
            .unwrap_or(Tier::Critical);
    }
    let seconds = input
        .get("nowEpochSeconds")
        .and_then(Value::as_number)
        .and_then(|now| now.as_u64())
        .unwrap();
    let grants = input
        .get("coveringGrants")
        .and_then(Value::as_array)
        .unwrap();
    let grants = grants.iter().map(|grant| GrantAtHand {
        id: grant.get("jti").and_then(Value::as_str).unwrap().to_owned(),
        cap: grant.get("tierCap").and_then(tier).unwrap(),
        not_before: whole(grant.get("nbf")),
        expires: whole(grant.get("exp")).unwrap(),
        single_use: grant.get("kind").and_then(Value::as_str) == Some("ephemeral"),
        for_this_call: false,
    });
    let now = Timestamp::from_seconds(i64::try_from(seconds).unwrap());
    let evidence = Evidence {
        grants: grants.collect(),
        ..Evidence::none(now)
    };
    policy.with(|ruleset| decided(ruleset, &request, &evidence))
}

fn decide_row<'t>(cell: &dyn Fn(&str) -> &'t str) -> Decision {
    const NOW: i64 = 1_800_000_000;
    let tool = "svc.tool";
    let mut policy = Policy::default();
    policy.unknown = Tier::from_name(cell("unknownTier")).unwrap();
    if let Some(tier) = Tier::from_name(cell("tier")) {
        policy.tool(&Entry {
            name: tool,
            tier,
            own: cell("source") == "user",
            allow: cell("allow") == "1",
            deny: cell("deny") == "1",
        });
    }
    for part in cell("envelope").split('+') {
        match part.split_once(':') {
            Some(("force", tier)) => policy.force_tier(Tier::from_name(tier).unwrap()),
            _ if part == "deny" => policy.deny(tool),
            _ if part == "forceTool" => policy.force(tool),
            _ => assert_eq!(part, "-"),
        }
    }
    if let Some(tier) = Tier::from_name(cell("floor")) {
        policy.floor(tool, tier);
    }
    policy.ceiling = Tier::from_name(cell("ceiling")).unwrap_or(Tier::Critical);
    let mut grants: Vec<GrantAtHand> = Vec::new();
    for letter in cell("grants").chars() {
        let cap = match letter {
            'R' => Tier::Routine,
            'S' => Tier::Sensitive,
            'C' => Tier::Critical,
            'x' => {
                grants.last_mut().unwrap().expires = NOW;
                continue;
            }
            'n' => {
                grants.last_mut().unwrap().not_before = Some(NOW + 1);
                continue;
            }
            other => {
                assert_eq!(other, '-');
                continue;
            }
        };
        grants.push(GrantAtHand {
            id: format!("g{}", grants.len() + 1),
            cap,
            not_before: None,
            expires: NOW + 1000,
            single_use: false,
            for_this_call: false,
        });
    }
    let hint = format!(
        r#"{{"destructiveHint":{}}}"#,
        cell("destructiveHint") == "1"
    );
    let request = format!(
        r#"{{"contractVersion":"1.0","requestId":"r","timestamp":"2026-07-03T00:00:00Z",
        "subject":{{"type":"user","id":"u"}},"action":{{"name":"{tool}"}},
        "resource":{{"type":"t","id":"i"}},
        "context":{{"agent":{{"id":"a","type":"ai_agent"}},
            "env":{{"time":"2026-07-03T00:00:00Z","surfaceLocal":true}}}},
        "surface":{{"kind":"stdio_proxy","instanceId":"i","server":"svc"}}}}"#
    );
    let value = json::parse(request.as_bytes()).unwrap();
    let mut request = request::read(&value).unwrap();
    request.annotations = Some(Untrusted::read(&json::parse(hint.as_bytes()).unwrap()));
    let evidence = Evidence {
        grants,
        ..Evidence::none(Timestamp::from_seconds(NOW))
    };
    policy.with(|ruleset| decided(ruleset, &request, &evidence))
}

fn decided(
    ruleset: &Ruleset<'_>,
    request: &request::DecisionRequest<'_>,
    evidence: &Evidence,
) -> Decision {
    let case = Case::of(
        ruleset,
        request,
        &request.arguments(),
        Standing::default(),
        &Surroundings::NOWHERE,
    );
    decide(&case, evidence)
}

/// The reference counts four layers: ours without the named human, the gates and the engine.
fn reference_layer(decision: &Decision) -> u64 {
    match decision.layer {
        Layer::Envelope => 1,
        Layer::ExplicitDeny => 2,
        Layer::Grant => 3,
        Layer::TierDefault => 4,
        other @ (Layer::NamedHuman | Layer::Gates | Layer::Pdp) => panic!("{other}"),
    }
}

fn tier(value: &Value<'_>) -> Option<Tier> {
    value.as_str().and_then(Tier::from_name)
}

fn whole(value: Option<&Value<'_>>) -> Option<i64> {
    value
        .and_then(Value::as_number)
        .and_then(|number| number.as_u64())
        .and_then(|number| i64::try_from(number).ok())
}

fn folder(corpus: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/vectors")
        .join(corpus)
}

fn corpus(name: &str, extension: &str) -> Vec<(String, String)> {
    let files = fs::read_dir(folder(name))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|found| found == extension));
    let read = |path: PathBuf| {
        (
            path.display().to_string(),
            fs::read_to_string(&path).unwrap(),
        )
    };
    let mut files: Vec<_> = files.map(read).collect();
    files.sort();
    assert!(!files.is_empty(), "no {name}");
    files
}
