//! The page of one process: started when its first call waits.

use std::sync::{Arc, Mutex, PoisonError};

use knotrust_core::ruleset::{Approver, Ruleset};
use knotrust_govern::approvals::{Pending, Ticket};
use knotrust_govern::caller::Caller;
use knotrust_govern::home::Home;
use knotrust_govern::page::{Address, Page};

use crate::counter::Counter;
use crate::server::{self, Listening};

/// The page of one process.
#[derive(Debug)]
pub struct LocalPage {
    counter: Arc<Counter>,
    home: Home,
    owner: String,
    name: &'static str,
    listening: Mutex<Option<Listening>>,
}

impl LocalPage {
    /// A page for the tickets of that caller's process. Nothing listens yet.
    #[must_use]
    pub fn of(ruleset: &'static Ruleset<'static>, home: &Home, caller: &Caller) -> Self {
        Self {
            counter: Arc::new(Counter::new(ruleset, home, caller)),
            home: home.clone(),
            owner: caller.instance.clone(),
            name: name(&ruleset.approvals.approver),
            listening: Mutex::default(),
        }
    }

    /// Where a ticket can be seen that another process of the home holds. The ticket is one that shows the call it is
    /// about ([`Ticket::is_true`]).
    #[must_use]
    pub fn show_of(&self, pending: &Pending) -> Option<Address> {
        self.show_held(&Arc::new(pending.ticket.clone()), &pending.owner())
    }

    /// Waits a while until answers that are on their way have arrived: called before the process ends.
    pub fn drain(&self) {
        let listening = self
            .listening
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(listening) = &*listening {
            listening.drain();
        }
    }

    fn show_held(&self, ticket: &Arc<Ticket>, owner: &str) -> Option<Address> {
        let port = self.port()?;
        let token = self.counter.register(ticket, owner)?;
        Some(Address {
            url: format!("http://{}:{port}/{token}", self.name),
            port,
        })
    }

    /// The port, once something listens. What could not be started is tried again for the next ticket.
    fn port(&self) -> Option<u16> {
        let mut listening = self
            .listening
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if listening.is_none() {
            let counter = Arc::clone(&self.counter);
            *listening = server::start(counter, &self.home).ok();
        }
        listening.as_ref().map(|listening| listening.port)
    }
}

impl Page for LocalPage {
    fn show(&self, ticket: &Arc<Ticket>) -> Option<Address> {
        self.show_held(ticket, &self.owner)
    }
}

/// Passkeys are made for a domain, and an address is none.
const fn name(approver: &Approver<'_>) -> &'static str {
    match approver {
        Approver::Passkey(_) => knotrust_core::consent::DOMAIN,
        Approver::None | Approver::Pin { .. } => "127.0.0.1",
    }
}
