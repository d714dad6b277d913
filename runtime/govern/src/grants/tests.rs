use std::fs;

use knotrust_core::tier::Tier;

use super::testing::{NOW, bounds, claims, exact, scratch, token, with_arguments, with_call};
use super::*;

const RULES: Approvals<'static> = Approvals::DEFAULT;

fn covers(set: &mut GrantSet<'_>, tool: &str) -> Vec<String> {
    let covering = with_call(tool, "a", "r", |call| {
        set.covering(call, None, NOW).unwrap()
    });
    covering.grants.into_iter().map(|grant| grant.id).collect()
}

fn durable(id: &str, tool: &str) -> String {
    token(&claims(id, exact(tool), None, None))
}

#[test]
fn a_change_is_seen_at_the_next_decision_of_every_process() {
    let (_folder, home) = scratch();
    let [mut ours, mut theirs] = [(), ()].map(|()| GrantSet::of(&home, &RULES));
    assert!(covers(&mut theirs, "s.t").is_empty());
    let before = theirs.version().unwrap();
    ours.add(&durable("01A", "s.t")).unwrap();
    assert_eq!(covers(&mut theirs, "s.t"), ["01A"]);
    assert!(covers(&mut theirs, "s.u").is_empty());
    assert_ne!(theirs.version().unwrap(), before);
    let revoked = theirs.revoke(Selector::Id("01A"), NOW).unwrap();
    assert_eq!(revoked.len(), 1);
    assert!(covers(&mut ours, "s.t").is_empty());
    assert!(covers(&mut theirs, "s.t").is_empty());
    ours.add(&durable("01B", "s.t")).unwrap();
    assert_eq!(covers(&mut ours, "s.t"), ["01B"]);
    assert_eq!(covers(&mut theirs, "s.t"), ["01B"]);
}

#[test]
fn a_version_stays_while_nothing_changes() {
    let (_folder, home) = scratch();
    let mut set = GrantSet::of(&home, &RULES);
    set.add(&durable("01A", "s.t")).unwrap();
    let before = set.version().unwrap();
    for _ in 0..3 {
        covers(&mut set, "s.t");
    }
    assert_eq!(set.version().unwrap(), before);
}

#[test]
fn what_a_hand_adds_or_deletes_is_seen_too() {
    let (_folder, home) = scratch();
    let mut set = GrantSet::of(&home, &RULES);
    covers(&mut set, "s.t");
    fs::create_dir_all(home.at("grants")).unwrap();
    fs::write(home.at("grants/01A.jws"), durable("01A", "s.t")).unwrap();
    assert_eq!(covers(&mut set, "s.t"), ["01A"]);
    fs::remove_file(home.at("grants/01A.jws")).unwrap();
    assert!(covers(&mut set, "s.t").is_empty());
    fs::rename(home.at("grants"), home.at("old")).unwrap();
    assert!(covers(&mut set, "s.t").is_empty());
}

#[test]
fn a_new_process_finds_everything_through_the_snapshot() {
    let (_folder, home) = scratch();
    let mut set = GrantSet::of(&home, &RULES);
    for index in 0..20 {
        set.add(&durable(&format!("01{index}"), &format!("s.t{index}")))
            .unwrap();
    }
    // By hand, so that the next look writes a snapshot; then a change that only the log knows.
    fs::write(home.at("grants/01HAND.jws"), durable("01HAND", "s.hand")).unwrap();
    assert_eq!(covers(&mut set, "s.hand"), ["01HAND"]);
    set.add(&durable("01LAST", "s.last")).unwrap();
    set.revoke(Selector::Id("013"), NOW).unwrap();
    let mut fresh = GrantSet::of(&home, &RULES);
    assert_eq!(covers(&mut fresh, "s.t7"), ["017"]);
    assert_eq!(covers(&mut fresh, "s.hand"), ["01HAND"]);
    assert_eq!(covers(&mut fresh, "s.last"), ["01LAST"]);
    assert!(covers(&mut fresh, "s.t3").is_empty());
    assert!(fresh.take_warnings().is_empty());
}

#[test]
fn files_of_the_index_that_are_damaged_or_gone_are_made_anew() {
    let (_folder, home) = scratch();
    let mut set = GrantSet::of(&home, &RULES);
    set.add(&durable("01A", "s.t")).unwrap();
    for damage in [
        "",
        "knotrust grants 1 x\n",
        "knotrust grants 1 1 0 1 1 1\nzz 01A\n",
        "\u{0}",
    ] {
        for file in ["grants/index/snapshot", "grants/index/changes"] {
            fs::write(home.at(file), damage).unwrap();
            let mut fresh = GrantSet::of(&home, &RULES);
            assert_eq!(covers(&mut fresh, "s.t"), ["01A"], "{file} {damage:?}");
            assert_eq!(covers(&mut set, "s.t"), ["01A"], "{file} {damage:?}");
        }
    }
    fs::remove_dir_all(home.at("grants/index")).unwrap();
    assert_eq!(covers(&mut set, "s.t"), ["01A"]);
    set.add(&durable("01B", "s.u")).unwrap();
    assert_eq!(covers(&mut set, "s.u"), ["01B"]);
    assert_eq!(covers(&mut GrantSet::of(&home, &RULES), "s.u"), ["01B"]);
}

#[test]
fn a_file_under_another_name_is_no_grant_and_is_told_once() {
    let (_folder, home) = scratch();
    let grants = home.folder("grants").unwrap();
    let good = durable("01A", "s.t");
    for (name, text) in [
        ("01A", format!("{good}\n")),
        ("copy", good.clone()),
        ("01a", good.clone()),
        ("01B", format!("{good}\n\n")),
        ("01C", "not a token".to_owned()),
        ("01D", durable("01D", "s.t").replace('.', "..")),
    ] {
        fs::write(grants.join(format!("{name}.jws")), text).unwrap();
    }
    fs::write(grants.join("notes.txt"), "mine").unwrap();
    let mut set = GrantSet::of(&home, &RULES);
    assert_eq!(covers(&mut set, "s.t"), ["01A"]);
    assert_eq!(
        set.take_warnings(),
        [
            "the grant file `01B.jws` is not used: the grant is not a well-formed token",
            "the grant file `01C.jws` is not used: the grant is not a well-formed token",
            "the grant file `01D.jws` is not used: the grant is not a well-formed token",
            "the grant file `01a.jws` is not used: its name is not the id in it",
            "the grant file `copy.jws` is not used: its name is not the id in it",
        ]
    );
    covers(&mut set, "s.t");
    assert!(set.take_warnings().is_empty());
    let listed = set.list().unwrap();
    let shown: Vec<_> = listed
        .iter()
        .map(|file| (&*file.file, file.grant.is_ok()))
        .collect();
    assert_eq!(
        shown,
        [
            ("01A.jws", true),
            ("01B.jws", false),
            ("01C.jws", false),
            ("01D.jws", false),
            ("01a.jws", false),
            ("copy.jws", false)
        ]
    );
}

#[test]
fn a_tombstone_wins_over_whatever_lies_beside_it() {
    let (_folder, home) = scratch();
    let mut set = GrantSet::of(&home, &RULES);
    let text = durable("01A", "s.t");
    set.add(&text).unwrap();
    set.revoke(Selector::All, NOW).unwrap();
    fs::write(home.at("grants/01A.jws"), &text).unwrap();
    assert!(covers(&mut set, "s.t").is_empty());
    assert!(covers(&mut GrantSet::of(&home, &RULES), "s.t").is_empty());
    assert!(matches!(set.add(&text), Err(AddError::Revoked(id)) if id == "01A"));
    let listed = set.list().unwrap();
    assert_eq!(listed[0].grant.as_ref().unwrap_err(), "it was revoked");
    // Cut off after the tombstone: the token is still there, loaded, and over.
    set.add(&durable("01B", "s.t")).unwrap();
    assert_eq!(covers(&mut set, "s.t"), ["01B"]);
    fs::write(home.at("grants/tombstones/01B.json"), "{}").unwrap();
    assert!(covers(&mut set, "s.t").is_empty());
}

#[test]
fn revocation_chooses_by_id_by_written_tool_and_all() {
    let (_folder, home) = scratch();
    let mut set = GrantSet::of(&home, &RULES);
    for (id, tool) in [("01A", "s.t"), ("01B", "s.u"), ("01C", "s.*")] {
        let tool = knotrust_core::grant::ToolPattern::of_rule(tool).unwrap();
        set.add(&token(&claims(id, tool, None, None))).unwrap();
    }
    let ids = |revoked: Vec<Revoked>| revoked.into_iter().map(|one| one.id).collect::<Vec<_>>();
    assert_eq!(covers(&mut set, "s.t"), ["01A", "01C"]);
    assert!(ids(set.revoke(Selector::Tool("s.x"), NOW).unwrap()).is_empty());
    assert_eq!(
        ids(set.revoke(Selector::Tool("s.*"), NOW).unwrap()),
        ["01C"]
    );
    assert_eq!(covers(&mut set, "s.t"), ["01A"]);
    assert!(ids(set.revoke(Selector::Id("../identity"), NOW).unwrap()).is_empty());
    assert_eq!(ids(set.revoke(Selector::All, NOW).unwrap()), ["01A", "01B"]);
}

#[test]
fn adding_twice_is_once_and_another_of_that_id_is_refused() {
    let (_folder, home) = scratch();
    let mut set = GrantSet::of(&home, &RULES);
    set.add(&durable("01A", "s.t")).unwrap();
    set.add(&durable("01A", "s.t")).unwrap();
    assert!(matches!(
        set.add(&durable("01A", "s.u")),
        Err(AddError::Taken(_))
    ));
    let stranger = ed25519_dalek::SigningKey::from_bytes(&[1; 32]);
    let foreign = knotrust_core::grant::Unsigned::new(&claims("01B", exact("s.t"), None, None));
    let foreign = foreign.sign(&stranger);
    let error = set.add(&foreign).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the key that signed the grant is not trusted here"
    );
    assert_eq!(covers(&mut set, "s.t"), ["01A"]);
}

#[test]
fn a_rotated_key_takes_its_grants_with_it() {
    let (_folder, home) = scratch();
    let mut set = GrantSet::of(&home, &RULES);
    let mut other = GrantSet::of(&home, &RULES);
    set.add(&durable("01A", "s.t")).unwrap();
    assert_eq!(covers(&mut other, "s.t"), ["01A"]);
    set.keys().rotate().unwrap();
    assert!(covers(&mut set, "s.t").is_empty());
    assert!(covers(&mut other, "s.t").is_empty());
    let new = claims("01B", exact("s.t"), None, None);
    set.issue(knotrust_core::grant::Unsigned::new(&new))
        .unwrap();
    assert_eq!(covers(&mut other, "s.t"), ["01B"]);
}

#[test]
fn evidence_says_what_a_decision_needs() {
    let (_folder, home) = scratch();
    let mut set = GrantSet::of(&home, &RULES);
    let mut once = claims("01A", exact("s.t"), Some("a"), Some("r"));
    once.single_use = true;
    once.cap = Tier::Critical;
    set.add(&token(&once)).unwrap();
    let mut later = claims("01B", exact("s.t"), None, None);
    later.not_before = Some(1_800_000_500);
    set.add(&token(&later)).unwrap();
    let mut past = claims("01C", exact("s.t"), None, None);
    past.expires = 1_800_000_000;
    set.add(&token(&past)).unwrap();
    let mut few = claims("01D", exact("s.t"), None, Some("r*"));
    few.conditions = bounds(r#"{"limit":{"/n":5}}"#);
    set.add(&token(&few)).unwrap();
    let ask = |set: &mut GrantSet<'_>, arguments| {
        with_arguments("s.t", "a", "r", arguments, |call| {
            set.covering(call, None, NOW).unwrap()
        })
    };
    let covering = ask(&mut set, r#"{"n":4}"#);
    let shown: Vec<_> = covering
        .grants
        .iter()
        .map(|grant| {
            (
                grant.id.as_str(),
                grant.cap,
                grant.expires,
                grant.single_use,
                grant.for_this_call,
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("01A", Tier::Critical, 1_800_001_000, true, false),
            ("01D", Tier::Sensitive, 1_800_001_000, true, false),
        ]
    );
    assert_eq!(
        covering.settled,
        Some(Timestamp::from_seconds(1_800_000_500))
    );
    assert_eq!(
        ask(&mut set, r#"{"n":6}"#).grants.len(),
        1,
        "beyond the limit"
    );
}

#[test]
fn what_has_expired_once_stays_so_though_the_clock_be_set_back() {
    let (_folder, home) = scratch();
    let mut set = GrantSet::of(&home, &RULES);
    set.add(&durable("01A", "s.t")).unwrap();
    let mut at = |now| {
        with_call("s.t", "a", "r", |call| {
            set.covering(call, None, now).unwrap().grants.len()
        })
    };
    assert_eq!(at(NOW), 1);
    assert_eq!(at(NOW.plus_millis(1_000_000)), 0);
    assert_eq!(at(NOW), 0);
    // Another run knows from the log how late it was.
    let mut next = GrantSet::of(&home, &RULES);
    assert_eq!(covers(&mut next, "s.t").len(), 1);
    next.not_before(NOW.plus_millis(1_000_000));
    assert!(covers(&mut next, "s.t").is_empty());
}

#[test]
fn what_is_used_up_covers_nothing() {
    let (_folder, home) = scratch();
    let mut set = GrantSet::of(&home, &RULES);
    let mut other = GrantSet::of(&home, &RULES);
    let mut once = claims("01A", exact("s.t"), None, None);
    once.single_use = true;
    set.add(&token(&once)).unwrap();
    let spend = |set: &mut GrantSet<'_>| {
        with_call("s.t", "a", "r", |call| {
            set.consume("01A", None, call, NOW).unwrap()
        })
    };
    assert_eq!(covers(&mut other, "s.t"), ["01A"]);
    assert_eq!(spend(&mut set), Spend::Spent);
    assert!(matches!(spend(&mut other), Spend::Refused(_)));
    assert!(covers(&mut other, "s.t").is_empty());
    assert!(set.list().unwrap()[0].spent);
    // Whoever may delete files of the home can not make this process forget.
    fs::remove_dir_all(home.at("grants/consumed")).unwrap();
    assert!(covers(&mut set, "s.t").is_empty());
    assert!(matches!(spend(&mut set), Spend::Refused(_)));
    set.revoke(Selector::All, NOW).unwrap();
    assert_eq!(spend(&mut other), Spend::Gone);
}

#[test]
fn what_is_long_over_is_cleared_away() {
    let (_folder, home) = scratch();
    let mut set = GrantSet::of(&home, &RULES);
    for (id, expires) in [
        ("01A", 1_700_000_000),
        ("01B", 1_800_000_000 - 86_400),
        ("01C", 1_900_000_000),
    ] {
        let mut claims = claims(id, exact("s.t"), None, None);
        claims.expires = expires;
        set.add(&token(&claims)).unwrap();
    }
    assert_eq!(set.prune(NOW).unwrap(), 1);
    let left: Vec<_> = set
        .list()
        .unwrap()
        .into_iter()
        .map(|file| file.file)
        .collect();
    assert_eq!(left, ["01B.jws", "01C.jws"]);
    assert_eq!(covers(&mut set, "s.t"), ["01C"]);
}

#[test]
fn a_preview_names_the_tools_that_would_be_covered() {
    let tool = knotrust_core::grant::ToolPattern::of_rule("gh.list_*").unwrap();
    let known = ["gh.list_a", "gh.list_b", "gh.drop", "gh.list_a"];
    let admitted = admitted(&claims("01", tool, None, None), known);
    assert_eq!(admitted.tools, ["gh.list_a", "gh.list_b"]);
    assert_eq!(admitted.of, 3);
}
