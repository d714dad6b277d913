//! What the threads of one session share.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use knotrust_core::audit::event::{Ending, Event, Kind};
use knotrust_core::json::Text;
use knotrust_core::reason::Reason;
use knotrust_core::ruleset::Respond;
use knotrust_govern::caller::Call;
use knotrust_govern::channels::Reach;
use knotrust_govern::clock;
use knotrust_govern::governor::Governor;
use knotrust_govern::permit::{Held, Permit, Ruling, Underway};

use super::Options;
use super::amend::Bridge;
use super::feed::ToServer;
use super::front::{Front, Outlet};
use super::hold::{Returned, Told, Waiting};
use super::late::Late;
use super::noise::Noise;
use super::own::Own;
use super::pending::{Answered, Pending};
use super::shown::Shown;
use super::wake::Waker;
use crate::enforce::{self, Form};
use crate::listing::{self, Heard, List, Unheard};
use crate::revision::{self, Era};
use crate::route::Watch;
use crate::shown as seen;
use crate::wire::id::Id;
use crate::wire::refusal::{Flaw, Refusal, ReplyTo};
use crate::wire::reply::{self, SERVER_GONE};

/// One client, one server, and what is between them.
pub(super) struct Session {
    pub(super) options: Options,
    pub(super) governor: Arc<Governor<'static>>,
    pub(super) front: Arc<Front>,
    pub(super) pending: Pending<Underway>,
    pub(super) noise: Noise,
    /// What is different where this server is one of several.
    pub(super) serving: Option<Serving>,
    /// Requests of our own to the server.
    pub(super) own: Own,
    shown: Mutex<Shown>,
    heard_list: Mutex<Heard>,
    server: Mutex<Option<ToServer>>,
    happened: (Sender<Happened>, Waker),
    gone: OnceLock<String>,
    strays: AtomicU64,
    heard: AtomicU64,
}

/// What is different where a server is one of several.
pub(super) struct Serving {
    /// What becomes of a message of the server that answers nothing: what the client gets in its place, if it gets
    /// anything.
    pub(super) above: Above,
    /// Which kind of revision the server speaks, once that is known.
    pub(super) era: OnceLock<Era>,
}

/// See [`Serving::above`].
pub(super) type Above = Box<dyn Fn(&Session, &[u8]) -> Option<Vec<u8>> + Send + Sync>;

/// What the thread that watches over the session is told.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Happened {
    /// The client closed its end, or reads no more.
    ClientLeft,
    /// The server closed its output, or reads no more.
    ServerSilent,
    /// The server's error output is closed.
    ErrorsClosed,
}

impl Session {
    /// A session with the server that reads from this pipe; without one, every request is answered that it is gone.
    pub(super) fn new(
        options: Options,
        front: Arc<Front>,
        noise: Noise,
        happened: (Sender<Happened>, Waker),
        server: Option<ToServer>,
        serving: Option<Serving>,
    ) -> Self {
        Self {
            options,
            governor: Arc::clone(&front.governor),
            front,
            pending: Pending::new(),
            noise,
            serving,
            own: Own::default(),
            shown: Mutex::default(),
            heard_list: Mutex::default(),
            server: Mutex::new(server),
            happened,
            gone: OnceLock::new(),
            strays: AtomicU64::new(0),
            heard: AtomicU64::new(0),
        }
    }

    /// The client's pipe, for more than one write that belong together.
    pub(super) fn client(&self) -> MutexGuard<'_, Outlet<Box<dyn Write + Send>>> {
        self.front.client()
    }

    /// Writes whole lines to the client.
    pub(super) fn write_to_client(&self, lines: &[u8]) {
        if lines.is_empty() {
            return;
        }
        let mut client = self.client();
        client.write(lines);
        if client.is_broken() {
            drop(client);
            self.tell(Happened::ClientLeft);
        }
    }

    /// Writes whole lines to the server.
    pub(super) fn write_to_server(&self, lines: &[u8]) {
        let mut server = self.server.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(outlet) = server.as_mut()
            && !outlet.write(lines)
        {
            *server = None;
            self.tell(Happened::ServerSilent);
        }
    }

    /// Passes lines of the client on to the server. A newer server is told what an older client can't say: each request of
    /// it names its revision.
    pub(super) fn send(&self, lines: &[u8]) {
        let spoken = self.serving.as_ref().and_then(|serving| serving.era.get());
        match spoken {
            Some(Era::Modern) => self.write_to_server(&revision::named(lines)),
            Some(Era::Legacy) | None => self.write_to_server(lines),
        }
    }

    /// Closes the server's input, unless somebody is just writing to it.
    pub(super) fn close_server_input(&self) {
        if let Ok(mut server) = self.server.try_lock() {
            *server = None;
        }
    }

    /// Tells the thread that watches over the session.
    pub(super) fn tell(&self, happened: Happened) {
        // Nobody listens once the session is over.
        let _ = self.happened.0.send(happened);
        self.happened.1.wake();
    }

    /// Wakes the thread that watches over the session, so that it looks at its server.
    pub(super) fn wake(&self) {
        self.happened.1.wake();
    }

    /// Another waker of that thread.
    pub(super) fn waker(&self) -> std::io::Result<UnixStream> {
        self.happened.1.another()
    }

    /// What is changed in the answer to a request of this era.
    pub(super) fn bridge(&self, asked: Era) -> Bridge {
        let spoken = self.serving.as_ref().and_then(|serving| serving.era.get());
        match (asked, spoken) {
            (Era::Modern, Some(Era::Legacy)) => Bridge::Typed,
            (Era::Legacy, Some(Era::Modern)) => Bridge::Untyped,
            (Era::Legacy | Era::Modern, _) => Bridge::None,
        }
    }

    /// Refuses a message of the client.
    pub(super) fn refuse(&self, refusal: &Refusal) {
        let Refusal { flaw, to } = refusal;
        self.record_refusal(*flaw);
        let message = flaw.to_string();
        match to {
            ReplyTo::Caller(id) => {
                self.write_to_client(&reply::error(Some(id), flaw.code(), &message))
            }
            ReplyTo::Unknown => self.write_to_client(&reply::error(None, flaw.code(), &message)),
            ReplyTo::Nobody => {}
        }
    }

    /// Records that a message of the client was refused.
    pub(super) fn record_refusal(&self, flaw: Flaw) {
        self.unless_unrecorded(
            self.governor
                .refused(&self.options.server, None, flaw.name()),
        );
    }

    /// Rules on a call. A tool that the client was never shown is none that it may call.
    pub(super) fn rule(&self, question: Call<'_>, reach: Reach) -> Ruling {
        if self.shown().may_know(&question.tool) {
            self.governor.rule(question, reach)
        } else {
            self.governor.rule_against(question, Reason::UnlistedTool)
        }
    }

    /// What the result of a permitted call is to say of the decision, as JSON; nothing if the policy wants nothing said.
    pub(super) fn remark(&self, permit: &Permit) -> Option<Box<str>> {
        let wanted = match self.governor.ruleset().settings.respond {
            Respond::Never => false,
            Respond::Governed => permit.is_governed(),
            Respond::Always => true,
        };
        wanted.then(|| enforce::remark(permit).into())
    }

    fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How an answer to a call of this tool has to look.
    pub(super) fn form(&self, era: Era, tool: &Text<'_>) -> Form {
        let traits = self.governor.traits(&self.options.server, tool);
        Form {
            era,
            content: traits.into(),
        }
    }

    /// Keeps a call until a person has answered.
    pub(super) fn hold(self: &Arc<Self>, id: Id, line: &[u8], held: Held, reach: Reach) {
        self.prompt(&held);
        if !self.pending.hold(id.clone()) {
            self.give_up(&held.ticket);
            return self.answer_gone(&id);
        }
        let waiting = Waiting::new(self, id, line, held, reach);
        self.tell_holder(Told::Wait(Box::new(waiting)));
    }

    /// Takes in a call that has come again with what a person said.
    pub(super) fn come_again(self: &Arc<Self>, id: Id, line: &[u8], reach: Reach) {
        if !self.pending.hold(id.clone()) {
            return self.answer_gone(&id);
        }
        let returned = Returned::new(self, id, line, reach);
        self.tell_holder(Told::Again(returned));
    }

    /// Tells the thread on which calls wait.
    pub(super) fn tell_holder(&self, told: Told) {
        if let Err(error) = self.front.tell_holder(told) {
            self.noise
                .say(&format!("calls can't be held for a person: {error}"));
        }
    }

    /// Answers a call with a refusal: at once, or after a while where the agent tries and tries again.
    pub(super) fn refuse_call(self: &Arc<Self>, id: &Id, answer: Vec<u8>) {
        let delay = self.governor.delay();
        if delay.is_zero() || !self.pending.hold(id.clone()) {
            return self.write_to_client(&answer);
        }
        let late = Late::new(self, id.clone(), answer, clock::now().steady + delay);
        if let Err(error) = self.front.tell_holder(Told::Slow(late)) {
            self.noise
                .say(&format!("a refusal can't be held back: {error}"));
        }
    }

    /// Tells a person at the terminal that a call waits for them.
    pub(super) fn prompt(&self, held: &Held) {
        if let Some(prompt) = &held.prompt {
            self.noise.say(prompt);
        }
    }

    /// A call no longer waits for its answer.
    pub(super) fn give_up(&self, ticket: &str) {
        self.unless_unrecorded(self.governor.give_up(ticket));
    }

    /// The client has given up a call that was held.
    pub(super) fn cancel_hold(&self, id: &Id) {
        self.tell_holder(Told::Cancelled(id.clone()));
    }

    /// Records how a call ended that was passed on.
    pub(super) fn ended(&self, underway: &Underway, ending: Ending) {
        self.unless_unrecorded(self.governor.ended(underway, ending));
    }

    /// Records that nobody waits any more for a call that was about to be passed on.
    pub(super) fn cancelled(&self, underway: &Underway) {
        self.ended(underway, Ending::Cancelled);
    }

    /// Reports a line of the server that is no message, and how many of its bytes were left out already.
    pub(super) fn stray(&self, line: &[u8], left_out: usize) {
        if line.iter().all(u8::is_ascii_whitespace) && left_out == 0 {
            return;
        }
        self.strays.fetch_add(1, Ordering::Relaxed);
        let server = &self.options.server;
        self.noise.say(&format!(
            "`{server}` wrote to its stdout: {}",
            seen::shown(line, left_out)
        ));
    }

    /// The server answered a request that it was never sent, or was not sent yet.
    pub(super) fn unasked(&self, id: &Id) {
        let server = &self.options.server;
        let id = seen::shown(id.to_string().as_bytes(), 0);
        self.noise.say(&format!(
            "`{server}` answered a request it was never sent, {id}: left out"
        ));
        self.note(
            Kind::UnaskedAnswer,
            "an answer to a request that the server was never sent",
        );
    }

    /// Takes in what the server says of itself or its tools, and gives what the client is to see of it if that differs. An
    /// error is what the client is told in its place.
    pub(super) fn look_at(
        &self,
        watch: Watch,
        answer: &[u8],
    ) -> Result<Option<Vec<u8>>, &'static str> {
        let server = &self.options.server;
        let heard = match watch {
            Watch::Nothing | Watch::Result | Watch::Own => Ok(None),
            Watch::Introduction => {
                listing::hear_introduction(&self.governor, server, answer).map(|()| None)
            }
            Watch::Tools { from_start } => self.hear_tools(answer, from_start),
        };
        match heard {
            Ok(changed) => Ok(changed),
            Err(Unheard::Ambiguous) => {
                Err("the server's answer can be read in two ways, so it is not passed on")
            }
            Err(Unheard::Store(error)) => {
                let what = format!("what `{server}` says of itself can't be written down: {error}");
                self.noise.say(&what);
                match watch {
                    // Tools that changed would pass for what they were.
                    Watch::Tools { .. } => Err("the server's list of tools can't be written down"),
                    Watch::Introduction | Watch::Nothing | Watch::Result | Watch::Own => Ok(None),
                }
            }
        }
    }

    fn hear_tools(&self, answer: &[u8], from_start: bool) -> Result<Option<Vec<u8>>, Unheard> {
        let server = &self.options.server;
        let mut last = self
            .heard_list
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if from_start && last.is_again(answer) && self.governor.knows_tools_still(server)? {
            return Ok(None);
        }
        last.forget();
        let list = listing::hear_tools(&self.governor, server, answer, from_start)?;
        let is_whole = from_start && list.as_ref().is_some_and(|list| list.last);
        let changed = self.show(list, from_start);
        if is_whole && changed.is_none() {
            last.note(answer);
        }
        Ok(changed)
    }

    fn show(&self, list: Option<List>, from_start: bool) -> Option<Vec<u8>> {
        let List { names, last, line } = list?;
        self.shown().turn(&names, from_start, last);
        line
    }

    /// The server answers this request, and the answer is over the limit.
    pub(super) fn answer_too_long(&self, id: Option<&Id>) {
        let why = format!(
            "an answer of `{}` is over {}",
            self.options.server, self.options.limit
        );
        self.noise.say(&why);
        if let Some(id) = id
            && let Answered::Forwarded(forwarded) = self.pending.answer(id)
        {
            self.answer_failed(id, &why, forwarded.receipt.as_ref());
        }
    }

    /// The server's answer to this request broke off, or was no message in the end.
    pub(super) fn answer_broken(&self, id: Option<&Id>) {
        let why = format!("an answer of `{}` broke off", self.options.server);
        self.noise.say(&why);
        if let Some(id) = id
            && let Answered::Forwarded(forwarded) = self.pending.answer(id)
        {
            self.answer_failed(id, &why, forwarded.receipt.as_ref());
        }
    }

    /// The server answered this request in a way that could not be looked at before it was passed on.
    pub(super) fn answer_unread(&self, id: &Id, underway: Option<&Underway>) {
        let why = format!(
            "an answer of `{}` came for another request than it began for",
            self.options.server
        );
        self.noise.say(&why);
        self.answer_failed(id, &why, underway);
    }

    fn answer_failed(&self, id: &Id, why: &str, underway: Option<&Underway>) {
        if self.own.drop(id) {
            return;
        }
        self.write_to_client(&reply::error(Some(id), SERVER_GONE, why));
        if let Some(underway) = underway {
            self.ended(underway, Ending::Unknown);
        }
    }

    /// There is no server any more: nothing is passed on, and everybody who waits is told why.
    pub(super) fn close(&self, why: String) {
        let why = self.gone.get_or_init(|| why);
        for (id, underway) in self.pending.close() {
            if self.own.drop(&id) {
                continue;
            }
            self.write_to_client(&reply::error(Some(&id), SERVER_GONE, why));
            if let Some(underway) = underway {
                self.ended(&underway, Ending::Unknown);
            }
        }
    }

    /// Answers a request that came when there was no server any more.
    pub(super) fn answer_gone(&self, id: &Id) {
        let why = self.gone.get().map_or("the server is gone", String::as_str);
        self.write_to_client(&reply::error(Some(id), SERVER_GONE, why));
    }

    /// Notes that the client has sent something.
    pub(super) fn hear(&self) {
        self.heard.fetch_add(1, Ordering::Relaxed);
    }

    /// How often the client has sent something.
    pub(super) fn heard(&self) -> u64 {
        self.heard.load(Ordering::Relaxed)
    }

    /// How many lines of the server were no messages.
    pub(super) fn strays(&self) -> u64 {
        self.strays.load(Ordering::Relaxed)
    }

    /// Records something that happened.
    pub(super) fn note(&self, kind: Kind, reason: &str) {
        let event = Event {
            kind,
            server: Some(&self.options.server),
            reason: Some(reason),
            ..self.governor.event()
        };
        self.unless_unrecorded(self.governor.note(&event));
    }

    fn unless_unrecorded<E>(&self, recorded: Result<(), E>) {
        if recorded.is_err() {
            self.noise
                .say("the audit log can't be written; calls are denied until it can");
        }
    }
}
