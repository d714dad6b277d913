//! Watches over a session, from the server's start until nothing of it is left.

use std::io;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use knotrust_core::audit::event::Kind;
use knotrust_govern::clock;
use knotrust_govern::governor::Governor;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::Signal;
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};

use super::feed::{Feed, ToServer};
use super::front::{Front, Outlet};
use super::noise::Noise;
use super::outbound::Outbound;
use super::session::{Happened, Serving, Session};
use super::wake;
use super::{Options, inbound, streams};
use crate::child::shutdown::{Cause, Seen, Shutdown, Step};
use crate::child::{Child, Pipes, StartError, Watcher, exit_code};

/// Once the session is on its way to the end, how often it is looked at without a reason.
const GLANCE: Duration = Duration::from_millis(50);
/// After the server's output was closed, how long its end may take to be told with how it ended.
const OBITUARY: Duration = Duration::from_millis(50);
/// After the server is gone, how long a client must be silent until nothing more is expected of it.
const SILENCE: Duration = Duration::from_millis(200);
/// The same for a client that has not said anything yet: it may have started us a moment ago.
const FIRST_WORDS: Duration = Duration::from_secs(2);
/// How long last words may take.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Runs a session to its end and gives the code to exit with.
///
/// Standard input and output belong to the session. That is the server's own code if it ended by itself, 128 and the
/// signal's number if a signal ended it, 127 or 126 if it could not be started, and 0 if the client left or somebody told
/// us to end and the server had to be told as well.
#[must_use]
pub fn run(options: Options, watcher: Watcher, governor: Governor<'static>) -> u8 {
    let front = Front::new(governor, Box::new(streams::to_client()));
    let started = Child::start_under(watcher, &options.launch);
    let watch = Watch::over(options, started, &front, None, Arc::default()).and_then(Watch::alone);
    match watch {
        Ok(watch) => watch.see_out(),
        // Without threads and pipes there is no session, and nobody to be told.
        Err(_) => 1,
    }
}

/// Watches over one server.
pub(super) struct Watch {
    session: Arc<Session>,
    child: Result<Child, StartError>,
    happened: Receiver<Happened>,
    woken: UnixStream,
    told: Arc<AtomicBool>,
    shutdown: Shutdown,
    client_left: bool,
    silent_since: Option<Duration>,
    errors_closed: bool,
    noise_over: Receiver<()>,
}

impl Watch {
    /// Passes on what the server says that was started.
    pub(super) fn over(
        options: Options,
        started: Result<(Child, Pipes), StartError>,
        front: &Arc<Front>,
        serving: Option<Serving>,
        told: Arc<AtomicBool>,
    ) -> io::Result<Self> {
        let (child, pipes) = match started {
            Ok((child, pipes)) => (Ok(child), Some(pipes)),
            Err(error) => (Err(error), None),
        };
        let (stdin, stdout, stderr) = match pipes {
            Some(Pipes {
                stdin,
                stdout,
                stderr,
            }) => (Some(stdin), Some(stdout), Some(stderr)),
            None => (None, None, None),
        };
        let (waker, woken) = wake::pair()?;
        let (tell, happened) = mpsc::channel();
        let (noise, noise_woken) = Noise::new(&options.server)?;
        let stdin = match (stdin, &serving) {
            (Some(stdin), None) => Some(ToServer::Alone(Outlet::new(stdin))),
            (Some(stdin), Some(_)) => Some(ToServer::Fed(Feed::start(stdin)?)),
            (None, _) => None,
        };
        let session = Session::new(
            options,
            Arc::clone(front),
            noise,
            (tell, waker),
            stdin,
            serving,
        );
        let session = Arc::new(session);
        let (over, noise_over) = mpsc::channel();
        spawn("noise", &session, move |session| {
            let closed = || session.tell(Happened::ErrorsClosed);
            session.noise.run(stderr, noise_woken, closed);
            let _ = over.send(());
        })?;
        if let Err(error) = &child {
            session.close(explain(error));
        }
        if let Some(stdout) = stdout {
            spawn("outbound", &session, |session| {
                Outbound::new(session, stdout).run();
                session.tell(Happened::ServerSilent);
            })?;
        }
        Ok(Self {
            session,
            child,
            happened,
            woken,
            told,
            shutdown: Shutdown::default(),
            client_left: false,
            silent_since: None,
            errors_closed: false,
            noise_over,
        })
    }

    /// Makes it the only server: signals to us are for it, and so is what the client says.
    fn alone(self) -> io::Result<Self> {
        listen_to_signals(&self.told, || self.session.waker())?;
        spawn("inbound", &self.session, |session| {
            inbound::run(session, streams::from_client())
        })?;
        Ok(self)
    }

    /// What passes between the client and this server.
    pub(super) const fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// Sees one of several servers out, and says how it ended.
    pub(super) fn see_out_one(mut self) -> String {
        if self.child.is_ok() {
            self.until_over();
        }
        let status = self.status();
        let farewell = self.farewell(status);
        self.session.close(farewell.clone());
        self.record_strays();
        self.session.note(Kind::SessionEnded, &farewell);
        if let Ok(child) = self.child {
            child.clear_away();
        }
        self.session.noise.close();
        let _ = self.noise_over.recv_timeout(LAST_WORDS);
        farewell
    }

    fn see_out(mut self) -> u8 {
        if self.child.is_ok() {
            self.until_over();
        }
        let status = self.status();
        let farewell = self.farewell(status);
        if !matches!(self.shutdown.cause(), Some(Cause::ClientLeft | Cause::Told)) {
            self.session.noise.say(&farewell);
            self.session.close(farewell);
            self.linger();
        } else {
            self.session.close(farewell);
        }
        self.session.front.end_holds(LAST_WORDS);
        self.session.governor.close();
        let code = self.code(status);
        self.record_end(code);
        if let Ok(child) = self.child {
            child.clear_away();
        }
        self.session.noise.close();
        let _ = self.noise_over.recv_timeout(LAST_WORDS);
        code
    }

    fn until_over(&mut self) {
        loop {
            let now = clock::now().steady;
            self.take_note(now);
            let seen = self.seen();
            let step = self.shutdown.step(seen, now);
            match (step, &self.child) {
                (Step::Wait(until), _) => {
                    let glance = self.shutdown.cause().map(|_| now + GLANCE);
                    self.wait(until.into_iter().chain(glance).min(), now);
                }
                (Step::Ask, Ok(child)) => child.signal(Signal::TERM),
                (Step::Kill, Ok(child)) => child.signal(Signal::KILL),
                (Step::Over, _) | (Step::Ask | Step::Kill, Err(_)) => return,
            }
        }
    }

    /// Takes note of what happened since.
    fn take_note(&mut self, now: Duration) {
        while let Ok(happened) = self.happened.try_recv() {
            match happened {
                Happened::ClientLeft => {
                    self.client_left = true;
                    self.begin(Cause::ClientLeft, now);
                }
                Happened::ServerSilent => {
                    self.silent_since.get_or_insert(now);
                    let cause = if self.status().is_some() {
                        Cause::ServerEnded
                    } else {
                        Cause::ServerSilent
                    };
                    self.begin(cause, now);
                }
                Happened::ErrorsClosed => self.errors_closed = true,
            }
        }
        if self.told.load(Ordering::Relaxed) {
            self.begin(Cause::Told, now);
        }
        let status = self.status();
        if status.is_some() {
            self.begin(Cause::ServerEnded, now);
        }
        let is_silent = self
            .silent_since
            .is_some_and(|since| now >= since + OBITUARY);
        if is_silent || (self.silent_since.is_some() && status.is_some()) {
            self.session.close(self.farewell(status));
        }
    }

    fn begin(&mut self, cause: Cause, now: Duration) {
        if self.shutdown.cause().is_none() {
            self.session.close_server_input();
        }
        self.shutdown.begin(cause, now);
    }

    fn seen(&mut self) -> Seen {
        Seen {
            ended: self.status().is_some(),
            drained: self.silent_since.is_some() && self.errors_closed,
            awaited: self.session.pending.is_awaited() && streams::has_reader(),
        }
    }

    fn status(&mut self) -> Option<ExitStatus> {
        self.child.as_mut().ok().and_then(Child::ended)
    }

    fn wait(&mut self, until: Option<Duration>, now: Duration) {
        let patience = until.map(|until| until.saturating_sub(now));
        let patience = patience.and_then(|patience| Timespec::try_from(patience).ok());
        let _ = poll(
            &mut [PollFd::new(&self.woken, PollFlags::IN)],
            patience.as_ref(),
        );
        wake::clear(&mut self.woken);
    }

    /// Answers what a client has sent before it could know that the server is gone.
    fn linger(&mut self) {
        let start = clock::now().steady;
        let (mut heard, mut since) = (self.session.heard(), start);
        loop {
            let now = clock::now().steady;
            while let Ok(happened) = self.happened.try_recv() {
                self.client_left |= happened == Happened::ClientLeft;
            }
            if self.session.heard() != heard {
                (heard, since) = (self.session.heard(), now);
            }
            let enough = if heard == 0 { FIRST_WORDS } else { SILENCE };
            let is_over = now >= since + enough || now >= start + FIRST_WORDS;
            if self.client_left || self.told.load(Ordering::Relaxed) || is_over {
                return;
            }
            self.wait(Some(now + GLANCE), now);
        }
    }

    fn farewell(&self, status: Option<ExitStatus>) -> String {
        let server = &self.session.options.server;
        match (&self.child, status) {
            (Err(error), _) => explain(error),
            (Ok(_), None) => format!("the server `{server}` closed its output"),
            (Ok(_), Some(status)) => match (status.code(), status.signal()) {
                (Some(code), _) => format!("the server `{server}` ended with exit status {code}"),
                (None, Some(signal)) => {
                    format!("the server `{server}` was ended by signal {signal}")
                }
                (None, None) => format!("the server `{server}` ended"),
            },
        }
    }

    fn code(&self, status: Option<ExitStatus>) -> u8 {
        let own = status.map(exit_code);
        let had_to = self.shutdown.has_signalled();
        match (&self.child, self.shutdown.cause()) {
            (Err(error), _) => error.exit_code(),
            (Ok(_), Some(Cause::ClientLeft | Cause::Told)) if had_to => 0,
            (Ok(_), Some(Cause::ServerSilent)) if had_to => {
                own.filter(|code| *code > 0).unwrap_or(1)
            }
            (Ok(_), _) => own.unwrap_or(1),
        }
    }

    fn record_end(&self, code: u8) {
        self.record_strays();
        self.session.governor.close();
        self.session
            .note(Kind::SessionEnded, &format!("exit code {code}"));
    }

    fn record_strays(&self) {
        let strays = self.session.strays();
        if strays > 0 {
            self.session.note(
                Kind::StrayOutput,
                &format!("{strays} lines that are no messages"),
            );
        }
    }
}

fn explain(error: &StartError) -> String {
    match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

/// Notes signals that tell us to end, and wakes for those and for the end of a child.
pub(super) fn listen_to_signals(
    told: &Arc<AtomicBool>,
    waker: impl Fn() -> io::Result<UnixStream>,
) -> io::Result<()> {
    for signal in [SIGTERM, SIGINT, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(told))?;
    }
    for signal in [SIGTERM, SIGINT, SIGHUP, SIGCHLD] {
        signal_hook::low_level::pipe::register(signal, waker()?)?;
    }
    Ok(())
}

fn spawn(
    name: &str,
    session: &Arc<Session>,
    task: impl FnOnce(&Arc<Session>) + Send + 'static,
) -> io::Result<()> {
    let session = Arc::clone(session);
    let thread = thread::Builder::new().name(name.to_owned());
    // Nobody waits for it: it may be in the middle of reading from a client that says nothing more.
    thread.spawn(move || task(&session)).map(|_| ())
}
