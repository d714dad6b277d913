use std::fs;
use std::thread;

use ed25519_dalek::{Signer as _, SigningKey};
use knotrust_core::consent::{Consent, Proof};
use knotrust_core::grant::{Call, GrantError, Trust};
use knotrust_core::reason::Reason;
use knotrust_core::ruleset::{Approver, Reviewer};
use knotrust_core::tier::Tier;

use super::*;
use crate::grants::GrantSet;
use crate::grants::testing::{NOW, scratch, with_arguments};
use crate::uses::Spend;

const RULES: ruleset::Approvals<'static> = ruleset::Approvals::DEFAULT;
const MANY: Limits = Limits {
    waiting: 10_000,
    a_minute: 10_000,
};

fn open<'a>(home: &Home, rules: &'a ruleset::Approvals<'a>, owner: &str) -> Approvals<'a> {
    Approvals::open(home, rules, owner, MANY, NOW).unwrap().0
}

fn question<'q>(call: &Call<'q>) -> Question<'q> {
    Question {
        request: call.request,
        exact: call.exact,
        hash: call.hash,
        tier: Tier::Critical,
        reason: Reason::NoGrantCritical,
        roles: Vec::new(),
        expires: 60_000,
    }
}

fn ask(approvals: &mut Approvals<'_>, id: &str, arguments: &str) -> Asked {
    with_arguments("s.t", "a", "r", arguments, |call| {
        approvals.ask(&question(call), id, NOW).unwrap()
    })
}

fn answer(verdict: Verdict, ticket: &Ticket) -> Answer {
    Answer {
        verdict,
        at: NOW,
        way: Way::Terminal,
        who: "dev".to_owned(),
        call: Some(ticket.exact.clone()),
        consent: None,
    }
}

fn resolve(home: &Home, id: &str, verdict: Verdict) -> Result<(), ResolveError> {
    let pending = Desk::of(home).find(id).unwrap().unwrap();
    pending.resolve(&RULES, &answer(verdict, &pending.ticket), NOW)
}

fn endings(settled: &[Settled]) -> Vec<(&str, Ending)> {
    settled
        .iter()
        .map(|one| (&*one.ticket.id, one.ending))
        .collect()
}

fn claimed(approvals: &mut Approvals<'_>, arguments: &str, now: Timestamp) -> Option<Approved> {
    with_arguments("s.t", "a", "r", arguments, |call| {
        approvals.claim(call.exact, now)
    })
}

#[test]
fn what_one_process_holds_another_approves_and_it_passes_once() {
    let (_folder, home) = scratch();
    let mut owner = open(&home, &RULES, "o1");
    assert!(matches!(
        ask(&mut owner, "01A", r#"{"n":1}"#),
        Asked::New(_)
    ));
    assert!(owner.poll(NOW).unwrap().is_empty());
    resolve(&home, "apr_01A", Verdict::Approve).unwrap();
    let settled = owner.poll(NOW).unwrap();
    assert_eq!(endings(&settled), [("apr_01A", Ending::Approved)]);
    assert!(
        claimed(&mut owner, r#"{"n":1.0}"#, NOW).is_none(),
        "another spelling, another call"
    );
    let approved = claimed(&mut owner, r#"{"n":1}"#, NOW).unwrap();
    assert!(claimed(&mut owner, r#"{"n":1}"#, NOW).is_none());

    let mut set = GrantSet::of(&home, &RULES);
    let grant = granted(&home, &RULES, &approved, NOW).unwrap();
    let mut use_it = |arguments: &str| {
        with_arguments("s.t", "a", "r", arguments, |call| {
            let covering = set.covering(call, Some(&grant), NOW).unwrap();
            let first = covering.grants.first()?;
            assert!(first.for_this_call && first.single_use && first.cap == Tier::Critical);
            Some(set.consume("01A", Some(&grant), call, NOW).unwrap())
        })
    };
    assert_eq!(use_it(r#"{"n":2}"#), None);
    assert_eq!(use_it(r#"{"n":1}"#), Some(Spend::Spent));
    assert_eq!(use_it(r#"{"n":1}"#), None);
}

fn granted(
    home: &Home,
    rules: &ruleset::Approvals<'_>,
    approved: &Approved,
    now: Timestamp,
) -> Result<knotrust_core::grant::Grant, GrantError> {
    let keys = crate::keys::Keys::of(home);
    let identity = keys.identity().unwrap();
    let (keyring, _) = keys.keyring().unwrap();
    let trust = Trust {
        keys: &keyring,
        approvals: rules,
    };
    approved.grant(&identity, trust, now)
}

#[test]
fn the_first_end_is_the_only_one_and_the_others_learn_of_it() {
    let (_folder, home) = scratch();
    let mut owner = open(&home, &RULES, "o1");
    ask(&mut owner, "01A", "{}");
    resolve(&home, "apr_01A", Verdict::Deny).unwrap();
    let error = resolve(&home, "apr_01A", Verdict::Approve).unwrap_err();
    assert_eq!(error.to_string(), "the approval has ended: denied");
    assert_eq!(
        owner.cancel("apr_01A", NOW).unwrap().unwrap().ending,
        Ending::Denied
    );
    assert!(owner.poll(NOW).unwrap().is_empty());
    assert!(claimed(&mut owner, "{}", NOW).is_none());
    let pending = Desk::of(&home).find("apr_01A").unwrap().unwrap();
    assert_eq!(pending.end.unwrap().verdict, Verdict::Deny);
}

#[test]
fn of_two_who_click_at_once_one_counts() {
    let (_folder, home) = scratch();
    let mut owner = open(&home, &RULES, "o1");
    for round in 0..100 {
        let id = format!("01{round:03}");
        ask(&mut owner, &id, &format!(r#"{{"n":{round}}}"#));
        let id = format!("apr_{id}");
        let both = [Verdict::Approve, Verdict::Deny];
        let won = thread::scope(|scope| {
            let tries = both.map(|verdict| {
                scope.spawn({
                    let (home, id) = (&home, &id);
                    move || (verdict, resolve(home, id, verdict))
                })
            });
            let results = tries.map(|thread| thread.join().unwrap());
            let won: Vec<_> = results
                .iter()
                .filter(|(_, result)| result.is_ok())
                .collect();
            assert_eq!(won.len(), 1);
            won[0].0.ending()
        });
        assert_eq!(endings(&owner.poll(NOW).unwrap()), [(id.as_str(), won)]);
    }
}

#[test]
fn late_answers_do_nothing() {
    let (_folder, home) = scratch();
    let mut owner = open(&home, &RULES, "o1");
    let late = NOW.plus_millis(60_000);
    ask(&mut owner, "01A", "{}");
    let pending = Desk::of(&home).find("apr_01A").unwrap().unwrap();
    let yes = answer(Verdict::Approve, &pending.ticket);
    let error = pending.resolve(&RULES, &yes, late).unwrap_err();
    assert_eq!(error.to_string(), "the approval has ended: expired");
    // Given in time, but seen too late: nobody can tell the two apart, so it does not count.
    pending.resolve(&RULES, &yes, NOW).unwrap();
    assert_eq!(
        endings(&owner.poll(late).unwrap()),
        [("apr_01A", Ending::Expired)]
    );
    assert!(claimed(&mut owner, "{}", late).is_none());
    ask(&mut owner, "01B", "{}");
    assert!(owner.poll(NOW.plus_millis(59_999)).unwrap().is_empty());
    assert_eq!(
        endings(&owner.poll(late).unwrap()),
        [("apr_01B", Ending::Expired)]
    );
}

#[test]
fn an_approval_lasts_for_the_persons_time_and_a_little() {
    let (_folder, home) = scratch();
    let mut owner = open(&home, &RULES, "o1");
    let at = |millis| NOW.plus_millis(millis);
    for (answered, claimed_at, good) in [
        (0, 119_999, true),
        (0, 120_000, false),
        (59_000, 178_999, true),
        (59_000, 179_000, false),
        (10, -1, false),
    ] {
        let id = format!("01{answered}{}", claimed_at + 1);
        ask(&mut owner, &id, "{}");
        resolve(&home, &format!("apr_{id}"), Verdict::Approve).unwrap();
        owner.poll(at(answered)).unwrap();
        let approved = claimed(&mut owner, "{}", at(claimed_at));
        assert_eq!(approved.is_some(), good, "{answered} {claimed_at}");
        if let Some(approved) = approved {
            let grant = granted(&home, &RULES, &approved, at(claimed_at)).unwrap();
            assert!(grant.claims().expires <= 1_800_000_060 + 120);
        }
    }
}

#[test]
fn equal_calls_wait_under_one_ticket() {
    let (_folder, home) = scratch();
    let mut owner = open(&home, &RULES, "o1");
    ask(&mut owner, "01A", r#"{"a":1,"b":2}"#);
    let Asked::Joined(ticket) = ask(&mut owner, "01B", r#"{"b":2,"a":1}"#) else {
        panic!("it joins");
    };
    assert_eq!(ticket.id, "apr_01A");
    assert!(matches!(
        ask(&mut owner, "01C", r#"{"a":1,"b":3}"#),
        Asked::New(_)
    ));
    assert_eq!(owner.waiting().len(), 2);
    assert!(
        owner.cancel("apr_01A", NOW).unwrap().is_none(),
        "another still waits"
    );
    owner.leave("apr_01A");
    assert_eq!(
        owner.waiting().len(),
        2,
        "told to come again, nobody gave up"
    );
    ask(&mut owner, "01D", r#"{"a":1,"b":2}"#);
    let cancelled = owner.cancel("apr_01A", NOW).unwrap().unwrap();
    assert_eq!(cancelled.ending, Ending::Cancelled);
    let error = resolve(&home, "apr_01A", Verdict::Approve).unwrap_err();
    assert_eq!(error.to_string(), "the approval has ended: cancelled");
    assert!(matches!(
        ask(&mut owner, "01E", r#"{"a":1,"b":2}"#),
        Asked::New(_)
    ));
}

#[test]
fn tickets_of_the_dead_end_as_denied() {
    let (_folder, home) = scratch();
    let mut dead = open(&home, &RULES, "dead");
    ask(&mut dead, "01A", "{}");
    ask(&mut dead, "01B", r#"{"n":1}"#);
    resolve(&home, "apr_01B", Verdict::Approve).unwrap();
    let pending = Desk::of(&home).find("apr_01A").unwrap().unwrap();
    drop(dead);
    let yes = answer(Verdict::Approve, &pending.ticket);
    let error = pending.resolve(&RULES, &yes, NOW).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the call is gone: whoever held it has ended"
    );
    let (mut next, orphans) = Approvals::open(&home, &RULES, "next", MANY, NOW).unwrap();
    assert_eq!(
        endings(&orphans),
        [("apr_01A", Ending::Denied), ("apr_01B", Ending::Denied)]
    );
    assert!(claimed(&mut next, r#"{"n":1}"#, NOW).is_none());
    assert!(Desk::of(&home).list().unwrap().is_empty());
    assert_eq!(files::names(&home.at("approvals")).unwrap(), ["next"]);
}

#[test]
fn the_living_keep_their_tickets_when_others_come_and_go() {
    let (_folder, home) = scratch();
    let mut first = open(&home, &RULES, "o1");
    ask(&mut first, "01A", "{}");
    let (second, orphans) = Approvals::open(&home, &RULES, "o2", MANY, NOW).unwrap();
    assert!(orphans.is_empty());
    assert!(second.close(NOW).unwrap().is_empty());
    resolve(&home, "apr_01A", Verdict::Approve).unwrap();
    assert_eq!(first.poll(NOW).unwrap().len(), 1);
    ask(&mut first, "01B", r#"{"n":2}"#);
    let ended = first.close(NOW).unwrap();
    assert_eq!(endings(&ended), [("apr_01B", Ending::Cancelled)]);
    assert!(files::names(&home.at("approvals")).unwrap().is_empty());
}

#[test]
fn a_ticket_that_shows_another_call_is_not_approved() {
    let (_folder, home) = scratch();
    let mut owner = open(&home, &RULES, "o1");
    ask(&mut owner, "01A", r#"{"amount":9000}"#);
    let path = home.at("approvals/o1/apr_01A.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace(r#""amount":9000"#, r#""amount":9"#)).unwrap();
    let error = resolve(&home, "apr_01A", Verdict::Approve).unwrap_err();
    assert!(matches!(error, ResolveError::Tampered), "{error}");
    // Whoever also forges the hash has the person agree to another call, and the owner knows which one it holds.
    let mut shown = Ticket::read(&fs::read(&path).unwrap()).unwrap();
    shown.exact = knotrust_core::exact::call_hash(&shown.request);
    fs::write(&path, shown.to_text()).unwrap();
    resolve(&home, "apr_01A", Verdict::Approve).unwrap();
    let settled = owner.poll(NOW).unwrap();
    assert_eq!(settled[0].ending, Ending::Denied);
    assert_eq!(
        settled[0].violation,
        Some("the answer is about another call")
    );
    assert!(claimed(&mut owner, r#"{"amount":9000}"#, NOW).is_none());
}

#[test]
fn with_a_pin_the_home_alone_approves_nothing() {
    let (_folder, home) = scratch();
    let person = SigningKey::from_bytes(&[7; 32]);
    let public_key = {
        use base64::Engine as _;
        base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(person.verifying_key().as_bytes())
    };
    let rules = ruleset::Approvals {
        approver: Approver::Pin {
            salt: "c2FsdA",
            public_key: &public_key,
        },
        ..RULES
    };
    let mut owner = open(&home, &rules, "o1");
    let attacker = crate::keys::Keys::of(&home).identity().unwrap();
    for (id, key, good) in [("01A", &attacker, false), ("01B", &person, true)] {
        let arguments = format!(r#"{{"for":"{id}"}}"#);
        ask(&mut owner, id, &arguments);
        let pending = Desk::of(&home).find(&format!("apr_{id}")).unwrap().unwrap();
        let plain = answer(Verdict::Approve, &pending.ticket);
        assert!(matches!(
            pending.resolve(&rules, &plain, NOW),
            Err(ResolveError::NoConsent(_))
        ));
        let signature = key.sign(&pending.ticket.challenge(None)).to_bytes();
        let signed = Answer {
            consent: Some(Consent {
                approval: Some(pending.ticket.approval()),
                reviewer: None,
                proof: Proof::Pin(signature),
            }),
            ..plain
        };
        assert_eq!(pending.resolve(&rules, &signed, NOW).is_ok(), good);
        if !good {
            // What our own commands refuse, a program of the attacker's writes down.
            let path = home.at(&format!("approvals/o1/apr_{id}.end"));
            files::write(&path, signed.to_text().as_bytes()).unwrap();
            mailbox::post(&home.at("approvals/o1"), &format!("apr_{id}")).unwrap();
        }
        let settled = owner.poll(NOW).unwrap();
        assert_eq!(settled[0].ending == Ending::Approved, good);
        let approved = claimed(&mut owner, &arguments, NOW);
        assert_eq!(approved.is_some(), good);
        if let Some(approved) = approved {
            granted(&home, &rules, &approved, NOW).unwrap();
        }
    }
}

#[test]
fn a_role_is_answered_by_a_reviewer_who_has_it() {
    let (_folder, home) = scratch();
    let reviewers = [
        Reviewer {
            name: "ada",
            role: "account-owner",
            public_key: None,
        },
        Reviewer {
            name: "bob",
            role: "intern",
            public_key: None,
        },
        // The agent that asks bears this name.
        Reviewer {
            name: "a",
            role: "account-owner",
            public_key: None,
        },
    ];
    let rules = ruleset::Approvals {
        reviewers: &reviewers,
        ..RULES
    };
    let mut owner = open(&home, &rules, "o1");
    let question = |call: &Call<'_>, owner: &mut Approvals<'_>| {
        let question = Question {
            roles: vec!["account-owner".to_owned()],
            ..question(call)
        };
        owner.ask(&question, "01A", NOW).map(drop).unwrap();
    };
    with_arguments("s.t", "a", "r", "{}", |call| question(call, &mut owner));
    let pending = Desk::of(&home).find("apr_01A").unwrap().unwrap();
    for (reviewer, good) in [
        (None, false),
        (Some("bob"), false),
        (Some("eve"), false),
        (Some("a"), false),
        (Some("ada"), true),
    ] {
        let named = Answer {
            consent: reviewer.map(|name| Consent {
                approval: Some(pending.ticket.approval()),
                reviewer: Some(name.to_owned()),
                proof: Proof::Session,
            }),
            ..answer(Verdict::Approve, &pending.ticket)
        };
        assert_eq!(
            pending.resolve(&rules, &named, NOW).is_ok(),
            good,
            "{reviewer:?}"
        );
    }
    owner.poll(NOW).unwrap();
    let approved = claimed(&mut owner, "{}", NOW).unwrap();
    let grant = granted(&home, &rules, &approved, NOW).unwrap();
    let mut set = GrantSet::of(&home, &rules);
    let covering = with_arguments("s.t", "a", "r", "{}", |call| {
        set.covering(call, Some(&grant), NOW).unwrap()
    });
    assert_eq!(covering.role.as_deref(), Some("account-owner"));
}

#[test]
fn a_ticket_is_found_by_its_code_while_only_one_has_it() {
    let (_folder, home) = scratch();
    let mut owner = open(&home, &RULES, "o1");
    let Asked::New(ticket) = ask(&mut owner, "01A", "{}") else {
        panic!("it is new");
    };
    assert_eq!(ticket.code.len(), 6);
    let desk = Desk::of(&home);
    let found = desk.find(&ticket.code.to_lowercase()).unwrap().unwrap();
    assert_eq!(found.ticket, *ticket);
    assert!(desk.find("apr_01B").unwrap().is_none());
    assert!(desk.find("../../identity").unwrap().is_none());
}

#[test]
fn junk_on_the_desk_and_in_the_mail_disturbs_nobody() {
    let (_folder, home) = scratch();
    let mut owner = open(&home, &RULES, "o1");
    ask(&mut owner, "01A", "{}");
    let folder = home.at("approvals/o1");
    for line in ["apr_01Z", "", "../x", &"x".repeat(10_000), "apr_01A"] {
        mailbox::post(&folder, line).unwrap();
    }
    files::write(&folder.join("apr_01B.json"), b"{}").unwrap();
    files::write(&folder.join("junk.json"), b"{}").unwrap();
    assert!(owner.poll(NOW).unwrap().is_empty());
    assert_eq!(Desk::of(&home).list().unwrap().len(), 1);
    files::write(&folder.join("apr_01A.end"), b"approve").unwrap();
    mailbox::post(&folder, "apr_01A").unwrap();
    let settled = owner.poll(NOW).unwrap();
    assert_eq!(
        settled[0].ending,
        Ending::Denied,
        "what cannot be understood is a no"
    );
}

#[test]
fn many_wait_at_once_and_none_is_lost() {
    let (_folder, home) = scratch();
    let mut owner = open(&home, &RULES, "o1");
    for index in 0..300 {
        ask(
            &mut owner,
            &format!("01{index:03}"),
            &format!(r#"{{"n":{index}}}"#),
        );
    }
    for pending in Desk::of(&home).list().unwrap() {
        let yes = answer(Verdict::Approve, &pending.ticket);
        pending.resolve(&RULES, &yes, NOW).unwrap();
    }
    let settled = owner.poll(NOW).unwrap();
    assert_eq!(settled.len(), 300);
    assert!(settled.iter().all(|one| one.ending == Ending::Approved));
    assert!(owner.poll(NOW).unwrap().is_empty());
    assert_eq!(owner.waiting().len(), 0);
}

#[test]
fn what_was_approved_last_is_kept_as_the_ruleset_has_it() {
    let (_folder, home) = scratch();
    let mut owner = open(&home, &RULES, "o1");
    let mut asked = |id: &str, arguments: &str| match ask(&mut owner, id, arguments) {
        Asked::New(ticket) => ticket,
        Asked::Joined(_) | Asked::Refused(_) => panic!("it is new"),
    };
    let before = asked(
        "01A",
        r#"{"to":"ann","amount":400,"gone":[true],"same":{"a":"b"}}"#,
    );
    let after = asked(
        "01B",
        r#"{"to":"ann","amount":4000,"same":{"a":"b"},"new/":7}"#,
    );
    let earlier = Earlier::of(&home);
    let seen = || {
        let since = earlier.since(&after).unwrap();
        let line = |change: &Change| {
            let was = match &change.before {
                Before::Absent => "-".to_owned(),
                Before::Value(value) => knotrust_core::json::write(value),
                Before::Unkept => "?".to_owned(),
            };
            let now = change
                .after
                .as_ref()
                .map_or("-".to_owned(), knotrust_core::json::write);
            format!("{} {was} {now}", change.place)
        };
        since.changes.iter().map(line).collect::<Vec<_>>()
    };
    assert!(earlier.since(&after).is_none());
    earlier.keep(&before, Keep::Values).unwrap();
    assert_eq!(seen(), ["/amount 400 4000", "/new~1 - 7", "/gone [true] -"]);
    earlier.keep(&before, Keep::Hashes).unwrap();
    assert_eq!(seen(), ["/amount ? 4000", "/new~1 - 7", "/gone ? -"]);
    let file = fs::read_dir(home.at("approved")).unwrap().next().unwrap();
    let text = fs::read_to_string(file.unwrap().path()).unwrap();
    assert!(!text.contains("ann") && !text.contains("400"), "{text}");
}
