//! The outer ceiling, and the one way to fail open.

use knotrust_core::tier::{Tier, Tiers};

use super::Resolver;
use crate::{
    located::Located,
    model::{self, FailOpen, Pattern},
    problem::{Code, Problem},
    resolved::{Bound, Envelope},
};

impl Resolver<'_> {
    pub(super) fn envelope(&mut self, written: Option<&model::Envelope>) -> Envelope {
        let deny = written.and_then(|envelope| envelope.deny.as_ref());
        let force = written.and_then(|envelope| envelope.force_approval.as_ref());
        let force_tiers = force
            .and_then(|force| force.tiers.as_deref())
            .unwrap_or_default();
        let floors = written.and_then(|envelope| envelope.floors.as_ref());
        let ceiling = written.and_then(|envelope| envelope.grant_ceiling.as_ref());
        if let Some(deny) = deny.filter(|deny| deny.value.is_empty()) {
            self.push(
                Problem::new(Code::DeniesNothing, "an empty `deny` denies nothing")
                    .at(deny.span, "nothing in it")
                    .help("leave it out, or name what nobody may call"),
            );
        }
        let mut resolved = Envelope {
            deny: self.patterns(deny.iter().flat_map(|deny| &deny.value)),
            force_tiers: force_tiers.iter().fold(Tiers::NONE, |tiers, tier| {
                tiers.and(Tiers::only(tier.value.into()))
            }),
            force_tools: self.patterns(force.iter().flat_map(|force| force.tools.iter().flatten())),
            floors: Vec::new(),
            grant_ceiling: ceiling.map_or(Tier::Critical, |tier| tier.value.into()),
        };
        for (pattern, tier) in floors.iter().flat_map(|floors| &floors.0) {
            let pattern = Located::new(Pattern(pattern.value.clone()), pattern.span);
            resolved.floors.extend(
                self.pattern(&pattern)
                    .map(|bound| (bound, tier.value.into())),
            );
        }
        resolved
    }

    pub(super) fn fail_open(&mut self, written: &[Located<FailOpen>]) -> Vec<Bound> {
        self.patterns(written.iter().flat_map(|entry| &entry.value.tools))
    }
}
