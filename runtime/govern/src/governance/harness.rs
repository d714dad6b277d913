//! How a session stands.

use knotrust_core::audit::event::Kind;
use knotrust_core::json::{Object, Value};
use knotrust_core::precedence::Outcome;
use knotrust_core::time::Timestamp;
use knotrust_knowledge::amount::Amount;
use knotrust_knowledge::assess::{Aggregate, Criteria, assess, strictest};
use knotrust_knowledge::date::IsoDate;
use knotrust_knowledge::options::Options;

use super::{Refusal, count, known_members, object, required, text, text_of};
use crate::approvals::Desk;
use crate::clock;
use crate::governor::Governor;
use crate::plans::Moved;

impl Governor<'_> {
    pub(super) fn tool_status(&self) -> Result<Value<'static>, Refusal> {
        let now = clock::now().wall;
        let ruleset = self.ruleset();
        let mut session = self.session();
        let known = session
            .known
            .values()
            .map(|known| known.iter().count())
            .sum();
        let spent = session.budget.ledger(now)?.to_json();
        let following = session.remembered.following();
        let following = following.map_or(Value::Null, |following| text(following.id()));
        let plans = session.plans.iter().len();
        drop(session);
        let domains = ruleset.domains.iter().map(|domain| text(domain.name));
        let servers = ruleset.servers.iter().map(|server| text(server.name));
        Ok(object([
            (
                "session",
                object([
                    ("id", text(&self.caller().instance)),
                    ("startedAt", text(&self.started().to_string())),
                    ("sequence", Value::Number(self.events_so_far().into())),
                    ("plansCount", count(plans)),
                    ("knownUnitsCount", count(known)),
                    ("following", following),
                    ("budget", spent),
                ]),
            ),
            (
                "governance",
                object([
                    ("domains", Value::Array(domains.collect())),
                    ("policy", text(ruleset.name)),
                ]),
            ),
            ("downstream", Value::Array(servers.collect())),
        ]))
    }

    pub(super) fn tool_session(&self) -> Result<Value<'static>, Refusal> {
        let moved = self.review_plans(clock::now().wall)?;
        let session = self.session();
        let mut plans = Object::new();
        for (domain, approved) in session.plans.iter() {
            let selected = approved.plan.selected.iter().map(|unit| {
                object([
                    ("id", text(&unit.id)),
                    ("path", text(&unit.path)),
                    ("score", Value::Number(unit.score.into())),
                    ("loadEligible", Value::Bool(unit.load_eligible)),
                ])
            });
            let plan = object([
                ("task", text(&approved.plan.task)),
                ("approvedAt", text(&approved.at.to_string())),
                ("selected", Value::Array(selected.collect())),
                ("skipped", count(approved.plan.skipped.len())),
            ]);
            plans.insert(session.name(domain), plan);
        }
        let approved = session
            .remembered
            .approved()
            .map(|(domain, unit)| object([("domain", text(domain)), ("unit", text(unit))]));
        Ok(object([
            ("sessionId", text(&self.caller().instance)),
            ("plans", Value::Object(plans.into_owned())),
            ("approved", Value::Array(approved.collect())),
            (
                "invalidated",
                count(moved.iter().map(|moved| moved.lost.len()).sum()),
            ),
        ]))
    }

    pub(super) fn tool_budget(&self) -> Result<Value<'static>, Refusal> {
        let mut session = self.session();
        let mut value = session.budget.ledger(clock::now().wall)?.to_json();
        let entries = session.budget.entries();
        if let Value::Object(members) = &mut value {
            members.insert("entryCount", count(entries.len()));
            if let Some(last) = entries.last() {
                members.insert("lastEntry", last.clone());
            }
            let own = entries.iter().filter(|entry| {
                entry.get("session").and_then(Value::as_str) == Some(&self.caller().instance)
            });
            members.insert("entries", Value::Array(own.cloned().collect()));
        }
        Ok(value)
    }

    pub(super) fn tool_temporal_check(&self) -> Result<Value<'static>, Refusal> {
        let checked = self.session().plans.iter().len();
        let moved = self.review_plans(clock::now().wall)?;
        let drifted: Vec<_> = {
            let session = self.session();
            let drifted = moved.iter().map(|moved| {
                object([
                    ("domain", text(session.name(moved.domain))),
                    ("task", text(&moved.task)),
                    ("drift", moved.drift.clone()),
                    (
                        "invalidated",
                        Value::Array(moved.lost.iter().map(|unit| text(unit)).collect()),
                    ),
                ])
            });
            drifted.collect()
        };
        Ok(object([
            ("checked", count(checked)),
            ("stable", count(checked.saturating_sub(drifted.len()))),
            ("drifted", Value::Array(drifted)),
            ("errors", Value::Array(Vec::new())),
        ]))
    }

    pub(super) fn tool_approvals(&self, arguments: &Value<'_>) -> Result<Value<'static>, Refusal> {
        known_members(arguments, &["state"])?;
        match text_of(arguments, "state")? {
            None | Some("pending_review") => {}
            Some(_) => {
                return Err(Refusal::Argument {
                    member: "state",
                    expected: "pending_review",
                });
            }
        }
        let pending = Desk::of(self.home()).list()?;
        let listed = pending.iter().map(|pending| {
            let ticket = &pending.ticket;
            let roles = ticket.roles.iter().map(|role| text(role));
            object([
                ("id", text(&ticket.id)),
                ("state", text("pending_review")),
                (
                    "toolName",
                    Value::String(ticket.request.action.name.clone()),
                ),
                ("requiredRoles", Value::Array(roles.collect())),
                ("requestedAt", text(&ticket.asked.to_string())),
                ("expiresAt", text(&ticket.until.to_string())),
            ])
        });
        Ok(object([("approvals", Value::Array(listed.collect()))]))
    }

    pub(super) fn tool_assess(&self, arguments: &Value<'_>) -> Result<Value<'static>, Refusal> {
        known_members(arguments, &["task", "answer", "threshold", "severity"])?;
        let task = required(arguments, "task")?;
        let answer = required(arguments, "answer")?;
        let configured = self.ruleset().gates.confidence;
        let bar = configured.map(|confidence| Options::amount(confidence.threshold));
        let asked = match arguments.get("threshold") {
            None | Some(Value::Null) => None,
            Some(value) => {
                let share = value.as_number().and_then(Amount::of_number);
                let wrong = Refusal::Argument {
                    member: "threshold",
                    expected: "a number from 0 to 1",
                };
                let one = Amount::from(1);
                let share = share.filter(|share| !share.is_negative() && *share <= one);
                Some(share.ok_or(wrong)?)
            }
        };
        let threshold = match (bar, asked) {
            (Some(bar), asked) => strictest(bar, asked),
            (None, Some(asked)) => asked,
            (None, None) => return Err(Refusal::NoThreshold),
        };
        let severity = configured.and_then(|confidence| confidence.severity);
        let severity = severity.or(text_of(arguments, "severity")?);
        let criteria = Criteria {
            threshold,
            aggregate: Aggregate::Min,
            severity: severity.map(str::to_owned),
            include_self_report: true,
            self_report: None,
            as_of: IsoDate::day_of(clock::now().wall).as_str().to_owned(),
        };
        let Ok(verdict) = assess(answer, &criteria, None) else {
            return Err(Refusal::NoThreshold);
        };
        let route = configured.and_then(|confidence| confidence.route);
        let outcome = if verdict.passed {
            Outcome::Allow
        } else {
            Outcome::Deny
        };
        let mut said = object([
            ("task", text(task)),
            ("outcome", text(outcome.as_str())),
            ("verdict", verdict.to_json()),
        ]);
        let mut told = object([
            ("allowed", Value::Bool(verdict.passed)),
            ("verdict", verdict.to_json()),
        ]);
        if let Some(route) = route.filter(|_| !verdict.passed) {
            for value in [&mut said, &mut told] {
                if let Value::Object(members) = value {
                    members.insert("requiredRole", text(route.role));
                }
            }
        }
        self.note_found(Kind::ConfidenceVerdict, &said)?;
        Ok(told)
    }

    /// Makes the plans of the session again where day or manifest have changed, and records what has moved.
    fn review_plans(&self, now: Timestamp) -> Result<Vec<Moved>, Refusal> {
        let moved = {
            let mut session = self.session();
            let today = IsoDate::day_of(now);
            session.review(now, &today)
        };
        self.note_moved(&moved)?;
        Ok(moved)
    }
}
