//! Gate 7: may the procedure be invoked, as it is written, for what is planned?

use knotrust_core::json::Value;

use super::authority::{self, Authority};
use super::denial::{self, ProhibitedAttempt};
use super::spend::{self, SpendBound};
use super::{Case, composition, demoted};
use crate::manifest::{Kind, Unit};
use crate::members::{Members, list, quoted, texts};
use crate::procedure::{Act, acts};

/// What is said about a unit beside the verdict.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Markers {
    /// The ceiling of its authority.
    pub authority: Option<Authority>,
    /// The bounds of a planned purchase.
    pub spend: Option<SpendBound>,
    /// Steps that need a person first.
    pub grant_requests: Vec<GrantRequest>,
    /// Attempts at what is denied.
    pub prohibited_attempts: Vec<ProhibitedAttempt>,
}

/// A step that needs a person first (§3.14).
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct GrantRequest {
    /// The step.
    pub step: String,
    /// What calls for the person.
    pub triggers: Vec<String>,
}

/// What the gate found.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Finding {
    /// Why the unit must not be invoked; the last is the one that counts.
    pub(crate) reasons: Vec<String>,
    pub(crate) markers: Markers,
}

pub(crate) fn find(unit: &Unit, case: Case<'_>) -> Finding {
    if is_plain(unit) {
        return Finding::default();
    }
    let acts = acts(unit, case.manifest);
    let mut reasons = Vec::from_iter(grant_objection(unit));
    if unit.kind.is_procedure() && reasons.is_empty() {
        reasons.extend(composition::objection(unit, &|id| case.manifest.unit(id)));
    }
    let (authority, violation) = match unit.kind {
        Kind::Playbook if reasons.is_empty() => authority::resolve(unit, case),
        Kind::Playbook | Kind::Skill | Kind::Undeclared | Kind::Knowledge(_) => (None, None),
    };
    reasons.extend(violation.as_ref().map(authority::Violation::reason));
    let (spend, overspent) = spend::judge(unit, &acts, case.options.spend.as_ref());
    if reasons.is_empty() {
        reasons.extend(overspent);
    }
    let attempt = denial::find(&acts, case.options.action.as_ref());
    reasons.extend(attempt.as_ref().map(ProhibitedAttempt::reason));
    let violating = violation.map(|violation| violation.step);
    let grant_requests = grant_requests(&acts, violating.as_deref(), attempt.as_ref());
    let markers = Markers {
        authority,
        spend,
        grant_requests,
        prohibited_attempts: Vec::from_iter(attempt),
    };
    Finding { reasons, markers }
}

/// Most units are for reading, and have nothing that this gate looks at.
fn is_plain(unit: &Unit) -> bool {
    !unit.kind.is_procedure() && unit.action_scope.is_none()
}

fn grant_objection(unit: &Unit) -> Option<String> {
    let kind = unit.kind.as_str()?;
    (unit.kind.is_procedure() && !unit.load_eligible)
        .then(|| format!("kind: {kind} not invoke-eligible: no explicit eligibility grant"))
}

/// Who is denied is not asked about: nobody can grant that.
fn grant_requests(
    acts: &[Act<'_>],
    violating: Option<&str>,
    attempt: Option<&ProhibitedAttempt>,
) -> Vec<GrantRequest> {
    let request = |act: &Act<'_>| {
        let owed = |trigger: &&String| {
            *trigger != "insufficient_authority_level" || violating == Some(act.name)
        };
        let triggers: Vec<String> = act.step?.escalation.iter().filter(owed).cloned().collect();
        let denied = attempt.is_some_and(|attempt| attempt.step == act.name);
        (!triggers.is_empty() && !denied).then(|| GrantRequest {
            step: act.name.to_owned(),
            triggers,
        })
    };
    acts.iter().filter_map(request).collect()
}

pub(crate) fn detail(unit: &Unit, finding: &Finding) -> String {
    match (finding.reasons.last(), &unit.kind) {
        (Some(reason), _) => demoted(reason),
        (None, Kind::Skill) => "kind: skill with explicit eligibility grant".to_owned(),
        (None, Kind::Playbook) => "kind: playbook with explicit eligibility grant".to_owned(),
        (None, Kind::Undeclared | Kind::Knowledge(_)) => "not a governed procedure".to_owned(),
    }
}

impl Markers {
    /// Whether there is nothing to say.
    pub(crate) const fn is_empty(&self) -> bool {
        self.authority.is_none()
            && self.spend.is_none()
            && self.grant_requests.is_empty()
            && self.prohibited_attempts.is_empty()
    }

    /// Adds what there is to say to an entry of a plan.
    pub(crate) fn add_to(&self, entry: Members) -> Members {
        let some = |values: Vec<Value<'static>>| (!values.is_empty()).then(|| list(values));
        entry
            .maybe("authority", self.authority.as_ref().map(Authority::to_json))
            .maybe("spend", self.spend.as_ref().map(SpendBound::to_json))
            .maybe(
                "grantRequests",
                some(
                    self.grant_requests
                        .iter()
                        .map(GrantRequest::to_json)
                        .collect(),
                ),
            )
            .maybe(
                "prohibitedAttempts",
                some(
                    self.prohibited_attempts
                        .iter()
                        .map(ProhibitedAttempt::to_json)
                        .collect(),
                ),
            )
    }
}

impl GrantRequest {
    fn to_json(&self) -> Value<'static> {
        let note = format!(
            "step '{}' declares escalation {} — a grant is owed before enactment (not auto-approved) — §3.14",
            self.step,
            quoted(&self.triggers)
        );
        Members::new()
            .text("step", &self.step)
            .set("triggers", texts(&self.triggers))
            .text("note", &note)
            .done()
    }
}
