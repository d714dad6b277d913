//! Whether an action keeps to the scope of the procedure that is being followed.

use knotrust_core::json::Value;

use super::pattern::{folded, lies_below, may_match};
use super::{Dimension, Observed, Purchase};
use crate::manifest::{ActionScope, Listing};
use crate::members::{Members, text, texts};
use crate::serving::Place;

/// The playbook around the skill that is being followed. It only ever takes away.
#[derive(Clone, Copy, Debug)]
pub struct Enclosing<'a> {
    /// The playbook.
    pub id: &'a str,
    /// The step that is being carried out.
    pub step: Option<&'a str>,
    /// The playbook's scope, of which the denials count.
    pub scope: &'a ActionScope,
}

/// What was found.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Conformance {
    /// Whether the action may happen.
    pub passed: bool,
    /// What the finding is about.
    pub target: Option<String>,
    /// Why.
    pub reason: String,
    /// The denial that was met. No approval lifts it.
    pub prohibited: Option<Prohibited>,
}

/// An action that is denied.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Prohibited {
    /// What kind of thing.
    pub dimension: Dimension,
    /// Which.
    pub token: String,
    /// Whether the skill denies it.
    pub by_skill: bool,
    /// Whether the playbook denies it.
    pub by_playbook: bool,
    /// The pattern that was met.
    pub matched_pattern: String,
    /// The playbook, if there is one.
    pub playbook_id: Option<String>,
    /// The step, if it is known.
    pub step_id: Option<String>,
}

/// Compares an action with a scope.
///
/// Denials come first and are final. A scope that says nothing, or says it in the wrong words, admits nothing; a list that
/// isn't declared doesn't bind.
#[must_use]
pub fn conformance(
    observed: &Observed,
    scope: &ActionScope,
    playbook: Option<Enclosing<'_>>,
) -> Conformance {
    if let Some(prohibited) = prohibited(observed, scope, playbook) {
        let reason = format!(
            "'{}' is denied ({}: {}), finally",
            prohibited.token,
            prohibited.dimension.name(),
            prohibited.matched_pattern
        );
        let target = Some(prohibited.token.clone());
        return Conformance {
            passed: false,
            target,
            reason,
            prohibited: Some(prohibited),
        };
    }
    if scope.is_malformed() {
        return held(None, "the scope cannot be read".to_owned());
    }
    if scope.grants_nothing() {
        return held(
            None,
            "the scope declares nothing, so it admits nothing".to_owned(),
        );
    }
    match objection(observed, scope) {
        Some((target, reason)) => held(Some(target), reason),
        None => Conformance {
            passed: true,
            target: Some(main_target(observed).to_owned()),
            reason: "within the scope".to_owned(),
            prohibited: None,
        },
    }
}

fn held(target: Option<String>, reason: String) -> Conformance {
    Conformance {
        passed: false,
        target,
        reason,
        prohibited: None,
    }
}

fn main_target(observed: &Observed) -> &str {
    let vendor = observed.purchase.as_ref().map(|purchase| &purchase.vendor);
    observed
        .paths
        .first()
        .or(observed.urls.first())
        .or(vendor)
        .unwrap_or(&observed.tool)
}

fn prohibited(
    observed: &Observed,
    scope: &ActionScope,
    playbook: Option<Enclosing<'_>>,
) -> Option<Prohibited> {
    let of_skill = scope.deny.as_ref();
    let of_playbook = playbook.and_then(|playbook| playbook.scope.deny.as_ref());
    let tool = [(Dimension::Tools, observed.tool.as_str())];
    let targets = observed
        .paths
        .iter()
        .chain(&observed.urls)
        .map(|target| (Dimension::Paths, target.as_str()));
    let capabilities = observed
        .capabilities
        .iter()
        .map(|name| (Dimension::Capabilities, name.as_str()));
    tool.into_iter()
        .chain(targets)
        .chain(capabilities)
        .find_map(|(dimension, token)| {
            let denying = |deny: Option<&crate::manifest::Denials>| {
                deny.and_then(|deny| {
                    let exact = dimension.denying(deny, token);
                    exact
                        .or_else(|| covering(dimension, dimension.denied(deny), token))
                        .map(str::to_owned)
                })
            };
            let (by_skill, by_playbook) = (denying(of_skill), denying(of_playbook));
            Some(Prohibited {
                dimension,
                token: token.to_owned(),
                by_skill: by_skill.is_some(),
                by_playbook: by_playbook.is_some(),
                matched_pattern: by_skill.or(by_playbook)?,
                playbook_id: playbook.map(|playbook| playbook.id.to_owned()),
                step_id: playbook
                    .and_then(|playbook| playbook.step)
                    .map(str::to_owned),
            })
        })
}

fn covering<'p>(dimension: Dimension, patterns: &'p [String], target: &str) -> Option<&'p str> {
    let covers = |pattern: &&String| dimension == Dimension::Paths && covers(pattern, target);
    patterns.iter().find(covers).map(String::as_str)
}

fn objection(observed: &Observed, scope: &ActionScope) -> Option<(String, String)> {
    let lacks = |list: &Listing, token: &str| !list.texts().is_empty() && !list.holds(token);
    if lacks(&scope.tools, &observed.tool) {
        return Some((
            observed.tool.clone(),
            format!("tool '{}' is not in the scope", observed.tool),
        ));
    }
    let paths = scope.paths.texts();
    let outside = |target: &&String| {
        !paths.is_empty() && !paths.iter().any(|pattern| covers(pattern, target))
    };
    if let Some(target) = observed.paths.iter().chain(&observed.urls).find(outside) {
        return Some((target.clone(), format!("'{target}' is not in the scope")));
    }
    if let Some(name) = observed
        .capabilities
        .iter()
        .find(|name| lacks(&scope.capabilities, name))
    {
        return Some((
            name.clone(),
            format!("capability '{name}' is not in the scope"),
        ));
    }
    observed
        .purchase
        .as_ref()
        .and_then(|purchase| purchase_objection(purchase, scope))
}

fn purchase_objection(purchase: &Purchase, scope: &ActionScope) -> Option<(String, String)> {
    let vendor = &purchase.vendor;
    let Some(spend) = &scope.spend else {
        return Some((
            vendor.clone(),
            "the scope has no spend block, so it buys nothing".to_owned(),
        ));
    };
    if spend.unreadable || purchase.amount.is_negative() {
        return Some((
            vendor.clone(),
            "the spend block or the amount cannot be read".to_owned(),
        ));
    }
    if !spend.allowed_vendors.is_empty() && !spend.allowed_vendors.contains(vendor) {
        return Some((vendor.clone(), format!("vendor '{vendor}' is not allowed")));
    }
    if spend
        .currency
        .as_ref()
        .is_some_and(|currency| *currency != purchase.currency)
    {
        let currency = &purchase.currency;
        return Some((
            currency.clone(),
            format!("{currency} cannot be compared with the ceiling"),
        ));
    }
    let max = spend.max_spend.filter(|max| purchase.amount > *max)?;
    Some((
        purchase.amount.to_string(),
        format!("{} exceeds max_spend {max}", purchase.amount),
    ))
}

/// Whether a pattern covers a target: URLs by what they begin with, paths by pattern or by the folder they lie in.
pub(crate) fn covers(pattern: &str, target: &str) -> bool {
    match (Place::of(pattern), Place::of(target)) {
        (Some(place), Some(target)) => target.lies_below(&place),
        (Some(_), None) | (None, Some(_)) => false,
        (None, None) => {
            let path = folded(target);
            let has_wildcards = pattern.contains(['*', '?']);
            if has_wildcards {
                may_match(pattern, &path)
            } else {
                lies_below(&path, &folded(pattern))
            }
        }
    }
}

impl Prohibited {
    fn sources(&self) -> Vec<&'static str> {
        let skill = self.by_skill.then_some("skill");
        let playbook = self.by_playbook.then_some("playbook");
        skill.into_iter().chain(playbook).collect()
    }

    /// The denial as it is told.
    #[must_use]
    pub fn to_json(&self) -> Value<'static> {
        Members::new()
            .text("dimension", self.dimension.name())
            .text("token", &self.token)
            .set("bindingSources", texts(&self.sources()))
            .text("matchedPattern", &self.matched_pattern)
            .maybe("playbookId", self.playbook_id.as_deref().map(text))
            .maybe("stepId", self.step_id.as_deref().map(text))
            .done()
    }

    /// The denial as §17 sends it on: every member is there, if only as null.
    #[must_use]
    pub fn to_wire(
        &self,
        unit: &str,
        timestamp: &str,
        correlation: Option<&str>,
    ) -> Value<'static> {
        let or_null = |value: Option<&str>| value.map_or(Value::Null, text);
        let source = match (self.by_skill, self.by_playbook) {
            (true, true) => "both",
            (false, true) => "playbook",
            (true | false, false) => "skill",
        };
        Members::new()
            .text("kind", "prohibited_attempt")
            .text("timestamp", timestamp)
            .text("unit_id", unit)
            .set("playbook_id", or_null(self.playbook_id.as_deref()))
            .set("step_id", or_null(self.step_id.as_deref()))
            .text("dimension", self.dimension.name())
            .text("token", &self.token)
            .text("matched_pattern", &self.matched_pattern)
            .text("binding_source", source)
            .set("acknowledged_by", Value::Null)
            .set("correlation_id", or_null(correlation))
            .done()
    }
}

impl Conformance {
    /// The finding as it is told and recorded.
    #[must_use]
    pub fn to_json(&self) -> Value<'static> {
        Members::new()
            .text("gate", "conformance")
            .flag("passed", self.passed)
            .text("reason", &self.reason)
            .maybe("target", self.target.as_deref().map(text))
            .maybe(
                "prohibited",
                self.prohibited.as_ref().map(Prohibited::to_json),
            )
            .done()
    }
}
