//! How much a unit has to do with a task.

use crate::manifest::Unit;
use crate::terms::Terms;

/// How many terms were met, by where.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Relevance {
    intent: u32,
    triggers: u32,
    id_and_path: u32,
}

impl Relevance {
    /// Compares a unit with a task. Each term counts once for each kind, and again each time it was said.
    pub(crate) fn of(unit: &Unit, terms: &Terms) -> Self {
        let folded = &unit.folded;
        let within: Vec<&str> = folded
            .triggers
            .iter()
            .map(String::as_str)
            .filter(|trigger| !trigger.is_empty() && terms.hold(trigger))
            .collect();
        let mut found = Self::default();
        for (term, count) in terms.distinct() {
            if folded.intent.contains(term) {
                found.intent += count;
            }
            if folded.trigger_lines.contains(term)
                || within.iter().any(|trigger| term.contains(trigger))
            {
                found.triggers += count;
            }
            if folded.id_and_path.contains(term) {
                found.id_and_path += count;
            }
        }
        found
    }

    pub(crate) fn score(self) -> u64 {
        u64::from(self.intent) * 3 + u64::from(self.triggers) * 4 + u64::from(self.id_and_path) * 2
    }

    pub(crate) fn reasons(self) -> Vec<String> {
        let said = |count: u32, what: &str| (count > 0).then(|| format!("{what} {count} term(s)"));
        let reasons = [
            said(self.intent, "intent matches"),
            said(self.triggers, "triggers match"),
            said(self.id_and_path, "id/path matches"),
        ];
        reasons.into_iter().flatten().collect()
    }
}
