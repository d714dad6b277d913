//! Texts that nobody would write: they end in a problem, never in a panic, and soon.

use std::path::Path;

use knotrust_language::{check_str, render};
use proptest::prelude::*;

fn judge(text: &str) {
    let (checked, problems) = check_str("knotrust.yaml", text, Path::new("nowhere"));
    assert!(
        checked.is_some() || problems.errors().next().is_some(),
        "refused without a word"
    );
    render::text(&problems, render::Colour::Always);
    render::json(&problems);
    render::sarif(&problems);
}

/// Pieces of YAML and of policies, so that random texts get past the first line.
const PIECES: &[&str] = &[
    "apiVersion: knotrust/v1\n",
    "kind: Ruleset\n",
    "metadata: { name: a, version: 1 }\n",
    "tiers:\n",
    "  rules:\n",
    "    - { match: \"a.*\", tier: routine }\n",
    "    - match: ",
    "*.x",
    "{a,b}_c",
    "[a",
    "\"",
    "'",
    "#",
    ": ",
    "- ",
    "&a ",
    "*a",
    "!t ",
    "|\n",
    ">-\n",
    "\t",
    "\n",
    "\r",
    "  ",
    "? ",
    "<<: ",
    "---\n",
    "...\n",
    "%YAML 1.2\n",
    "{",
    "}",
    "[",
    "]",
    ",",
    "@",
    "`",
    "\u{feff}",
    "\u{200b}",
    "\\u202e",
    "é",
    "0",
    "1_0",
    "yes",
    "~",
    "when: ",
    "{ /a: { lt: 1 } }",
    "in: [no]",
    "tests:\n",
];

#[test]
fn floods_of_faults_end_in_a_bounded_report() {
    let head = "apiVersion: knotrust/v1\nkind: Ruleset\nmetadata: { name: a, version: 1 }\n";
    let keys: String = (0..20_000)
        .map(|number| format!("k{number}: 1\n"))
        .collect();
    let anchors: String = (0..20_000).map(|number| format!("&a{number} x,")).collect();
    let floods = [
        "\ta\n".repeat(20_000),
        "# \u{200b}\n".repeat(20_000),
        format!("{head}{keys}"),
        format!("{head}{}", "k: 1\n".repeat(20_000)),
        format!("{head}x: [{anchors}]\n"),
        format!(
            "{head}tiers:\n  rules:\n{}",
            "    - { match: \"a.[\", tier: routin, x: 1 }\n".repeat(20_000)
        ),
        format!(
            "{head}tests: [{{ name: a, call: {{ server: a, tool: b, arguments: {{ a: [{}] }} }} }}]\n",
            "yes,".repeat(20_000)
        ),
    ];
    for flood in floods {
        let (checked, problems) = check_str("knotrust.yaml", &flood, Path::new("nowhere"));
        assert!(checked.is_none());
        assert!(
            (100..=101).contains(&problems.iter().count()),
            "{}",
            problems.iter().count()
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_judged(text in ".*") {
        judge(&text);
    }

    #[test]
    fn any_bytes_are_judged(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        judge(&String::from_utf8_lossy(&bytes));
        let (_, problems) = knotrust_language::check_bytes("knotrust.yaml", &bytes, Path::new("nowhere"));
        render::text(&problems, render::Colour::Never);
    }

    #[test]
    fn any_pieces_of_a_policy_are_judged(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..40)) {
        judge(&pieces.concat());
    }
}
