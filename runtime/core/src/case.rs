//! What the policy says of one call, before anything else is known.

use std::borrow::Cow;

use crate::classify::{Classification, classify};
use crate::json::{Text, Value};
use crate::names::{Irregular, irregular};
use crate::request::{DecisionRequest, Resource};
use crate::resource::{self, Mapping};
use crate::ruleset::{ApprovalRule, Effect, Ruleset, Unlisted, Use};
use crate::skill::{self, Invoked};
use crate::surroundings::Surroundings;
use crate::targets::ground::Ground;
use crate::tier::Tier;
use crate::tiering::{Base, Matching, looks_destructive};

/// What the policy says of one call: the tier, the rules, and whatever each layer asks for.
#[derive(Clone, Debug)]
pub struct Case<'a> {
    /// The policy.
    pub ruleset: &'a Ruleset<'a>,
    /// The tier that is decided at.
    pub tier: Tier,
    /// Where it came from.
    pub tier_source: TierSource,
    /// The tier that a floor, a drift or an irregular name raised, if one did.
    pub raised_from: Option<Tier>,
    /// The rules that speak about the call.
    pub matching: Matching,
    /// The rule that denies, by rank.
    pub denied_by: Option<u32>,
    /// The rule that allows, by rank. Counts only for what is sensitive.
    pub allowed_by: Option<u32>,
    /// The bound of the envelope that denies, by index.
    pub envelope_deny: Option<u32>,
    /// Whether the envelope wants a person.
    pub forced: bool,
    /// Whether the server is unlisted, and unlisted ones are denied.
    pub unlisted: bool,
    /// Whether the call reaches for knotrust's own files, page or program.
    pub own_place: bool,
    /// Governed domains that the call touches, by index, each once.
    pub domains: Vec<u32>,
    /// Those among them that list the tool itself: whatever else it touches, the tool must be admitted too.
    pub tool_domains: Vec<u32>,
    /// The skill that the call invokes, if it is one of theirs.
    pub skill: Option<Invoked>,
    /// Approval rules that want a person for this call, by index.
    pub approvals: Vec<u32>,
    /// The mapping that names its resource, by index: the first in file order whose pattern matches.
    pub mapping: Option<u32>,
    /// Whether the call may pass when the decision itself breaks: only ever true for what is routine.
    pub fail_open: bool,
    /// What makes the name one that no server may use, if anything does.
    pub irregular: Option<Irregular>,
}

/// Where a tier came from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum TierSource {
    /// A rule, by rank.
    Rule(u32),
    /// The tool says that it destroys something.
    Annotation,
    /// The tool's name says so.
    Verb,
    /// No rule names the tool.
    Default,
    /// A floor of the envelope, by index.
    Floor(u32),
    /// The floor of a domain, by index.
    Domain(u32),
    /// What the server says of the tool changed since a person last accepted it.
    Drift,
    /// The name is one that no server may use.
    IrregularName,
}

impl TierSource {
    /// The rule it came from, if it did.
    #[must_use]
    pub const fn rule(self) -> Option<u32> {
        match self {
            Self::Rule(rank) => Some(rank),
            Self::Annotation
            | Self::Verb
            | Self::Default
            | Self::Floor(_)
            | Self::Domain(_)
            | Self::Drift
            | Self::IrregularName => None,
        }
    }

    /// A word for reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rule(_) => "rule",
            Self::Annotation => "annotation",
            Self::Verb => "verb",
            Self::Default => "default",
            Self::Floor(_) => "floor",
            Self::Domain(_) => "domain floor",
            Self::Drift => "drift",
            Self::IrregularName => "irregular name",
        }
    }
}

/// What is known of a tool and of what a call touches, beside the request itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Standing<'a> {
    /// Whether what the server says of the tool changed since a person last accepted it.
    pub drifted: bool,
    /// Governed domains that the call touches by path or URL, by index.
    pub touched: &'a [u32],
    /// Approval rules whose paths the call touches, by index.
    pub approval_paths: &'a [u32],
    /// Whether the call reaches for knotrust's own files, page or program.
    pub own_place: bool,
}

impl<'a> Case<'a> {
    /// Finds what a call touches on this ground, and puts it beside the policy.
    #[must_use]
    pub fn on(
        ground: &Ground<'_>,
        ruleset: &'a Ruleset<'a>,
        request: &DecisionRequest<'_>,
        arguments: &Value<'_>,
        drifted: bool,
        around: &Surroundings<'_>,
    ) -> (Self, Classification) {
        let (name, server) = named_by(request);
        let classification = classify(ground, around.links, own_name(&name, server), arguments);
        let standing = Standing {
            drifted,
            touched: &classification.domains(),
            approval_paths: &classification.approvals(),
            own_place: classification.touches_own(),
        };
        let case = Self::of(ruleset, request, arguments, standing, around);
        (case, classification)
    }

    /// Puts a call beside the policy. The arguments are the request's own, as a value.
    #[must_use]
    pub fn of(
        ruleset: &'a Ruleset<'a>,
        request: &DecisionRequest<'_>,
        arguments: &Value<'_>,
        standing: Standing<'_>,
        around: &Surroundings<'_>,
    ) -> Self {
        let (name, server) = named_by(request);
        let named = Named::of(ruleset, &name);
        let skill = invoked(ruleset, own_name(&name, server), &named.skills, arguments);
        let of_skill = skill.as_ref().map_or(&[][..], |skill| &skill.domains);
        let by_name = merged(named.domains.clone(), of_skill);
        let matching = Matching::among(ruleset.rules, named.rules, arguments, around);
        let mut case = Self {
            ruleset,
            tier: Tier::Critical,
            tier_source: TierSource::IrregularName,
            raised_from: None,
            denied_by: matching.denial(ruleset.rules),
            allowed_by: matching.permission(ruleset.rules),
            matching,
            envelope_deny: named.envelope_deny,
            forced: named.forced,
            unlisted: ruleset.unlisted_servers == Unlisted::Deny
                && ruleset.server(server).is_none(),
            own_place: standing.own_place,
            domains: merged(by_name, standing.touched),
            tool_domains: merged(named.domains, &[]),
            skill,
            approvals: Vec::new(),
            mapping: named.mapping,
            fail_open: false,
            irregular: irregular_tool(&request.action.name, server),
        };
        case.settle_tier(
            request,
            own_name(&name, server),
            &named.floors,
            standing.drifted,
        );
        case.forced |= ruleset.envelope.force_tiers.contains(case.tier);
        case.approvals = approvals(ruleset, &named.approvals, standing.approval_paths);
        case.fail_open = named.fail_open && case.tier == Tier::Routine;
        case
    }

    /// The resource of the call, as the policy names it.
    #[must_use]
    pub fn resource<'t>(
        &self,
        server: &'t str,
        tool: &Text<'t>,
        arguments: &Value<'t>,
    ) -> Resource<'t>
    where
        'a: 't,
    {
        let resources = self.ruleset.resources;
        let mapping = self.mapping.and_then(|index| resources.get(index as usize));
        resource::of(mapping.unwrap_or(&Mapping::NONE), server, tool, arguments)
    }

    /// The roles that approval rules want for this call.
    pub fn roles(&self) -> impl Iterator<Item = &'a str> {
        let rules = self.ruleset.approvals.rules;
        self.approvals
            .iter()
            .filter_map(move |index| rules.get(*index as usize))
            .map(|rule| rule.required_role)
    }

    /// Whether the call is denied whatever anybody grants, approves or plans.
    #[must_use]
    pub fn is_denied_unconditionally(&self) -> bool {
        self.unlisted || self.own_place || self.envelope_deny.is_some() || self.denied_by.is_some()
    }

    /// Whether nothing in the policy speaks of the call: no rule, no floor, no domain, nobody to ask. It is decided by the
    /// defaults, and nothing about it is odd.
    #[must_use]
    pub fn is_ungoverned(&self) -> bool {
        let Self {
            ruleset: _,
            tier,
            tier_source,
            raised_from,
            matching,
            denied_by,
            allowed_by,
            envelope_deny,
            forced,
            unlisted,
            own_place,
            domains,
            tool_domains,
            skill,
            approvals,
            mapping: _,
            fail_open: _,
            irregular,
        } = self;
        let is_odd = *forced || *unlisted || *own_place || irregular.is_some();
        *tier == Tier::Routine
            && matches!(tier_source, TierSource::Default)
            && raised_from.is_none()
            && matching.holding.is_empty()
            && denied_by.is_none()
            && allowed_by.is_none()
            && envelope_deny.is_none()
            && domains.is_empty()
            && tool_domains.is_empty()
            && skill.is_none()
            && approvals.is_empty()
            && !is_odd
    }

    /// Whether every call of this tool is denied, whatever its arguments.
    #[must_use]
    pub fn is_denied_by_name(&self) -> bool {
        let rules = self.ruleset.rules;
        let denies = |rank: &u32| {
            let rule = rules.get(*rank);
            rule.is_some_and(|rule| rule.effect == Effect::Deny && rule.when.is_empty())
        };
        self.unlisted || self.envelope_deny.is_some() || self.matching.holding.iter().any(denies)
    }

    // The steps of `ruleset.md` §5.2: own rules, packs, annotation seed, default; then what only raises.
    fn settle_tier(
        &mut self,
        request: &DecisionRequest<'_>,
        tool: &str,
        floors: &[u32],
        drifted: bool,
    ) {
        let ruleset = self.ruleset;
        let seed = || seed(ruleset, request, tool);
        let base = self
            .matching
            .tier(ruleset.rules)
            .map_or_else(seed, Base::of_rule);
        (self.tier, self.tier_source) = (base.tier, base.source);
        for index in floors {
            if let Some(floor) = ruleset.envelope.floors.get(*index as usize) {
                self.raise(floor.tier, TierSource::Floor(*index));
            }
        }
        for index in self.domains.clone() {
            let floor = ruleset
                .domains
                .get(index as usize)
                .and_then(|domain| domain.floor);
            if let Some(floor) = floor {
                self.raise(floor, TierSource::Domain(index));
            }
        }
        if drifted {
            self.raise(Tier::Critical, TierSource::Drift);
        }
        if self.irregular.is_some() {
            self.raise(Tier::Critical, TierSource::IrregularName);
            self.allowed_by = None;
        }
    }

    fn raise(&mut self, tier: Tier, source: TierSource) {
        if tier > self.tier {
            self.raised_from = self.raised_from.or(Some(self.tier));
            (self.tier, self.tier_source) = (tier, source);
        }
    }
}

fn seed(ruleset: &Ruleset<'_>, request: &DecisionRequest<'_>, tool: &str) -> Base {
    let defaults = ruleset.defaults;
    let worse = defaults.unknown_tool.max(defaults.destructive_looking);
    if request
        .annotations
        .is_some_and(|annotations| annotations.admits_destruction())
    {
        Base {
            tier: worse,
            source: TierSource::Annotation,
        }
    } else if looks_destructive(tool) {
        Base {
            tier: worse,
            source: TierSource::Verb,
        }
    } else {
        Base {
            tier: defaults.unknown_tool,
            source: TierSource::Default,
        }
    }
}

/// What the patterns of the policy say of a name alone.
#[derive(Default)]
struct Named {
    rules: Vec<u32>,
    envelope_deny: Option<u32>,
    forced: bool,
    floors: Vec<u32>,
    fail_open: bool,
    approvals: Vec<u32>,
    mapping: Option<u32>,
    domains: Vec<u32>,
    skills: Vec<u32>,
}

impl Named {
    fn of(ruleset: &Ruleset<'_>, name: &str) -> Self {
        let mut named = Self::default();
        let mut ids = Vec::new();
        ruleset.names.matching(name, &mut ids);
        ids.into_iter()
            .filter_map(Use::of_id)
            .for_each(|usage| named.note(usage));
        named
    }

    fn note(&mut self, usage: Use) {
        match usage {
            Use::Rule(rank) => self.rules.push(rank),
            Use::EnvelopeDeny(index) => earliest(&mut self.envelope_deny, index),
            Use::ForceApproval(_) => self.forced = true,
            Use::Floor(index) => self.floors.push(index),
            Use::FailOpen(_) => self.fail_open = true,
            Use::Approval(index) => self.approvals.push(index),
            Use::Resource(index) => earliest(&mut self.mapping, index),
            Use::DomainTool(index) => self.domains.push(index),
            Use::DomainSkill(index) => self.skills.push(index),
        }
    }
}

/// The skill of a governed domain that a call invokes: with a tool that a domain lists among its skills, or with one that
/// runs skills of any name, one of which a domain lists.
fn invoked(
    ruleset: &Ruleset<'_>,
    tool: &str,
    by_tool: &[u32],
    arguments: &Value<'_>,
) -> Option<Invoked> {
    let runs_any = skill::is_runner(tool) && !ruleset.domains.is_empty();
    if by_tool.is_empty() && !runs_any {
        return None;
    }
    let id = skill::named(arguments);
    let by_id = id.as_deref().filter(|_| runs_any);
    let by_id = by_id.map_or_else(Vec::new, |id| Named::of(ruleset, id).skills);
    let domains = merged(by_id, by_tool);
    (!domains.is_empty()).then_some(Invoked { id, domains })
}

fn earliest(known: &mut Option<u32>, index: u32) {
    *known = Some(known.map_or(index, |known| known.min(index)));
}

// A rule with tools and paths wants both; one without tools, or without paths, wants the other.
fn approvals(ruleset: &Ruleset<'_>, by_name: &[u32], by_path: &[u32]) -> Vec<u32> {
    let wants = |index: &u32, rule: &ApprovalRule<'_>| {
        (rule.tools.is_empty() || by_name.contains(index))
            && (rule.paths.is_empty() || by_path.contains(index))
    };
    let numbered = (0..).zip(ruleset.approvals.rules);
    numbered
        .filter(|(index, rule)| wants(index, rule))
        .map(|(index, _)| index)
        .collect()
}

fn merged(mut domains: Vec<u32>, more: &[u32]) -> Vec<u32> {
    domains.extend_from_slice(more);
    domains.sort_unstable();
    domains.dedup();
    domains
}

/// The whole name of the action, and the server that it begins with.
fn named_by<'q>(request: &'q DecisionRequest<'_>) -> (Cow<'q, str>, &'q str) {
    let server = request.surface.server.as_deref().unwrap_or_default();
    (request.action.name.to_string_lossy(), server)
}

/// The tool's own name; of an action that does not begin with its server, all of it.
fn own_name<'n>(name: &'n str, server: &str) -> &'n str {
    let own = name.strip_prefix(server);
    own.and_then(|rest| rest.strip_prefix('.')).unwrap_or(name)
}

// The server's own name is checked when it is given; a tool's name is the server's to choose.
fn irregular_tool(name: &Text<'_>, server: &str) -> Option<Irregular> {
    let whole = name.as_str();
    let tool = whole.and_then(|name| name.strip_prefix(server)?.strip_prefix('.'));
    tool.map_or_else(|| irregular(name), |tool| irregular(&Text::from(tool)))
}
