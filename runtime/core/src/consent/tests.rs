use ed25519_dalek::{Signer, SigningKey};
use sha2::{Digest, Sha256};

use super::*;
use crate::grant::{AgentScope, Claims, Conditions, Grant, GrantError, Keyring, Kind, Party};
use crate::grant::{Scope, ToolPattern, Trust, Unsigned};
use crate::json::parse;
use crate::ruleset::Passkey;
use crate::tier::Tier;

const NOW: u64 = 1_800_000_000;
const CALL: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// Everything that lies in a home, the signing key included.
fn home() -> SigningKey {
    SigningKey::from_bytes(&[0x42; 32])
}

/// The person's key, which lies nowhere.
fn person() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

fn text_of(key: &SigningKey) -> &'static str {
    let text = URL_SAFE_NO_PAD.encode(key.verifying_key().as_bytes());
    Box::leak(text.into_boxed_str())
}

fn pin() -> Approver<'static> {
    Approver::Pin {
        salt: "c2FsdA",
        public_key: text_of(&person()),
    }
}

fn durable() -> Claims {
    Claims {
        id: "01TEST".to_owned(),
        issued_at: NOW,
        expires: NOW + 100,
        not_before: None,
        issuer: "user:dev".to_owned(),
        kind: Kind::Durable,
        single_use: false,
        principal: Party {
            kind: "user".to_owned(),
            id: "dev".to_owned(),
        },
        agent: AgentScope::Any,
        tool: ToolPattern::All,
        scope: Scope::default(),
        conditions: Conditions::None,
        cap: Tier::Critical,
        organisation: false,
        admin: None,
    }
}

fn ephemeral() -> Claims {
    Claims {
        kind: Kind::Ephemeral {
            call: CALL.to_owned(),
            exact: Some(CALL.to_owned()),
        },
        single_use: true,
        ..durable()
    }
}

fn approval() -> Approval {
    Approval {
        id: "01TEST".to_owned(),
        until: NOW,
    }
}

/// A consent to the call, by a key that may be anybody's.
fn yes(key: &SigningKey, reviewer: Option<&str>) -> Consent {
    let approval = approval();
    let statement = Statement::Approval {
        approval: &approval,
        call: CALL,
        tier: Tier::Critical,
        reviewer,
    };
    let signature = key.sign(&statement.challenge()).to_bytes();
    Consent {
        approval: Some(approval),
        reviewer: reviewer.map(str::to_owned),
        proof: match reviewer {
            Some(_) => Proof::Reviewer(signature),
            None => Proof::Pin(signature),
        },
    }
}

#[track_caller]
fn check(claims: &Claims, consent: Option<Consent>, approvals: Approvals<'_>, holds: bool) {
    let mut keys = Keyring::new();
    keys.trust(home().verifying_key().as_bytes()).unwrap();
    let unsigned = Unsigned::new(claims);
    let token = match &consent {
        Some(consent) => unsigned.with_consent(consent).sign(&home()),
        None => unsigned.sign(&home()),
    };
    let grant = Grant::verify(
        &token,
        Trust {
            keys: &keys,
            approvals: &approvals,
        },
    );
    match (holds, grant) {
        (true, grant) => assert_eq!(grant.unwrap().consent(), consent.as_ref()),
        (false, grant) => assert_eq!(grant.unwrap_err(), GrantError::NoConsent),
    }
}

fn with(approver: Approver<'_>) -> Approvals<'_> {
    Approvals {
        approver,
        ..Approvals::DEFAULT
    }
}

fn agreed(claims: &Claims, key: &SigningKey) -> Option<Consent> {
    let signature = key.sign(&Unsigned::new(claims).challenge()).to_bytes();
    Some(Consent {
        approval: None,
        reviewer: None,
        proof: Proof::Pin(signature),
    })
}

#[test]
fn a_home_alone_writes_no_grant() {
    let claims = durable();
    check(&claims, None, with(Approver::None), true);
    check(&claims, None, with(pin()), false);
    check(&claims, agreed(&claims, &home()), with(pin()), false);
    check(&claims, agreed(&claims, &person()), with(pin()), true);
    check(
        &claims,
        agreed(&claims, &person()),
        with(Approver::None),
        true,
    );
    let session = Consent {
        approval: None,
        reviewer: None,
        proof: Proof::Session,
    };
    check(&claims, Some(session), with(pin()), false);
}

#[test]
fn what_was_agreed_to_can_not_be_widened() {
    let consent = agreed(&durable(), &person());
    let widened: [fn(&mut Claims); 5] = [
        |claims| claims.expires += 1,
        |claims| claims.id = "01OTHER".to_owned(),
        |claims| claims.principal.id = "eve".to_owned(),
        |claims| claims.admin = Some(true),
        |claims| claims.issued_at -= 1,
    ];
    for widen in widened {
        let mut claims = durable();
        widen(&mut claims);
        check(&claims, consent.clone(), with(pin()), false);
    }
    let once = Consent {
        approval: Some(approval()),
        ..consent.unwrap()
    };
    check(&ephemeral(), Some(once), with(pin()), false);
}

#[test]
fn an_approval_makes_one_grant_for_one_call_and_no_other() {
    let consent = || Some(yes(&person(), None));
    let claims = Claims {
        expires: NOW + GRACE,
        ..ephemeral()
    };
    check(&claims, consent(), with(pin()), true);
    check(&ephemeral(), Some(yes(&home(), None)), with(pin()), false);
    check(&durable(), consent(), with(pin()), false);
    let changes: [fn(&mut Claims); 4] = [
        |claims| claims.expires += 1,
        |claims| claims.id = "01SECOND".to_owned(),
        |claims| claims.cap = Tier::Sensitive,
        |claims| {
            let exact = Some(CALL.replace('e', "d"));
            claims.kind = Kind::Ephemeral {
                call: CALL.to_owned(),
                exact,
            };
        },
    ];
    for change in changes {
        let mut changed = claims.clone();
        change(&mut changed);
        check(&changed, consent(), with(pin()), false);
    }
}

#[test]
fn a_reviewer_is_named_and_signs_single_calls() {
    let reviewer = SigningKey::from_bytes(&[9; 32]);
    let reviewers = [Reviewer {
        name: "ada",
        role: "account-owner",
        public_key: Some(text_of(&reviewer)),
    }];
    let people = |approver, require_signed| Approvals {
        approver,
        reviewers: &reviewers,
        require_signed,
        ..Approvals::DEFAULT
    };
    check(
        &ephemeral(),
        Some(yes(&reviewer, Some("ada"))),
        people(pin(), true),
        true,
    );
    check(
        &ephemeral(),
        Some(yes(&reviewer, Some("bob"))),
        people(pin(), true),
        false,
    );
    check(
        &ephemeral(),
        Some(yes(&home(), Some("ada"))),
        people(pin(), true),
        false,
    );
    let named = Consent {
        proof: Proof::Session,
        ..yes(&home(), Some("ada"))
    };
    check(
        &ephemeral(),
        Some(named.clone()),
        people(Approver::None, false),
        true,
    );
    check(
        &ephemeral(),
        Some(named.clone()),
        people(Approver::None, true),
        false,
    );
    check(&ephemeral(), Some(named), people(pin(), false), false);
}

/// What a browser and an authenticator would answer.
fn assertion(challenge: &[u8; 32], origin: &str, domain: &str, flags: u8) -> (Vec<u8>, Vec<u8>) {
    let challenge = URL_SAFE_NO_PAD.encode(challenge);
    let client = format!(
        r#"{{"type":"webauthn.get","challenge":"{challenge}","origin":"{origin}","crossOrigin":false}}"#
    );
    let authenticator = [Sha256::digest(domain).as_slice(), &[flags, 0, 0, 0, 9]].concat();
    (authenticator, client.into_bytes())
}

#[test]
fn a_passkey_agrees_on_our_page_with_the_person_there() {
    let secret = p256::ecdsa::SigningKey::from_slice(&[5; 32]).unwrap();
    let point = secret.verifying_key().to_sec1_point(false);
    let public_key = cose_of(&[&hex(P256_INFO), point.as_bytes()].concat()).unwrap();
    let passkeys = [Passkey {
        credential: "Y3JlZGVudGlhbA",
        public_key: &public_key,
    }];
    let people = with(Approver::Passkey(&passkeys));
    let claims = durable();
    let challenge = Unsigned::new(&claims).challenge();
    let other = Unsigned::new(&Claims {
        expires: 1,
        ..durable()
    })
    .challenge();
    let page = "http://localhost:40123";
    for (challenge, origin, domain, flags, credential, holds) in [
        (&challenge, page, "localhost", 0b101, "credential", true),
        (
            &challenge,
            "http://localhost",
            "localhost",
            0b101,
            "credential",
            true,
        ),
        (&challenge, page, "localhost", 0b001, "credential", false),
        (&challenge, page, "localhost", 0b100, "credential", false),
        (&challenge, page, "evil.test", 0b101, "credential", false),
        (
            &challenge,
            "http://evil.test",
            "localhost",
            0b101,
            "credential",
            false,
        ),
        (
            &challenge,
            "http://localhost:1.evil.test",
            "localhost",
            0b101,
            "credential",
            false,
        ),
        (&challenge, page, "localhost", 0b101, "another", false),
        (&other, page, "localhost", 0b101, "credential", false),
    ] {
        let (authenticator, client) = assertion(challenge, origin, domain, flags);
        let signed = [authenticator.as_slice(), &Sha256::digest(&client)].concat();
        let signature: p256::ecdsa::Signature = secret.sign(&signed);
        let assertion = Assertion {
            credential: credential.into(),
            authenticator,
            client,
            signature: signature.to_der().as_bytes().to_vec(),
        };
        let consent = |assertion| Consent {
            approval: None,
            reviewer: None,
            proof: Proof::Passkey(assertion),
        };
        check(&claims, Some(consent(assertion.clone())), people, holds);
        let mut spoiled = assertion;
        spoiled.authenticator[36] ^= 1;
        check(&claims, Some(consent(spoiled)), people, false);
    }
}

const P256_INFO: &str = "3059301306072a8648ce3d020106082a8648ce3d030107034200";
const ED25519_INFO: &str = "302a300506032b6570032100";

fn hex(text: &str) -> Vec<u8> {
    let (pairs, _) = text.as_bytes().as_chunks::<2>();
    let digit = |byte| char::from(byte).to_digit(16).unwrap() as u8;
    pairs
        .iter()
        .map(|[high, low]| digit(*high) << 4 | digit(*low))
        .collect()
}

#[test]
fn a_browsers_key_becomes_a_line_of_the_ruleset() {
    let key = person().verifying_key().to_bytes();
    let info = [&hex(ED25519_INFO), &key[..]].concat();
    let line = cose_of(&info).unwrap();
    let cose = URL_SAFE_NO_PAD.decode(line).unwrap();
    assert_eq!(cose, [&hex("a4010103272006215820"), &key[..]].concat());
    assert_eq!(cose_of(&info[..43]), None);
    assert_eq!(
        cose_of(&[hex(P256_INFO), vec![4; 65]].concat()),
        None,
        "off the curve"
    );
    assert_eq!(cose_of(&[0x30, 0x59]), None);
}

#[test]
fn a_consent_out_of_shape_is_none() {
    for bad in [
        "{}",
        r#"{"kind":"pin"}"#,
        r#"{"kind":"pin","signature":"AA"}"#,
        r#"{"kind":"passkey","credential":"AA"}"#,
        r#"{"kind":"session","approval":{}}"#,
        r#"{"kind":"session","reviewer":1}"#,
        r#"{"kind":"oath"}"#,
        "true",
    ] {
        assert_eq!(
            Consent::read(&parse(bad.as_bytes()).unwrap()),
            None,
            "{bad}"
        );
    }
}
