//! By which names a client knows what several servers offer.
//!
//! A name that one server alone uses is kept. A name that several use is prefixed for all of them, whatever the order in
//! which they came: `server__name`. Should a prefixed name be the name of something else, that is prefixed too. What has no
//! name of its own even then, or one that is too long for clients, is not offered.

use std::collections::{BTreeMap, BTreeSet};

/// One thing that is offered: whose it is, and what its server calls it.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Owned<'a> {
    pub(super) server: &'a str,
    pub(super) name: &'a str,
}

/// The names for these, in their order; nothing for what can't be offered. `reserved` names are ours.
pub(super) fn exposed(all: &[Owned<'_>], reserved: &[&str]) -> Vec<Option<String>> {
    let distinct: BTreeSet<Owned<'_>> = all.iter().copied().collect();
    let mut prefixed: BTreeSet<Owned<'_>> = BTreeSet::new();
    loop {
        let mut users: BTreeMap<String, Vec<Owned<'_>>> = BTreeMap::new();
        for owned in &distinct {
            let name = shown(*owned, prefixed.contains(owned));
            users.entry(name).or_default().push(*owned);
        }
        let is_shared =
            |name: &str, users: &[Owned<'_>]| users.len() > 1 || reserved.contains(&name);
        let shared = users.iter().filter(|(name, users)| is_shared(name, users));
        let plain: Vec<Owned<'_>> = shared
            .flat_map(|(_, users)| users)
            .copied()
            .filter(|owned| !prefixed.contains(owned))
            .collect();
        if plain.is_empty() {
            let mut taken = BTreeSet::new();
            return all
                .iter()
                .map(|owned| {
                    let name = shown(*owned, prefixed.contains(owned));
                    let users = users.get(&name).map(Vec::as_slice).unwrap_or_default();
                    let is_free = !is_shared(&name, users) && name.len() <= LONGEST;
                    // What a server lists twice is offered once.
                    (is_free && taken.insert(name.clone())).then_some(name)
                })
                .collect();
        }
        prefixed.extend(plain);
    }
}

fn shown(owned: Owned<'_>, is_prefixed: bool) -> String {
    let Owned { server, name } = owned;
    if is_prefixed {
        format!("{server}__{name}")
    } else {
        name.to_owned()
    }
}

/// What the protocol recommends, and clients insist on.
const LONGEST: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(all: &[(&str, &str)], expected: &[Option<&str>]) {
        let owned: Vec<_> = all
            .iter()
            .map(|(server, name)| Owned { server, name })
            .collect();
        let names = exposed(&owned, &["kcp_plan"]);
        let names: Vec<_> = names.iter().map(Option::as_deref).collect();
        assert_eq!(names, expected);
        let mut reversed = owned;
        reversed.reverse();
        let mut again = exposed(&reversed, &["kcp_plan"]);
        again.reverse();
        let again: BTreeSet<_> = again.iter().map(Option::as_deref).collect();
        assert_eq!(
            again,
            expected.iter().copied().collect(),
            "whatever the order"
        );
    }

    #[test]
    fn a_name_of_one_server_is_kept() {
        check(&[("a", "x"), ("b", "y")], &[Some("x"), Some("y")]);
    }

    #[test]
    fn a_name_of_two_servers_is_prefixed_for_both() {
        check(
            &[("a", "x"), ("b", "x"), ("b", "y")],
            &[Some("a__x"), Some("b__x"), Some("y")],
        );
    }

    #[test]
    fn our_own_names_are_nobody_elses() {
        check(&[("a", "kcp_plan")], &[Some("a__kcp_plan")]);
    }

    #[test]
    fn a_name_that_looks_prefixed_is_no_way_to_anothers_tool() {
        check(
            &[("a", "x"), ("b", "x"), ("c", "a__x")],
            &[Some("a__x"), Some("b__x"), Some("c__a__x")],
        );
        check(
            &[("a", "b__x"), ("a__b", "x"), ("c", "x"), ("c", "b__x")],
            &[None, None, Some("c__x"), Some("c__b__x")],
        );
    }

    #[test]
    fn what_is_listed_twice_is_offered_once() {
        let twice = [("a", "x"), ("a", "x")].map(|(server, name)| Owned { server, name });
        assert_eq!(exposed(&twice, &[]), [Some("x".to_owned()), None]);
    }

    #[test]
    fn a_name_that_is_too_long_is_not_offered() {
        let long = "x".repeat(127);
        check(&[("a", &long)], &[Some(&long)]);
        check(&[("a", &long), ("b", &long)], &[None, None]);
    }
}
