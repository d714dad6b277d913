//! What differs between two plans.
//!
//! Plans are compared as they are written, so that a plan from long ago, or by another planner, compares as well.

use knotrust_core::json::Value;

use crate::amount::Amount;
use crate::members::{Members, list, text, texts};

/// What differs between plan `a` and plan `b`.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanDiff {
    sides: [Value<'static>; 2],
    /// Units that went from one list to the other.
    pub moves: Vec<Move>,
    /// Listed units that have more or less to do with the task: before and after.
    pub score_changes: Vec<(String, Amount, Amount)>,
    /// Units that only one plan speaks of, and whether it is the first.
    pub presence: Vec<(String, bool)>,
    /// Sums that changed: which, before and after.
    pub budget_shifts: Vec<(&'static str, Option<Amount>, Option<Amount>)>,
    /// Units left out for another reason: before and after.
    pub reason_changes: Vec<(String, String, String)>,
    /// Warnings that came.
    pub warnings_added: Vec<String>,
    /// Warnings that went.
    pub warnings_removed: Vec<String>,
}

/// A unit that went from one list to the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// The unit.
    pub id: String,
    /// Whether it was listed and is no longer.
    pub out: bool,
    /// Its score where it is listed.
    pub score: Amount,
    /// Why it is not, where it isn't.
    pub reason: String,
}

/// Compares two plans.
#[must_use]
pub fn diff(a: &Value<'_>, b: &Value<'_>) -> PlanDiff {
    let (first, second) = (Side::of(a), Side::of(b));
    let mut found = PlanDiff {
        sides: [first.head.clone(), second.head.clone()],
        moves: Vec::new(),
        score_changes: Vec::new(),
        presence: Vec::new(),
        budget_shifts: Vec::new(),
        reason_changes: Vec::new(),
        warnings_added: missing(&second.warnings, &first.warnings),
        warnings_removed: missing(&first.warnings, &second.warnings),
    };
    for (id, score) in &first.selected {
        if let Some(reason) = second.reason(id) {
            found.moves.push(Move {
                id: id.clone(),
                out: true,
                score: *score,
                reason: reason.to_owned(),
            });
        }
        if let Some(after) = second.score(id).filter(|after| after != score) {
            found.score_changes.push((id.clone(), *score, after));
        }
    }
    for (id, reason) in &first.skipped {
        if let Some(score) = second.score(id) {
            found.moves.push(Move {
                id: id.clone(),
                out: false,
                score,
                reason: reason.clone(),
            });
        }
        if let Some(after) = second.reason(id).filter(|after| after != reason) {
            found
                .reason_changes
                .push((id.clone(), reason.clone(), after.to_owned()));
        }
    }
    let only_in = |side: &Side, other: &Side, is_first: bool| {
        let ids = side.ids().filter(|id| !other.speaks_of(id));
        ids.map(|id| (id.to_owned(), is_first)).collect::<Vec<_>>()
    };
    found.presence.extend(only_in(&first, &second, true));
    found.presence.extend(only_in(&second, &first, false));
    for (field, block, name) in SUMS {
        let sum = |plan: &Value<'_>| {
            plan.get(block)?
                .get(name)?
                .as_number()
                .and_then(Amount::of_number)
        };
        let (before, after) = (sum(a), sum(b));
        if before != after {
            found.budget_shifts.push((field, before, after));
        }
    }
    found
}

fn missing(from: &[String], other: &[String]) -> Vec<String> {
    from.iter()
        .filter(|warning| !other.contains(warning))
        .cloned()
        .collect()
}

/// What is compared of a plan.
struct Side {
    head: Value<'static>,
    selected: Vec<(String, Amount)>,
    skipped: Vec<(String, String)>,
    warnings: Vec<String>,
}

impl Side {
    fn of(plan: &Value<'_>) -> Self {
        let word = |value: Option<&Value<'_>>| {
            value.and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let entries = |name: &str| plan.get(name).and_then(Value::as_array).unwrap_or_default();
        let manifest =
            |name: &str| word(plan.get("manifest").and_then(|manifest| manifest.get(name)));
        let score = |entry: &Value<'_>| {
            entry
                .get("score")
                .and_then(Value::as_number)
                .and_then(Amount::of_number)
        };
        Self {
            head: Members::new()
                .text("project", &manifest("project"))
                .text("version", &manifest("version"))
                .text("task", &word(plan.get("task")))
                .text("asOf", &word(plan.get("asOf")))
                .done(),
            selected: entries("selected")
                .iter()
                .map(|entry| (word(entry.get("id")), score(entry).unwrap_or_default()))
                .collect(),
            skipped: entries("skipped")
                .iter()
                .map(|entry| (word(entry.get("id")), word(entry.get("reason"))))
                .collect(),
            warnings: entries("warnings")
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
        }
    }

    fn score(&self, id: &str) -> Option<Amount> {
        self.selected
            .iter()
            .find(|(known, _)| known == id)
            .map(|(_, score)| *score)
    }

    fn reason(&self, id: &str) -> Option<&str> {
        self.skipped
            .iter()
            .find(|(known, _)| known == id)
            .map(|(_, reason)| reason.as_str())
    }

    fn ids(&self) -> impl Iterator<Item = &str> {
        let selected = self.selected.iter().map(|(id, _)| id.as_str());
        selected.chain(self.skipped.iter().map(|(id, _)| id.as_str()))
    }

    fn speaks_of(&self, id: &str) -> bool {
        self.ids().any(|known| known == id)
    }
}

impl PlanDiff {
    /// Whether nothing differs.
    #[must_use]
    pub fn is_identical(&self) -> bool {
        self.moves.is_empty()
            && self.score_changes.is_empty()
            && self.presence.is_empty()
            && self.budget_shifts.is_empty()
            && self.reason_changes.is_empty()
            && self.warnings_added.is_empty()
            && self.warnings_removed.is_empty()
    }

    /// The difference as it is told.
    #[must_use]
    pub fn to_json(&self) -> Value<'static> {
        let [a, b] = self.sides.clone();
        let score_change = |(id, before, after): &(String, Amount, Amount)| {
            Members::new()
                .text("id", id)
                .set("before", before.to_json())
                .set("after", after.to_json())
                .set("delta", after.minus(*before).to_json())
                .done()
        };
        let presence = |(id, is_first): &(String, bool)| {
            let side = if *is_first { "a_only" } else { "b_only" };
            Members::new().text("id", id).text("side", side).done()
        };
        let shift = |(field, before, after): &(&'static str, Option<Amount>, Option<Amount>)| {
            Members::new()
                .text("field", field)
                .maybe("before", before.map(Amount::to_json))
                .maybe("after", after.map(Amount::to_json))
                .done()
        };
        let reason = |(id, before, after): &(String, String, String)| {
            Members::new()
                .text("id", id)
                .text("before", before)
                .text("after", after)
                .done()
        };
        Members::new()
            .set("a", a)
            .set("b", b)
            .flag("identical", self.is_identical())
            .set("moves", list(self.moves.iter().map(Move::to_json)))
            .set(
                "scoreChanges",
                list(self.score_changes.iter().map(score_change)),
            )
            .set("presence", list(self.presence.iter().map(presence)))
            .set("budgetShifts", list(self.budget_shifts.iter().map(shift)))
            .set(
                "reasonChanges",
                list(self.reason_changes.iter().map(reason)),
            )
            .set(
                "warningChanges",
                Members::new()
                    .set("added", texts(&self.warnings_added))
                    .set("removed", texts(&self.warnings_removed))
                    .done(),
            )
            .done()
    }
}

impl Move {
    fn to_json(&self) -> Value<'static> {
        let listed = Members::new().set("score", self.score.to_json()).done();
        let left_out = Members::new().set("reason", text(&self.reason)).done();
        let (direction, from, to) = match self.out {
            true => ("selected_to_skipped", listed, left_out),
            false => ("skipped_to_selected", left_out, listed),
        };
        Members::new()
            .text("id", &self.id)
            .text("direction", direction)
            .set("from", from)
            .set("to", to)
            .done()
    }
}

const SUMS: [(&str, &str, &str); 6] = [
    ("budget.ceiling", "budget", "ceiling"),
    ("budget.projectedSpend", "budget", "projectedSpend"),
    ("budget.remaining", "budget", "remaining"),
    ("context.ceiling", "context", "ceiling"),
    ("context.projectedTokens", "context", "projectedTokens"),
    ("context.remaining", "context", "remaining"),
];
