//! What rulesets mean: the decisions they lead to, and which of them mean the same.

use std::path::Path;

use expect_test::{Expect, expect};
use knotrust_language::{check_str, checked::Checked, render, trial};

const HEAD: &str = "apiVersion: knotrust/v1\nkind: Ruleset\nmetadata: { name: a, version: 1 }\nunlistedServers: allow\n";

fn checked(body: &str) -> Result<Checked, String> {
    let (checked, problems) = check_str("knotrust.yaml", &format!("{HEAD}{body}"), Path::new(""));
    checked.ok_or_else(|| render::text(&problems, render::Colour::Never))
}

/// What the policy decides about calls, each written as in a ruleset's tests.
#[track_caller]
fn decides(rules: &str, calls: &[&str], expect: Expect) {
    let tests: String = calls
        .iter()
        .map(|call| {
            format!("  - {{ name: '{call}', call: {call}, expect: {{ tier: critical }} }}\n")
        })
        .collect();
    let text = format!("{HEAD}{rules}tests:\n{tests}")
        .replace("expect: { tier: critical }", "expect: { reason: x }");
    let (_, problems) = check_str("knotrust.yaml", &text, Path::new(""));
    let said: Vec<String> = problems
        .iter()
        .map(|problem| format!("{}\n  {}", problem.message, problem.help.join("\n  ")))
        .collect();
    expect.assert_eq(&said.join("\n"));
}

#[test]
fn the_narrower_pattern_wins_whatever_the_order() {
    let rules = "tiers:\n  rules:\n    - { match: 'pay.quote_*', tier: routine }\n    - { match: 'pay.*', tier: critical }\n";
    decides(
        rules,
        &[
            "{ server: pay, tool: quote_list }",
            "{ server: pay, tool: out }",
        ],
        expect![[r#"
            the test `{ server: pay, tool: quote_list }` fails: its reason is `routine_default_allow`, not `x`
              decided by the layer tier default: routine calls need nothing more, tier routine (rule)
            the test `{ server: pay, tool: out }` fails: its reason is `no_grant_critical`, not `x`
              decided by the layer tier default: critical, and no grant covers it: a person must approve, tier critical (rule)"#]],
    );
}

#[test]
fn a_ruleset_tries_its_own_tests() {
    let checked = checked(
        "tiers:\n  rules:\n    - { match: 'a.b', tier: routine }\ntests:\n  - name: it passes\n    call: { server: a, tool: b }\n    \
         expect: { outcome: allow }\n",
    )
    .unwrap();
    let trials = trial::run(&checked);
    assert_eq!(trials.len(), 1);
    assert!(trials.iter().all(|trial| trial.differences().is_empty()));
}

#[test]
fn what_has_no_meaning_does_not_change_the_digest() {
    let base = "tiers:\n  rules:\n    - { match: ['a.x', 'a.y'], when: { /n: { in: [1, 2.0] } }, tier: routine }\n    - { match: 'b.*', tier: critical }\n";
    let same = [
        "# a comment\ntiers:\n  rules:\n    - tier: critical\n      match: \"b.*\"\n    - when:\n        /n: { in: [2, 1] }\n      match: [a.y, a.x, a.x]\n      tier: routine\n",
        "tiers:\n  defaults: { unknownTool: sensitive }\n  rules:\n    - { match: 'a.{x,y}', when: { /n: { in: [1, 2.0] } }, tier: routine }\n    - { match: 'b.*', tier: critical }\nmode: enforce\ncache: { routine: 300s }\n",
    ];
    for other in same {
        assert_eq!(
            checked(base).unwrap().digest(),
            checked(other).unwrap().digest(),
            "{other}"
        );
    }
}

#[test]
fn whatever_can_change_a_decision_changes_the_digest() {
    let bodies = [
        "",
        "scope: org\n",
        "mode: observe\n",
        "unlistedServers: deny\n",
        "servers: { a: { command: [a] } }\n",
        "servers: { a: { command: [a, b] } }\n",
        "servers: { a: { command: [a], env: [] } }\n",
        "servers: { a: { url: 'https://a/' } }\n",
        "tiers: { defaults: { unknownTool: critical } }\n",
        "tiers: { defaults: { destructiveLooking: sensitive } }\n",
        "tiers: { rules: [{ match: 'a.*', tier: routine }] }\n",
        "tiers: { rules: [{ match: 'a.*', tier: sensitive }] }\n",
        "tiers: { rules: [{ match: 'a.*', allow: true }] }\n",
        "tiers: { rules: [{ match: 'a.*', tier: sensitive, allow: true }] }\n",
        "tiers: { rules: [{ match: 'a.*', deny: true }] }\n",
        "tiers: { rules: [{ match: 'a.*', tier: routine, when: { /n: { lt: 9007199254740992 } } }] }\n",
        "tiers: { rules: [{ match: 'a.*', tier: routine, when: { /n: { lt: 9007199254740993 } } }] }\n",
        "tiers: { rules: [{ match: 'a.*', tier: routine, when: { /n: { eq: '9007199254740993' } } }] }\n",
        "tiers: { rules: [{ match: 'a.*', tier: routine, when: { /n: { eq: 9007199254740993 } } }] }\n",
        "resources: [{ match: 'a.*', type: b }]\n",
        "resources: [{ match: 'a.*', type: b, id: /c }]\n",
        "resources: [{ match: 'a.*', type: b, properties: { c: /c } }]\n",
        "envelope: { deny: ['a.*'] }\n",
        "envelope: { forceApproval: { tools: ['a.*'] } }\n",
        "envelope: { forceApproval: { tiers: [routine] } }\n",
        "envelope: { floors: { 'a.*': sensitive } }\n",
        "envelope: { grantCeiling: routine }\n",
        "approvals: { channels: [block_and_wait] }\n",
        "approvals: { hold: 1s }\n",
        "approvals: { expires: 1d }\n",
        "approvals: { approver: passkey }\n",
        "approvals: { requireSignedResolutions: true }\n",
        "approvals: { reviewers: [{ name: a, role: b }] }\n",
        "approvals: { rules: [{ match: { tools: ['a.*'] }, requiredRole: b }] }\n",
        "approvals: { rules: [{ match: { tools: ['a.*'], paths: ['a/'] }, requiredRole: b }] }\n",
        "failOpen: [{ tools: ['a.*'] }]\n",
        "cache: { routine: 1s }\n",
        "cache: { sensitive: 1s }\n",
        "audit: { captureArguments: true }\n",
        "audit: { allCalls: false }\n",
        "pdp: { engine: opa, url: 'https://a/' }\n",
        "pdp: { engine: authzen, url: 'https://a/' }\n",
        "listing: hide-denied\n",
        "markCritical: true\n",
        "respond: { metadata: never }\n",
        "gates: { audience: { role: b } }\n",
        "gates: { env: b }\n",
        "gates: { attestation: { provider: null, required: true } }\n",
        "gates: { payment: { methods: [x402] } }\n",
        "gates: { access: { credentials: [b] } }\n",
        "gates: { strict: true }\n",
        "gates: { maxUnits: 6 }\n",
        "gates: { moneyBudget: { amount: 1.00 } }\n",
        "gates: { contextBudget: 6 }\n",
        "gates: { confidence: { threshold: 0.7 } }\n",
        "gates: { conformance: { routeToRole: b } }\n",
        "gates: { signatures: { required: true } }\n",
        "gates: { withheldTools: [kcp_load] }\n",
    ];
    let mut digests: Vec<String> = bodies
        .iter()
        .map(|body| {
            let text = if body.starts_with("unlisted") {
                HEAD.replace("unlistedServers: allow\n", body)
            } else {
                format!("{HEAD}{body}")
            };
            check_str("knotrust.yaml", &text, Path::new(""))
                .0
                .map(|checked| checked.digest().to_owned())
                .unwrap()
        })
        .collect();
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), bodies.len());
}
