//! One call, from request to ruling.
//!
//! The governor gathers what is known (it may fail), lets the core decide (which may not), and has the decision in the
//! audit log before anybody acts on it.

mod asking;
mod gates;
mod outlook;
mod record;
mod stores;

pub use asking::Answered;
pub use outlook::Outlook;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use knotrust_core::audit::event::{Detail, Ending, Event, Kind, RawArguments};
use knotrust_core::case::Case;
use knotrust_core::decide::decide;
use knotrust_core::decision::Decision;
use knotrust_core::evidence::Evidence;
use knotrust_core::json::Text;
use knotrust_core::precedence::Outcome;
use knotrust_core::reason::Reason;
use knotrust_core::request::{Annotations, DecisionRequest, Untrusted};
use knotrust_core::ruleset::{Mode, Ruleset};
use knotrust_core::targets::ground::Ground;
use knotrust_core::tier::Tier;
use knotrust_core::time::Timestamp;
use knotrust_knowledge::correlation::Traceparent;

use crate::audit::{Log, Receipt};
use crate::caller::{Call, Caller};
use crate::channels::Reach;
use crate::clock::ulid::Ulids;
use crate::clock::{self, Moment};
use crate::failure::StoreError;
use crate::home::Home;
use crate::inventory::Standing;
use crate::page::Page;
use crate::pages::Pages;
use crate::permit::{Denial, Named, Permit, Ruling, Underway};
use crate::session::Session;
use crate::whereabouts::Whereabouts;
use gates::Gate;
use stores::{Known, Stores, Weighed};

/// Rules on calls, for one enforcement point.
#[derive(Debug)]
pub struct Governor<'r> {
    ruleset: &'r Ruleset<'r>,
    home: Home,
    caller: Caller,
    whereabouts: Whereabouts,
    page: Option<Box<dyn Page>>,
    ground: Mutex<Ground<'r>>,
    pages: Mutex<Pages>,
    stores: Mutex<Stores<'r>>,
    session: Mutex<Session<'r>>,
    /// Counts the events of this session.
    sequence: AtomicU64,
    started: Timestamp,
    state: Mutex<State>,
}

/// Under which conditions something is ruled on.
#[derive(Clone, Copy)]
struct Terms {
    /// Whether there is anything to decide.
    wanted: fn(&Case<'_>) -> bool,
    /// What the surface has against the call.
    objection: Option<Reason>,
    /// How a person can be reached.
    reach: Reach,
}

/// When and how a call came.
#[derive(Clone, Copy)]
struct Occasion<'o> {
    /// How a person can be reached.
    reach: Reach,
    started: Moment,
    /// The hash of its arguments.
    arguments: &'o str,
    /// The trace that it belongs to.
    trace: Option<&'o Traceparent>,
}

impl Terms {
    fn of(reach: Reach) -> Self {
        Self {
            wanted: |_| true,
            objection: None,
            reach,
        }
    }
}

/// A decision, and what is to be said of it in the log.
#[derive(Clone, Copy)]
struct Made<'d> {
    decision: &'d Decision,
    is_remembered: bool,
    detail: Option<Detail<'d>>,
}

/// Calls that are ruled on together, as long as this lives.
#[derive(Debug)]
#[must_use]
pub struct Together<'g, 'r>(&'g Governor<'r>);

impl Drop for Together<'_, '_> {
    fn drop(&mut self) {
        self.0.state().log.rise();
    }
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
            home: home.clone(),
            ground: Mutex::new(whereabouts.lay(ruleset, home, &[])),
            pages: Mutex::new(Pages::of(home)),
            session: Mutex::new(Session::begin(ruleset, home, whereabouts.cwd())),
            sequence: AtomicU64::new(0),
            started: clock::now().wall,
            whereabouts,
            page: None,
            stores: Mutex::new(Stores::of(ruleset, home, &caller.instance)),
            caller,
            state: Mutex::new(State {
                log: Log::of(home),
                ids: Ulids::default(),
            }),
        };
        let started = Event {
            kind: Kind::SessionStarted,
            ..governor.event()
        };
        let begun = governor.state().log.append(&started, clock::now())?;
        // A clock that was set back between two runs brings nothing back.
        governor.stores().not_before(begun.at());
        // Calls that others held when they died are answered for now; where nobody ever asked, there is nothing to read.
        if home.at("approvals").is_dir() {
            governor.end_orphans()?;
        }
        Ok(governor)
    }

    /// Gives it a page to show questions on.
    #[must_use]
    pub fn with_page(mut self, page: Box<dyn Page>) -> Self {
        self.page = Some(page);
        self
    }

    /// The policy that rules.
    #[must_use]
    pub const fn ruleset(&self) -> &'r Ruleset<'r> {
        self.ruleset
    }

    /// When the session began.
    pub(crate) const fn started(&self) -> Timestamp {
        self.started
    }

    /// How many events the session has had.
    pub(crate) fn events_so_far(&self) -> u64 {
        self.sequence.load(Ordering::Relaxed)
    }

    /// The home.
    pub(crate) const fn home(&self) -> &Home {
        &self.home
    }

    /// Who calls.
    #[must_use]
    pub const fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Has what is ruled and recorded until this is dropped take the lock of the log once, not each for itself. For some few
    /// calls that came together: other processes of the home wait meanwhile.
    pub fn together(&self) -> Together<'_, 'r> {
        self.state().log.sit();
        Together(self)
    }

    /// Rules on a call; where a person must be asked, this is how one can be reached. Whatever goes wrong on the way is a refusal with a reason.
    pub fn rule(&self, call: Call<'_>, reach: Reach) -> Ruling {
        self.rule_where(call, Terms::of(reach))
            .unwrap_or_else(|| Ruling::Deny(unrecorded(Decision::failed(Reason::InternalError))))
    }

    /// Rules on a call that the surface has something against: it is denied for that reason, and recorded like any other.
    pub fn rule_against(&self, call: Call<'_>, objection: Reason) -> Ruling {
        let terms = Terms {
            objection: Some(objection),
            ..Terms::of(Reach::default())
        };
        self.rule_where(call, terms)
            .unwrap_or_else(|| Ruling::Deny(unrecorded(Decision::failed(objection))))
    }

    /// Rules on a request that runs no tool, if it names a governed place or one of our own. If it names none, there is
    /// nothing to decide and nothing to record.
    pub fn rule_place(&self, call: Call<'_>) -> Option<Ruling> {
        let terms = Terms {
            wanted: |case| case.own_place || !case.domains.is_empty(),
            ..Terms::of(Reach::HOLDING)
        };
        self.rule_where(call, terms)
    }

    fn rule_where(&self, mut call: Call<'_>, terms: Terms) -> Option<Ruling> {
        let now = clock::now();
        let (server, sent) = (call.server, call.trace.take());
        let Ok(id) = self.new_id(now) else {
            let decision = Decision::failed(Reason::InternalError);
            return Some(Ruling::Deny(unrecorded(decision)));
        };
        let mut request = self.caller.request(call, &id, now.wall);
        let arguments = request.arguments();
        let around = self.whereabouts.surroundings();
        let standing = self.notice_pages();
        let standing = standing.and_then(|()| self.standing(server, &request));
        request.annotations = standing.as_ref().ok().and_then(annotations);
        let drifted = matches!(standing, Ok(Standing::Drifted(..)));
        let (case, classification) = {
            let ground = self.ground.lock().unwrap_or_else(PoisonError::into_inner);
            Case::on(
                &ground,
                self.ruleset,
                &request,
                &arguments,
                drifted,
                &around,
            )
        };
        if !(terms.wanted)(&case) {
            return None;
        }
        request.resource = case.resource(server, &request.resource.id, &arguments);
        let hash = request.arguments_hash();
        let trace = record::trace(&request, sent.as_deref());
        let occasion = Occasion {
            reach: terms.reach,
            started: now,
            arguments: &hash,
            trace: trace.as_ref(),
        };
        if let Some(reason) = terms.objection {
            let weighed = Weighed::afresh(Decision::failed(reason).at(&case));
            let ruled = (weighed, Gate::default());
            return Some(self.carry(&request, &case, ruled, occasion));
        }
        let gate =
            standing.and_then(|_| self.gate(&request, &case, &classification, &arguments, server));
        let weighed = gate.and_then(|gate| {
            let known = Known {
                plan: gate.plan(),
                around: &around,
                now: now.wall,
                arguments: &hash,
            };
            let weighed = self.stores().weigh(&request, &arguments, &case, known)?;
            Ok((weighed, gate))
        });
        let (weighed, gate) =
            weighed.unwrap_or_else(|_| (self.broken(&request, &case), Gate::default()));
        if let Some(id) = &weighed.minted {
            // Without room for it in the log there is none for the decision, which is then a denial.
            let _ = self.note_minted(&request, &case, id);
        }
        Some(self.carry(&request, &case, (weighed, gate), occasion))
    }

    fn standing(
        &self,
        server: &str,
        request: &DecisionRequest<'_>,
    ) -> Result<Standing, StoreError> {
        let tool = request.resource.id.to_string_lossy();
        self.stores().standing(server, &tool)
    }

    /// What is left when what must be known could not be: a denial, unless the policy lets this routine call pass and
    /// that could be recorded (reference, "Fail-open").
    fn broken(&self, request: &DecisionRequest<'_>, case: &Case<'_>) -> Weighed {
        let failed = Decision::failed(Reason::InternalError).at(case);
        let fired = Event {
            kind: Kind::FailOpenFired,
            tool: Some(&request.action.name),
            tier: Some(case.tier),
            ..self.event()
        };
        let passes = case.fail_open && !case.is_denied_unconditionally();
        let decision = if passes && self.note(&fired).is_ok() {
            decide(case, &Evidence::none(request.timestamp)).never_remembered()
        } else {
            failed
        };
        Weighed::afresh(decision)
    }

    /// Records a decision, and makes of it what may be acted on.
    fn carry(
        &self,
        request: &DecisionRequest<'_>,
        case: &Case<'_>,
        (weighed, gate): (Weighed, Gate),
        occasion: Occasion<'_>,
    ) -> Ruling {
        let server = request.surface.server.as_deref().unwrap_or_default();
        let Weighed {
            decision,
            is_remembered,
            spent,
            minted: _,
        } = weighed;
        let unpaid = decision.clone().refused(Reason::AuditUnavailable);
        let decision = self
            .enter(request, &gate, decision, server)
            .unwrap_or(unpaid);
        let named = Named {
            decision_id: request.request_id.clone().into_owned(),
            action: request.action.name.clone().into_owned(),
            server: server.to_owned(),
            trace: occasion.trace.cloned(),
        };
        let (named, decision) = match Permit::unrecorded(named, decision, case) {
            Ok(permit) => return Ruling::Allow(permit),
            Err(recorded) => *recorded,
        };
        let made = Made {
            decision: &decision,
            is_remembered,
            detail: gate.detail.as_deref().and_then(Detail::new),
        };
        let receipt = match self.record(request, &named, case, made, occasion) {
            Ok(receipt) => receipt,
            Err(_) => {
                let refused = decision.clone().refused(Reason::AuditUnavailable);
                // Once more, for the case that the cause is gone by now: a denial wants to be in the log as well.
                let made = Made {
                    decision: &refused,
                    is_remembered: false,
                    detail: gate.detail.as_deref().and_then(Detail::new),
                };
                let again = self.record(request, &named, case, made, occasion);
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
        if let Some(id) = &spent {
            let _ = self.note(&Event {
                kind: Kind::GrantConsumed,
                tool: Some(&named.action),
                server: Some(server),
                decision_id: Some(&named.decision_id),
                grant_refs: &[id],
                ..self.event()
            });
        }
        let mode = self.ruleset.settings.mode;
        let governed = !case.domains.is_empty();
        let waits = decision.outcome == Outcome::PendingApproval && mode == Mode::Enforce;
        let (named, decision) = match Permit::issue(named, decision, &receipt, mode, governed) {
            Ok(permit) => return Ruling::Allow(permit),
            Err(refused) => *refused,
        };
        if waits {
            return self.ask(
                request,
                case,
                decision,
                named,
                (occasion.reach, occasion.started),
            );
        }
        self.notice_probing(request, &named);
        Ruling::Deny(Denial {
            how: self.how(request, &decision, server),
            decision_id: named.decision_id,
            decision,
            approval_id: None,
        })
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
        made: Made<'_>,
        occasion: Occasion<'_>,
    ) -> Result<Receipt, StoreError> {
        let Made {
            decision,
            is_remembered,
            detail,
        } = made;
        let rule = record::rule_place(self.ruleset, decision.rule);
        let grants: Vec<&str> = decision.grant.iter().map(String::as_str).collect();
        let flagged = record::flags(case);
        let captures = self.ruleset.settings.capture_arguments;
        let arguments = captures.then(|| record::arguments(request)).flatten();
        let now = clock::now();
        let latency = now
            .steady
            .saturating_sub(occasion.started.steady)
            .as_micros();
        let event = Event {
            kind: Kind::Decision,
            tool: Some(&named.action),
            args_hash: Some(occasion.arguments),
            raw_args: arguments.as_deref().and_then(RawArguments::new),
            decision_id: Some(&named.decision_id),
            request_id: Some(&named.decision_id),
            server: Some(&named.server),
            tier: Some(decision.tier),
            layer: Some(decision.layer),
            outcome: Some(decision.outcome),
            reason: Some(flagged.as_deref().unwrap_or(decision.reason.code())),
            rule: rule.as_deref(),
            grant_refs: &grants,
            cache_hit: is_remembered,
            correlation: occasion.trace.map(|trace| trace.trace_id.as_str()),
            parent: occasion.trace.map(|trace| trace.parent_id.as_str()),
            detail,
            latency_micros: u64::try_from(latency).ok(),
            ..self.event()
        };
        let mut state = self.state();
        let receipt = state.log.append(&event, now)?;
        // What a critical call does must not outlive its record in a loss of power.
        let is_critical = decision.outcome == Outcome::Allow && decision.tier == Tier::Critical;
        let barrier = is_critical.then(|| state.log.barrier()).flatten();
        drop(state);
        if let Some(barrier) = barrier {
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
        if !underway.is_recorded {
            return Ok(());
        }
        let named = &underway.named;
        self.note(&Event {
            kind: Kind::CallEnded,
            tool: Some(&named.action),
            decision_id: Some(&named.decision_id),
            request_id: Some(&named.decision_id),
            server: Some(&named.server),
            ending: Some(ending),
            correlation: named.trace.as_ref().map(|trace| trace.trace_id.as_str()),
            parent: named.trace.as_ref().map(|trace| trace.parent_id.as_str()),
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
            sequence: Some(self.sequence.fetch_add(1, Ordering::Relaxed) + 1),
            policy_digest: Some(self.ruleset.digest),
            ..Event::of(Kind::Decision)
        }
    }

    /// A text that was never drawn before, and that nobody guesses.
    ///
    /// # Errors
    ///
    /// The system has no randomness to give.
    pub fn fresh_id(&self) -> Result<String, getrandom::Error> {
        self.new_id(clock::now())
    }

    fn new_id(&self, now: Moment) -> Result<String, getrandom::Error> {
        self.state().ids.next(now.wall).map(|id| id.to_string())
    }

    fn stores(&self) -> MutexGuard<'_, Stores<'r>> {
        self.stores.lock().unwrap_or_else(PoisonError::into_inner)
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

fn annotations(standing: &Standing) -> Option<Untrusted<Annotations>> {
    match standing {
        Standing::Unknown => None,
        Standing::Known(traits) | Standing::Drifted(traits, _) => Some(traits.annotations),
    }
}
