//! Listening, and one thread a connection, few at a time.

use std::fmt;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use knotrust_govern::clock;
use knotrust_govern::failure::StoreError;
use knotrust_govern::home::Home;
use knotrust_govern::pages::Posted;

use crate::guard::{self, Wanted};
use crate::http::{Fault, Response, Status, Wire};

/// What is shown at the addresses of a page, and what becomes of the forms that are sent there.
pub(crate) trait Host: fmt::Debug + Send + Sync {
    /// Refuses what is no request for anything here. The reason is a word for the log.
    fn refuse(&self, status: Status, reason: &'static str) -> Response;
    /// The page that a token leads to.
    fn show(&self, token: &str) -> Response;
    /// Takes a form. Whatever is wrong with it leaves all as it was.
    fn take(&self, token: &str, body: &[u8]) -> Response;
}

/// A page that listens, for as long as the process lives.
#[derive(Clone, Debug)]
pub(crate) struct Listening {
    pub(crate) port: u16,
    open: Arc<AtomicUsize>,
    // Whoever decides for this home denies calls that reach for this page.
    _posted: Arc<Posted>,
}

/// Why nothing listens.
#[derive(Debug)]
pub(crate) struct Unstarted;

/// Listens on a free port of the loopback address.
pub(crate) fn start(host: Arc<dyn Host>, home: &Home) -> Result<Listening, Unstarted> {
    let (port, listeners) = bind()?;
    let posted = Arc::new(Posted::at(home, port)?);
    let open = Arc::new(AtomicUsize::new(0));
    for listener in listeners {
        let (host, open) = (Arc::clone(&host), Arc::clone(&open));
        thread::Builder::new()
            .name("page".to_owned())
            .spawn(move || listen(&listener, port, &host, &open))?;
    }
    Ok(Listening {
        port,
        open,
        _posted: posted,
    })
}

/// One port, under both addresses of this machine: a browser that is told `localhost` may try either, and whoever else
/// listened on the other one would be taken for this page.
fn bind() -> io::Result<(u16, Vec<TcpListener>)> {
    let mut tries = 16;
    loop {
        tries -= 1;
        let first = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = first.local_addr()?.port();
        match TcpListener::bind((Ipv6Addr::LOCALHOST, port)) {
            Ok(second) => return Ok((port, vec![first, second])),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && tries > 0 => {}
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => return Err(error),
            // A machine without that address has nobody listening there.
            Err(_) => return Ok((port, vec![first])),
        }
    }
}

impl From<io::Error> for Unstarted {
    fn from(_: io::Error) -> Self {
        Self
    }
}

impl From<StoreError> for Unstarted {
    fn from(_: StoreError) -> Self {
        Self
    }
}

impl Listening {
    /// Waits a while for answers that are still on their way: a browser that had none would say that the page is broken.
    pub(crate) fn drain(&self) {
        let until = clock::now().steady + TO_DRAIN;
        while self.open.load(Ordering::Relaxed) > 0 && clock::now().steady < until {
            thread::sleep(GLANCE);
        }
    }
}

fn listen(listener: &TcpListener, port: u16, host: &Arc<dyn Host>, open: &Arc<AtomicUsize>) {
    loop {
        let Ok((stream, _)) = listener.accept() else {
            // Out of descriptors, most likely: whoever has them gives them back within seconds.
            thread::sleep(PAUSE);
            continue;
        };
        let Some(place) = Place::take(open) else {
            continue;
        };
        let host = Arc::clone(host);
        // Without a thread there is no answer, and the person tries again.
        let _ = thread::Builder::new()
            .name("page visit".to_owned())
            .spawn(move || {
                serve(stream, port, &*host);
                drop(place);
            });
    }
}

fn serve(stream: TcpStream, port: u16, host: &dyn Host) {
    let mut wire = Wire::new(stream);
    let (response, head_only) = respond(&mut wire, port, host);
    if let Some(response) = response {
        wire.answer(&response.into_bytes(head_only));
    }
}

fn respond(wire: &mut Wire, port: u16, host: &dyn Host) -> (Option<Response>, bool) {
    let fault = |fault| {
        let status = match fault {
            Fault::Gone => return None,
            Fault::TooLong => Status::HeadTooLarge,
            Fault::Malformed => Status::BadRequest,
        };
        Some(host.refuse(status, "bad_request"))
    };
    let head = match wire.head() {
        Ok(head) => head,
        Err(found) => return (fault(found), false),
    };
    let token = head.target.get(1..).unwrap_or_default();
    match guard::admit(&head, port) {
        Ok(Wanted::Look) => (Some(host.show(token)), false),
        Ok(Wanted::LookAtHead) => (Some(host.show(token)), true),
        Ok(Wanted::Answer(length)) => match wire.body(length) {
            Ok(body) => (Some(host.take(token, &body)), false),
            Err(found) => (fault(found), false),
        },
        Err(refusal) => {
            let head_only = head.method == "HEAD";
            let response = host.refuse(refusal.status, refusal.reason);
            (Some(response), head_only)
        }
    }
}

/// One of few places.
struct Place(Arc<AtomicUsize>);

impl Place {
    fn take(open: &Arc<AtomicUsize>) -> Option<Self> {
        let place = Self(Arc::clone(open));
        let before = open.fetch_add(1, Ordering::Relaxed);
        (before < MOST_OPEN).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

const MOST_OPEN: usize = 32;
const PAUSE: Duration = Duration::from_millis(100);
const GLANCE: Duration = Duration::from_millis(10);
const TO_DRAIN: Duration = Duration::from_secs(3);
