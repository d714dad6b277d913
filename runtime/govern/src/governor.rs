//! One call, from request to ruling.
//!
//! The governor gathers what is known (it may fail), lets the core decide (which may not), and has the decision in the
//! audit log before anybody acts on it.

mod record;

use std::sync::{Mutex, MutexGuard, PoisonError};

use knotrust_core::audit::event::{Ending, Event, Kind};
use knotrust_core::case::{Case, Standing, resource_of};
use knotrust_core::classify::classify;
use knotrust_core::decide::decide;
use knotrust_core::decision::Decision;
use knotrust_core::evidence::Evidence;
use knotrust_core::json::{Text, Value};
use knotrust_core::precedence::Outcome;
use knotrust_core::reason::Reason;
use knotrust_core::request::DecisionRequest;
use knotrust_core::ruleset::{Mode, Ruleset};
use knotrust_core::targets::ground::Ground;
use knotrust_core::tier::Tier;

use crate::audit::{Log, Receipt};
use crate::caller::{Call, Caller};
use crate::clock::ulid::Ulids;
use crate::clock::{self, Moment};
use crate::failure::StoreError;
use crate::home::Home;
use crate::paths::FileSystem;
use crate::permit::{Denial, Held, Named, Permit, Ruling, Underway};
use crate::whereabouts::Whereabouts;

/// Rules on calls, for one enforcement point.
#[derive(Debug)]
pub struct Governor<'r> {
    ruleset: &'r Ruleset<'r>,
    caller: Caller,
    whereabouts: Whereabouts,
    ground: Mutex<Ground<'r>>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    log: Log,
    ids: Ulids,
}

impl<'r> Governor<'r> {
    /// A governor over this home. Records that a session has begun, which also shows that the log can be written.
    ///
    /// # Errors
    ///
    /// The log cannot be written.
    pub fn open(
        ruleset: &'r Ruleset<'r>,
        home: &Home,
        caller: Caller,
        whereabouts: Whereabouts,
    ) -> Result<Self, StoreError> {
        let governor = Self {
            ruleset,
            caller,
            ground: Mutex::new(whereabouts.lay(ruleset, home)),
            whereabouts,
            state: Mutex::new(State {
                log: Log::of(home),
                ids: Ulids::default(),
            }),
        };
        governor.note(&Event {
            kind: Kind::SessionStarted,
            ..governor.event()
        })?;
        Ok(governor)
    }

    /// The policy that rules.
    #[must_use]
    pub const fn ruleset(&self) -> &'r Ruleset<'r> {
        self.ruleset
    }

    /// Who calls.
    #[must_use]
    pub const fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Rules on a call. Whatever goes wrong on the way is a refusal with a reason.
    pub fn rule(&self, call: Call<'_>) -> Ruling {
        self.rule_where(call, |_| true)
            .unwrap_or_else(|| Ruling::Deny(unrecorded(Decision::failed(Reason::InternalError))))
    }

    /// Rules on a request that runs no tool, if it names a governed place or one of our own. If it names none, there is
    /// nothing to decide and nothing to record.
    pub fn rule_place(&self, call: Call<'_>) -> Option<Ruling> {
        self.rule_where(call, |case| case.own_place || !case.domains.is_empty())
    }

    fn rule_where(&self, call: Call<'_>, wanted: fn(&Case<'_>) -> bool) -> Option<Ruling> {
        let now = clock::now();
        let server = call.server;
        let Ok(id) = self.new_id(now) else {
            let decision = Decision::failed(Reason::InternalError);
            return Some(Ruling::Deny(unrecorded(decision)));
        };
        let mut request = self.caller.request(call, &id, now.wall);
        let case = self.case(&request);
        if !wanted(&case) {
            return None;
        }
        self.name_resource(&mut request, server);
        let evidence = Evidence::none(now.wall);
        let decision = decide(&case, &evidence);
        Some(self.carry(&request, &case, decision, server, now))
    }

    /// What the policy says of a request, where this enforcement point stands.
    fn case<'c>(&'c self, request: &DecisionRequest<'_>) -> Case<'c> {
        let around = self.whereabouts.surroundings();
        let tool = request.resource.id.to_string_lossy();
        let classification = {
            let ground = self.ground.lock().unwrap_or_else(PoisonError::into_inner);
            classify(&ground, &FileSystem, &tool, &request.arguments())
        };
        let standing = Standing {
            touched: &classification.domains(),
            approval_paths: &classification.approvals(),
            own_place: classification.touches_own(),
            ..Standing::default()
        };
        Case::of(self.ruleset, request, standing, &around)
    }

    fn name_resource<'a>(&self, request: &mut DecisionRequest<'a>, server: &'a str)
    where
        'r: 'a,
    {
        let arguments = Value::Object(request.context.arguments.clone().unwrap_or_default());
        let name = request.action.name.to_string_lossy().into_owned();
        let tool = request.resource.id.clone();
        request.resource = resource_of(self.ruleset, server, &tool, &name, &arguments);
    }

    /// Records a decision, and makes of it what may be acted on.
    fn carry(
        &self,
        request: &DecisionRequest<'_>,
        case: &Case<'_>,
        decision: Decision,
        server: &str,
        started: Moment,
    ) -> Ruling {
        let named = Named {
            decision_id: request.request_id.clone().into_owned(),
            request_id: request.request_id.clone().into_owned(),
            action: request.action.name.clone().into_owned(),
            server: server.to_owned(),
        };
        let receipt = match self.record(request, &named, case, &decision, started) {
            Ok(receipt) => receipt,
            Err(_) => {
                let refused = decision.refused(Reason::AuditUnavailable);
                // Once more, for the case that the cause is gone by now: a denial wants to be in the log as well.
                let again = self.record(request, &named, case, &refused, started);
                let denial = Denial {
                    decision_id: String::new(),
                    ..unrecorded(refused)
                };
                return Ruling::Deny(match again {
                    Ok(_) => Denial {
                        decision_id: named.decision_id,
                        ..denial
                    },
                    Err(_) => denial,
                });
            }
        };
        let mode = self.ruleset.settings.mode;
        let governed = !case.domains.is_empty();
        let waits = decision.outcome == Outcome::PendingApproval && mode == Mode::Enforce;
        match Permit::issue(named.clone(), decision, &receipt, mode, governed) {
            Ok(permit) => Ruling::Allow(permit),
            Err(decision) => {
                let denial = Denial {
                    how: self.how(request, &decision, server),
                    decision_id: named.decision_id,
                    decision,
                    approval_id: None,
                };
                if waits {
                    Ruling::Hold(Held {
                        ticket: denial.decision_id.clone(),
                        denial,
                    })
                } else {
                    Ruling::Deny(denial)
                }
            }
        }
    }

    /// The command that would grant calls like this one, where a grant would help.
    fn how(
        &self,
        request: &DecisionRequest<'_>,
        decision: &Decision,
        server: &str,
    ) -> Option<String> {
        let requestable = decision.reason.is_requestable(decision.tier);
        requestable.then(|| crate::hint::grant_command(&request.action.name, server))
    }

    fn record(
        &self,
        request: &DecisionRequest<'_>,
        named: &Named,
        case: &Case<'_>,
        decision: &Decision,
        started: Moment,
    ) -> Result<Receipt, StoreError> {
        let hash = request.arguments_hash();
        let rule = record::rule_place(self.ruleset, decision.rule);
        let grants: Vec<&str> = decision.grant.iter().map(String::as_str).collect();
        let flagged = record::flags(case);
        let now = clock::now();
        let latency = now.steady.saturating_sub(started.steady).as_micros();
        let event = Event {
            kind: Kind::Decision,
            tool: Some(&named.action),
            args_hash: Some(&hash),
            decision_id: Some(&named.decision_id),
            request_id: Some(&named.request_id),
            server: Some(&named.server),
            tier: Some(decision.tier),
            layer: Some(decision.layer),
            outcome: Some(decision.outcome),
            reason: Some(flagged.as_deref().unwrap_or(decision.reason.code())),
            rule: rule.as_deref(),
            grant_refs: &grants,
            latency_micros: u64::try_from(latency).ok(),
            ..self.event()
        };
        let mut state = self.state();
        let receipt = state.log.append(&event, now)?;
        let barrier = state.log.barrier();
        drop(state);
        // What a critical call does must not outlive its record in a loss of power.
        if decision.outcome == Outcome::Allow
            && decision.tier == Tier::Critical
            && let Some(barrier) = barrier
        {
            barrier.pass()?;
        }
        Ok(receipt)
    }

    /// Records how a forwarded call ended.
    ///
    /// # Errors
    ///
    /// It could not be recorded. The call itself has happened; later calls will be denied for as long as this lasts.
    pub fn ended(&self, underway: &Underway, ending: Ending) -> Result<(), StoreError> {
        let named = &underway.named;
        self.note(&Event {
            kind: Kind::CallEnded,
            tool: Some(&named.action),
            decision_id: Some(&named.decision_id),
            request_id: Some(&named.request_id),
            server: Some(&named.server),
            ending: Some(ending),
            ..self.event()
        })
    }

    /// Records that a message was refused before anything could be decided.
    ///
    /// # Errors
    ///
    /// It could not be recorded.
    pub fn refused(
        &self,
        server: &str,
        tool: Option<&Text<'_>>,
        why: &str,
    ) -> Result<(), StoreError> {
        self.note(&Event {
            kind: Kind::RequestRefused,
            tool,
            server: Some(server),
            outcome: Some(Outcome::Deny),
            reason: Some(why),
            ..self.event()
        })
    }

    /// Records something else that happened.
    ///
    /// # Errors
    ///
    /// It could not be recorded.
    pub fn note(&self, event: &Event<'_>) -> Result<(), StoreError> {
        self.state().log.append(event, clock::now()).map(|_| ())
    }

    /// An event of this enforcement point, for others to fill in.
    #[must_use]
    pub fn event(&self) -> Event<'_> {
        Event {
            surface: self.caller.surface.as_str(),
            subject: &self.caller.subject,
            agent: &self.caller.agent,
            session: Some(&self.caller.instance),
            policy_digest: Some(self.ruleset.digest),
            ..Event::of(Kind::Decision)
        }
    }

    fn new_id(&self, now: Moment) -> Result<String, getrandom::Error> {
        self.state().ids.next(now.wall).map(|id| id.to_string())
    }

    // A thread that panicked while it held the state has left log and ids as they are between two calls.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unrecorded(decision: Decision) -> Denial {
    Denial {
        decision_id: String::new(),
        decision,
        how: None,
        approval_id: None,
    }
}
