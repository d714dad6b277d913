//! One of several servers: started, kept, and started again when it ends.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use knotrust_govern::clock;

use super::hub::Hub;
use super::{Server, gather, listening, opening, upward};
use crate::child::Child;
use crate::stdio::Options;
use crate::stdio::own::NoResult;
use crate::stdio::session::{Happened, Serving, Session};
use crate::stdio::watch::Watch;

/// How long the others wait for a server that starts.
const AWAITED: Duration = Duration::from_secs(10);
/// How long it is until a server that has just ended is started again; twice as long each time.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// The longest that it is.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// A server that has been up for so long has not failed to start.
const STEADY: Duration = Duration::from_secs(60);

/// One of several servers.
pub(super) struct Member {
    pub(super) name: String,
    began: Duration,
    seat: Mutex<Seat>,
}

struct Seat {
    standing: Standing,
    session: Option<Arc<Session>>,
}

#[derive(Clone, Copy)]
enum Standing {
    /// It was never up.
    Starting,
    /// It can be used.
    Up(Features),
    /// It has ended, or can't be started.
    Down,
}

/// What a server can do.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Features {
    pub(super) tools: Feature,
    pub(super) prompts: Feature,
    pub(super) resources: Feature,
    pub(super) logging: Feature,
}

/// Whether a server can do something.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Feature {
    /// It can't.
    #[default]
    None,
    /// It can.
    Plain,
    /// It can, and tells when its list changes.
    Told,
}

impl Member {
    pub(super) fn of(server: &Server) -> Self {
        Self {
            name: server.name.clone(),
            began: clock::now().steady,
            seat: Mutex::new(Seat {
                standing: Standing::Starting,
                session: None,
            }),
        }
    }

    /// The session with it, over or not.
    pub(super) fn session(&self) -> Option<Arc<Session>> {
        self.seat().session.clone()
    }

    /// The session with it and what it can do, if it is up.
    pub(super) fn up(&self) -> Option<(Arc<Session>, Features)> {
        let seat = self.seat();
        match seat.standing {
            Standing::Up(features) => Some((seat.session.clone()?, features)),
            Standing::Starting | Standing::Down => None,
        }
    }

    /// Whether it is waited for before lists are shown.
    pub(super) fn is_awaited(&self, now: Duration) -> bool {
        matches!(self.seat().standing, Standing::Starting) && now < self.awaited_until()
    }

    pub(super) fn awaited_until(&self) -> Duration {
        self.began + AWAITED
    }

    /// It can be used, in this session; false if that is over already.
    pub(super) fn rise(&self, session: &Arc<Session>, features: Features) -> bool {
        let mut seat = self.seat();
        let is_current = seat
            .session
            .as_ref()
            .is_some_and(|current| Arc::ptr_eq(current, session));
        if is_current {
            seat.standing = Standing::Up(features);
        }
        is_current
    }

    fn sit(&self, session: &Arc<Session>) {
        self.seat().session = Some(Arc::clone(session));
    }

    fn fall(&self) {
        let mut seat = self.seat();
        seat.standing = Standing::Down;
        seat.session = None;
    }

    fn seat(&self) -> MutexGuard<'_, Seat> {
        self.seat.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Starts a server, and keeps it up until the session ends.
pub(super) fn start(
    hub: &Arc<Hub>,
    index: usize,
    told: &Arc<AtomicBool>,
) -> std::io::Result<JoinHandle<()>> {
    let (hub, told) = (Arc::clone(hub), Arc::clone(told));
    let name = hub.members.get(index).map(|member| member.name.clone());
    let thread = thread::Builder::new().name(name.unwrap_or_default());
    thread.spawn(move || keep(&hub, index, &told))
}

fn keep(hub: &Arc<Hub>, index: usize, told: &Arc<AtomicBool>) {
    let Some(member) = hub.members.get(index) else {
        return;
    };
    let mut pause = FIRST_PAUSE;
    while !hub.is_over() {
        let began = clock::now().steady;
        let farewell = run(hub, index, member, told);
        if clock::now().steady.saturating_sub(began) >= STEADY {
            pause = FIRST_PAUSE;
        }
        let is_over = hub.is_over();
        if !is_over {
            let seconds = pause.as_secs_f32();
            hub.noise
                .say(&format!("{farewell}; it is started again in {seconds} s"));
        }
        member.fall();
        hub.tell_changed();
        if is_over {
            return;
        }
        hub.rest(pause);
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Runs a server once, and says how it ended.
fn run(hub: &Arc<Hub>, index: usize, member: &Member, told: &Arc<AtomicBool>) -> String {
    let started = options(hub, index).and_then(|options| {
        let serving = serving(hub, index);
        let started = Child::start(&options.launch);
        Watch::over(
            options,
            started,
            &hub.front,
            Some(serving),
            Arc::clone(told),
        )
        .ok()
    });
    let Some(watch) = started else {
        return format!("`{}` can't be started", member.name);
    };
    let session = Arc::clone(watch.session());
    member.sit(&session);
    if hub.is_over() {
        session.tell(Happened::ClientLeft);
    }
    let opener = (Arc::clone(hub), Arc::clone(&session));
    let thread = thread::Builder::new().name("open".to_owned());
    let opened = thread.spawn(move || open(&opener.0, index, &opener.1));
    if opened.is_err() {
        session.tell(Happened::ServerSilent);
    }
    let farewell = watch.see_out_one();
    hub.relayed
        .drop_of(index)
        .iter()
        .for_each(|line| hub.write_to_client(line));
    farewell
}

fn options(hub: &Hub, index: usize) -> Option<Options> {
    let server = hub.options.servers.get(index)?;
    Some(Options {
        server: server.name.clone(),
        launch: server.launch.clone(),
        limit: hub.options.limit,
        hold: hub.options.hold,
    })
}

fn serving(hub: &Arc<Hub>, index: usize) -> Serving {
    let above: Weak<Hub> = Arc::downgrade(hub);
    Serving {
        above: Box::new(move |session, line| upward::pass(&above.upgrade()?, index, session, line)),
        era: OnceLock::new(),
    }
}

/// Shakes hands with a server, and asks what it offers.
fn open(hub: &Arc<Hub>, index: usize, session: &Arc<Session>) {
    let Some(opening) = hub.wait_for_opening() else {
        return;
    };
    let Some(member) = hub.members.get(index) else {
        return;
    };
    match opening::greet(session, &opening) {
        Ok(features) => {
            opening::set_level(session, features, hub.level());
            gather::all(hub, index, session, features);
            if member.rise(session, features) {
                listening::begin(hub, index, session);
                hub.tell_changed();
            }
        }
        // How it ended is said by whoever sees it out.
        Err(NoResult::Gone) => {}
        Err(error) => {
            hub.noise.say(&format!("`{}`: {error}", member.name));
            session.tell(Happened::ServerSilent);
        }
    }
}
