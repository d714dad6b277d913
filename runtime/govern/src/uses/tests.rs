use std::fs;

use knotrust_core::grant::Claims;

use super::*;
use crate::grants::testing::{NOW, bounds, claims, exact, scratch, with_arguments};

fn counted(conditions: &str) -> Claims {
    let mut claims = claims("01A", exact("s.t"), None, None);
    claims.conditions = bounds(conditions);
    claims
}

#[track_caller]
fn check(claims: &Claims, arguments: &[&str], expected: &[Spend]) {
    let (_folder, home) = scratch();
    let seen = arguments.iter().enumerate().map(|(index, arguments)| {
        // Every second use is another process's.
        let mut both = [Uses::of(&home), Uses::of(&home)];
        let uses = &mut both[index % 2];
        with_arguments("s.t", "a", "r", arguments, |call| {
            let room = uses.leave_room(claims, call).unwrap();
            let spend = uses.consume(claims, call, NOW).unwrap();
            assert_eq!(room, spend == Spend::Spent);
            spend
        })
    });
    assert_eq!(seen.collect::<Vec<_>>(), expected);
}

#[test]
fn uses_and_sums_add_up_over_processes() {
    use Spend::{Refused, Spent};
    let two = counted(r#"{"uses":2}"#);
    check(
        &two,
        &["{}", "{}", "{}"],
        &[Spent, Spent, Refused(TooMuch::Uses)],
    );
    let sum = counted(r#"{"limit":{"/n":1.0}}"#);
    check(
        &sum,
        &[
            r#"{"n":0.7}"#,
            r#"{"n":0.31}"#,
            r#"{"n":0.3}"#,
            r#"{"n":1e-18}"#,
            r#"{"n":"1"}"#,
        ],
        &[
            Spent,
            Refused(TooMuch::Limit),
            Spent,
            Refused(TooMuch::Limit),
            Refused(TooMuch::Uncountable),
        ],
    );
    let mut once = counted(r#"{"limit":{"/n":10}}"#);
    once.single_use = true;
    check(
        &once,
        &[r#"{"n":1}"#, r#"{"n":1}"#],
        &[Spent, Refused(TooMuch::Uses)],
    );
}

#[test]
fn a_damaged_record_refuses_and_is_not_taken_for_none() {
    let (_folder, home) = scratch();
    let claims = counted(r#"{"uses":2}"#);
    let mut uses = Uses::of(&home);
    let mut spend = || {
        with_arguments("s.t", "a", "r", "{}", |call| {
            uses.consume(&claims, call, NOW)
        })
    };
    assert_eq!(spend().unwrap(), Spend::Spent);
    for damage in [
        "",
        "{}",
        r#"{"uses":1,"sums":[1]}"#,
        r#"{"uses":-1,"sums":[]}"#,
    ] {
        fs::write(home.at("grants/uses/01A.json"), damage).unwrap();
        assert!(spend().is_err(), "{damage}");
    }
    fs::remove_file(home.at("grants/uses/01A.json")).unwrap();
    assert_eq!(spend().unwrap(), Spend::Spent, "one of two was seen spent");
    fs::remove_file(home.at("grants/uses/01A.json")).unwrap();
    assert_eq!(spend().unwrap(), Spend::Refused(TooMuch::Uses));
}

#[test]
fn the_mark_of_a_grant_for_one_call_goes_a_day_after_it() {
    let (_folder, home) = scratch();
    let spend = |id: &str, kind: Kind, now: Timestamp| {
        let mut claims = claims(id, exact("s.t"), None, None);
        (claims.kind, claims.single_use) = (kind, true);
        // Each is another process's.
        with_arguments("s.t", "a", "r", "{}", |call| {
            Uses::of(&home).consume(&claims, call, now).unwrap()
        })
    };
    let passing = || Kind::Ephemeral {
        call: "sha256:00".to_owned(),
        exact: None,
    };
    let marks = || {
        let mut marks = files::names(&home.at("grants/consumed")).unwrap();
        marks.sort();
        marks
    };
    assert_eq!(spend("01A", passing(), NOW), Spend::Spent);
    assert_eq!(spend("01B", Kind::Durable, NOW), Spend::Spent);
    assert_eq!(spend("01C", passing(), NOW), Spend::Spent);
    assert_eq!(marks(), ["01A", "01B", "01C"]);
    let later = NOW.plus_millis(2 * 86_400_000);
    assert_eq!(spend("01D", passing(), later), Spend::Spent);
    assert_eq!(marks(), ["01B", "01D"]);
}
