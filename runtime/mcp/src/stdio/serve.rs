//! One client, and several servers that it takes for one.
//!
//! Each server has a session of its own, as if it were alone: its calls are decided, held, forwarded and recorded by the very
//! same code. What is here is between the client and those sessions: who owns which name ([`names`], [`catalog`]), where a
//! line of the client goes ([`inbound`]), what a server may ask or tell the client ([`upward`]), the
//! tools of our own ([`ours`]), and that a server which ends
//! is started again and takes nobody else with it ([`member`]).
//!
//! Ids of the client's requests are its own towards every server. Requests of servers get ids of ours, since two servers may
//! use the same.

mod answers;
mod catalog;
mod gather;
mod hub;
mod inbound;
mod listening;
mod member;
mod names;
mod opening;
mod ours;
mod relayed;
mod upward;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use knotrust_govern::governor::Governor;

use self::hub::Hub;
use super::front::Front;
use super::{Limit, streams, wake, watch};
use crate::child::Launch;

/// What a session with several servers is to know.
#[derive(Clone, Debug)]
pub struct Options {
    /// The servers, by the logical names that their tools are decided under.
    pub servers: Vec<Server>,
    /// How long a message may be.
    pub limit: Limit,
    /// How long a call is held open for a person.
    pub hold: Duration,
}

/// One of several servers.
#[derive(Clone, Debug)]
pub struct Server {
    /// Its logical name.
    pub name: String,
    /// How it is started.
    pub launch: Launch,
}

/// How long last words may take.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Runs a session to its end and gives the code to exit with: 0 if the client left or somebody told us to end.
///
/// Standard input and output belong to the session.
#[must_use]
pub fn run(options: Options, governor: Governor<'static>) -> u8 {
    // Without threads and pipes there is no session, and nobody to be told.
    serve(options, governor).map_or(1, |()| 0)
}

fn serve(options: Options, governor: Governor<'static>) -> std::io::Result<()> {
    let front = Front::new(governor, Box::new(streams::to_client()));
    let told = Arc::new(AtomicBool::new(false));
    let (waker, mut woken) = wake::pair()?;
    watch::listen_to_signals(&told, || waker.another())?;
    let (hub, noise) = Hub::new(options, front, waker)?;
    let members = (0..hub.members.len())
        .map(|index| member::start(&hub, index, &told))
        .collect::<std::io::Result<Vec<_>>>()?;
    let reader = Arc::clone(&hub);
    thread::Builder::new()
        .name("inbound".to_owned())
        .spawn(move || inbound::run(&reader, streams::from_client()))?;
    while !hub.is_over() && !told.load(Ordering::Relaxed) {
        wake::wait(&mut woken);
        hub.wake_members();
    }
    hub.end();
    see_out(members, &hub);
    hub.front.end_holds(LAST_WORDS);
    hub.front.governor.close();
    hub.note_end();
    hub.noise.close();
    let _ = noise.recv_timeout(LAST_WORDS);
    Ok(())
}

/// Waits for every server to be gone. Each has its own time for that, and they run side by side.
fn see_out(members: Vec<JoinHandle<()>>, hub: &Arc<Hub>) {
    while !members.iter().all(JoinHandle::is_finished) {
        hub.wake_members();
        thread::park_timeout(Duration::from_millis(5));
    }
}
