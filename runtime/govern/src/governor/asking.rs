//! Calls that wait for a person: asking, and what comes of it.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use knotrust_core::approval::Ending;
use knotrust_core::audit::event::{Agreed, Event, Given, Kind};
use knotrust_core::case::Case;
use knotrust_core::decision::Decision;
use knotrust_core::display::inert;
use knotrust_core::json::{self, Text, Value};
use knotrust_core::reason::Reason;
use knotrust_core::request::DecisionRequest;
use knotrust_core::ruleset::{Approver, Channel};

use super::Governor;
use crate::approvals::{
    Answer, Asked, Desk, Earlier, Extent, Keep, ResolveError, Settled, Ticket, Verdict, Way,
};
use crate::channels::{Answerable, Questions, Reach, Shown};
use crate::clock::{self, Moment};
use crate::failure::StoreError;
use crate::inventory::{Page, Standing, Traits};
use crate::permit::{Denial, Held, Named, Question, Ruling};
use crate::person;
use crate::probing::Suspicion;

/// What became of a call that waited.
#[derive(Debug)]
pub struct Answered {
    /// The ticket it waited under.
    pub ticket: String,
    /// Why it is refused; nothing if a person said yes, and the call is to be ruled on again.
    pub refusal: Option<Reason>,
}

impl<'r> Governor<'r> {
    /// Asks a person about a call, where one can be reached.
    pub(super) fn ask(
        &self,
        request: &DecisionRequest<'_>,
        case: &Case<'_>,
        decision: Decision,
        named: Named,
        (reach, started): (Reach, Moment),
    ) -> Ruling {
        let denial = |decision, approval_id| Denial {
            decision_id: named.decision_id.clone(),
            decision,
            how: None,
            approval_id,
        };
        let channels = self.ruleset.approvals.channels;
        let page = if self.page.is_some() {
            Answerable::Yes
        } else {
            Answerable::No
        };
        let reach = reach.within(self.form_may_answer(request, case), page);
        if reach.first(channels).is_none() {
            return Ruling::Deny(denial(decision.deferred(), None));
        }
        let asked = self.stores().ask(
            request,
            case,
            decision.reason,
            &named.decision_id,
            started.wall,
        );
        let (asked, orphans) = match asked {
            Ok(asked) => asked,
            Err(_) => {
                return Ruling::Deny(denial(
                    decision.refused(Reason::ApprovalInternalError),
                    None,
                ));
            }
        };
        orphans
            .iter()
            .for_each(|settled| self.note_settled(settled));
        let (ticket, is_new) = match asked {
            Asked::New(ticket) => (ticket, true),
            Asked::Joined(ticket) => (ticket, false),
            Asked::Refused(_) => {
                return Ruling::Deny(denial(decision.refused(Reason::ApprovalQueueFull), None));
            }
        };
        // Who comes again when nobody waits any more finds no question open.
        let is_alone = is_new || self.callers(&ticket) == 1;
        let wanted = is_alone || reach.questions == Questions::Returned;
        let address = if wanted { self.show(&ticket) } else { None };
        let chosen = if address.is_some() {
            reach.first(channels)
        } else {
            reach
                .within(Answerable::Yes, Answerable::No)
                .first(channels)
        };
        let Some((channel, shown)) = chosen else {
            let _ = self.give_up(&ticket.id);
            return Ruling::Deny(denial(decision.deferred(), None));
        };
        if is_new && self.note_asked(&ticket, &named, channel).is_err() {
            // Nobody is asked what could not be recorded.
            let _ = self.give_up(&ticket.id);
            return Ruling::Deny(denial(decision.refused(Reason::AuditUnavailable), None));
        }
        let asks = is_alone || channel == Channel::InputRequired;
        let question = question(&ticket, shown, address.as_deref()).filter(|_| asks);
        Ruling::Hold(Held {
            denial: denial(decision, Some(ticket.id.clone())),
            ticket: ticket.id.clone(),
            prompt: is_new.then(|| prompt(&ticket, address.as_deref())),
            channel,
            question,
        })
    }

    fn callers(&self, ticket: &Ticket) -> usize {
        let mut stores = self.stores();
        let approvals = stores.approvals();
        approvals.map_or(0, |approvals| approvals.callers(&ticket.id))
    }

    /// Whether a form of the client may answer: it proves nothing about who answers, and it must hold all that is asked.
    fn form_may_answer(&self, request: &DecisionRequest<'_>, case: &Case<'_>) -> Answerable {
        let anybody = self.ruleset.approvals.approver == Approver::None;
        let nobody_named = case.roles().next().is_none();
        if anybody && nobody_named && arguments(request).chars().count() <= LONGEST_FORM {
            Answerable::Yes
        } else {
            Answerable::No
        }
    }

    /// Takes an answer that came through the client. It is worth no more than any other: who may answer, and how, the
    /// ticket says.
    ///
    /// # Errors
    ///
    /// It is not one that is acted on.
    pub fn answer(&self, ticket: &str, verdict: Verdict, way: Way) -> Result<(), ResolveError> {
        let now = clock::now().wall;
        let waiting = self.stores().approvals().and_then(|approvals| {
            let mut waiting = approvals.waiting();
            waiting.find(|waiting| waiting.id == ticket).cloned()
        });
        let waiting = waiting.ok_or(ResolveError::OwnerGone)?;
        let desk = Desk::of(&self.home);
        let pending = desk
            .held_by(&self.caller.instance, &waiting)?
            .ok_or(ResolveError::OwnerGone)?;
        let answer = Answer {
            verdict,
            at: now,
            way,
            who: person::here(),
            call: Some(waiting.exact.clone()),
            consent: None,
        };
        pending.resolve(&self.ruleset.approvals, &answer, now)
    }

    /// Shows a question on the page, if there is one.
    fn show(&self, ticket: &Arc<Ticket>) -> Option<String> {
        self.page.as_ref()?.show(ticket).map(|address| address.url)
    }

    /// Takes notice of the pages that listen now, in whatever process of the home: calls that reach for one are denied.
    pub(super) fn notice_pages(&self) -> Result<(), StoreError> {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ports) = pages.look(clock::now().wall)? {
            let ground = self.whereabouts.lay(self.ruleset, &self.home, ports);
            *self.ground.lock().unwrap_or_else(PoisonError::into_inner) = ground;
        }
        Ok(())
    }

    /// How long to wait with a refusal: longer and longer for an agent that tries and tries again.
    #[must_use]
    pub fn delay(&self) -> Duration {
        let now = clock::now().wall;
        self.stores().probing.delay(&self.caller.agent, now)
    }

    /// What has become of calls that wait. Costs one read when nothing has.
    pub fn settle(&self) -> Vec<Answered> {
        let settled = {
            let mut stores = self.stores();
            let Some(approvals) = stores.approvals() else {
                return Vec::new();
            };
            // What cannot be read now is read at the next look; the clock ends what waits too long.
            approvals.poll(clock::now().wall).unwrap_or_default()
        };
        settled
            .iter()
            .map(|settled| self.answered(settled))
            .collect()
    }

    /// The caller of a held call has given up.
    ///
    /// # Errors
    ///
    /// That could not be written down.
    pub fn give_up(&self, ticket: &str) -> Result<(), StoreError> {
        let cancelled = match self.stores().approvals() {
            Some(approvals) => approvals.cancel(ticket, clock::now().wall)?,
            None => None,
        };
        cancelled
            .iter()
            .for_each(|settled| self.note_settled(settled));
        Ok(())
    }

    /// The caller of a held call was told to come back. The question stands.
    pub fn leave(&self, ticket: &str) {
        if let Some(approvals) = self.stores().approvals() {
            approvals.leave(ticket);
        }
    }

    /// Ends all questions of this enforcement point, since nobody will be there to carry anything out.
    pub fn close(&self) {
        let approvals = self.stores().take_approvals();
        let ended = approvals.map(|approvals| approvals.close(clock::now().wall));
        for settled in ended.and_then(Result::ok).unwrap_or_default() {
            self.note_settled(&settled);
        }
    }

    /// Takes a page of what a server lists, and records what has changed.
    ///
    /// # Errors
    ///
    /// It could not be recorded. Calls of these tools will be denied for as long as this lasts.
    pub fn observe_tools(
        &self,
        server: &str,
        tools: &[Value<'_>],
        page: Page,
    ) -> Result<(), StoreError> {
        let mut stores = self.stores();
        let record =
            &mut |change: &crate::inventory::Change| self.note(&change.event(self.event()));
        stores.inventory(server)?.observe_page(tools, page, record)
    }

    /// Whether what is known of a server's tools is still what [`Self::observe_tools`] left: nobody else has seen others,
    /// or accepted any.
    ///
    /// # Errors
    ///
    /// The home cannot be read.
    pub fn knows_tools_still(&self, server: &str) -> Result<bool, StoreError> {
        self.stores().inventory(server)?.is_as_left()
    }

    /// What is known of a tool that a server has listed, at this moment.
    #[must_use]
    pub fn traits(&self, server: &str, tool: &Text<'_>) -> Option<Traits> {
        let known = self.stores().standing(server, &tool.to_string_lossy());
        match known {
            Ok(Standing::Known(traits) | Standing::Drifted(traits, _)) => Some(traits),
            Ok(Standing::Unknown) | Err(_) => None,
        }
    }

    /// Takes what a server says of itself when a session begins.
    ///
    /// # Errors
    ///
    /// As [`Self::observe_tools`].
    pub fn observe_instructions(&self, server: &str, said: Option<&str>) -> Result<(), StoreError> {
        let mut stores = self.stores();
        let record =
            &mut |change: &crate::inventory::Change| self.note(&change.event(self.event()));
        stores.inventory(server)?.observe_instructions(said, record)
    }

    /// What a person should know of files of the home that are not used, each told once.
    pub fn warnings(&self) -> Vec<String> {
        self.stores().take_warnings()
    }

    pub(super) fn end_orphans(&self) -> Result<(), StoreError> {
        let orphans = self.stores().open_approvals(clock::now().wall)?;
        orphans
            .iter()
            .for_each(|settled| self.note_settled(settled));
        Ok(())
    }

    /// Notes a denial, and flags an agent that tries and tries again.
    pub(super) fn notice_probing(&self, request: &DecisionRequest<'_>, named: &Named) {
        let (tool, agent) = (named.action.to_string_lossy(), &self.caller.agent);
        let hash = request.arguments_hash();
        let suspicion = self
            .stores()
            .probing
            .refused(&tool, agent, &hash, request.timestamp);
        if let Some(suspicion) = suspicion {
            let reason = match suspicion {
                Suspicion::Repeats => "repeats what was refused",
                Suspicion::Sweeps => "tries one argument after another",
            };
            let _ = self.note(&Event {
                kind: Kind::DenialProbingSuspected,
                tool: Some(&named.action),
                server: Some(&named.server),
                reason: Some(reason),
                ..self.event()
            });
        }
    }

    fn answered(&self, settled: &Settled) -> Answered {
        self.note_settled(settled);
        let refusal = match settled.ending {
            Ending::Approved => None,
            Ending::Denied => Some(Reason::ApprovalDenied),
            Ending::Expired => Some(Reason::ApprovalTimeout),
            Ending::Cancelled => Some(Reason::ApprovalCancelled),
        };
        Answered {
            ticket: settled.ticket.id.clone(),
            refusal,
        }
    }

    fn note_asked(
        &self,
        ticket: &Ticket,
        named: &Named,
        channel: Channel,
    ) -> Result<(), StoreError> {
        for kind in [Kind::ApprovalRequested, Kind::ApprovalPending] {
            self.note(&Event {
                kind,
                tool: Some(&named.action),
                server: Some(&named.server),
                decision_id: Some(&named.decision_id),
                approval_id: Some(&ticket.id),
                tier: Some(ticket.tier),
                channel: Some(channel.as_str()),
                ..self.event()
            })?;
        }
        Ok(())
    }

    /// Notes that an approval gave rise to a grant.
    pub(super) fn note_minted(
        &self,
        request: &DecisionRequest<'_>,
        case: &Case<'_>,
        id: &str,
    ) -> Result<(), StoreError> {
        self.note(&Event {
            kind: Kind::GrantCreated,
            tool: Some(&request.action.name),
            server: request.surface.server.as_deref(),
            tier: Some(case.tier),
            approval_id: Some(&format!("apr_{id}")),
            grant_refs: &[id],
            reason: Some("kind=ephemeral"),
            ..self.event()
        })
    }

    // That a question has ended is written down beside the question already; without room in the log, this is lost, and so
    // is every call until there is room again.
    fn note_settled(&self, settled: &Settled) {
        let kind = match settled.ending {
            Ending::Approved => Kind::ApprovalApproved,
            Ending::Denied => Kind::ApprovalDenied,
            Ending::Expired => Kind::ApprovalExpired,
            Ending::Cancelled => Kind::ApprovalCancelled,
        };
        if settled.ending == Ending::Approved {
            // Only what is shown beside the next question is lost with it.
            let keep = if self.ruleset.settings.capture_arguments {
                Keep::Values
            } else {
                Keep::Hashes
            };
            let _ = Earlier::of(&self.home).keep(&settled.ticket, keep);
        }
        let orphaned = settled.answer.verdict == Verdict::Orphan;
        let reason = settled
            .violation
            .or(orphaned.then_some("whoever held the call is gone"));
        let channel = match settled.answer.way {
            Way::Page => Some("page"),
            Way::Terminal => Some("terminal"),
            Way::Form => Some("elicitation_form"),
            Way::Input => Some("input_required"),
            Way::None => None,
        };
        let approver = Some(settled.answer.who.as_str()).filter(|who| !who.is_empty());
        let request = &settled.ticket.request;
        let _ = self.note(&Event {
            kind,
            tool: Some(&request.action.name),
            server: request.surface.server.as_deref(),
            approval_id: Some(&settled.ticket.id),
            decision_id: Some(settled.ticket.grant_id()),
            tier: Some(settled.ticket.tier),
            reason,
            channel,
            consent: settled.answer.consent.as_ref().map(|consent| Given {
                consent,
                to: Agreed::Call(&settled.ticket.exact),
            }),
            approver,
            ..self.event()
        });
    }
}

/// What is put before a person through the client.
fn question(ticket: &Ticket, shown: Shown, page: Option<&str>) -> Option<Question> {
    let name = inert(&ticket.request.action.name.to_string_lossy());
    let asks = format!(
        "knotrust: `{name}` ({}) waits for your approval, code {}.",
        ticket.tier, ticket.code
    );
    match shown {
        Shown::Here => None,
        Shown::Form => Some(Question {
            message: format!("{asks}\nArguments: {}", arguments(&ticket.request)),
            page: None,
        }),
        Shown::Page => Some(Question {
            message: format!("{asks} The page shows exactly what will run."),
            page: Some(page?.to_owned()),
        }),
    }
}

/// All arguments of a call, inert.
fn arguments(request: &DecisionRequest<'_>) -> String {
    let arguments = request.context.arguments.clone().unwrap_or_default();
    inert(&json::write(&Value::Object(arguments)))
}

/// The longest arguments that a form can hold for a person to read, in characters.
const LONGEST_FORM: usize = 4000;

/// What the terminal shows of a question.
fn prompt(ticket: &Ticket, page: Option<&str>) -> String {
    let name = inert(&ticket.request.action.name.to_string_lossy());
    let page = page.map_or_else(String::new, |url| format!("\n  open        {url}"));
    let extent = Extent::of(&ticket.request.arguments()).words();
    format!(
        "{name} ({}) waits for a person, code {}{page}\n  arguments   {extent}: none of them is shown here\n  see it      knotrust approvals show {id}\n  let it run  knotrust approvals approve {id}\n  or not      knotrust approvals deny {id}",
        ticket.tier,
        ticket.code,
        id = ticket.id
    )
}
