//! Relations of patterns against the names themselves, as far as there is room for them.

use super::*;

fn effort() -> Effort {
    Effort::ONE_QUESTION
}

fn parse(kind: Kind, patterns: &[&str]) -> Vec<Pattern> {
    patterns
        .iter()
        .map(|text| Pattern::parse(kind, text).unwrap())
        .collect()
}

/// Every text of these pieces, up to so many.
fn texts(pieces: &[&str], length: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..length {
        last = last
            .iter()
            .flat_map(|text| pieces.iter().map(move |piece| format!("{text}{piece}")))
            .collect();
        all.extend(last.iter().cloned());
    }
    all.sort();
    all.dedup();
    all
}

fn compare(kind: Kind, written: &[String], names: &[String]) {
    let patterns: Vec<Pattern> = written
        .iter()
        .filter_map(|text| Pattern::parse(kind, text).ok())
        .collect();
    let matched: Vec<Vec<bool>> = patterns
        .iter()
        .map(|pattern| names.iter().map(|name| pattern.matches(name)).collect())
        .collect();
    for (one, in_one) in patterns.iter().zip(&matched) {
        let set = Set::of([one]);
        for (two, in_two) in patterns.iter().zip(&matched) {
            let other = Set::of([two]);
            let both = || in_one.iter().zip(in_two);
            let contains = both().all(|(one, two)| *one || !two);
            let overlaps = both().any(|(one, two)| *one && *two);
            let message = format!("{} and {}", one.text(), two.text());
            assert_eq!(
                set.contains(&other, &mut effort()),
                Ok(contains),
                "{message}: containment"
            );
            assert_eq!(
                set.overlaps(&other, &mut effort()),
                Ok(overlaps),
                "{message}: overlap"
            );
            let shared = example(&[&set, &other], &[], &mut effort()).unwrap();
            assert_eq!(shared.is_some(), overlaps, "{message}: example");
            assert!(
                shared.is_none_or(|name| one.matches(&name) && two.matches(&name)),
                "{message}: example"
            );
            let left = example(&[&other], &[&set], &mut effort()).unwrap();
            assert_eq!(left.is_none(), contains, "{message}: example outside");
            assert!(
                left.is_none_or(|name| two.matches(&name) && !one.matches(&name)),
                "{message}: example outside"
            );
        }
    }
}

#[test]
fn relations_of_name_patterns_are_those_of_their_names() {
    let patterns = texts(&["a", "*", "?", "[!a]"], 3);
    compare(Kind::Name, &patterns, &texts(&["a", "b"], 5));
}

#[test]
fn relations_of_unions_are_those_of_their_names() {
    let patterns = [
        "{a,ba}*",
        "*{a,b}",
        "{,a}{b,c}",
        "{a,?a,??a*}",
        "?*",
        "{?,??*}",
        "*",
        "{a*,[!a]*}",
        "{a*,[!a]*,?}a",
    ];
    let patterns = patterns.map(str::to_owned);
    compare(Kind::Name, &patterns, &texts(&["a", "b", "c"], 6));
}

#[test]
fn relations_of_path_patterns_are_those_of_their_paths() {
    let patterns = texts(&["a", "/", "*", "**", "?"], 3);
    compare(Kind::Path, &patterns, &texts(&["a", "b", "/"], 6));
}

#[track_caller]
fn check_example(every: &[&str], none: &[&str], expected: Option<&str>) {
    let (every, none) = (parse(Kind::Name, every), parse(Kind::Name, none));
    let every: Vec<_> = every.iter().map(|pattern| Set::of([pattern])).collect();
    let none: Vec<_> = none.iter().map(|pattern| Set::of([pattern])).collect();
    let found = example(
        &every.iter().collect::<Vec<_>>(),
        &none.iter().collect::<Vec<_>>(),
        &mut effort(),
    );
    assert_eq!(found, Ok(expected.map(str::to_owned)));
}

#[test]
fn examples_are_short_and_readable() {
    check_example(&["github.*", "*_issue"], &[], Some("github._issue"));
    check_example(&["github.*"], &["github.?"], Some("github.xx"));
    check_example(&["*"], &[], Some("x.x"));
    check_example(&["github*"], &["github.*"], Some("githubx.x"));
    check_example(&["*a*", "*b*"], &[], Some("b.a"));
    check_example(&["[!x]*"], &[], Some("y.x"));
    check_example(&["x.\u{e9}*"], &[], Some("x.\u{e9}"));
    check_example(&["[!a-zA-Z0-9._-]"], &[], Some("!"));
    check_example(&["github.get_*"], &["github.*"], None);
    check_example(&["a.*"], &["a.[a-m]*", "a.[!a-m]*", "a."], None);
}

#[test]
fn what_cannot_be_decided_is_said_to_be() {
    let marks = "?".repeat(17);
    let mut patterns = vec![format!("*a{marks}"), format!("*[!a]{marks}")];
    patterns.extend((1..=17).map(|length| "?".repeat(length)));
    let patterns: Vec<_> = patterns
        .iter()
        .map(|text| Pattern::name(text).unwrap())
        .collect();
    let everything = Pattern::name("?*").unwrap();
    assert_eq!(
        Set::of(&patterns).contains(&Set::of([&everything]), &mut effort()),
        Err(TooHard)
    );
}
