//! Passkeys over real sockets: what a page asks for, and what it takes for a person's yes.

use super::desk::{Answer, Held, Holder, RULESET};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signer as _, SigningKey};
use knotrust_core::approval::Ending;
use knotrust_core::audit::event::{Agreed, Event, Given, Kind};
use knotrust_core::consent::Proof;
use knotrust_core::grant::{Unsigned, said_by};
use knotrust_core::ruleset::{Approvals, Approver, Passkey, Reviewer, Ruleset};
use knotrust_core::tier::Tier;
use knotrust_govern::audit::Log;
use knotrust_govern::audit::read::{Consents, Reader};
use knotrust_govern::clock;
use knotrust_govern::grants::GrantSet;
use knotrust_web::errand::{Brought, Errand, Purpose};
use sha2::{Digest as _, Sha256};

/// An authenticator, in so far as a page sees it.
struct Authenticator {
    key: SigningKey,
    credential: Vec<u8>,
    flags: u8,
    origin: &'static str,
    kind: &'static str,
}

impl Authenticator {
    fn new(seed: u8) -> Self {
        Self {
            key: SigningKey::from_bytes(&[seed; 32]),
            credential: vec![seed; 32],
            flags: 0b101,
            origin: "http://localhost:1",
            kind: "webauthn.get",
        }
    }

    fn enrolled(&self) -> Passkey<'static> {
        let prefix = [0xA4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21, 0x58, 0x20];
        let cose = [&prefix[..], self.key.verifying_key().as_bytes()].concat();
        let leak = |bytes: &[u8]| &*Box::leak(encoded(bytes).into_boxed_str());
        Passkey {
            credential: leak(&self.credential),
            public_key: leak(&cose),
        }
    }

    /// The fields that the page's script adds to the form.
    fn sign(&self, statement: &str, challenge: &str) -> String {
        let client = format!(
            r#"{{"type":"{}","challenge":"{challenge}","origin":"{}","crossOrigin":false}}"#,
            self.kind, self.origin
        );
        let domain = Sha256::digest("localhost");
        let data = [&domain[..], &[self.flags, 0, 0, 0, 7]].concat();
        let signed = [&data[..], &Sha256::digest(&client)].concat();
        let signature = self.key.sign(&signed).to_bytes();
        format!(
            "&{statement}.credential={}&{statement}.authenticatorData={}&{statement}.clientDataJSON={}&{statement}.signature={}",
            encoded(&self.credential),
            encoded(&data),
            encoded(client.as_bytes()),
            encoded(&signature)
        )
    }
}

fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn asking_for(
    passkeys: &[&Authenticator],
    reviewers: &'static [Reviewer<'static>],
) -> &'static Ruleset<'static> {
    let passkeys = passkeys
        .iter()
        .map(|one| one.enrolled())
        .collect::<Vec<_>>();
    Box::leak(Box::new(Ruleset {
        approvals: Approvals {
            approver: Approver::Passkey(Box::leak(passkeys.into_boxed_slice())),
            reviewers,
            ..Approvals::DEFAULT
        },
        ..RULESET
    }))
}

fn get(held: &Held) -> Answer {
    held.send("GET /TOKEN HTTP/1.1\r\nHost: localhost:PORT\r\n", b"")
}

fn post(held: &Held, form: &str) -> Answer {
    let form = format!("csrf={}&{form}", held.secret());
    held.send(
        &format!(
            "POST /TOKEN HTTP/1.1\r\nHost: localhost:PORT\r\nOrigin: http://localhost:PORT\r\n\
             Sec-Fetch-Site: same-origin\r\nContent-Type: application/x-www-form-urlencoded\r\n\
             Content-Length: {}\r\n",
            form.len()
        ),
        form.as_bytes(),
    )
}

/// What follows `mark` in the page, up to the next quotation mark.
fn after(body: &str, mark: &str) -> String {
    let rest = body
        .split(mark)
        .nth(1)
        .unwrap_or_else(|| panic!("no {mark} in {body}"));
    rest.split('"').next().unwrap().to_owned()
}

fn challenge(body: &str, statement: &str) -> String {
    after(
        body,
        &format!("data-states=\"{statement}\" data-challenge=\""),
    )
}

#[test]
fn the_page_asks_for_a_signature_over_exactly_this_call() {
    let mine = Authenticator::new(7);
    let mut holder = Holder::new(asking_for(&[&mine], &[]));
    let held = holder.hold_any();
    let page = get(&held);
    let expected = encoded(&held.ticket.challenge(None));
    assert_eq!(challenge(&page.body, "call"), expected);
    assert!(page.body.contains(&format!(
        "data-credentials=\"{}\"",
        encoded(&mine.credential)
    )));
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("script-src 'sha256-") && !policy.contains("unsafe"));
    assert!(policy.contains("require-trusted-types-for 'script'"));
    assert!(!policy.contains("connect-src") && policy.contains("default-src 'none'"));

    let yes = post(
        &held,
        &format!("action=approve{}", mine.sign("call", &expected)),
    );
    assert_eq!(yes.status, 200);
    let settled = holder.settled();
    assert_eq!(settled[0].ending, Ending::Approved);
    let consent = settled[0].answer.consent.as_ref().unwrap();
    assert!(matches!(consent.proof, Proof::Passkey(_)));
}

#[test]
fn what_the_log_holds_is_verified_again() {
    let mine = Authenticator::new(7);
    let rules = asking_for(&[&mine], &[]);
    let mut holder = Holder::new(rules);
    let held = holder.hold_any();
    let call = mine.sign("call", &encoded(&held.ticket.challenge(None)));
    assert_eq!(post(&held, &format!("action=approve{call}")).status, 200);
    let settled = holder.settled();
    let consent = settled[0].answer.consent.as_ref().unwrap();
    let mut log = Log::of(&holder.home);
    let mut record = |call: &str| {
        let event = Event {
            approval_id: Some(&held.ticket.id),
            consent: Some(Given {
                consent,
                to: Agreed::Call(call),
            }),
            policy_digest: Some(rules.digest),
            tier: Some(held.ticket.tier),
            ..Event::of(Kind::ApprovalApproved)
        };
        log.append(&event, clock::now()).unwrap();
    };
    record(&held.ticket.exact);
    record("sha256:00");
    let read = |rules: &Ruleset<'_>| Reader::of(&holder.home).consents(rules).unwrap();
    let consents = |held, unproven: &[u64], elsewhere| Consents {
        held,
        unproven: unproven.to_vec(),
        elsewhere,
    };
    assert_eq!(read(rules), consents(1, &[2], 0));
    let stranger = asking_for(&[&Authenticator::new(8)], &[]);
    assert_eq!(read(stranger), consents(0, &[1, 2], 0));
    let another = Ruleset {
        digest: "another",
        ..*rules
    };
    assert_eq!(read(&another), consents(0, &[], 2));
}

#[test]
fn nothing_else_is_a_yes() {
    let mine = Authenticator::new(7);
    let mut holder = Holder::new(asking_for(&[&mine], &[]));
    let other = holder.hold_any();
    let held = holder.hold_any();
    let right = encoded(&held.ticket.challenge(None));
    let like = |change: fn(&mut Authenticator)| {
        let mut changed = Authenticator::new(7);
        change(&mut changed);
        changed.sign("call", &right)
    };
    let rows = [
        ("a button", String::new()),
        ("a pin", "&pin=correct+horse".to_owned()),
        (
            "another passkey",
            Authenticator::new(8).sign("call", &right),
        ),
        (
            "another key",
            like(|one| one.key = SigningKey::from_bytes(&[8; 32])),
        ),
        (
            "another call",
            mine.sign("call", &encoded(&other.ticket.challenge(None))),
        ),
        (
            "a reviewer",
            mine.sign("call", &encoded(&held.ticket.challenge(Some("ann")))),
        ),
        ("another statement", mine.sign("grant", &right)),
        ("nobody verified", like(|one| one.flags = 0b001)),
        ("nobody there", like(|one| one.flags = 0b100)),
        ("another page", like(|one| one.origin = "https://evil.test")),
        ("an address", like(|one| one.origin = "http://127.0.0.1:1")),
        (
            "another domain",
            like(|one| one.origin = "http://localhost.evil.test:1"),
        ),
        ("a new passkey", like(|one| one.kind = "webauthn.create")),
    ];
    for (what, proof) in rows {
        assert_eq!(
            post(&held, &format!("action=approve{proof}")).status,
            403,
            "{what}"
        );
        assert!(held.waits(), "{what}");
    }
    assert!(holder.settled().is_empty());
    assert_eq!(holder.violations(), ["bad_passkey"; 10]);
    assert_eq!(post(&held, "action=deny").status, 200);
    assert_eq!(holder.settled()[0].ending, Ending::Denied);
}

#[test]
fn who_says_always_signs_the_very_grant() {
    let mine = Authenticator::new(7);
    let rules = asking_for(&[&mine], &[]);
    let mut holder = Holder::new(rules);
    let held = holder.hold_any();
    let body = get(&held).body;
    let call = mine.sign("call", &challenge(&body, "call"));
    let id = after(&body, "name=\"grant\" value=\"");
    let of = |width: &str, span: &str| {
        let all = after(
            &body,
            &format!("value=\"{width}\" data-states=\"grant\" data-challenges=\""),
        );
        let mut spans = all.split(' ').filter_map(|one| one.split_once('='));
        let (_, challenge) = spans.find(|(known, _)| *known == span).unwrap();
        challenge.to_owned()
    };
    let week = of("target", "7d");
    let always = |rest: String| {
        let form = format!("action=always_allow&width=target&expires=7d&grant={id}{call}{rest}");
        post(&held, &form).status
    };
    assert_eq!(always(String::new()), 403);
    let day = mine.sign("grant", &of("target", "1d"));
    assert_eq!(always(day), 403, "for another while");
    let narrow = mine.sign("grant", &of("same", "7d"));
    assert_eq!(always(narrow), 403, "for less");
    assert!(held.waits() && !holder.home.at("grants").exists());
    assert_eq!(always(mine.sign("grant", &week)), 200);
    assert_eq!(holder.settled()[0].ending, Ending::Approved);

    let kept = |rules: &Ruleset<'static>| {
        let listed = GrantSet::of(&holder.home, &rules.approvals).list().unwrap();
        assert_eq!(listed.len(), 1);
        listed[0].grant.is_ok()
    };
    assert!(kept(rules));
    // The passkey is asked for wherever the grant is read.
    let stranger = asking_for(&[&Authenticator::new(8)], &[]);
    assert!(!kept(stranger));

    // The log holds what proves it, and the grant in the home must be the one that it speaks of.
    let read = |rules: &Ruleset<'_>| {
        let consents = Reader::of(&holder.home).consents(rules).unwrap();
        (consents.held, consents.unproven.len())
    };
    assert_eq!(read(rules), (1, 0));
    assert_eq!(read(stranger), (0, 1));
    let grants = std::fs::read_dir(holder.home.at("grants")).unwrap();
    let mut files = grants.map(|file| file.unwrap().path());
    let file = files.find(|file| file.extension().is_some_and(|end| end == "jws"));
    let file = file.unwrap();
    let token = std::fs::read_to_string(&file).unwrap();
    let mut claims = said_by(token.trim_end()).unwrap();
    claims.cap = Tier::Routine;
    let forged = Unsigned::new(&claims).sign(&SigningKey::from_bytes(&[1; 32]));
    std::fs::write(&file, forged).unwrap();
    assert_eq!(read(rules), (0, 1));
}

#[test]
fn a_grant_that_was_not_offered_is_not_signed() {
    let mine = Authenticator::new(7);
    let mut holder = Holder::new(asking_for(&[&mine], &[]));
    let held = holder.hold_any();
    for id in [
        "",
        "x",
        "00000000000000000000000000",
        "7ZZZZZZZZZZZZZZZZZZZZZZZZZ",
    ] {
        let form = format!("action=always_allow&expires=7d&grant={id}");
        assert_eq!(post(&held, &form).status, 400, "{id}");
        assert!(held.waits());
    }
}

static REVIEWERS: [Reviewer<'static>; 2] = [
    Reviewer {
        name: "ann",
        role: "lead",
        public_key: None,
    },
    Reviewer {
        name: "bob",
        role: "lead",
        public_key: None,
    },
];

#[test]
fn a_reviewer_signs_under_their_own_name() {
    let mine = Authenticator::new(7);
    let mut holder = Holder::new(asking_for(&[&mine], &REVIEWERS));
    let held = holder.hold_for("lead");
    let body = get(&held).body;
    let ann = after(&body, "value=\"ann\" data-challenge=\"");
    let as_bob = format!("action=approve&reviewer=bob{}", mine.sign("call", &ann));
    assert_eq!(post(&held, &as_bob).status, 403);
    let as_ann = format!("action=approve&reviewer=ann{}", mine.sign("call", &ann));
    assert_eq!(post(&held, &as_ann).status, 200);
    let settled = holder.settled();
    let consent = settled[0].answer.consent.as_ref().unwrap();
    assert_eq!(consent.reviewer.as_deref(), Some("ann"));
}

/// A command's page, as a test sees it.
fn visit(errand: &Errand) -> Held {
    let mut holder = Holder::new(&RULESET);
    let token = errand.url.rsplit('/').next().unwrap().to_owned();
    assert!(errand.url.starts_with("http://localhost:"));
    Held {
        ticket: holder.hold_any().ticket,
        port: errand.port,
        token,
    }
}

const ED25519_INFO: [u8; 12] = [
    0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00,
];

#[test]
fn a_passkey_is_enrolled_once_it_has_signed() {
    let holder = Holder::new(&RULESET);
    let home = holder.home.clone();
    let errand = Errand::open(&home, Purpose::Enroll, &[]).unwrap();
    let held = visit(&errand);
    let trial = challenge(&get(&held).body, "trial");
    let new = Authenticator::new(9);
    let info = [&ED25519_INFO[..], new.key.verifying_key().as_bytes()].concat();
    let made = format!(
        "action=approve&made.credential={}&made.publicKey={}",
        encoded(&new.credential),
        encoded(&info)
    );
    let other = Authenticator::new(8);
    for (what, rest) in [
        ("untried", String::new()),
        ("tried elsewhere", new.sign("trial", &encoded(&[0; 32]))),
        ("another one tried", other.sign("trial", &trial)),
    ] {
        assert_eq!(post(&held, &format!("{made}{rest}")).status, 403, "{what}");
    }
    let form = format!("{made}{}", new.sign("trial", &trial));
    assert_eq!(post(&held, &form).status, 200);
    let Some(Brought::Passkey(enrolled)) = errand.wait() else {
        panic!("no passkey came");
    };
    let expected = new.enrolled();
    assert_eq!(enrolled.credential, expected.credential);
    assert_eq!(enrolled.public_key, expected.public_key);
    assert_eq!(get(&held).status, 410);
}

#[test]
fn a_command_gets_the_signature_it_asked_for_or_none() {
    let mine = Authenticator::new(7);
    let known = Box::leak(vec![mine.enrolled()].into_boxed_slice());
    let holder = Holder::new(&RULESET);
    let home = holder.home.clone();
    let open = || {
        let purpose = Purpose::Sign {
            challenge: [5; 32],
            facts: vec!["any agent may call `x<script>`".to_owned()],
            seen: vec!["2 of 3 calls".to_owned()],
        };
        Errand::open(&home, purpose, known).unwrap()
    };
    let errand = open();
    let held = visit(&errand);
    let page = get(&held);
    assert!(
        page.body
            .contains("any agent may call <code>x&lt;script&gt;</code>")
    );
    assert_eq!(challenge(&page.body, "grant"), encoded(&[5; 32]));
    let no = post(
        &held,
        &format!("action=approve{}", mine.sign("grant", &encoded(&[6; 32]))),
    );
    assert_eq!(no.status, 403);
    let yes = post(
        &held,
        &format!("action=approve{}", mine.sign("grant", &encoded(&[5; 32]))),
    );
    assert_eq!(yes.status, 200);
    assert!(matches!(errand.wait(), Some(Brought::Signature(_))));

    let errand = open();
    let held = visit(&errand);
    assert_eq!(post(&held, "action=deny").status, 200);
    assert_eq!(errand.wait(), None);
}
