//! Listening, and one thread a connection, few at a time.

use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::counter::Counter;
use crate::guard::{self, Wanted};
use crate::http::{Fault, Response, Status, Wire};

/// Listens on a free port of the loopback address, for as long as the process lives.
pub(crate) fn start(counter: Arc<Counter>) -> io::Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let port = listener.local_addr()?.port();
    thread::Builder::new()
        .name("page".to_owned())
        .spawn(move || listen(&listener, port, &counter))?;
    Ok(port)
}

fn listen(listener: &TcpListener, port: u16, counter: &Arc<Counter>) {
    let open = Arc::new(AtomicUsize::new(0));
    loop {
        let Ok((stream, _)) = listener.accept() else {
            // Out of descriptors, most likely: whoever has them gives them back within seconds.
            thread::sleep(PAUSE);
            continue;
        };
        let Some(place) = Place::take(&open) else {
            continue;
        };
        let counter = Arc::clone(counter);
        // Without a thread there is no answer, and the person tries again.
        let _ = thread::Builder::new()
            .name("page visit".to_owned())
            .spawn(move || {
                serve(stream, port, &counter);
                drop(place);
            });
    }
}

fn serve(stream: TcpStream, port: u16, counter: &Counter) {
    let mut wire = Wire::new(stream);
    let (response, head_only) = respond(&mut wire, port, counter);
    if let Some(response) = response {
        wire.answer(&response.into_bytes(head_only));
    }
}

fn respond(wire: &mut Wire, port: u16, counter: &Counter) -> (Option<Response>, bool) {
    let fault = |fault| {
        let status = match fault {
            Fault::Gone => return None,
            Fault::TooLong => Status::HeadTooLarge,
            Fault::Malformed => Status::BadRequest,
        };
        Some(counter.refuse(status, "bad_request"))
    };
    let head = match wire.head() {
        Ok(head) => head,
        Err(found) => return (fault(found), false),
    };
    let token = head.target.get(1..).unwrap_or_default();
    match guard::admit(&head, port) {
        Ok(Wanted::Look) => (Some(counter.show(token)), false),
        Ok(Wanted::LookAtHead) => (Some(counter.show(token)), true),
        Ok(Wanted::Answer(length)) => match wire.body(length) {
            Ok(body) => (Some(counter.take(token, &body)), false),
            Err(found) => (fault(found), false),
        },
        Err(refusal) => {
            let head_only = head.method == "HEAD";
            let response = counter.refuse(refusal.status, refusal.reason);
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
