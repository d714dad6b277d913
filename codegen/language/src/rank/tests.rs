//! Ranks against the rule that they stand for, one pair of rules at a time.

use knotrust_core::glob::Pattern;

use super::*;

#[derive(Clone, Debug)]
struct Rule {
    patterns: Vec<Pattern>,
    effect: Effect,
    source: Source,
    conditional: bool,
}

fn rule(patterns: &str, effect: Effect) -> Rule {
    let patterns = patterns
        .split(' ')
        .map(|text| Pattern::name(text).unwrap())
        .collect();
    Rule {
        patterns,
        effect,
        source: Source::Own,
        conditional: false,
    }
}

fn when(rule: Rule) -> Rule {
    Rule {
        conditional: true,
        ..rule
    }
}

fn pack(rule: Rule) -> Rule {
    Rule {
        source: Source::Pack,
        ..rule
    }
}

const ROUTINE: Effect = Effect::Tier(Tier::Routine);
const SENSITIVE: Effect = Effect::Tier(Tier::Sensitive);
const CRITICAL: Effect = Effect::Tier(Tier::Critical);
const ALLOW: Effect = Effect::Allow(None);

fn ranked(rules: &[Rule]) -> Ranked {
    let shapes: Vec<_> = rules.iter().map(shape).collect();
    rank(&shapes, &[]).unwrap()
}

fn shape(rule: &Rule) -> RuleShape<'_> {
    RuleShape {
        set: Set::of(&rule.patterns),
        conditional: rule.conditional,
        effect: rule.effect,
        source: rule.source,
    }
}

/// Every name of up to `length` of these letters.
fn names(letters: &str, length: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..length {
        last = last
            .iter()
            .flat_map(|name| letters.chars().map(move |c| format!("{name}{c}")))
            .collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// The rules with their names written out.
struct Naive<'r> {
    rules: &'r [Rule],
    names: Vec<String>,
    holds: Vec<Vec<bool>>,
}

impl<'r> Naive<'r> {
    fn of(rules: &'r [Rule], names: Vec<String>) -> Self {
        let holds = rules.iter().map(|rule| {
            names
                .iter()
                .map(|name| rule.patterns.iter().any(|pattern| pattern.matches(name)))
                .collect()
        });
        Self {
            holds: holds.collect(),
            rules,
            names,
        }
    }

    fn contains(&self, wide: usize, narrow: usize) -> bool {
        self.holds[wide]
            .iter()
            .zip(&self.holds[narrow])
            .all(|(wide, narrow)| *wide || !narrow)
    }

    fn beats(&self, one: usize, other: usize) -> bool {
        let (rule, beaten) = (&self.rules[one], &self.rules[other]);
        if rule.source != beaten.source
            || rule.effect == Effect::Deny
            || beaten.effect == Effect::Deny
        {
            return false;
        }
        match (self.contains(other, one), self.contains(one, other)) {
            (true, false) => true,
            (true, true) => rule.conditional && !beaten.conditional,
            (false, _) => false,
        }
    }

    /// Of these rules, all of which match, the best that is left: source and strictness.
    fn winner(&self, matching: &[usize]) -> Option<(Source, (Option<Tier>, bool))> {
        let left = matching
            .iter()
            .filter(|rule| !matching.iter().any(|other| self.beats(*other, **rule)));
        left.map(|rule| {
            (
                self.rules[*rule].source,
                Reverse(strictness(self.rules[*rule].effect)),
            )
        })
        .min()
        .map(|(source, Reverse(strictness))| (source, strictness))
    }

    /// Whether the rule can decide, for some name and some conditions.
    fn can_decide(&self, rule: usize, order: &[usize]) -> bool {
        let rank = |rule: usize| order.iter().position(|at| *at == rule).unwrap();
        (0..self.names.len())
            .filter(|name| self.holds[rule][*name])
            .any(|name| {
                let others: Vec<usize> = (0..self.rules.len())
                    .filter(|other| *other != rule && self.holds[*other][name])
                    .collect();
                let (open, sure): (Vec<usize>, Vec<usize>) = others
                    .iter()
                    .copied()
                    .partition(|other| self.rules[*other].conditional);
                (0..1_u32 << open.len()).any(|choice| {
                    let chosen = open
                        .iter()
                        .enumerate()
                        .filter(|(at, _)| choice & (1 << at) != 0)
                        .map(|(_, rule)| *rule);
                    let holding: Vec<usize> =
                        sure.iter().copied().chain(chosen).chain([rule]).collect();
                    self.decides(rule, &holding, &rank)
                })
            })
    }

    fn decides(&self, rule: usize, holding: &[usize], rank: &dyn Fn(usize) -> usize) -> bool {
        let judged = &self.rules[rule];
        let denies = |rule: &usize| self.rules[*rule].effect == Effect::Deny;
        if holding.iter().any(|other| denies(other) && *other != rule) || denies(&rule) {
            return false;
        }
        let sets = |rule: usize| {
            matches!(
                self.rules[rule].effect,
                Effect::Tier(_) | Effect::Allow(Some(_))
            )
        };
        let own = |rule: usize| self.rules[rule].source == Source::Own;
        if sets(rule) && !own(rule) && holding.iter().any(|other| own(*other) && sets(*other)) {
            return false;
        }
        let after: Vec<usize> = holding
            .iter()
            .copied()
            .filter(|other| {
                self.rules[*other].source == judged.source && (sets(*other) || !sets(rule))
            })
            .collect();
        let left = after
            .iter()
            .copied()
            .filter(|rule| !after.iter().any(|other| self.beats(*other, *rule)));
        left.min_by_key(|rule| rank(*rule)) == Some(rule)
    }
}

/// The winner as the compiled form gives it: what lies around a matching rule is beaten, the first left decides.
fn compiled(
    ranked: &Ranked,
    matching: &[usize],
    rules: &[Rule],
) -> Option<(Source, (Option<Tier>, bool))> {
    let ranks: Vec<usize> = (0..ranked.order.len())
        .filter(|rank| matching.contains(&ranked.order[*rank]))
        .collect();
    let mut beaten = vec![false; ranked.order.len()];
    let mut open = ranks.clone();
    while let Some(rank) = open.pop() {
        for wider in &ranked.wider[rank] {
            let wider = *wider as usize;
            if !std::mem::replace(&mut beaten[wider], true) {
                open.push(wider);
            }
        }
    }
    let first = ranks.into_iter().find(|rank| !beaten[*rank])?;
    let winner = &rules[ranked.order[first]];
    Some((winner.source, strictness(winner.effect)))
}

/// A generator of the same numbers everywhere.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn rules(&mut self) -> Vec<Rule> {
        let patterns = [
            "*", "a*", "*a", "ab*", "*b*", "a?", "?b", "[!a]*", "ab", "a", "b", "a*b", "*a*b",
            "{a,b}", "?*", "??", "[ab]*", "ba*", "a b", "a* b*", "b?*", "a[bc]", "[ab]b", "[ab]c",
            "bb", "[ac]b", "[abc]b",
        ];
        let effects = [
            ROUTINE,
            SENSITIVE,
            CRITICAL,
            ALLOW,
            Effect::Allow(Some(Tier::Sensitive)),
            Effect::Deny,
        ];
        let count = 2 + self.below(5);
        (0..count)
            .map(|_| {
                let mut made = rule(
                    patterns[self.below(patterns.len())],
                    effects[self.below(effects.len())],
                );
                made.conditional = self.below(3) == 0;
                if self.below(4) == 0 {
                    made.source = Source::Pack;
                }
                made
            })
            .collect()
    }
}

#[test]
fn the_compiled_form_decides_as_the_rules_do_in_pairs() {
    let mut numbers = Numbers(1);
    for _ in 0..300 {
        let rules = numbers.rules();
        let ranked = ranked(&rules);
        let naive = Naive::of(&rules, names("abcd", 3));
        for name in 0..naive.names.len() {
            let by_name: Vec<usize> = (0..rules.len())
                .filter(|rule| naive.holds[*rule][name])
                .collect();
            for choice in 0..1_u32 << by_name.len() {
                let holds = |(at, rule): (usize, &usize)| {
                    (choice & (1 << at) != 0 || !rules[*rule].conditional).then_some(*rule)
                };
                let matching: Vec<usize> = by_name.iter().enumerate().filter_map(holds).collect();
                let expected = naive.winner(&matching);
                assert_eq!(
                    compiled(&ranked, &matching, &rules),
                    expected,
                    "{} among {rules:#?}",
                    naive.names[name]
                );
            }
        }
    }
}

#[test]
fn exactly_the_rules_that_never_decide_are_shadowed() {
    let mut numbers = Numbers(2);
    for _ in 0..300 {
        let rules = numbers.rules();
        let ranked = ranked(&rules);
        let naive = Naive::of(&rules, names("abcd", 3));
        let found: Vec<usize> = ranked
            .shadowed
            .iter()
            .map(|shadowed| shadowed.rule)
            .collect();
        for (at, rule) in rules.iter().enumerate() {
            // Denials are compared with each other, and a pack that allows has no say.
            let judged =
                rule.effect != Effect::Deny && (rule.source == Source::Own || rule.effect != ALLOW);
            if judged {
                let expected = !naive.can_decide(at, &ranked.order);
                assert_eq!(found.contains(&at), expected, "rule {at} of {rules:#?}");
            }
        }
    }
}

#[test]
fn examples_of_overlaps_are_contested() {
    let mut numbers = Numbers(3);
    let mut seen = 0;
    for _ in 0..300 {
        let rules = numbers.rules();
        let found = ranked(&rules).overlaps;
        assert!(found.more == 0 && !found.uncounted);
        for Overlap {
            stricter,
            laxer,
            example,
        } in found.listed
        {
            seen += 1;
            let matches = |at: usize| {
                rules[at]
                    .patterns
                    .iter()
                    .any(|pattern| pattern.matches(&example))
            };
            assert!(matches(stricter) && matches(laxer));
            assert_eq!(rules[stricter].source, rules[laxer].source);
            assert!(strictness(rules[stricter].effect) > strictness(rules[laxer].effect));
            assert!(!(0..rules.len()).any(|at| rules[at].effect == Effect::Deny
                && !rules[at].conditional
                && matches(at)));
        }
    }
    assert!(seen > 50, "{seen} overlaps");
}

#[track_caller]
fn check_shadowed(rules: &[Rule], expected: &[(usize, &[usize])]) {
    let found = ranked(rules).shadowed;
    let found: Vec<_> = found
        .iter()
        .map(|shadowed| (shadowed.rule, shadowed.by.as_slice()))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn shadowed_rules_are_named_with_what_shadows_them() {
    check_shadowed(&[rule("a.*", ROUTINE), rule("a.b", CRITICAL)], &[]);
    check_shadowed(&[rule("a.*", ROUTINE), rule("a.*", CRITICAL)], &[(0, &[1])]);
    check_shadowed(&[rule("a.*", ROUTINE), when(rule("a.*", CRITICAL))], &[]);
    check_shadowed(
        &[rule("a.b", ROUTINE), rule("*.b", Effect::Deny)],
        &[(0, &[1])],
    );
    check_shadowed(
        &[rule("a.*", ROUTINE), rule("a.?* a.", CRITICAL)],
        &[(0, &[1])],
    );
    check_shadowed(
        &[
            rule("a.[ab]", ROUTINE),
            rule("a.a", CRITICAL),
            rule("a.b", SENSITIVE),
        ],
        &[(0, &[1, 2])],
    );
    check_shadowed(
        &[pack(rule("a.x*", ROUTINE)), rule("a.*", SENSITIVE)],
        &[(0, &[1])],
    );
    check_shadowed(&[pack(rule("a.*", ROUTINE)), rule("a.x*", SENSITIVE)], &[]);
    check_shadowed(&[rule("a.*", SENSITIVE), rule("a.*", ALLOW)], &[(1, &[0])]);
    check_shadowed(
        &[rule("a.*", Effect::Deny), rule("a.b", Effect::Deny)],
        &[(1, &[0])],
    );
}

#[test]
fn a_narrower_rule_frees_others_only_where_it_matches() {
    let two = [
        rule("a[xy]", SENSITIVE),
        rule("[abc]x", CRITICAL),
        rule("[abc]y", CRITICAL),
    ];
    check_shadowed(&two, &[(0, &[1, 2])]);
    let elsewhere = [two.as_slice(), &[rule("bx", ROUTINE)]].concat();
    check_shadowed(&elsewhere, &[(0, &[1, 2])]);
    let here = [two.as_slice(), &[rule("[ac]x", ROUTINE)]].concat();
    check_shadowed(&here, &[]);
    let perhaps = [two.as_slice(), &[when(rule("[ac]x", ROUTINE))]].concat();
    check_shadowed(&perhaps, &[]);
}

#[test]
fn the_order_of_the_text_does_not_count() {
    let rules = [
        rule("b.*", SENSITIVE),
        rule("a.*", SENSITIVE),
        rule("*", ROUTINE),
        rule("a.b", CRITICAL),
    ];
    let mut turned = rules.to_vec();
    turned.reverse();
    let texts = |rules: &[Rule]| {
        let ranked = ranked(rules);
        let texts: Vec<String> = ranked
            .order
            .iter()
            .map(|at| rules[*at].patterns[0].text().to_owned())
            .collect();
        (texts, ranked.wider)
    };
    assert_eq!(texts(&rules), texts(&turned));
    assert_eq!(texts(&rules).0, ["a.b", "a.*", "b.*", "*"]);
    assert_eq!(texts(&rules).1, [vec![1], vec![3], vec![3], vec![]]);
}

#[test]
fn overlaps_that_a_third_rule_settles_are_not_reported() {
    let two = [rule("github.*", ROUTINE), rule("*_issue", CRITICAL)];
    let overlaps = ranked(&two).overlaps.listed;
    assert_eq!(
        overlaps,
        [Overlap {
            stricter: 1,
            laxer: 0,
            example: "github._issue".to_owned()
        }]
    );
    let three = [two.as_slice(), &[rule("github.*_issue", SENSITIVE)]].concat();
    assert_eq!(ranked(&three).overlaps.listed, []);
    let denied = [two.as_slice(), &[rule("*_issue*", Effect::Deny)]].concat();
    assert_eq!(ranked(&denied).overlaps.listed, []);
}

#[test]
fn thousands_of_rules_are_ranked() {
    let effects = [ROUTINE, SENSITIVE, CRITICAL];
    let rules: Vec<Rule> = (0..2_000)
        .map(|id: usize| {
            let server = id / 10;
            let text = match id % 10 {
                0 => format!("server{server}.*"),
                1 => format!("server{server}.list_*"),
                2 => format!("server{server}.{{get,read}}_*"),
                3 => format!("server{server}.*_secret_{id}"),
                4 => format!("server{server}.v?.put_[a-f]*"),
                _ => format!("server{server}.tool_number_{id}"),
            };
            rule(&text, effects[id % 3])
        })
        .collect();
    let ranked = ranked(&rules);
    assert_eq!(ranked.shadowed, []);
    let within: usize = ranked.wider.iter().map(Vec::len).sum();
    assert_eq!(within, 9 * 200, "every other rule lies within its server's");
    assert!(!ranked.overlaps.listed.is_empty() && !ranked.overlaps.uncounted);
}

#[test]
fn own_rules_that_say_less_than_a_pack_are_found() {
    let lowered = |rules: &[Rule]| {
        let found = ranked(rules).lowered;
        let found = found
            .iter()
            .map(|found| (found.own, found.pack, found.example.clone()));
        found.collect::<Vec<_>>()
    };
    let pack = [
        pack(rule("github.*", SENSITIVE)),
        pack(rule("github.delete_*", CRITICAL)),
    ];
    let with = |own: &[Rule]| lowered(&[&pack, own].concat());
    assert_eq!(with(&[rule("github.*", CRITICAL)]), []);
    assert_eq!(with(&[rule("github.list_*", SENSITIVE)]), []);
    let example = "github.delete_".to_owned();
    assert_eq!(with(&[rule("github.*", ROUTINE)]), [(2, 1, example)]);
    let example = "github.".to_owned() + "x";
    let narrowed = [rule("github.*", ROUTINE), rule("github.delete_*", CRITICAL)];
    assert_eq!(with(&narrowed), [(2, 0, example)]);
    let denied = [rule("github.*", ROUTINE), rule("git*", Effect::Deny)];
    assert_eq!(with(&denied), []);
}

#[test]
fn names_that_are_not_routine_are_found() {
    let rules = [
        rule("weather.*", ROUTINE),
        rule("weather.set_*", CRITICAL),
        rule("*.secret", SENSITIVE),
        pack(rule("news.*", ROUTINE)),
    ];
    let shapes: Vec<_> = rules.iter().map(shape).collect();
    let patterns = [
        "weather.get_?",
        "weather.*",
        "weather.s*_*",
        "maps.*",
        "maps.??",
        "news.s*",
        "{news,weather}.a?",
    ];
    let patterns = patterns.map(|text| Pattern::name(text).unwrap());
    let sets = patterns.each_ref().map(|pattern| Set::of([pattern]));
    let found = rank(&shapes, &sets).unwrap().not_routine;
    let found: Vec<_> = found
        .iter()
        .map(|found| {
            found
                .as_ref()
                .map(|found| (found.name.as_str(), found.rule))
        })
        .collect();
    let expected = [
        None,
        Some(("weather.set_", Some(1))),
        Some(("weather.set_", Some(1))),
        Some(("maps.secret", Some(2))),
        Some(("maps.xx", None)),
        Some(("news.secret", Some(2))),
        None,
    ];
    assert_eq!(found, expected);
}
