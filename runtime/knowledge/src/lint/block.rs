//! Blocks that nothing here acts on, but the specification has rules for.

use std::collections::BTreeSet;

use super::{Findings, MANIFEST, unit_place, units};
use crate::amount::Amount;
use crate::manifest::Draft;
use crate::manifest::node::Node;

pub(super) fn look(draft: &Draft, findings: &mut Findings) {
    let ids: BTreeSet<&str> = draft.units.iter().map(|unit| unit.id.as_str()).collect();
    look_at_blocks(&draft.root, MANIFEST, findings);
    let most = depth(&draft.root);
    for read in units(draft) {
        let place = unit_place(&read.unit.id);
        look_at_blocks(read.node, &place, findings);
        if let (Some(most), Some(own)) = (most, depth(read.node))
            && own > most
        {
            findings.error(
                &place,
                "delegation-too-deep",
                format!("delegation.max_depth {own} exceeds the manifest's {most}"),
            );
        }
        look_at_names(read.node, &place, &ids, findings);
    }
    look_at_relationships(draft, &ids, findings);
}

fn depth(node: &Node) -> Option<Amount> {
    node.get("delegation")?
        .get("max_depth")?
        .as_text()
        .and_then(|text| Amount::read(&text))
}

/// What may stand at the top as well as in a unit.
fn look_at_blocks(node: &Node, place: &str, findings: &mut Findings) {
    let word = |block: &str, name: &str| node.get(block)?.get(name)?.as_text();
    if let Some(sensitivity) = word("compliance", "sensitivity")
        && !SENSITIVITIES.contains(&&*sensitivity)
    {
        findings.error(
            place,
            "sensitivity-unknown",
            format!("compliance.sensitivity `{sensitivity}` is none"),
        );
    }
    let mechanism = node
        .get("delegation")
        .and_then(|block| block.get("human_in_the_loop"));
    if let Some(mechanism) = mechanism
        .and_then(|block| block.get("approval_mechanism"))
        .and_then(Node::as_text)
        && !MECHANISMS.contains(&&*mechanism)
    {
        findings.error(
            place,
            "approval-mechanism-unknown",
            format!("approval_mechanism `{mechanism}` is none"),
        );
    }
    let rumoured =
        word("discovery", "verification_status").is_some_and(|status| status == "rumored");
    let confidence = word("discovery", "confidence").and_then(|text| Amount::read(&text));
    if rumoured
        && confidence.is_some_and(|confidence| confidence.plus(confidence) >= Amount::from(1))
    {
        findings.error(
            place,
            "rumour-too-confident",
            "what is only rumored must have a confidence below 0.5 (§4.18)",
        );
    }
}

/// Other units, by name.
fn look_at_names(node: &Node, place: &str, ids: &BTreeSet<&str>, findings: &mut Findings) {
    let depends_on = node
        .get("depends_on")
        .map(Node::elements)
        .unwrap_or_default();
    let summary = node
        .get("hints")
        .and_then(|hints| hints.get("summary_unit"));
    for id in depends_on.iter().chain(summary).filter_map(Node::as_text) {
        if !ids.contains(&*id) {
            findings.warning(
                place,
                "unit-unknown",
                format!("it names `{id}`, which is no unit"),
            );
        }
    }
}

fn look_at_relationships(draft: &Draft, ids: &BTreeSet<&str>, findings: &mut Findings) {
    for relationship in draft
        .root
        .get("relationships")
        .map(Node::elements)
        .unwrap_or_default()
    {
        let word = |name: &str| {
            relationship
                .get(name)
                .and_then(Node::as_text)
                .unwrap_or_default()
        };
        let kind = word("type");
        if !RELATIONSHIPS.contains(&&*kind) {
            findings.warning(
                MANIFEST,
                "relationship-unknown",
                format!("relationship type `{kind}` is none"),
            );
        }
        for id in [word("from"), word("to")]
            .iter()
            .filter(|id| !ids.contains(&***id))
        {
            findings.warning(
                MANIFEST,
                "unit-unknown",
                format!("a relationship names `{id}`, which is no unit"),
            );
        }
    }
}

const SENSITIVITIES: [&str; 4] = ["public", "internal", "confidential", "restricted"];
const MECHANISMS: [&str; 3] = ["oauth_consent", "uma", "custom"];
const RELATIONSHIPS: [&str; 6] = [
    "enables",
    "context",
    "supersedes",
    "contradicts",
    "depends_on",
    "governs",
];
