//! The page of one process: started when its first call waits.

use std::sync::{Arc, Mutex, PoisonError};

use knotrust_core::ruleset::Ruleset;
use knotrust_govern::approvals::Ticket;
use knotrust_govern::caller::Caller;
use knotrust_govern::clock;
use knotrust_govern::home::Home;
use knotrust_govern::page::{Address, Page};

use crate::counter::Counter;
use crate::server;

/// The page of one process.
#[derive(Debug)]
pub struct LocalPage {
    counter: Arc<Counter>,
    port: Mutex<Option<u16>>,
}

impl LocalPage {
    /// A page for the tickets of that caller's process. Nothing listens yet.
    #[must_use]
    pub fn of(ruleset: &'static Ruleset<'static>, home: &Home, caller: &Caller) -> Self {
        Self {
            counter: Arc::new(Counter::new(ruleset, home, caller)),
            port: Mutex::new(None),
        }
    }

    /// The port, once something listens. What could not be started is tried again for the next ticket.
    fn port(&self) -> Option<u16> {
        let mut port = self.port.lock().unwrap_or_else(PoisonError::into_inner);
        if port.is_none() {
            *port = server::start(Arc::clone(&self.counter)).ok();
        }
        *port
    }
}

impl Page for LocalPage {
    fn show(&self, ticket: &Arc<Ticket>) -> Option<Address> {
        let port = self.port()?;
        let token = self.counter.register(ticket, clock::now().wall)?;
        Some(Address {
            url: format!("http://127.0.0.1:{port}/{token}"),
            port,
        })
    }
}
