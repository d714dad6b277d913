//! What holds for every manifest.
#![expect(
    clippy::unwrap_used,
    reason = "a manifest that can't be read is a failed test"
)]

use std::collections::BTreeSet;
use std::fmt::Write;

use knotrust_core::json::write;
use knotrust_knowledge::date::IsoDate;
use knotrust_knowledge::lint::{Surroundings, lint};
use knotrust_knowledge::manifest::Manifest;
use knotrust_knowledge::options::{Budget, Options};
use knotrust_knowledge::plan::Plan;
use knotrust_knowledge::planner::{plan, plan_path};
use knotrust_knowledge::replay::{Status, recorded};
use knotrust_knowledge::scope::{folded, matches_path, may_match};
use knotrust_knowledge::trace::trace;
use proptest::prelude::*;

/// One unit, as lines of YAML.
fn unit() -> impl Strategy<Value = String> {
    let intent = prop::sample::select(vec![
        "Lift with the crane",
        "Tides of the harbour",
        "Crane log",
        "Notes",
    ]);
    let member = prop::sample::select(vec![
        "audience: [agent]",
        "audience: [human]",
        "audience: agent",
        "not_for: [harbour]",
        "temporal: {valid_until: 2020-01-01}",
        "temporal: {valid_from: 2026-07-06}",
        "temporal: {superseded_by: u0}",
        "deprecated: true",
        "kind: skill",
        "kind: playbook",
        "load_eligible: true",
        "action_scope: {tools: [lift], deny: {tools: [drop]}}",
        "action_scope: {tools: lift}",
        "steps: [{id: s, uses: u1}]",
        "access: restricted",
        "access: authenticated",
        "payment: {methods: [{type: x402, currency: USDC, price_per_request: '0.3'}]}",
        "payment: {methods: [{type: x402, price_per_request: free}]}",
        "size_tokens: 400",
        "bytes: 999",
        "triggers: [crane, '', lift]",
    ]);
    (intent, prop::collection::btree_set(member, 0..5)).prop_map(|(intent, members)| {
        let mut names = BTreeSet::new();
        let mut text = format!("intent: {intent}");
        for member in members {
            if names.insert(member.split(':').next().unwrap()) {
                write!(text, "\n    {member}").unwrap();
            }
        }
        text
    })
}

/// A manifest in which no unit replaces itself.
fn manifest() -> impl Strategy<Value = String> {
    prop::collection::vec(unit(), 0..8).prop_map(|units| {
        let mut text = "project: p\nunits:\n".to_owned();
        for (index, unit) in units.iter().enumerate() {
            let unit = if index == 0 {
                unit.replace("superseded_by: u0", "superseded_by: u9")
            } else {
                unit.clone()
            };
            writeln!(
                text,
                "  - id: u{index}\n    path: docs/u{index}.md\n    {unit}"
            )
            .unwrap();
        }
        if units.is_empty() {
            text = "project: p\nunits: []\n".to_owned();
        }
        text
    })
}

fn options() -> impl Strategy<Value = Options> {
    (
        any::<bool>(),
        any::<bool>(),
        0..9_usize,
        prop::option::of(0..4_u32),
        prop::option::of(0..900_u32),
    )
        .prop_map(|(strict, rich, max_units, money, tokens)| {
            let mut options = Options::as_of(today());
            options.strict = strict;
            options.max_units = max_units;
            options.context_budget = tokens.map(Into::into);
            options.budget = money.map(|amount| Budget {
                amount: amount.into(),
                currency: None,
                spent: None,
            });
            if rich {
                options.capabilities.payment_methods.push("x402".to_owned());
                options.capabilities.credentials.push("badge".to_owned());
            }
            options
        })
}

fn today() -> IsoDate {
    IsoDate::read("2026-07-06").unwrap()
}

fn loadable(plan: &Plan) -> BTreeSet<&str> {
    plan.selected
        .iter()
        .filter(|unit| unit.load_eligible)
        .map(|unit| unit.id.as_str())
        .collect()
}

const TASK: &str = "lift with the crane in the harbour";

proptest! {
    #[test]
    fn nothing_that_is_read_breaks_the_reader(text in "(?s).{0,200}") {
        let _ = Manifest::read(&text);
        let _ = lint(&text, Surroundings { today: &today(), exists: None });
    }

    #[test]
    fn nothing_like_a_manifest_breaks_it_either(text in manifest(), at in any::<prop::sample::Index>(), with in "[-{}\\[\\],:&*!|>'\"%@`#?~ \n0x]{0,3}") {
        let mut broken = text.clone();
        let at = at.index(text.len() + 1);
        if text.is_char_boundary(at) {
            broken.insert_str(at, &with);
        }
        if let Ok(manifest) = Manifest::survey(&broken) {
            let _ = trace(&manifest, TASK, &Options::as_of(today())).to_json();
        }
        let _ = lint(&broken, Surroundings { today: &today(), exists: None });
    }

    #[test]
    fn plans_can_be_made_again(text in manifest(), options in options()) {
        let manifest = Manifest::read(&text).unwrap().from_source("knowledge.yaml");
        let made = plan(&manifest, TASK, &options).to_json();
        prop_assert_eq!(write(&made), write(&plan(&manifest, TASK, &options).to_json()));
        let checks: Vec<_> = recorded(&made).iter().map(|plan| plan.replay(Some(&text)).status).collect();
        prop_assert_eq!(checks, [Status::Identical]);
    }

    #[test]
    fn traces_agree_with_plans(text in manifest(), options in options()) {
        let manifest = Manifest::read(&text).unwrap();
        let traced = trace(&manifest, TASK, &options);
        prop_assert_eq!(&traced.plan, &plan(&manifest, TASK, &options));
        let listed: BTreeSet<&str> = traced.units.iter().filter(|unit| unit.rejected_by().is_none()).map(|unit| unit.id.as_str()).collect();
        let selected: BTreeSet<&str> = traced.plan.selected.iter().map(|unit| unit.id.as_str()).collect();
        prop_assert_eq!(listed, selected);
        for unit in &traced.units {
            if let (Some(skipped), Some(last)) = (traced.plan.skipped.iter().find(|skipped| skipped.id == unit.id), unit.verdicts.last()) {
                prop_assert!(!last.passed, "{}: {}", skipped.reason, last.detail);
            }
        }
    }

    #[test]
    fn strict_never_loads_more(text in manifest(), mut options in options()) {
        let manifest = Manifest::read(&text).unwrap();
        options.max_units = 100;
        options.budget = None;
        options.context_budget = None;
        options.strict = false;
        let lax = plan(&manifest, TASK, &options);
        options.strict = true;
        let strict = plan(&manifest, TASK, &options);
        prop_assert!(loadable(&strict).is_subset(&loadable(&lax)));
        prop_assert!(strict.selected.iter().all(|unit| unit.load_eligible));
    }

    #[test]
    fn what_is_loaded_fits_the_budgets(text in manifest(), options in options()) {
        let manifest = Manifest::read(&text).unwrap();
        let made = plan(&manifest, TASK, &options);
        prop_assert!(made.selected.len() <= options.max_units);
        if let Some(money) = &made.budget.money {
            prop_assert!(!money.remaining.is_negative());
        }
        if let Some(remaining) = made.context.remaining() {
            prop_assert!(!remaining.is_negative());
        }
    }

    #[test]
    fn what_is_asked_for_by_place_is_never_refused_for_its_neighbours(text in manifest(), mut options in options()) {
        let manifest = Manifest::read(&text).unwrap();
        options.max_units = 100;
        options.budget = None;
        options.context_budget = None;
        let all = plan(&manifest, TASK, &options);
        for id in loadable(&all) {
            let one = plan_path(&manifest, &format!("docs/{id}.md"), &options);
            // A task about the thing itself may still be one that the unit does not serve.
            let turned_away = one.skipped.iter().any(|skipped| skipped.reason.starts_with("not_for"));
            prop_assert!(turned_away || loadable(&one).contains(id), "{id}");
        }
    }

    #[test]
    fn folding_is_done_once(path in "[a./\\\\]{0,12}") {
        let once = folded(&path);
        prop_assert_eq!(folded(&once), once.clone());
        prop_assert!(!once.contains("//") && !once.contains("/./"));
    }

    #[test]
    fn patterns_without_wildcards_match_themselves_alone(pattern in "[ab/.+]{0,6}", path in "[ab/.+]{0,6}") {
        prop_assert_eq!(matches_path(&pattern, &path), pattern == path);
        prop_assert_eq!(may_match(&pattern, &path), pattern == path);
    }

    #[test]
    fn stars_match_as_a_naive_reading_does(pattern in "[ab/*]{0,6}", path in "[ab/]{0,6}") {
        prop_assert_eq!(matches_path(&pattern, &path), naive(pattern.as_bytes(), path.as_bytes()));
    }
}

fn naive(pattern: &[u8], path: &[u8]) -> bool {
    match pattern {
        [] => path.is_empty(),
        [b'*', b'*', rest @ ..] => (0..=path.len()).any(|at| naive(rest, path.get(at..).unwrap())),
        [b'*', rest @ ..] => {
            let segment = path.iter().take_while(|byte| **byte != b'/').count();
            (0..=segment).any(|at| naive(rest, path.get(at..).unwrap()))
        }
        [first, rest @ ..] => {
            matches!(path, [byte, tail @ ..] if byte == first && naive(rest, tail))
        }
    }
}
