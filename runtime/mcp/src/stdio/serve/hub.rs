//! What all threads of a session with several servers share.

use std::collections::{HashMap, HashSet};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use knotrust_core::audit::event::{Event, Kind as Happening};
use knotrust_core::json::Object;
use knotrust_govern::clock;

use super::catalog::{Catalog, Kind};
use super::member::{Features, Member};
use super::opening::Opening;
use super::relayed::Relayed;
use super::{Options, answers, ours};
use crate::revision::Era;
use crate::stdio::front::Front;
use crate::stdio::noise::Noise;
use crate::stdio::pending::Place;
use crate::stdio::session::{Happened, Session};
use crate::stdio::wake::Waker;
use crate::wire::id::Id;
use crate::wire::reply;

/// The client, the servers, and what is between them.
pub(super) struct Hub {
    pub(super) front: Arc<Front>,
    pub(super) options: Options,
    pub(super) members: Vec<Member>,
    pub(super) noise: Noise,
    /// Requests of servers that the client has.
    pub(super) relayed: Relayed,
    catalog: Mutex<Catalog>,
    state: Mutex<State>,
    changed: Condvar,
    waker: Waker,
}

#[derive(Default)]
struct State {
    /// How the client began.
    opening: Option<Arc<Opening>>,
    /// Whether an older client is ready to be told things.
    is_initialized: bool,
    is_over: bool,
    /// The level of log messages that an older client has asked for.
    level: Option<String>,
    /// Requests of the client that we answer ourselves, and have not answered yet.
    answering: HashSet<Id>,
    /// Whose call has which progress token.
    tokens: HashMap<String, usize>,
    /// Resources that an older client wants to hear of.
    subscribed: HashSet<String>,
    /// The kinds of lists that the client has been shown.
    shown: HashSet<Kind>,
    /// Lists that are about to be asked for anew: whose, and by what that was told.
    looking: HashSet<(usize, String)>,
    /// What a newer client listens for.
    listening: Vec<Listener>,
}

/// A request of a newer client to be told of changes.
#[derive(Clone)]
pub(super) struct Listener {
    pub(super) id: Id,
    /// Of these lists.
    pub(super) kinds: HashSet<Kind>,
    /// Of these resources.
    pub(super) uris: HashSet<String>,
}

impl Hub {
    /// A session with these servers, none of which is started yet; and what ends with its last words.
    pub(super) fn new(
        options: Options,
        front: Arc<Front>,
        waker: Waker,
    ) -> std::io::Result<(Arc<Self>, Receiver<()>)> {
        let (noise, woken) = Noise::new("knotrust")?;
        let names = options.servers.iter().map(|server| server.name.clone());
        let ours = ours::items(front.governor.ruleset());
        let hub = Arc::new(Self {
            front,
            members: options.servers.iter().map(Member::of).collect(),
            catalog: Mutex::new(Catalog::of(names.collect(), ours)),
            options,
            noise,
            relayed: Relayed::default(),
            state: Mutex::default(),
            changed: Condvar::new(),
            waker,
        });
        let (over, noise_over) = channel();
        let speaker = Arc::clone(&hub);
        thread::Builder::new()
            .name("noise".to_owned())
            .spawn(move || {
                speaker.noise.run(None, woken, || {});
                let _ = over.send(());
            })?;
        Ok((hub, noise_over))
    }

    /// The client begins, in this way. Only the first counts: what servers are told they are told once.
    pub(super) fn open(&self, opening: Opening) {
        self.state()
            .opening
            .get_or_insert_with(|| Arc::new(opening));
        self.changed.notify_all();
    }

    /// How the client began, if it has.
    pub(super) fn opening(&self) -> Option<Arc<Opening>> {
        self.state().opening.clone()
    }

    /// Waits for the client to begin; nothing if the session ends first.
    pub(super) fn wait_for_opening(&self) -> Option<Arc<Opening>> {
        let state = self
            .changed
            .wait_while(self.state(), |state| {
                state.opening.is_none() && !state.is_over
            })
            .unwrap_or_else(PoisonError::into_inner);
        state.opening.clone().filter(|_| !state.is_over)
    }

    /// The client is ready to be told things.
    pub(super) fn initialized(&self) {
        self.state().is_initialized = true;
    }

    /// Whether the client takes notifications that answer to no request.
    pub(super) fn may_tell(&self) -> bool {
        let state = self.state();
        let era = state.opening.as_ref().map(|opening| opening.era);
        era == Some(Era::Legacy) && state.is_initialized
    }

    /// The session ends: every server is left, all at once.
    pub(super) fn end(&self) {
        self.state().is_over = true;
        self.changed.notify_all();
        for session in self.sessions() {
            session.tell(Happened::ClientLeft);
        }
        self.waker.wake();
    }

    pub(super) fn is_over(&self) -> bool {
        self.state().is_over
    }

    /// Waits so long, or until the session ends.
    pub(super) fn rest(&self, patience: Duration) {
        let _ = self
            .changed
            .wait_timeout_while(self.state(), patience, |state| !state.is_over);
    }

    /// Something about a server has changed.
    pub(super) fn tell_changed(&self) {
        drop(self.state());
        self.changed.notify_all();
    }

    /// Whether a server that starts is still waited for.
    pub(super) fn awaits(&self) -> bool {
        let now = clock::now().steady;
        self.members.iter().any(|member| member.is_awaited(now))
    }

    /// Waits until every server has been up or has failed, but no longer than servers are waited for.
    pub(super) fn wait_for_members(&self) {
        let now = || clock::now().steady;
        let is_awaited = |member: &Member| member.is_awaited(now());
        while let Some(until) = self
            .members
            .iter()
            .filter(|member| is_awaited(member))
            .map(Member::awaited_until)
            .max()
        {
            let patience = until.saturating_sub(now());
            let state = self.state();
            if state.is_over {
                return;
            }
            let _ = self
                .changed
                .wait_timeout(state, patience.min(Duration::from_millis(100)));
        }
    }

    /// Waits until a server that has a session is up; nothing if it ends first.
    pub(super) fn wait_for_up(&self, owner: usize) -> Option<(Arc<Session>, Features)> {
        let member = self.members.get(owner)?;
        loop {
            if let Some(up) = member.up() {
                return Some(up);
            }
            member.session()?;
            let state = self.state();
            if state.is_over {
                return None;
            }
            let _ = self.changed.wait_timeout(state, Duration::from_millis(100));
        }
    }

    /// A list is to be asked for anew. False if it is about to be already.
    pub(super) fn begin_look(&self, owner: usize, told: &str) -> bool {
        self.state().looking.insert((owner, told.to_owned()))
    }

    /// What is told from now on is news.
    pub(super) fn finish_look(&self, owner: usize, told: &str) {
        self.state().looking.remove(&(owner, told.to_owned()));
    }

    /// The sessions with all servers that have one.
    pub(super) fn sessions(&self) -> Vec<Arc<Session>> {
        self.members.iter().filter_map(Member::session).collect()
    }

    /// Has all servers looked at.
    pub(super) fn wake_members(&self) {
        self.sessions().iter().for_each(|session| session.wake());
    }

    /// What is offered.
    pub(super) fn catalog(&self) -> MutexGuard<'_, Catalog> {
        self.catalog.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the client that a list has changed, if it has been shown one, or listens.
    pub(super) fn tell_change(&self, kind: Kind) {
        if self.may_tell() && self.state().shown.contains(&kind) {
            let line = reply::notification(kind.change(), Object::new());
            self.write_to_client(&line);
        }
        for Listener { id, kinds, .. } in self.listening() {
            if kinds.contains(&kind) {
                self.write_to_client(&answers::heard(&id, kind.change()));
            }
        }
    }

    /// A newer client listens for changes.
    pub(super) fn listen(&self, listener: Listener) {
        self.state().listening.push(listener);
    }

    /// What newer clients listen for.
    pub(super) fn listening(&self) -> Vec<Listener> {
        self.state().listening.clone()
    }

    /// It does not any more. False if it never did.
    pub(super) fn stop_listening(&self, id: &Id) -> bool {
        let mut state = self.state();
        let before = state.listening.len();
        state.listening.retain(|known| known.id != *id);
        state.listening.len() < before
    }

    /// Whether a request with this id may be taken on.
    pub(super) fn is_free(&self, id: &Id) -> bool {
        let state = self.state();
        let is_ours =
            state.answering.contains(id) || state.listening.iter().any(|known| known.id == *id);
        drop(state);
        let has = |session: &Arc<Session>| session.pending.place(id) == Place::Taken;
        !is_ours && !self.sessions().iter().any(has)
    }

    /// The client is shown a list.
    pub(super) fn note_shown(&self, kind: Kind) {
        self.state().shown.insert(kind);
    }

    /// We are about to answer this request.
    pub(super) fn begin_answer(&self, id: &Id) {
        self.state().answering.insert(id.clone());
    }

    /// Whether the answer is still wanted; it is ours to give then.
    pub(super) fn finish_answer(&self, id: &Id) -> bool {
        self.state().answering.remove(id)
    }

    /// Remembers whose call has this progress token.
    pub(super) fn note_token(&self, token: String, owner: usize) {
        let mut state = self.state();
        if state.tokens.len() > MOST_TOKENS {
            state.tokens.clear();
        }
        state.tokens.insert(token, owner);
    }

    /// Whether this server may tell of progress under this token.
    pub(super) fn owns_token(&self, token: &str, owner: usize) -> bool {
        self.state().tokens.get(token) == Some(&owner)
    }

    /// An older client wants to hear of a resource.
    pub(super) fn subscribe(&self, uri: &str) {
        self.state().subscribed.insert(uri.to_owned());
    }

    /// It does not any more.
    pub(super) fn unsubscribe(&self, uri: &str) {
        self.state().subscribed.remove(uri);
    }

    /// The resources of this server that an older client wants to hear of.
    pub(super) fn subscribed(&self, owner: usize) -> Vec<String> {
        let subscribed = self.state().subscribed.clone();
        let catalog = self.catalog();
        let is_its = |uri: &String| catalog.owner_of(uri) == Some(owner);
        subscribed.into_iter().filter(is_its).collect()
    }

    /// The client wants log messages of this level.
    pub(super) fn set_level(&self, level: String) {
        self.state().level = Some(level);
    }

    /// The level of log messages that it wants.
    pub(super) fn level(&self) -> Option<String> {
        self.state().level.clone()
    }

    /// Servers that are up, by index, with what they can do.
    pub(super) fn up(&self) -> Vec<(usize, Arc<Session>, Features)> {
        let up = |(index, member): (usize, &Member)| {
            let (session, features) = member.up()?;
            Some((index, session, features))
        };
        self.members.iter().enumerate().filter_map(up).collect()
    }

    /// Writes whole lines to the client.
    pub(super) fn write_to_client(&self, lines: &[u8]) {
        self.front.write(lines);
    }

    /// Records the end of the session.
    pub(super) fn note_end(&self) {
        let governor = &self.front.governor;
        let event = Event {
            kind: Happening::SessionEnded,
            reason: Some("exit code 0"),
            ..governor.event()
        };
        // The log may be what ended us.
        let _ = governor.note(&event);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A client has hardly more calls at once.
const MOST_TOKENS: usize = 4096;
