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
        let mut found = Self::default();
        for (term, count) in terms.distinct() {
            if !folded.all().contains(term) {
                continue;
            }
            let counted = |text: &str| if text.contains(term) { count } else { 0 };
            found.intent += counted(folded.intent());
            found.triggers += counted(folded.triggers());
            found.id_and_path += counted(folded.id_and_path());
        }
        let held: Vec<&str> = folded
            .triggers()
            .split('\n')
            .filter(|trigger| terms.hold(trigger))
            .collect();
        if !held.is_empty() {
            // A term that holds a trigger counts like one that is held by a trigger, and not twice.
            let by_holding = terms.distinct().filter(|(term, _)| {
                !folded.triggers().contains(term)
                    && held.iter().any(|trigger| term.contains(trigger))
            });
            found.triggers += by_holding.map(|(_, count)| count).sum::<u32>();
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
