use ed25519_dalek::SigningKey;
use proptest::prelude::*;

use super::*;
use crate::json::{Value, parse};
use crate::surroundings::Surroundings;

const APPROVALS: Approvals<'static> = Approvals::DEFAULT;
const NOW: u64 = 1_800_000_000;

fn signer() -> SigningKey {
    SigningKey::from_bytes(&[0x42; 32])
}

fn claims() -> Claims {
    Claims {
        id: "01TEST".to_owned(),
        issued_at: NOW - 10,
        expires: NOW + 100,
        not_before: Some(NOW - 10),
        issuer: "user:dev".to_owned(),
        kind: Kind::Durable,
        single_use: false,
        principal: party("user", "dev"),
        agent: AgentScope::Any,
        tool: ToolPattern::read("github.*".to_owned()),
        scope: Scope::default(),
        conditions: Conditions::None,
        cap: Tier::Sensitive,
        organisation: false,
        admin: None,
    }
}

fn party(kind: &str, id: &str) -> Party {
    Party {
        kind: kind.to_owned(),
        id: id.to_owned(),
    }
}

const HASH: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

const REQUEST: &[u8] =
    br#"{"contractVersion":"1.0","requestId":"1","timestamp":"2027-01-15T08:00:00Z",
  "subject":{"type":"user","id":"dev"},"action":{"name":"github.create_issue"},
  "resource":{"type":"repo","id":"acme/widgets"},
  "context":{"agent":{"id":"claude","type":"ai_agent"},"arguments":{"amount":5000},
    "env":{"time":"2027-01-15T08:00:00Z","surfaceLocal":true}},
  "surface":{"kind":"stdio_proxy","instanceId":"1"}}"#;

fn with_call<T>(ask: impl FnOnce(&Call<'_>) -> T) -> T {
    let request = parse(REQUEST).unwrap();
    let request = crate::request::read(&request).unwrap();
    ask(&Call {
        request: &request,
        arguments: &request.arguments(),
        hash: Some(HASH),
        exact: HASH,
        session: Some("ses_1"),
        around: &Surroundings::NOWHERE,
    })
}

fn verified(claims: &Claims) -> Result<Grant, GrantError> {
    let mut keys = Keyring::new();
    keys.trust(signer().verifying_key().as_bytes()).unwrap();
    let token = Unsigned::new(claims).sign(&signer());
    Grant::verify(
        &token,
        Trust {
            keys: &keys,
            approvals: &APPROVALS,
        },
    )
}

#[track_caller]
fn check(change: impl Fn(&mut Claims), expected: Result<(), GrantError>) {
    let mut claims = claims();
    change(&mut claims);
    let grant = verified(&claims);
    let seen = grant.and_then(|grant| {
        assert_eq!(*grant.claims(), claims, "read back as written");
        with_call(|call| grant.covers(call, NOW))
    });
    assert_eq!(seen, expected);
}

fn bounds(text: &str) -> Conditions {
    let conditions = parse(text.as_bytes()).unwrap();
    Conditions::Bounds(Box::new(
        Bounds::read(conditions.as_object().unwrap()).unwrap(),
    ))
}

#[test]
fn bounds_narrow_what_is_covered() {
    check(|_| {}, Ok(()));
    check(
        |claims| claims.conditions = bounds(r#"{"session":"ses_1"}"#),
        Ok(()),
    );
    check(
        |claims| claims.conditions = bounds(r#"{"session":"ses_2"}"#),
        Err(GrantError::ConditionsUnmet),
    );
    check(
        |claims| claims.conditions = bounds(r#"{"hours":{"from":"09:00","to":"10:00"}}"#),
        Err(GrantError::ConditionsUnmet),
    );
}

#[test]
fn conditions_speak_of_arguments_as_rules_do() {
    for (most, expected) in [
        ("5000", Ok(())),
        ("4999.99", Err(GrantError::ConditionsUnmet)),
    ] {
        let when = format!(r#"{{"when":{{"/amount":{{"lte":{most}}}}}}}"#);
        check(|claims| claims.conditions = bounds(&when), expected);
    }
}

#[test]
fn a_star_is_a_wildcard_only_where_the_grant_says_so() {
    let narrow = ToolPattern::read("github.create*".to_owned());
    check(
        |claims| claims.tool = narrow.clone(),
        Err(GrantError::ToolMismatch),
    );
    let wide = |claims: &mut Claims| {
        claims.tool = ToolPattern::of_rule("github.create*").unwrap();
        claims.conditions = bounds(r#"{"tools":"rule"}"#);
    };
    check(wide, Ok(()));
}

#[test]
fn a_remembered_answer_knows_when_to_end() {
    let at = |change: fn(&mut Claims), now| {
        let mut claims = claims();
        change(&mut claims);
        verified(&claims).unwrap().changes_after(now)
    };
    assert_eq!(at(|_| {}, NOW), Some(NOW + 100));
    assert_eq!(at(|_| {}, NOW - 11), Some(NOW - 10));
    assert_eq!(at(|_| {}, NOW + 100), None);
    let hours = |claims: &mut Claims| {
        claims.conditions = bounds(r#"{"hours":{"from":"08:00","to":"10:00"}}"#);
    };
    assert_eq!(at(hours, NOW), Some(NOW));
}

#[test]
fn an_ephemeral_grant_covers_its_call_to_the_last_digit() {
    let bound = |call: &str, exact: Option<&str>| Kind::Ephemeral {
        call: call.to_owned(),
        exact: exact.map(str::to_owned),
    };
    let other = format!("sha256:{}", "0".repeat(64));
    for (kind, expected) in [
        (bound(HASH, None), Ok(())),
        (bound(HASH, Some(HASH)), Ok(())),
        (bound(HASH, Some(&other)), Err(GrantError::CallMismatch)),
        (bound(&other, Some(HASH)), Err(GrantError::CallMismatch)),
    ] {
        let once = |claims: &mut Claims| {
            claims.single_use = true;
            claims.kind = kind.clone();
        };
        check(once, expected);
    }
    let lasting = Kind::Ephemeral {
        call: HASH.to_owned(),
        exact: None,
    };
    check(
        |claims| claims.kind = lasting.clone(),
        Err(GrantError::Malformed),
    );
}

#[test]
fn the_cap_is_left_to_precedence() {
    let grant = verified(&claims()).unwrap();
    assert_eq!(with_call(|call| grant.covers(call, NOW)), Ok(()));
    assert_eq!(
        with_call(|call| grant.check(call, Tier::Sensitive, NOW)),
        Ok(())
    );
    let capped = with_call(|call| grant.check(call, Tier::Critical, NOW));
    assert_eq!(capped, Err(GrantError::TierCapViolation));
}

fn any_claims() -> impl Strategy<Value = Claims> {
    let names = prop_oneof![
        "[a-z]{1,6}",
        "[a-z]{1,4}[.*]",
        Just("é\u{1F600}\"\\".to_owned())
    ];
    let agent = prop_oneof![
        Just(AgentScope::Any),
        names
            .clone()
            .prop_map(|id| AgentScope::Named(party("workload", &id))),
    ];
    let scope = (
        proptest::option::of(names.clone()),
        proptest::option::of(names.clone()),
    );
    (names, agent, scope, 0..3usize, any::<bool>(), NOW..1 << 53).prop_map(
        |(name, agent, (resource_type, id), cap, single_use, expires)| Claims {
            principal: party("service", &name),
            tool: ToolPattern::read(name),
            agent,
            scope: Scope {
                resource_type,
                id: id.as_deref().map(IdPattern::read),
            },
            cap: Tier::ALL[cap],
            single_use,
            expires,
            ..claims()
        },
    )
}

proptest! {
    #[test]
    fn what_is_signed_is_what_is_read(claims in any_claims()) {
        let grant = verified(&claims).unwrap();
        prop_assert_eq!(grant.claims(), &claims);
    }

    #[test]
    fn a_token_survives_no_change(position in any::<prop::sample::Index>(), letter in "[A-Za-z0-9_.=-]") {
        let mut keys = Keyring::new();
        keys.trust(signer().verifying_key().as_bytes()).unwrap();
        let token = Unsigned::new(&claims()).sign(&signer());
        let mut changed: Vec<char> = token.chars().collect();
        *changed.get_mut(position.index(token.len())).unwrap() = letter.chars().next().unwrap();
        let changed: String = changed.into_iter().collect();
            let seen = Grant::verify(&changed, Trust { keys: &keys, approvals: &APPROVALS });
        prop_assert_eq!(seen.is_ok(), changed == token);
    }

    #[test]
    fn no_text_makes_the_reader_fall_over(text in "\\PC{0,200}", payload in "\\PC{0,60}") {
        let keys = Keyring::new();
            let trust = Trust { keys: &keys, approvals: &APPROVALS };
        prop_assert!(Grant::verify(&text, trust).is_err());
        if let Ok(value) = parse(payload.as_bytes()) {
            prop_assert!(Claims::read(&value).is_err() || value.get("jti").and_then(Value::as_str).is_some());
        }
    }
}
