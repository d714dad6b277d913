//! All units on their way through the gates.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::admitting::{Admission, Admitting};
use crate::gate::{
    Case, Gate, access, attestation, audience, deprecated, not_for, payment, relevance,
    skill_eligibility, strict, supersession, temporal,
};
use crate::manifest::Unit;
use crate::relevance::Relevance;

/// All units on their way through the gates.
pub(crate) struct Walk<'a> {
    /// How far each unit came, in manifest order.
    pub(crate) courses: Vec<Course<'a>>,
    /// The relevant ones: their place among `courses`, and what became of them. Those for which there was a place come
    /// first and in load order, the others in no order.
    pub(crate) order: Vec<(usize, Admission)>,
}

/// How far a unit came.
pub(crate) struct Course<'a> {
    pub(crate) unit: &'a Unit,
    pub(crate) end: End,
}

/// Where the gates of the unit itself end.
pub(crate) enum End {
    /// Refused by one of the first six.
    Refused {
        gate: Gate,
        reason: Cow<'static, str>,
    },
    /// Demoted, and refused under strict.
    RefusedUnderStrict(Box<Candidate>),
    /// Through; the last three gates decide.
    Relevant(Relevance),
}

/// A unit that serves the task, and what was found about it.
pub(crate) struct Candidate {
    pub(crate) relevance: Relevance,
    pub(crate) procedure: skill_eligibility::Finding,
    pub(crate) attestation: Option<String>,
    pub(crate) payment: payment::Terms,
    pub(crate) access: access::Finding,
}

impl<'a> Walk<'a> {
    pub(crate) fn of(case: Case<'a>, units: impl IntoIterator<Item = &'a Unit>) -> Self {
        let course = |unit| Course {
            unit,
            end: End::of(unit, case),
        };
        let courses: Vec<_> = units.into_iter().map(course).collect();
        let order = order(case, &courses);
        Self { courses, order }
    }

    pub(crate) fn unit(&self, index: usize) -> Option<&'a Unit> {
        self.courses.get(index).map(|course| course.unit)
    }
}

/// Few of many get a place, so only those are put in order, and only those are looked at more closely.
fn order(case: Case<'_>, courses: &[Course<'_>]) -> Vec<(usize, Admission)> {
    let ranks = courses.iter().enumerate().filter_map(|(index, course)| {
        let End::Relevant(relevance) = course.end else {
            return None;
        };
        Some(Rank {
            score: relevance.score(),
            unit: course.unit,
            relevance,
            index,
        })
    });
    let mut ranks: BinaryHeap<Rank<'_>> = ranks.collect();
    let mut admitting = Admitting::new(case);
    let mut order = Vec::with_capacity(ranks.len());
    while admitting.place().exists()
        && let Some(rank) = ranks.pop()
    {
        let candidate = Candidate::of(rank.unit, rank.relevance, case);
        let judged = admitting.judge(rank.unit, candidate);
        order.push((rank.index, Admission::Judged(Box::new(judged))));
    }
    let place = admitting.place();
    order.extend(
        ranks
            .into_iter()
            .map(|rank| (rank.index, Admission::BeyondCap(place))),
    );
    order
}

/// A relevant unit. The greatest comes first: the highest score, and of equals the first id.
struct Rank<'a> {
    score: u64,
    unit: &'a Unit,
    relevance: Relevance,
    index: usize,
}

impl Ord for Rank<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score
            .cmp(&other.score)
            .then_with(|| other.unit.id.cmp(&self.unit.id))
    }
}

impl PartialOrd for Rank<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Rank<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Rank<'_> {}

impl End {
    fn of(unit: &Unit, case: Case<'_>) -> Self {
        if let Some((gate, reason)) = first_refusal(unit, case) {
            return Self::Refused { gate, reason };
        }
        let found = Relevance::of(unit, case.terms);
        if let Some(reason) = relevance::refusal(found, case) {
            let gate = Gate::Relevance;
            return Self::Refused { gate, reason };
        }
        if case.options.strict {
            let candidate = Candidate::of(unit, found, case);
            if strict::refuses(candidate.is_eligible()) {
                return Self::RefusedUnderStrict(Box::new(candidate));
            }
        }
        Self::Relevant(found)
    }
}

/// The first of the gates before relevance that refuses.
fn first_refusal(unit: &Unit, case: Case<'_>) -> Option<(Gate, Cow<'static, str>)> {
    let by = |gate: Gate| move |reason: String| (gate, Cow::Owned(reason));
    audience::refusal(unit, case)
        .map(by(Gate::Audience))
        .or_else(|| not_for::refusal(unit, case).map(by(Gate::NotFor)))
        .or_else(|| temporal::refusal(unit, case).map(by(Gate::Temporal)))
        .or_else(|| {
            deprecated::refusal(unit).map(|reason| (Gate::Deprecated, Cow::Borrowed(reason)))
        })
        .or_else(|| supersession::refusal(unit, case).map(by(Gate::Supersession)))
}

impl Candidate {
    pub(crate) fn of(unit: &Unit, relevance: Relevance, case: Case<'_>) -> Self {
        let payment = payment::Terms::of(unit, case);
        Self {
            relevance,
            procedure: skill_eligibility::find(unit, case),
            attestation: attestation::objection(unit, case),
            access: access::find(unit, &payment, case),
            payment,
        }
    }

    /// Whether the unit may be loaded or invoked.
    pub(crate) fn is_eligible(&self) -> bool {
        self.procedure.reasons.is_empty()
            && self.attestation.is_none()
            && self.payment.affordable
            && self.access.opens
    }

    /// What there is to say for and against it, in the order of the gates.
    pub(crate) fn reasons(&self) -> Vec<String> {
        let mut reasons = self.relevance.reasons();
        reasons.extend(self.procedure.reasons.iter().cloned());
        reasons.extend(self.attestation.clone());
        reasons.extend(self.payment.objection());
        reasons.extend(self.access.reasons.iter().cloned());
        reasons
    }
}
