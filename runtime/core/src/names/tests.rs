//! The index against every glob by itself.

use super::*;
use crate::glob::Pattern;

fn build(patterns: &[String]) -> OwnedNames {
    let mut builder = NamesBuilder::new();
    for (id, pattern) in patterns.iter().enumerate() {
        builder.add(u32::try_from(id).unwrap(), &Pattern::name(pattern).unwrap());
    }
    builder.build()
}

fn one_by_one(patterns: &[String], name: &str) -> Vec<u32> {
    let matching = |(id, pattern): (usize, &String)| {
        Pattern::name(pattern)
            .unwrap()
            .matches(name)
            .then(|| u32::try_from(id).unwrap())
    };
    patterns.iter().enumerate().filter_map(matching).collect()
}

fn found(names: Names<'_>, name: &str) -> Vec<u32> {
    let mut ids = vec![7];
    names.matching(name, &mut ids);
    ids
}

/// Every text of one to `length` of these pieces.
fn texts(pieces: &[&str], length: usize) -> Vec<String> {
    let mut all = Vec::new();
    let mut last = vec![String::new()];
    for _ in 0..length {
        last = last
            .iter()
            .flat_map(|text| pieces.iter().map(move |piece| format!("{text}{piece}")))
            .collect();
        all.extend(last.iter().cloned());
    }
    all
}

#[test]
fn the_index_finds_what_the_globs_match() {
    let patterns = texts(&["a", "b", "*", "?", "[!b]", "\\*", "{ab,}"], 3);
    let owned = build(&patterns);
    assert!(!owned.index().is_empty());
    for name in texts(&["a", "b", "*", "\u{e9}"], 5)
        .iter()
        .chain([&String::new()])
    {
        assert_eq!(
            found(owned.lend(), name),
            one_by_one(&patterns, name),
            "{name}"
        );
    }
}

#[test]
fn rows_are_the_same_in_either_form_with_or_without_an_index() {
    let patterns = texts(&["a.", "b", "*", "?"], 3);
    let owned = build(&patterns);
    let rows: Vec<_> = owned
        .rows()
        .map(|(glob, ids)| Row::new(glob, ids))
        .collect();
    let listed = Names::indexed(&rows, owned.index());
    assert_eq!(listed, owned.lend());
    assert!(listed.is_canonical());
    for name in texts(&["a.", "b", "x"], 4) {
        let expected = found(owned.lend(), &name);
        assert_eq!(found(listed, &name), expected);
        assert_eq!(found(Names::listed(&rows), &name), expected);
    }
}

#[test]
fn a_broken_index_finds_the_same() {
    let patterns = texts(&["a", "b", "*", "?"], 3);
    let owned = build(&patterns);
    let names = texts(&["a", "b"], 5);
    for cut in 0..owned.index().len() {
        let names_cut = Names::packed(owned.packed(), &owned.index()[..cut]);
        let name = &names[cut % names.len()];
        assert_eq!(
            found(names_cut, name),
            found(owned.lend(), name),
            "cut at {cut}"
        );
    }
}

#[test]
fn broken_bytes_never_panic_and_always_end() {
    let patterns = texts(&["a", "b", "*", "?"], 3);
    let owned = build(&patterns);
    for at in 0..owned.index().len() {
        let mut index = owned.index().to_vec();
        index[at] = index[at].wrapping_add(1 + (at % 255) as u8);
        found(Names::packed(owned.packed(), &index), "abbab");
    }
    for at in 0..owned.packed().len() {
        let mut packed = owned.packed().to_vec();
        packed[at] ^= 0xff;
        found(Names::packed(&packed, owned.index()), "abbab");
        found(Names::packed(&packed, &[]), "abbab");
    }
}

#[test]
fn one_number_may_have_many_patterns() {
    let mut builder = NamesBuilder::new();
    builder.add(3, &Pattern::name("github.{get,list}_*").unwrap());
    builder.add(3, &Pattern::name("*_issue").unwrap());
    builder.add(1, &Pattern::name("github.*").unwrap());
    let owned = builder.build();
    assert_eq!(found(owned.lend(), "github.get_issue"), [1, 3]);
    assert_eq!(found(owned.lend(), "jira.get_issue"), [3]);
    assert!(found(Names::NONE, "jira.get_issue").is_empty());
    let globs: Vec<_> = owned.lend().globs(3).map(Glob::text).collect();
    assert_eq!(globs, ["*_issue", "github.get_*", "github.list_*"]);
}

#[test]
fn a_run_that_occurs_everywhere_costs_no_more_than_looking_at_every_row() {
    let patterns: Vec<_> = (0..2_000)
        .map(|at| format!("*a{}?*", "?".repeat(at % 50)))
        .collect();
    let owned = build(&patterns);
    let name = "a".repeat(128);
    assert_eq!(found(owned.lend(), &name), one_by_one(&patterns, &name));
}

#[test]
fn long_runs_are_cut_and_still_right() {
    let long = "\u{e9}".repeat(100);
    let mut patterns: Vec<_> = ["", "x"]
        .iter()
        .flat_map(|tail| {
            [
                format!("{long}{tail}*"),
                format!("*{long}{tail}"),
                format!("*{long}{tail}*"),
                format!("{long}{tail}?"),
            ]
        })
        .collect();
    patterns.extend((0..20).map(|at| format!("other.{at}*")));
    let owned = build(&patterns);
    for name in [
        long.clone(),
        format!("{long}x"),
        format!("x{long}"),
        format!("{long}{long}xy"),
        "\u{e9}".repeat(30),
    ] {
        assert_eq!(found(owned.lend(), &name), one_by_one(&patterns, &name));
    }
}
