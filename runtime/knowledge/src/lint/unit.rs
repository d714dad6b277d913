//! Units.

use std::collections::BTreeSet;

use super::{Findings, Level, Read, Surroundings, procedure, unit_place, units};
use crate::date::IsoDate;
use crate::manifest::node::Node;
use crate::manifest::{Access, Draft, Listing, Method, PathFault, Temporal, WrittenDate};
use crate::terms::Terms;

pub(super) fn look(draft: &Draft, surroundings: Surroundings<'_>, findings: &mut Findings) {
    let mut ids = BTreeSet::new();
    for read in units(draft) {
        let place = unit_place(&read.unit.id);
        look_at_id(&read, &place, &mut ids, findings);
        look_at_path(&read, &place, surroundings, findings);
        look_at_words(&read, &place, findings);
        look_at_kind(&read, &place, findings);
        look_at_time(&read.unit.temporal, &place, surroundings.today, findings);
        look_at_not_for(&read, &place, findings);
        procedure::look(&read, &place, draft, findings);
        look_at_payment(&read, &place, findings);
        look_at_flags(&read, &place, findings);
    }
    for read in units(draft) {
        if let Some(successor) = &read.unit.temporal.superseded_by
            && !ids.contains(successor.as_str())
        {
            let message = format!("superseded_by names `{successor}`, which is no unit");
            findings.error(&unit_place(&read.unit.id), "successor-unknown", message);
        }
    }
}

fn look_at_id<'a>(
    read: &Read<'a>,
    place: &str,
    ids: &mut BTreeSet<&'a str>,
    findings: &mut Findings,
) {
    match read.unit.id.as_str() {
        "" => findings.error(place, "id-missing", "`id` is missing"),
        id if !ids.insert(id) => {
            findings.error(
                place,
                "unit-id-duplicate",
                "the id was used before; only the first unit counts",
            );
        }
        _ => {}
    }
}

fn look_at_path(
    read: &Read<'_>,
    place: &str,
    surroundings: Surroundings<'_>,
    findings: &mut Findings,
) {
    let path = &read.unit.path;
    let code = match PathFault::of(path) {
        Some(PathFault::Empty) => "path-empty",
        Some(PathFault::Url) => "path-is-url",
        Some(PathFault::Absolute) => "path-absolute",
        Some(PathFault::Traverses) => "path-traverses",
        None => {
            if surroundings.exists.is_some_and(|exists| !exists(path)) {
                findings.error(
                    place,
                    "path-not-found",
                    format!("there is nothing at `{path}`"),
                );
            }
            return;
        }
    };
    findings.error(
        place,
        code,
        format!("`{path}` must be a path below the manifest's folder"),
    );
}

fn look_at_words(read: &Read<'_>, place: &str, findings: &mut Findings) {
    if read.unit.intent.is_empty() {
        findings.error(
            place,
            "intent-missing",
            "`intent` is missing, and it is what tasks are compared with",
        );
    }
    if read.unit.triggers.is_empty() {
        findings.warning(
            place,
            "triggers-missing",
            "there are no `triggers`, so only the intent can be found",
        );
    }
    match &read.unit.audience {
        Listing::Malformed(_) => findings.error(
            place,
            "audience-not-a-list",
            "`audience` is no list, so the unit serves nobody",
        ),
        listing if listing.texts().is_empty() => {
            findings.warning(
                place,
                "audience-missing",
                "there is no `audience`, so the unit serves everyone",
            );
        }
        Listing::Absent | Listing::Listed(_) => {}
    }
    if let Access::Public(word) = &read.unit.access
        && word != "public"
    {
        findings.warning(
            place,
            "access-unknown",
            format!("access `{word}` is none, and counts as public"),
        );
    }
}

fn look_at_kind(read: &Read<'_>, place: &str, findings: &mut Findings) {
    if let Some(kind) = read.unit.kind.as_str()
        && !KINDS.contains(&kind)
    {
        findings.warning(
            place,
            "kind-unknown",
            format!("kind `{kind}` is none, and counts as knowledge"),
        );
    }
    if let Some(scope) = read.node.get("scope").and_then(Node::as_text)
        && !SCOPES.contains(&&*scope)
    {
        findings.error(
            place,
            "scope-unknown",
            format!("scope `{scope}` is not global, project or module"),
        );
    }
}

fn look_at_time(temporal: &Temporal, place: &str, today: &IsoDate, findings: &mut Findings) {
    let (from, until) = (&temporal.valid_from, &temporal.valid_until);
    let mut expect_date = |bound: &Option<WrittenDate>, code: &'static str| {
        if let Some(bound) = bound.as_ref().filter(|bound| bound.date.is_none()) {
            findings.error(
                place,
                code,
                format!("`{}` is no ISO date, so the unit never holds", bound.text),
            );
        }
    };
    expect_date(from, "valid-from-not-a-date");
    expect_date(until, "valid-until-not-a-date");
    if let (Some(from), Some(until)) = (from, until)
        && ends_before(from, until)
    {
        findings.error(
            place,
            "window-inverted",
            format!("it ends ({}) before it begins ({})", until.text, from.text),
        );
    }
    let has_expired = until
        .as_ref()
        .and_then(|until| until.date.as_ref())
        .is_some_and(|date| date.is_before(today));
    if has_expired && temporal.superseded_by.is_none() {
        findings.warning(
            place,
            "expired-without-successor",
            "it has expired, and nothing says what to use instead",
        );
    }
}

fn ends_before(from: &WrittenDate, until: &WrittenDate) -> bool {
    match (&from.date, &until.date) {
        (Some(from), Some(until)) => until.is_before(from),
        (None, _) | (_, None) => until.text < from.text,
    }
}

fn look_at_not_for(read: &Read<'_>, place: &str, findings: &mut Findings) {
    let unit = read.unit;
    let own = Terms::of(&format!("{} {}", unit.intent, unit.triggers.join(" ")));
    if let Some(entry) = unit
        .folded
        .not_for
        .iter()
        .position(|entry| own.occur_in(entry))
    {
        let entry = unit.not_for.get(entry).map_or("", String::as_str);
        let message = format!(
            "`{entry}` in not_for holds a word of the unit's own, so tasks about it are turned away"
        );
        findings.warning(place, "not-for-names-own-topic", message);
    }
}

fn look_at_payment(read: &Read<'_>, place: &str, findings: &mut Findings) {
    // What a unit inherits is not its own fault.
    if read.node.get("payment").is_none() {
        return;
    }
    for method in read
        .unit
        .payment
        .iter()
        .flat_map(|payment| &payment.methods)
    {
        if method.kind.is_empty() {
            findings.error(
                place,
                "method-type-missing",
                "a payment method has no `type`",
            );
        } else if method.kind == "x402" && !is_complete(method) {
            let message = "an x402 method must have a decimal `price_per_request` and a `currency`, or nobody can pay";
            findings.warning(place, "x402-incomplete", message);
        }
    }
}

fn is_complete(method: &Method) -> bool {
    method.currency.is_some()
        && method
            .price
            .as_ref()
            .is_some_and(|price| price.amount.is_some())
}

/// Truth values that are none.
fn look_at_flags(read: &Read<'_>, place: &str, findings: &mut Findings) {
    for name in ["load_eligible", "deprecated"] {
        if read
            .node
            .get(name)
            .is_some_and(|value| !matches!(value, Node::Bool(_)))
        {
            findings.add(
                Level::Warning,
                place,
                "not-a-boolean",
                format!("`{name}` is neither true nor false, and counts as absent"),
            );
        }
    }
}

const KINDS: [&str; 7] = [
    "knowledge",
    "schema",
    "service",
    "policy",
    "executable",
    "skill",
    "playbook",
];
const SCOPES: [&str; 3] = ["global", "project", "module"];
