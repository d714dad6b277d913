//! Rules about tiers, allowing and denying.

use knotrust_core::{
    ruleset::{Effect, Source},
    tier::Tier,
};

use super::Resolver;
use crate::{
    located::Located,
    model::{PackTierRule, TierName, TierRule},
    problem::{Code, Problem},
    resolved::Rule,
};

impl Resolver<'_> {
    pub(super) fn own_rules(&mut self, written: &[Located<TierRule>]) -> Vec<Rule> {
        written
            .iter()
            .filter_map(|rule| self.own_rule(rule))
            .collect()
    }

    fn own_rule(&mut self, written: &Located<TierRule>) -> Option<Rule> {
        let rule = &written.value;
        let effect = self.effect(written);
        let patterns = self.patterns(&rule.patterns.0);
        let condition = rule.when.as_ref().map(|when| self.condition(when));
        // A rule without its condition would say more than was written.
        let condition = match condition {
            Some(None) => return None,
            Some(condition) => condition,
            None => None,
        };
        let whole = patterns.len() == rule.patterns.0.len();
        Some(Rule {
            patterns,
            effect: effect?,
            source: Source::Own,
            place: self.place(written.span),
            span: written.span,
            condition,
        })
        .filter(|_| whole)
    }

    fn effect(&mut self, written: &Located<TierRule>) -> Option<Effect> {
        let rule = &written.value;
        let tier = rule.tier.as_ref();
        match (tier, &rule.allow, &rule.deny) {
            (None, None, None) if !written.whole => None,
            (None, None, None) => {
                self.push(
                    Problem::new(
                        Code::MissingKey,
                        "this rule says nothing: it has neither `tier` nor `allow` nor `deny`",
                    )
                    .at(written.span, "this rule")
                    .help("add `tier: sensitive`, `allow: true` or `deny: true`"),
                );
                None
            }
            (tier, None, Some(deny)) => {
                if let Some(tier) = tier {
                    self.push(
                        Problem::new(Code::Conflict, "a rule that denies has no tier")
                            .at(tier.span, "this has no meaning")
                            .at(deny.span, "denied at every tier"),
                    );
                }
                Some(Effect::Deny)
            }
            (_, Some(allow), Some(deny)) => {
                self.push(
                    Problem::new(Code::Conflict, "this rule both allows and denies")
                        .at(deny.span, "denies")
                        .at(allow.span, "allows")
                        .help("keep one of the two"),
                );
                None
            }
            (tier, Some(allow), None) => {
                if let Some(tier) = tier.filter(|tier| tier.value != TierName::Sensitive) {
                    let message = match tier.value {
                        TierName::Critical => {
                            "a critical call cannot be allowed by a rule: a person must approve it"
                        }
                        TierName::Routine | TierName::Sensitive => {
                            "a routine call needs no `allow`: it passes"
                        }
                    };
                    self.push(
                        Problem::new(Code::Conflict, message)
                            .at(allow.span, "counts only for what is sensitive")
                            .at(tier.span, "the tier"),
                    );
                }
                Some(Effect::Allow(tier.map(|tier| tier.value.into())))
            }
            (Some(tier), None, None) => Some(Effect::Tier(tier.value.into())),
        }
    }

    pub(super) fn pack_rule(
        &mut self,
        written: &Located<PackTierRule>,
        server: Option<&str>,
    ) -> Option<Rule> {
        let rule = &written.value;
        let patterns = self.patterns(&rule.patterns.0);
        let condition = rule.when.as_ref().map(|when| self.condition(when));
        let whole = patterns.len() == rule.patterns.0.len() && !matches!(condition, Some(None));
        for bound in &patterns {
            self.stays_within(bound, server);
        }
        whole.then(|| Rule {
            patterns,
            effect: Effect::Tier(Tier::from(rule.tier.value)),
            source: Source::Pack,
            place: self.place(written.span),
            span: written.span,
            condition: condition.flatten(),
        })
    }
}
