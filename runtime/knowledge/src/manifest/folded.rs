//! The texts that tasks are compared with.

use super::unit::Unit;

/// A unit's texts in lower case, made once, as a manifest is planned many times.
///
/// They lie in one piece, so that a term that occurs nowhere is done with after one look.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Folded {
    all: String,
    intent_ends: usize,
    triggers_end: usize,
    pub(crate) not_for: Vec<String>,
}

impl Folded {
    pub(super) fn of(unit: &Unit) -> Self {
        let mut all = unit.intent.to_lowercase();
        let intent_ends = all.len();
        all.push(LINE_END);
        for trigger in &unit.triggers {
            // No term holds a line end, so a trigger that does must not fall into pieces that terms could hold.
            all.extend(trigger.to_lowercase().chars().map(|character| {
                if character == LINE_END {
                    '\0'
                } else {
                    character
                }
            }));
            all.push(LINE_END);
        }
        let triggers_end = all.len();
        all.push_str(&format!("{} {}", unit.id, unit.path).to_lowercase());
        Self {
            all,
            intent_ends,
            triggers_end,
            not_for: unit
                .not_for
                .iter()
                .map(|entry| entry.to_lowercase())
                .collect(),
        }
    }

    /// Intent, triggers, id and path.
    pub(crate) fn all(&self) -> &str {
        &self.all
    }

    pub(crate) fn intent(&self) -> &str {
        self.all.get(..self.intent_ends).unwrap_or_default()
    }

    /// The triggers, each on a line.
    pub(crate) fn triggers(&self) -> &str {
        self.all
            .get(self.intent_ends..self.triggers_end)
            .unwrap_or_default()
    }

    pub(crate) fn id_and_path(&self) -> &str {
        self.all.get(self.triggers_end..).unwrap_or_default()
    }
}

const LINE_END: char = '\n';
