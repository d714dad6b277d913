//! Where tickets are shown, and answers taken.

mod assent;
mod lasting;
mod width;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use knotrust_core::approval::Ending;
use knotrust_core::audit::event::{Agreed, Event, Given, Kind};
use knotrust_core::consent::Consent;
use knotrust_core::ruleset::Ruleset;
use knotrust_core::time::Timestamp;
use knotrust_govern::approvals::{
    Answer, Desk, Earlier, Pending, ResolveError, Ticket, Verdict, Way,
};
use knotrust_govern::audit::Log;
use knotrust_govern::caller::Caller;
use knotrust_govern::failure::StoreError;
use knotrust_govern::home::Home;
use knotrust_govern::{clock, person};

use crate::http::{Form, Response, Status};
use crate::register::{Entry, Register};
use crate::server::Host;
use crate::view;
use crate::violations::Violations;
use assent::{Assent, Doubt};
pub(crate) use assent::{Means, Ways};
pub(crate) use lasting::{Lasting, Span};
pub(crate) use width::Width;

/// Shows the tickets of one process and takes answers to them.
#[derive(Debug)]
pub(crate) struct Counter {
    ruleset: &'static Ruleset<'static>,
    home: Home,
    caller: Caller,
    register: Mutex<Register>,
    record: Mutex<Record>,
    /// To check a pin takes much memory: one at a time.
    pin: Mutex<()>,
}

#[derive(Debug)]
struct Record {
    log: Log,
    violations: Violations,
}

/// What a person presses.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Action {
    Approve,
    AlwaysAllow(Width, Span),
    Deny,
}

/// Why nothing was done.
#[derive(Clone, Copy, Debug)]
enum Undone {
    /// Somebody was first, or the time is over.
    Late,
    /// Whoever answered may not be who they must be: a word for the log, and words for them.
    Doubted(&'static str, &'static str),
    /// A grant is asked for that would not help.
    NoGrant,
    /// The home cannot be read or written.
    Broken,
}

/// Where a ticket stands, for its page.
#[derive(Debug)]
pub(crate) enum Standing {
    /// It waits.
    Waiting,
    /// It has ended; by an answer, if there is one to tell of.
    Ended(Ending, Option<Box<Answer>>),
    /// Whoever held the call is gone.
    Gone,
}

impl Counter {
    pub(crate) fn new(ruleset: &'static Ruleset<'static>, home: &Home, caller: &Caller) -> Self {
        Self {
            ruleset,
            home: home.clone(),
            caller: caller.clone(),
            register: Mutex::default(),
            record: Mutex::new(Record {
                log: Log::of(home),
                violations: Violations::default(),
            }),
            pin: Mutex::default(),
        }
    }

    /// Makes an address for a ticket; nothing if the system has no randomness to give.
    pub(crate) fn register(&self, ticket: &Arc<Ticket>, owner: &str) -> Option<String> {
        self.registered().add(ticket, owner, clock::now().wall)
    }

    fn act(&self, action: Action, entry: &Entry, form: &Form) -> Response {
        match self.carry_out(action, entry, form) {
            Ok(remark) => self.page(Status::Ok, entry, remark),
            Err(Undone::Late) => self.late(entry),
            Err(Undone::Doubted(reason, words)) => {
                self.note_violation(Some(&entry.ticket), reason);
                self.page(Status::Forbidden, entry, Some(words))
            }
            Err(Undone::NoGrant) => self.page(Status::BadRequest, entry, Some(NO_GRANT)),
            Err(Undone::Broken) => self.page(Status::Failed, entry, Some(BROKEN)),
        }
    }

    fn carry_out(
        &self,
        action: Action,
        entry: &Entry,
        form: &Form,
    ) -> Result<Option<&'static str>, Undone> {
        let ticket = &entry.ticket;
        let now = clock::now().wall;
        let pending = self.pending(entry)?.ok_or(Undone::Late)?;
        // Nobody types a pin for what is over.
        if !matches!(standing(Some(&pending), now), Standing::Waiting) {
            return Err(Undone::Late);
        }
        let lasting = match action {
            Action::AlwaysAllow(width, span) => {
                let id = Lasting::id_in(form.get("grant"), ticket, now);
                let lasting =
                    id.and_then(|id| Lasting::of(ticket, self.ruleset, (width, span), &id));
                Some(lasting.ok_or(Undone::NoGrant)?)
            }
            Action::Approve | Action::Deny => None,
        };
        let (verdict, assent) = match action {
            Action::Deny => (Verdict::Deny, Assent::default()),
            Action::Approve | Action::AlwaysAllow(..) => {
                let assent = self.assent(ticket, lasting.as_ref(), form)?;
                (Verdict::Approve, assent)
            }
        };
        // A pin takes its time to check.
        let now = clock::now().wall;
        let answer = Answer {
            verdict,
            at: now,
            way: Way::Page,
            who: person::here(),
            call: Some(ticket.exact.clone()),
            consent: assent.to_call,
        };
        pending.resolve(&self.ruleset.approvals, &answer, now)?;
        // Only now: who comes too late leaves no grant behind.
        Ok(lasting.map(|lasting| {
            let consent = assent.to_grant.as_ref();
            // Recorded first: a grant that is not in the log is not made.
            let recorded = self.note_grant(ticket, &lasting, consent).is_ok();
            if recorded && lasting.keep(consent, &self.home, self.ruleset).is_ok() {
                KEPT
            } else {
                NOT_KEPT
            }
        }))
    }

    fn assent(
        &self,
        ticket: &Ticket,
        lasting: Option<&Lasting>,
        form: &Form,
    ) -> Result<Assent, Doubt> {
        let _one = self.pin.lock().unwrap_or_else(PoisonError::into_inner);
        Assent::of(ticket, lasting, &self.ruleset.approvals, form)
    }

    /// The page for whoever comes too late: somebody was first, or the time is over.
    fn late(&self, entry: &Entry) -> Response {
        self.note_violation(Some(&entry.ticket), "replayed_token");
        let standing = self.standing(entry);
        let status = match standing {
            Standing::Ended(Ending::Approved | Ending::Denied, _) | Standing::Waiting => {
                Status::Conflict
            }
            Standing::Ended(Ending::Expired | Ending::Cancelled, _) | Standing::Gone => {
                Status::Gone
            }
        };
        self.page(status, entry, Some(LATE))
    }

    fn page(&self, status: Status, entry: &Entry, remark: Option<&str>) -> Response {
        let ticket = &entry.ticket;
        let standing = self.standing(entry);
        let now = clock::now().wall;
        let waits = matches!(standing, Standing::Waiting);
        let (grant, lasting) = Lasting::offered(ticket, self.ruleset, now);
        let seen = lasting.last().filter(|_| waits);
        let seen = seen.map(|lasting| lasting.seen(&self.home));
        let view = view::Page {
            ticket,
            standing: &standing,
            now,
            since: waits
                .then(|| Earlier::of(&self.home).since(ticket))
                .flatten(),
            secret: &entry.secret,
            remark,
            ways: assent::ways(ticket, &self.ruleset.approvals),
            grant,
            lasting,
            seen: seen.unwrap_or_default(),
        };
        Response::new(status, view.render())
    }

    // One answer for every address that leads nowhere, whatever it looks like.
    fn unknown(&self) -> Response {
        self.refuse(Status::NotFound, "bad_token")
    }

    fn find(&self, token: &str) -> Option<Entry> {
        self.registered().find(token)
    }

    fn standing(&self, entry: &Entry) -> Standing {
        let pending = self.pending(entry).ok().flatten();
        standing(pending.as_ref(), clock::now().wall)
    }

    fn pending(&self, entry: &Entry) -> Result<Option<Pending>, StoreError> {
        Desk::of(&self.home).held_by(&entry.owner, &entry.ticket)
    }

    fn note_violation(&self, ticket: Option<&Ticket>, reason: &'static str) {
        let now = clock::now();
        let mut record = self.record();
        if !record.violations.admit(now) {
            return;
        }
        let event = Event {
            kind: Kind::ApprovalChannelViolation,
            approval_id: ticket.map(|ticket| ticket.id.as_str()),
            reason: Some(reason),
            ..self.event()
        };
        // Nothing was done; without room in the log, nothing can be.
        let _ = record.log.append(&event, now);
    }

    fn note_grant(
        &self,
        ticket: &Ticket,
        lasting: &Lasting,
        consent: Option<&Consent>,
    ) -> Result<(), StoreError> {
        let who = person::here();
        let event = Event {
            kind: Kind::GrantCreated,
            tool: Some(&ticket.request.action.name),
            server: ticket.request.surface.server.as_deref(),
            tier: Some(ticket.tier),
            approval_id: Some(&ticket.id),
            approver: Some(&who),
            consent: consent.map(|consent| Given {
                consent,
                to: Agreed::Grant(lasting.challenge()),
            }),
            grant_refs: &[lasting.id()],
            ..self.event()
        };
        self.record().log.append(&event, clock::now()).map(drop)
    }

    fn event(&self) -> Event<'_> {
        Event {
            surface: "local_page",
            subject: &self.caller.subject,
            agent: &self.caller.agent,
            session: Some(&self.caller.instance),
            policy_digest: Some(self.ruleset.digest),
            channel: Some("page"),
            ..Event::of(Kind::ApprovalChannelViolation)
        }
    }

    fn registered(&self) -> MutexGuard<'_, Register> {
        self.register.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Host for Counter {
    fn refuse(&self, status: Status, reason: &'static str) -> Response {
        self.note_violation(None, reason);
        Response::new(status, view::refused(status))
    }

    fn show(&self, token: &str) -> Response {
        match self.find(token) {
            Some(entry) => self.page(Status::Ok, &entry, None),
            None => self.unknown(),
        }
    }

    fn take(&self, token: &str, body: &[u8]) -> Response {
        let Some(entry) = self.find(token) else {
            return self.unknown();
        };
        let refuse = |status, reason| {
            self.note_violation(Some(&entry.ticket), reason);
            self.page(status, &entry, Some(REFUSED))
        };
        let Some(form) = Form::read(body) else {
            return refuse(Status::BadRequest, "bad_form");
        };
        if !form.get("csrf").is_some_and(|secret| entry.knows(secret)) {
            return refuse(Status::Forbidden, "bad_csrf");
        }
        match Action::read(&form) {
            Some(action) => self.act(action, &entry, &form),
            None => refuse(Status::BadRequest, "bad_action"),
        }
    }
}

impl Action {
    fn read(form: &Form) -> Option<Self> {
        match form.get("action")? {
            "approve" => Some(Self::Approve),
            "always_allow" => {
                let width = Width::read(form.get("width"))?;
                let span = Span::from_name(form.get("expires")?)?;
                Some(Self::AlwaysAllow(width, span))
            }
            "deny" => Some(Self::Deny),
            _ => None,
        }
    }
}

impl From<StoreError> for Undone {
    fn from(_: StoreError) -> Self {
        Self::Broken
    }
}

impl From<Doubt> for Undone {
    fn from(doubt: Doubt) -> Self {
        Self::Doubted(doubt.reason(), doubt.words())
    }
}

impl From<ResolveError> for Undone {
    fn from(error: ResolveError) -> Self {
        match error {
            ResolveError::Ended(_) | ResolveError::OwnerGone => Self::Late,
            ResolveError::Tampered | ResolveError::NoConsent(_) => {
                Self::Doubted("no_consent", NO_CONSENT)
            }
            ResolveError::Store(_) => Self::Broken,
        }
    }
}

fn standing(pending: Option<&Pending>, now: Timestamp) -> Standing {
    let Some(pending) = pending else {
        return Standing::Gone;
    };
    match &pending.end {
        Some(answer) => Standing::Ended(answer.verdict.ending(), Some(Box::new(answer.clone()))),
        None if now >= pending.ticket.until => Standing::Ended(Ending::Expired, None),
        None => Standing::Waiting,
    }
}

const REFUSED: &str = "That did not come from the buttons of this page, so nothing was done.";
const LATE: &str = "Too late: nothing was done by that button.";
const BROKEN: &str = "The answer could not be written down, so nothing was done.";
const NO_GRANT: &str = "No grant would help with this call, so nothing was done.";
const NO_CONSENT: &str = "That is not an answer by somebody who may give it, so nothing was done.";
const KEPT: &str = "The grant is kept. `knotrust revoke` takes it back.";
const NOT_KEPT: &str = "The call was approved once; the grant could not be kept.";
