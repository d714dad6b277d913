//! What the threads of one session share.

use std::io::Write;
use std::process::ChildStdin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use knotrust_core::audit::event::{Ending, Event, Kind};
use knotrust_core::json::Text;
use knotrust_govern::governor::Governor;
use knotrust_govern::permit::{Held, Underway};

use super::Options;
use super::hold::{self, Told, Waiting};
use super::noise::Noise;
use super::pending::{Answered, Pending};
use super::wake::Waker;
use crate::enforce::Form;
use crate::listing::{self, Unheard};
use crate::revision::Era;
use crate::route::Watch;
use crate::shown::shown;
use crate::wire::id::Id;
use crate::wire::refusal::{Flaw, Refusal, ReplyTo};
use crate::wire::reply::{self, SERVER_GONE};

/// One client, one server, and what is between them.
pub(super) struct Session {
    pub(super) options: Options,
    pub(super) governor: Governor<'static>,
    pub(super) pending: Pending<Underway>,
    pub(super) noise: Noise,
    client: Mutex<Outlet<Box<dyn Write + Send>>>,
    server: Mutex<Option<Outlet<ChildStdin>>>,
    holder: Mutex<Option<Sender<Told>>>,
    happened: (Sender<Happened>, Waker),
    gone: OnceLock<String>,
    strays: AtomicU64,
    heard: AtomicU64,
}

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

/// A pipe to one of the two. Once it is broken, what is written to it is nobody's concern any more.
pub(super) struct Outlet<W> {
    to: W,
    is_broken: bool,
}

impl<W: Write> Outlet<W> {
    fn new(to: W) -> Self {
        Self {
            to,
            is_broken: false,
        }
    }

    /// Writes all of it, and waits for as long as that takes.
    pub(super) fn write(&mut self, bytes: &[u8]) {
        if !self.is_broken && !bytes.is_empty() {
            self.is_broken = self.to.write_all(bytes).is_err();
        }
    }
}

impl Session {
    /// A session with the server that reads from this pipe; without one, every request is answered that it is gone.
    pub(super) fn new(
        options: Options,
        governor: Governor<'static>,
        noise: Noise,
        happened: (Sender<Happened>, Waker),
        client: Box<dyn Write + Send>,
        server: Option<ChildStdin>,
    ) -> Self {
        Self {
            options,
            governor,
            pending: Pending::new(),
            noise,
            client: Mutex::new(Outlet::new(client)),
            server: Mutex::new(server.map(Outlet::new)),
            holder: Mutex::new(None),
            happened,
            gone: OnceLock::new(),
            strays: AtomicU64::new(0),
            heard: AtomicU64::new(0),
        }
    }

    /// The client's pipe, for more than one write that belong together.
    pub(super) fn client(&self) -> MutexGuard<'_, Outlet<Box<dyn Write + Send>>> {
        self.client.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes whole lines to the client.
    pub(super) fn write_to_client(&self, lines: &[u8]) {
        if lines.is_empty() {
            return;
        }
        let mut client = self.client();
        client.write(lines);
        if client.is_broken {
            drop(client);
            self.tell(Happened::ClientLeft);
        }
    }

    /// Writes whole lines to the server.
    pub(super) fn write_to_server(&self, lines: &[u8]) {
        let mut server = self.server.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(outlet) = server.as_mut() {
            outlet.write(lines);
            if outlet.is_broken {
                *server = None;
                self.tell(Happened::ServerSilent);
            }
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

    /// How an answer to a call of this tool has to look.
    pub(super) fn form(&self, era: Era, tool: &Text<'_>) -> Form {
        let traits = self.governor.traits(&self.options.server, tool);
        Form {
            era,
            content: traits.into(),
        }
    }

    /// Keeps a call until a person has answered.
    pub(super) fn hold(self: &Arc<Self>, id: Id, line: &[u8], held: Held) {
        self.prompt(&held);
        if !self.pending.hold(id.clone()) {
            self.give_up(&held.ticket);
            return self.answer_gone(&id);
        }
        let waiting = Waiting::new(id, line, held, self.options.hold);
        let mut holder = self.holder();
        let told = holder.get_or_insert_with(|| self.start_holding());
        let _ = told.send(Told::Wait(Box::new(waiting)));
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

    fn start_holding(self: &Arc<Self>) -> Sender<Told> {
        let (tell, told) = mpsc::channel();
        let session = Arc::clone(self);
        let thread = thread::Builder::new().name("hold".to_owned());
        if let Err(error) = thread.spawn(move || hold::run(&session, &told)) {
            self.noise
                .say(&format!("calls can't be held for a person: {error}"));
        }
        tell
    }

    /// The client has given up a call that was held.
    pub(super) fn cancel_hold(&self, id: &Id) {
        if let Some(holder) = self.holder().as_ref() {
            let _ = holder.send(Told::Cancelled(id.clone()));
        }
    }

    /// Refuses all calls that are held, and waits until that is done.
    pub(super) fn end_holds(&self, patience: Duration) {
        if let Some(holder) = self.holder().take() {
            let (done, over) = mpsc::channel();
            let _ = holder.send(Told::Over(done));
            let _ = over.recv_timeout(patience);
        }
    }

    fn holder(&self) -> MutexGuard<'_, Option<Sender<Told>>> {
        self.holder.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records how a call ended that was passed on.
    pub(super) fn ended(&self, underway: &Underway, ending: Ending) {
        self.unless_unrecorded(self.governor.ended(underway, ending));
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
            shown(line, left_out)
        ));
    }

    /// The server answered a request that it was never sent, or was not sent yet.
    pub(super) fn unasked(&self, id: &Id) {
        let server = &self.options.server;
        let id = shown(id.to_string().as_bytes(), 0);
        self.noise.say(&format!(
            "`{server}` answered a request it was never sent, {id}: left out"
        ));
        self.note(
            Kind::UnaskedAnswer,
            "an answer to a request that the server was never sent",
        );
    }

    /// Takes in what the server says of itself or its tools. An error is what the client is told in its place.
    pub(super) fn look_at(&self, watch: Watch, answer: &[u8]) -> Result<(), &'static str> {
        let server = &self.options.server;
        let heard = match watch {
            Watch::Nothing => Ok(()),
            Watch::Introduction => listing::hear_introduction(&self.governor, server, answer),
            Watch::Tools { from_start } => {
                listing::hear_tools(&self.governor, server, answer, from_start)
            }
        };
        match heard {
            Ok(()) => Ok(()),
            Err(Unheard::Ambiguous) => {
                Err("the server's answer can be read in two ways, so it is not passed on")
            }
            Err(Unheard::Store(error)) => {
                let what = format!("what `{server}` says of itself can't be written down: {error}");
                self.noise.say(&what);
                match watch {
                    // Tools that changed would pass for what they were.
                    Watch::Tools { .. } => Err("the server's list of tools can't be written down"),
                    Watch::Introduction | Watch::Nothing => Ok(()),
                }
            }
        }
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
        self.write_to_client(&reply::error(Some(id), SERVER_GONE, why));
        if let Some(underway) = underway {
            self.ended(underway, Ending::Unknown);
        }
    }

    /// There is no server any more: nothing is passed on, and everybody who waits is told why.
    pub(super) fn close(&self, why: String) {
        let why = self.gone.get_or_init(|| why);
        for (id, underway) in self.pending.close() {
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
