//! The gates before governed knowledge: asked about each call that touches any, and what is written down of it.

use std::sync::{MutexGuard, PoisonError};

use knotrust_core::audit::event::{Detail, Event, Kind};
use knotrust_core::canonical::canonical;
use knotrust_core::case::Case;
use knotrust_core::classify::Classification;
use knotrust_core::decision::Decision;
use knotrust_core::evidence::Plan;
use knotrust_core::json::{Object, Value};
use knotrust_core::precedence::Outcome;
use knotrust_core::reason::Reason;
use knotrust_core::request::DecisionRequest;
use knotrust_core::time::Timestamp;
use knotrust_knowledge::governing::Answer;
use knotrust_knowledge::governing::call::{Call, Gated};
use knotrust_knowledge::ledger::Spent;
use knotrust_knowledge::scope::Conformance;

use super::Governor;
use crate::budget::{Account, Purchase};
use crate::failure::StoreError;
use crate::plans::Moved;
use crate::session::Session;

/// What the gates said of a call.
#[derive(Debug, Default)]
pub(super) struct Gate {
    gated: Gated,
    /// The same, for the record.
    pub(super) detail: Option<String>,
}

/// Something to be written down beside a decision.
struct Note {
    kind: Kind,
    detail: Value<'static>,
}

impl Gate {
    /// Whether plans admit the call.
    pub(super) const fn plan(&self) -> Plan {
        self.gated.plan
    }
}

impl<'r> Governor<'r> {
    /// Asks the gates about a call. What they find is in the log before anything follows from it.
    pub(super) fn gate(
        &self,
        request: &DecisionRequest<'_>,
        case: &Case<'_>,
        classification: &Classification,
        arguments: &Value<'_>,
        server: &str,
    ) -> Result<Gate, StoreError> {
        let now = request.timestamp;
        let mut session = self.session();
        if case.domains.is_empty() && !session.remembered.has_followed() {
            return Ok(Gate::default());
        }
        let tool = request.action.name.to_string_lossy();
        let own = tool
            .strip_prefix(server)
            .and_then(|rest| rest.strip_prefix('.'));
        let call = Call {
            case,
            classification,
            tool: own.unwrap_or(&tool),
            arguments,
            naming: self.whereabouts.surroundings().naming,
        };
        let following = session.remembered.following();
        let following = following.map(|following| following.id().to_owned());
        let (gated, moved) = session.ask(&call, now)?;
        let name = |domain| session.name(domain).to_owned();
        let value = gated.to_json(name);
        let mut notes = of_moved(&moved, name);
        notes.extend(of_answers(case, &gated, following.as_deref(), now, name));
        drop(session);
        self.note_all(request, server, &notes)?;
        let says = !gated.answers.is_empty() || gated.forbidden.is_some();
        let detail = says.then(|| canonical(&value).unwrap_or_default());
        Ok(Gate { gated, detail })
    }

    /// Takes what a decision lets happen: what it costs is spent, and the procedure that it invokes is followed.
    pub(super) fn enter(
        &self,
        request: &DecisionRequest<'_>,
        gate: &Gate,
        decision: Decision,
        server: &str,
    ) -> Result<Decision, StoreError> {
        if decision.outcome != Outcome::Allow || gate.gated.answers.is_empty() {
            return Ok(decision);
        }
        if !self.pay(request, gate, server)? {
            return Ok(decision.refused(Reason::GovernedBlocked));
        }
        let follow = gate.gated.answers.iter();
        for (domain, unit) in
            follow.filter_map(|(domain, answer)| Some((*domain, answer.follow.as_ref()?)))
        {
            let mut session = self.session();
            let detail = object([
                ("id", text(&unit.id)),
                ("domain", text(session.name(domain))),
                ("eligible", Value::Bool(true)),
            ]);
            session.remembered.follow(unit);
            drop(session);
            let kind = Kind::SkillLoaded;
            self.note_all(request, server, &[Note { kind, detail }])?;
        }
        Ok(decision)
    }

    /// Spends what the units cost, all of it or nothing; says whether there was room.
    fn pay(
        &self,
        request: &DecisionRequest<'_>,
        gate: &Gate,
        server: &str,
    ) -> Result<bool, StoreError> {
        let mut session = self.session();
        let purchases: Vec<Purchase<'_>> = gate
            .gated
            .answers
            .iter()
            .flat_map(|(domain, answer)| {
                let domain = session.name(*domain);
                answer
                    .prices
                    .iter()
                    .map(move |price| Purchase { domain, price })
            })
            .filter(|purchase| purchase.price.amount.is_positive())
            .collect();
        if purchases.is_empty() {
            return Ok(true);
        }
        let account = Account {
            session: &self.caller.instance,
            call: &request.request_id,
        };
        let spent = session
            .budget
            .spend(&purchases, account, request.timestamp)?;
        let kind = match spent {
            Spent::Accepted => Kind::BudgetSpend,
            Spent::Negative | Spent::OverCeiling => Kind::BudgetExceeded,
        };
        let ledger = session.budget.ledger(request.timestamp)?.to_json();
        drop(session);
        let prices = purchases.iter().map(|purchase| purchase.price.to_json());
        let detail = object([
            ("prices", Value::Array(prices.collect())),
            ("budget", ledger),
        ]);
        self.note_all(request, server, &[Note { kind, detail }])?;
        Ok(spent == Spent::Accepted)
    }

    fn note_all(
        &self,
        request: &DecisionRequest<'_>,
        server: &str,
        notes: &[Note],
    ) -> Result<(), StoreError> {
        for note in notes {
            let detail = canonical(&note.detail).unwrap_or_default();
            self.note(&Event {
                kind: note.kind,
                tool: Some(&request.action.name),
                server: Some(server),
                decision_id: Some(&request.request_id),
                detail: Detail::new(&detail),
                ..self.event()
            })?;
        }
        Ok(())
    }

    /// Records that plans of the session have moved.
    pub(crate) fn note_moved(&self, moved: &[Moved]) -> Result<(), StoreError> {
        let notes = {
            let session = self.session();
            of_moved(moved, |domain| session.name(domain).to_owned())
        };
        for note in &notes {
            let detail = canonical(&note.detail).unwrap_or_default();
            self.note(&Event {
                kind: note.kind,
                detail: Detail::new(&detail),
                ..self.event()
            })?;
        }
        Ok(())
    }

    /// What this session knows of governed knowledge.
    pub(crate) fn session(&self) -> MutexGuard<'_, Session<'r>> {
        // A thread that panicked while it held the session has left it as it is between two questions.
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is to be said of plans that moved.
fn of_moved(moved: &[Moved], name: impl Fn(u32) -> String) -> Vec<Note> {
    let mut notes = Vec::new();
    for moved in moved {
        let domain = text(&name(moved.domain));
        notes.push(Note {
            kind: Kind::TemporalDrift,
            detail: object([
                ("domain", domain.clone()),
                ("task", text(&moved.task)),
                ("drift", moved.drift.clone()),
            ]),
        });
        if !moved.lost.is_empty() {
            notes.push(invalidated(domain, &moved.lost));
        }
    }
    notes
}

/// What is to be said of answers, beside the decision itself.
fn of_answers(
    case: &Case<'_>,
    gated: &Gated,
    following: Option<&str>,
    at: Timestamp,
    name: impl Fn(u32) -> String,
) -> Vec<Note> {
    let mut notes = Vec::new();
    for (domain, answer) in &gated.answers {
        if !answer.invalidated.is_empty() {
            notes.push(invalidated(text(&name(*domain)), &answer.invalidated));
        }
        if let Some(found) = &answer.conformance {
            notes.extend(of_conformance(found, following, at));
        }
        let skill = case.skill.as_ref();
        if let Some(skill) = skill.filter(|skill| skill.domains.contains(domain))
            && !answer.approved
        {
            notes.push(skipped(skill.id.as_deref(), &name(*domain), answer));
        }
    }
    if let Some(found) = &gated.forbidden {
        notes.extend(of_conformance(found, following, at));
    }
    notes
}

fn of_conformance(found: &Conformance, following: Option<&str>, at: Timestamp) -> Vec<Note> {
    let mut detail = object([("skillId", following.map_or(Value::Null, text))]);
    if let (Value::Object(detail), Value::Object(found)) = (&mut detail, found.to_json()) {
        for (name, value) in found.iter() {
            detail.insert(name.clone(), value.clone());
        }
    }
    let verdict = Note {
        kind: Kind::ConformanceVerdict,
        detail,
    };
    let attempt = found.prohibited.as_ref().map(|prohibited| Note {
        kind: Kind::ProhibitedAttempt,
        detail: object([
            ("skillId", following.map_or(Value::Null, text)),
            (
                "attempt",
                prohibited.to_wire(following.unwrap_or_default(), &at.to_string(), None),
            ),
            ("reason", text(&found.reason)),
        ]),
    });
    std::iter::once(verdict).chain(attempt).collect()
}

fn skipped(id: Option<&str>, domain: &str, answer: &Answer) -> Note {
    Note {
        kind: Kind::SkillSkipped,
        detail: object([
            ("id", id.map_or(Value::Null, text)),
            ("domain", text(domain)),
            ("eligible", Value::Bool(false)),
            ("reason", text(&answer.reason)),
        ]),
    }
}

fn invalidated(domain: Value<'static>, units: &[String]) -> Note {
    let units = units.iter().map(|unit| text(unit));
    Note {
        kind: Kind::PlanInvalidated,
        detail: object([("domain", domain), ("units", Value::Array(units.collect()))]),
    }
}

fn text(text: &str) -> Value<'static> {
    Value::String(text.to_owned().into())
}

fn object<const N: usize>(members: [(&'static str, Value<'static>); N]) -> Value<'static> {
    let mut object = Object::new();
    for (name, value) in members {
        object.insert(name, value);
    }
    Value::Object(object)
}
