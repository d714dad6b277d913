//! The page over real sockets: who may look, who may answer, and what becomes of it.

use std::thread;

use super::desk::{Answer, Held, Holder, RULESET};
use knotrust_core::approval::Ending;
use knotrust_core::grant::{Claims, IdPattern, ToolPattern};
use knotrust_core::ruleset::{Approvals, Approver, Envelope, Reviewer, Ruleset};
use knotrust_core::tier::Tier;
use knotrust_govern::approvals::{self, Desk, Verdict, Way};
use knotrust_govern::clock;
use knotrust_govern::grants::GrantSet;

#[test]
fn looking_is_not_approving() {
    let mut holder = Holder::new(&RULESET);
    let held = holder.hold_any();
    let send = |head: &str| held.send(&format!("{head}\r\nHost: 127.0.0.1:PORT\r\n"), b"");
    let head = send("HEAD /TOKEN HTTP/1.1");
    let looks = [
        send("GET /TOKEN HTTP/1.1\r\nUser-Agent: Slackbot-LinkExpanding"),
        send("GET /TOKEN HTTP/1.1\r\nSec-Purpose: prefetch"),
        held.get(),
        held.get(),
    ];
    assert!(looks.iter().all(|look| look.status == 200));
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    let length = looks[0].body.len().to_string();
    assert_eq!(head.header("content-length"), Some(length.as_str()));
    assert_eq!(send("OPTIONS /TOKEN HTTP/1.1").status, 405);
    assert_eq!(send("POST /TOKEN HTTP/1.1").status, 403);
    assert!(holder.settled().is_empty());
    let form = format!("csrf={}&action=approve", held.secret());
    assert_eq!(held.post(&form).status, 200);
    let settled = holder.settled();
    assert_eq!(settled.len(), 1);
    assert_eq!(settled[0].ending, Ending::Approved);
    assert_eq!(settled[0].answer.way, Way::Page);
}

#[test]
fn the_host_is_this_one_or_nothing_else_is_looked_at() {
    let rows = [
        ("Host: 127.0.0.1:PORT", 200),
        ("Host: localhost:PORT", 200),
        ("Host: evil.test:PORT", 403),
        ("Host: evil.test", 403),
        ("Host: 127.0.0.1.nip.io:PORT", 403),
        ("Host: 127.0.0.1:1", 403),
        ("Host: 127.0.0.1", 403),
        ("Host: localhost.evil.test:PORT", 403),
        ("Host: 0.0.0.0:PORT", 403),
        ("Host: [::1]:PORT", 403),
        ("Host: ", 400),
        ("Host: 127.0.0.1:PORT, evil.test", 400),
        ("Host: 127.0.0.1:PORT@evil.test", 400),
        ("Host: evil.test@127.0.0.1:PORT", 400),
        ("Host: 127.0.0.1:PORT%00", 400),
        ("Accept: */*", 400),
        ("Host: 127.0.0.1:PORT\r\nHost: evil.test", 400),
        ("Host: 127.0.0.1:PORT\r\nHost: 127.0.0.1:PORT", 400),
    ];
    let mut holder = Holder::new(&RULESET);
    let held = holder.hold_any();
    for (headers, expected) in rows {
        let answer = held.send(&format!("GET /TOKEN HTTP/1.1\r\n{headers}\r\n"), b"");
        assert_eq!(answer.status, expected, "{headers}");
        assert!(!answer.body.contains("evil") && !answer.body.contains("nip"));
    }
    let whole = "GET http://evil.test/ HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n";
    assert_eq!(held.send(whole, b"").status, 403);
    assert!(held.waits());
    assert_eq!(holder.violations(), ["bad_host"; 10], "ten a minute");
}

#[test]
fn each_refusal_is_in_the_log() {
    let mut holder = Holder::new(&RULESET);
    let held = holder.hold_any();
    held.send("GET /TOKEN HTTP/1.1\r\nHost: evil.test\r\n", b"");
    held.send(
        "GET http://evil.test/ HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n",
        b"",
    );
    held.send("PUT /TOKEN HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n", b"");
    held.send("nonsense\r\n", b"");
    held.send("GET /TOKENx HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n", b"");
    held.post("action=approve");
    let expected = [
        "bad_host",
        "bad_target",
        "wrong_method",
        "bad_request",
        "bad_token",
        "bad_csrf",
    ];
    assert_eq!(holder.violations(), expected);
}

#[test]
fn only_the_page_itself_posts() {
    let ours = "Origin: http://127.0.0.1:PORT\r\nSec-Fetch-Site: same-origin\r\n";
    let rows = [
        (ours, 200),
        ("Origin: http://127.0.0.1:PORT\r\n", 200),
        (
            "Origin: http://evil.test\r\nSec-Fetch-Site: cross-site\r\n",
            403,
        ),
        ("Origin: null\r\nSec-Fetch-Site: cross-site\r\n", 403),
        ("Origin: null\r\nSec-Fetch-Site: same-origin\r\n", 403),
        (
            "Origin: http://127.0.0.1:1\r\nSec-Fetch-Site: same-site\r\n",
            403,
        ),
        (
            "Origin: http://localhost:PORT\r\nSec-Fetch-Site: same-site\r\n",
            403,
        ),
        (
            "Origin: http://localhost:PORT\r\nSec-Fetch-Site: same-origin\r\n",
            403,
        ),
        (
            "Origin: https://127.0.0.1:PORT\r\nSec-Fetch-Site: cross-site\r\n",
            403,
        ),
        (
            "Origin: http://127.0.0.1:PORT\r\nSec-Fetch-Site: cross-site\r\n",
            403,
        ),
        (
            "Origin: http://127.0.0.1:PORT\r\nSec-Fetch-Site: none\r\n",
            403,
        ),
        (
            "Origin: http://127.0.0.1:PORT\r\nOrigin: http://evil.test\r\n",
            403,
        ),
        ("", 403),
    ];
    let mut holder = Holder::new(&RULESET);
    for (headers, expected) in rows {
        let held = holder.hold_any();
        let form = format!("csrf={}&action=approve", held.secret());
        assert_eq!(held.post_with(headers, &form).status, expected, "{headers}");
        assert_eq!(held.waits(), expected != 200, "{headers}");
    }
    let endings: Vec<_> = holder.settled().iter().map(|one| one.ending).collect();
    assert_eq!(endings, [Ending::Approved; 2]);
}

#[test]
fn a_form_says_one_thing_and_comes_from_the_page() {
    let mut holder = Holder::new(&RULESET);
    let other = holder.hold_any().secret();
    let held = holder.hold_any();
    let own = held.secret();
    let rows = [
        (format!("csrf={other}&action=approve"), 403),
        ("action=approve".to_owned(), 403),
        ("csrf=&action=approve".to_owned(), 403),
        (String::new(), 403),
        (format!("csrf={own}&action=deny&action=approve"), 400),
        (format!("csrf={own}&csrf={own}&action=approve"), 400),
        (format!("csrf={own}&action=maybe"), 400),
        (format!("csrf={own}"), 400),
        (format!("csrf={own}&action=always_allow"), 400),
        (format!("csrf={own}&action=always_allow&expires=1y"), 400),
        (format!("csrf={own}&action=%ff"), 400),
        (
            format!("csrf={own}&action=approve&{}", "x".repeat(9000)),
            413,
        ),
    ];
    for (form, expected) in rows {
        assert_eq!(held.post(&form).status, expected, "{form}");
        assert!(held.waits(), "{form}");
    }
    assert!(holder.settled().is_empty());
}

#[test]
fn what_is_no_form_is_not_read() {
    let mut holder = Holder::new(&RULESET);
    let held = holder.hold_any();
    let head = "POST /TOKEN HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nOrigin: http://127.0.0.1:PORT\r\n\
                Sec-Fetch-Site: same-origin\r\n";
    let form = "Content-Type: application/x-www-form-urlencoded\r\n";
    let json = format!(r#"{{"csrf":"{}","action":"approve"}}"#, held.secret());
    let rows = [
        (
            format!(
                "Content-Type: text/plain\r\nContent-Length: {}\r\n",
                json.len()
            ),
            403,
        ),
        (
            format!(
                "Content-Type: application/json\r\nContent-Length: {}\r\n",
                json.len()
            ),
            403,
        ),
        (format!("Content-Length: {}\r\n", json.len()), 403),
        (form.to_owned(), 411),
        (format!("{form}Transfer-Encoding: chunked\r\n"), 411),
        (format!("{form}Content-Length: -1\r\n"), 400),
        (
            format!("{form}Content-Length: 1\r\nContent-Length: 2\r\n"),
            400,
        ),
        (
            format!("{form}Content-Length: 99999999999999999999\r\n"),
            413,
        ),
    ];
    for (headers, expected) in rows {
        let answer = held.send(&format!("{head}{headers}"), json.as_bytes());
        assert_eq!(answer.status, expected, "{headers}");
    }
    let large = vec![b'x'; 100_000_000];
    let length = format!("Content-Length: {}\r\n", large.len());
    assert_eq!(
        held.send(&format!("{head}{form}{length}"), &large).status,
        413
    );
    let long = format!(
        "GET /TOKEN HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nX: {}\r\n",
        "x".repeat(20_000)
    );
    assert_eq!(held.send(&long, b"").status, 431);
    assert!(held.waits());
}

#[test]
fn nothing_of_another_site_may_embed_or_load_the_page() {
    let mut holder = Holder::new(&RULESET);
    let held = holder.hold_any();
    let rows = [
        ("none", "document", 200),
        ("cross-site", "document", 200),
        ("cross-site", "iframe", 403),
        ("same-origin", "iframe", 403),
        ("cross-site", "image", 403),
        ("same-site", "empty", 403),
    ];
    for (site, used_as, expected) in rows {
        let head = format!(
            "GET /TOKEN HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nSec-Fetch-Site: {site}\r\nSec-Fetch-Dest: {used_as}\r\n"
        );
        assert_eq!(held.send(&head, b"").status, expected, "{site} {used_as}");
    }
}

#[test]
fn every_answer_tells_the_browser_to_keep_it_to_itself() {
    let mut holder = Holder::new(&RULESET);
    let held = holder.hold_any();
    let at = |path: &str| {
        held.send(
            &format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n"),
            b"",
        )
    };
    let page = held.get();
    let (wrong, unknown) = (at("/TOKENx"), at("/unknown"));
    assert_eq!((wrong.status, &wrong.body), (404, &unknown.body));
    assert_eq!(wrong.head, unknown.head);
    let form = format!("csrf={}&action=approve", held.secret());
    let answers = [
        page,
        wrong,
        unknown,
        at("/"),
        held.post("x"),
        held.post(&form),
        held.get(),
    ];
    for answer in &answers {
        check_headers(answer);
        check_body(answer, &held);
    }
}

fn check_headers(answer: &Answer) {
    let policy = answer.header("content-security-policy").unwrap();
    for part in [
        "default-src 'none'",
        "frame-ancestors 'none'",
        "form-action 'self'",
        "base-uri 'none'",
    ] {
        assert!(policy.contains(part), "{part}");
    }
    assert!(!policy.contains("unsafe"));
    for (name, value) in [
        ("x-frame-options", "DENY"),
        ("cache-control", "no-store"),
        ("referrer-policy", "no-referrer"),
        ("x-content-type-options", "nosniff"),
        ("cross-origin-opener-policy", "same-origin"),
    ] {
        assert_eq!(answer.header(name), Some(value));
    }
    for name in ["access-control-allow-origin", "set-cookie", "server"] {
        assert_eq!(answer.header(name), None);
    }
}

fn check_body(answer: &Answer, held: &Held) {
    assert!(!answer.body.contains(&held.token));
    for part in ["src=", "href=", "<script", "url(", "@import", "http-equiv"] {
        assert!(!answer.body.contains(part), "{part}");
    }
}

#[test]
fn of_two_clicks_at_the_same_moment_one_counts() {
    let mut holder = Holder::new(&RULESET);
    let mut approved = 0;
    for round in 0..40 {
        let held = holder.hold_any();
        // Two tabs: the second does not break the form of the first.
        let (first, second) = (held.secret(), held.secret());
        let (yes, no) = thread::scope(|scope| {
            let yes = scope.spawn(|| held.post(&format!("csrf={first}&action=approve")));
            let no = scope.spawn(|| held.post(&format!("csrf={second}&action=deny")));
            (yes.join().unwrap(), no.join().unwrap())
        });
        let expected = match (yes.status, no.status) {
            (200, 409) => Ending::Approved,
            (409, 200) => Ending::Denied,
            other => panic!("{other:?} in round {round}"),
        };
        let settled = holder.settled();
        assert_eq!(settled.len(), 1);
        assert_eq!(settled[0].ending, expected);
        approved += usize::from(expected == Ending::Approved);
        let again = held.get();
        let word = if expected == Ending::Approved {
            "was approved"
        } else {
            "was denied"
        };
        assert!(again.body.contains(word) && again.body.contains("on this page at 2"));
        assert!(!held.waits());
        let back = held.post(&format!("csrf={first}&action=approve"));
        assert_eq!(back.status, 409);
        assert!(back.body.contains(word));
    }
    assert!(approved <= 40);
    assert!(holder.settled().is_empty());
}

#[test]
fn the_page_says_what_a_terminal_and_the_clock_decided() {
    let mut holder = Holder::new(&RULESET);
    let held = holder.hold_any();
    let secret = held.secret();
    let pending = Desk::of(&holder.home)
        .find(&held.ticket.id)
        .unwrap()
        .unwrap();
    let answer = approvals::Answer {
        verdict: Verdict::Deny,
        at: clock::now().wall,
        way: Way::Terminal,
        who: "dev".to_owned(),
        call: None,
        consent: None,
    };
    pending
        .resolve(&RULESET.approvals, &answer, answer.at)
        .unwrap();
    assert_eq!(
        held.post(&format!("csrf={secret}&action=approve")).status,
        409
    );
    assert!(held.get().body.contains("at a terminal at 2"));

    let late = holder.hold("{}", 0);
    assert!(late.get().body.contains("Nobody answered in time"));
    assert!(!late.waits());
    assert_eq!(late.post("csrf=x&action=approve").status, 403);
}

#[test]
fn nothing_is_hidden_by_length_or_by_structure() {
    let many: Vec<_> = (0..50).map(|n| format!("{}", 1000 + n)).collect();
    let arguments = format!(
        r#"{{"a":"{}END","path":"/srv/data","list":[{}],"nested":{{"deep":{{"to":"mallory@example.test","amount":10000.00}}}},"z":"{}last line matters","<b>":"\u202e"}}"#,
        "x".repeat(500),
        many.join(","),
        r"\n".repeat(60)
    );
    let mut holder = Holder::new(&RULESET);
    let page = holder.hold(&arguments, 60_000).get().body;
    let place = |part: &str| page.find(part).unwrap_or_else(|| panic!("no {part}"));
    let places: Vec<_> = [
        "END",
        "/srv/data",
        ">1000<",
        ">1049<",
        "mallory@",
        "10000.00",
        "last line",
    ]
    .map(place)
    .to_vec();
    assert!(places.is_sorted());
    for part in [
        "503 characters in all",
        "50 elements",
        "&lt;U+000A&gt;×60",
        "&lt;U+202E&gt;",
        "&lt;b&gt;",
        "<strong class=\"risk\">amount</strong>",
        "<strong class=\"risk\">recipient</strong>",
        "<strong class=\"risk\">path</strong>",
    ] {
        place(part);
    }
    assert!(!page.contains('\u{202e}') && !page.contains("<b>"));
}

#[test]
fn who_says_always_keeps_a_grant_for_exactly_this() {
    let mut holder = Holder::new(&RULESET);
    let held = holder.hold_any();
    let form = format!("csrf={}&action=always_allow&expires=7d", held.secret());
    let page = held.post(&form);
    assert_eq!(page.status, 200);
    assert!(page.body.contains("The grant is kept"));
    assert_eq!(holder.settled()[0].ending, Ending::Approved);
    let mut set = GrantSet::of(&holder.home, &RULESET.approvals);
    let listed = set.list().unwrap();
    let claims = listed[0].claims.as_ref().unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(claims.tool, ToolPattern::Exact("notes.wipe".to_owned()));
    assert_eq!(claims.scope.id, Some(IdPattern::Exact("wipe".to_owned())));
    assert_eq!(claims.cap, Tier::Critical);
    assert_eq!(claims.expires - claims.issued_at, 7 * 86_400);
    assert!(listed[0].grant.is_ok());
}

#[test]
fn a_grant_is_as_wide_as_it_is_chosen() {
    let mut holder = Holder::new(&RULESET);
    let mut kept = |width: &str, arguments: &str| {
        let held = holder.hold(arguments, 60_000);
        let form = format!(
            "csrf={}&action=always_allow&width={width}&expires=1h",
            held.secret()
        );
        let status = held.post(&form).status;
        let listed = GrantSet::of(&holder.home, &RULESET.approvals)
            .list()
            .unwrap();
        let newest = listed.into_iter().filter_map(|one| one.claims);
        let newest = newest.max_by(|one, other| one.id.cmp(&other.id));
        let when = |claims: &Claims| {
            let when = claims.bounds().and_then(|bounds| bounds.when.clone());
            when.map_or("-".to_owned(), |when| when.to_text())
        };
        let said = newest.map(|claims| (claims.scope.id.is_some(), when(&claims)));
        (status, said)
    };
    let same = r#"{"/a":{"eq":1.0},"/b~1/c":{"eq":"x"}}"#.to_owned();
    assert_eq!(
        kept("same", r#"{"a":1.0,"b/":{"c":"x"}}"#),
        (200, Some((true, same.clone())))
    );
    assert_eq!(kept("tool", "{}"), (200, Some((false, "-".to_owned()))));
    assert_eq!(
        kept("target", r#"{"a":2}"#),
        (200, Some((true, "-".to_owned())))
    );
    // What no condition can say is not offered, and neither is what nobody has heard of.
    for (width, arguments) in [
        ("same", r#"{"a":[1]}"#),
        ("same", r#"{"a":{}}"#),
        ("all", r#"{"a":3}"#),
    ] {
        assert_eq!(kept(width, arguments).0, 400, "{width} {arguments}");
    }
    let hidden = holder.hold(r#"{"a":"x\u202ey"}"#, 60_000).get().body;
    assert!(hidden.contains("&lt;U+202E&gt;") && !hidden.contains('\u{202e}'));
}

static CAPPED: Ruleset<'static> = Ruleset {
    envelope: Envelope {
        grant_ceiling: Tier::Sensitive,
        ..Envelope::NONE
    },
    ..RULESET
};

#[test]
fn no_grant_is_offered_above_the_ceiling() {
    let mut holder = Holder::new(&CAPPED);
    let held = holder.hold_any();
    assert!(!held.get().body.contains("always_allow"));
    let form = format!("csrf={}&action=always_allow&expires=1h", held.secret());
    assert_eq!(held.post(&form).status, 400);
    assert!(held.waits());
    assert!(!holder.home.at("grants").exists());
}

static PINNED: Ruleset<'static> = Ruleset {
    approvals: Approvals {
        approver: Approver::Pin {
            salt: "no salt",
            public_key: "no key",
        },
        ..Approvals::DEFAULT
    },
    ..RULESET
};

#[test]
fn where_a_pin_is_asked_for_a_button_is_not_enough() {
    let mut holder = Holder::new(&PINNED);
    let held = holder.hold_any();
    assert!(held.get().body.contains("name=\"pin\""));
    for form in [
        "action=approve",
        "action=approve&pin=12345678",
        "action=always_allow&expires=1h",
    ] {
        let answer = held.post(&format!("csrf={}&{form}", held.secret()));
        assert_eq!(answer.status, 403, "{form}");
        assert!(held.waits());
    }
    assert_eq!(holder.violations(), ["bad_pin"; 3]);
    assert!(!holder.home.at("grants").exists());
    assert_eq!(
        held.post(&format!("csrf={}&action=deny", held.secret()))
            .status,
        200
    );
    assert_eq!(holder.settled()[0].ending, Ending::Denied);
}

static REVIEWED: Ruleset<'static> = Ruleset {
    approvals: Approvals {
        reviewers: &[
            Reviewer {
                name: "ann",
                role: "lead",
                public_key: None,
            },
            Reviewer {
                name: "bob",
                role: "clerk",
                public_key: None,
            },
        ],
        ..Approvals::DEFAULT
    },
    ..RULESET
};

#[test]
fn where_a_role_must_answer_only_its_reviewers_may() {
    let mut holder = Holder::new(&REVIEWED);
    let held = holder.hold_for("lead");
    let page = held.get().body;
    assert!(page.contains("<option value=\"ann\"") && !page.contains("bob"));
    let post = |form: &str| {
        held.post(&format!("csrf={}&action=approve{form}", held.secret()))
            .status
    };
    for form in ["", "&reviewer=bob", "&reviewer=eve"] {
        assert_eq!(post(form), 403, "{form}");
        assert!(held.waits());
    }
    assert_eq!(post("&reviewer=ann"), 200);
    let settled = holder.settled();
    let consent = settled[0].answer.consent.as_ref().unwrap();
    assert_eq!(settled[0].ending, Ending::Approved);
    assert_eq!(consent.reviewer.as_deref(), Some("ann"));
}

#[test]
fn the_token_is_in_no_file() {
    let mut holder = Holder::new(&RULESET);
    let held = holder.hold_any();
    held.post(&format!("csrf={}&action=deny", held.secret()));
    held.post("csrf=x");
    let mut folders = vec![holder.home.path().to_owned()];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files += 1;
                let bytes = std::fs::read(&path).unwrap();
                assert!(!String::from_utf8_lossy(&bytes).contains(&held.token));
            }
        }
    }
    assert!(files > 0);
}
