//! Small policies, built by hand and lent for the length of a test.

use knotrust_core::names::{Names, Row as NameRow};
use knotrust_core::precedence::{Row, reachable};
use knotrust_core::ruleset::{
    Approvals, Bound, Defaults, Effect, Envelope, Floor, Gates, Rule, Rules, Ruleset, Settings,
    Unlisted, Use,
};
use knotrust_core::targets::place::Places;
use knotrust_core::tier::{Tier, Tiers};

/// A policy over exact names.
pub(crate) struct Policy {
    entries: Vec<(String, Effect, bool)>,
    denied: Vec<String>,
    forced: Vec<String>,
    floors: Vec<(String, Tier)>,
    force_tiers: Tiers,
    pub(crate) ceiling: Tier,
    pub(crate) unknown: Tier,
}

/// What a reference's policy says of one tool.
pub(crate) struct Entry<'a> {
    pub(crate) name: &'a str,
    pub(crate) tier: Tier,
    pub(crate) own: bool,
    pub(crate) allow: bool,
    pub(crate) deny: bool,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            denied: Vec::new(),
            forced: Vec::new(),
            floors: Vec::new(),
            force_tiers: Tiers::NONE,
            ceiling: Tier::Critical,
            unknown: Tier::Sensitive,
        }
    }
}

impl Policy {
    pub(crate) fn tool(&mut self, entry: &Entry<'_>) {
        let name = entry.name.to_owned();
        if entry.own && entry.deny {
            self.entries.push((name.clone(), Effect::Deny, true));
        }
        let effect = if entry.own && entry.allow {
            Effect::Allow(Some(entry.tier))
        } else {
            Effect::Tier(entry.tier)
        };
        self.entries.push((name, effect, entry.own));
    }

    pub(crate) fn deny(&mut self, name: &str) {
        self.denied.push(name.to_owned());
    }

    pub(crate) fn force(&mut self, name: &str) {
        self.forced.push(name.to_owned());
    }

    pub(crate) fn force_tier(&mut self, tier: Tier) {
        self.force_tiers = self.force_tiers.and(Tiers::only(tier));
    }

    pub(crate) fn floor(&mut self, name: &str, tier: Tier) {
        self.floors.push((name.to_owned(), tier));
    }

    pub(crate) fn with<T>(&self, then: impl FnOnce(&Ruleset<'_>) -> T) -> T {
        let rule = |(name, effect, own): &'_ (String, Effect, bool)| {
            let rule = Rule::new(*effect, Box::leak(name.clone().into_boxed_str()), 1);
            if *own { rule } else { rule.from_pack(0) }
        };
        let rules: Vec<Rule<'_>> = self.entries.iter().map(rule).collect();
        let bounds = |names: &'_ [String]| -> Vec<Bound<'static>> {
            names
                .iter()
                .map(|name| Bound::new(Box::leak(name.clone().into_boxed_str()), 1))
                .collect()
        };
        let (deny, force_tools) = (bounds(&self.denied), bounds(&self.forced));
        let floors: Vec<Floor<'_>> = self
            .floors
            .iter()
            .map(|(name, tier)| Floor::new(*tier, name, 1))
            .collect();
        let rows = (0..)
            .zip(&rules)
            .map(|(rank, rule)| (rule.pattern, Use::Rule(rank)));
        let denied = (0..)
            .zip(&deny)
            .map(|(index, bound)| (bound.pattern, Use::EnvelopeDeny(index)));
        let forced = (0..)
            .zip(&force_tools)
            .map(|(index, bound)| (bound.pattern, Use::ForceApproval(index)));
        let floored = (0..)
            .zip(&floors)
            .map(|(index, floor)| (floor.bound.pattern, Use::Floor(index)));
        let named: Vec<(&str, [u32; 1])> = rows
            .chain(denied)
            .chain(forced)
            .chain(floored)
            .map(|(pattern, usage)| (pattern, [usage.id()]))
            .collect();
        let named: Vec<NameRow<'_>> = named
            .iter()
            .map(|(pattern, ids)| NameRow::new(pattern, ids))
            .collect();
        let ruleset = Ruleset {
            name: "test",
            version: 1,
            digest: "",
            files: &["test.yaml"],
            servers: &[],
            unlisted_servers: Unlisted::Allow,
            defaults: Defaults {
                unknown_tool: self.unknown,
                destructive_looking: Tier::Critical,
            },
            rules: Rules::Rows(&rules),
            resources: &[],
            domains: &[],
            gates: Gates::DEFAULT,
            places: Places::NONE,
            envelope: Envelope {
                deny: &deny,
                force_tiers: self.force_tiers,
                force_tools: &force_tools,
                floors: &floors,
                grant_ceiling: self.ceiling,
            },
            approvals: Approvals::DEFAULT,
            settings: Settings::DEFAULT,
            names: Names::listed(&named),
            precedence: &[],
        };
        let rows: Vec<Row> = reachable(&ruleset).copied().collect();
        then(&Ruleset {
            precedence: &rows,
            ..ruleset
        })
    }
}
