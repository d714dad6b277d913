//! Requests of our own to a server.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use knotrust_core::json::{self, Object, Value};
use thiserror::Error;

use super::pending::Forwarded;
use super::session::Session;
use crate::route::Watch;
use crate::wire::id::Id;
use crate::wire::reply;

/// Those without an answer, and who waits for it.
#[derive(Debug, Default)]
pub(super) struct Own(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    asked: u64,
    waiting: HashMap<Id, Sender<Vec<u8>>>,
}

/// Why there is no result.
#[derive(Debug, Error)]
pub(super) enum NoResult {
    /// There is no server any more.
    #[error("the server is gone")]
    Gone,
    /// It did not answer in time.
    #[error("the server does not answer")]
    Silent,
    /// It answered with an error.
    #[error("the server answers with an error")]
    Error,
    /// It answered with what can be read in two ways.
    #[error("the server's answer can be read in two ways")]
    Ambiguous,
}

impl Own {
    /// The server has answered.
    pub(super) fn deliver(&self, id: &Id, answer: &[u8]) {
        if let Some(waiting) = self.lock().waiting.remove(id) {
            // Who was too impatient is gone.
            let _ = waiting.send(answer.to_vec());
        }
    }

    /// There will be no answer to this. False if it is no request of our own.
    pub(super) fn drop(&self, id: &Id) -> bool {
        self.lock().waiting.remove(id).is_some()
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    /// Asks the server, and waits so long for the answer: the whole line, which has a result.
    pub(super) fn ask_server(
        &self,
        method: &str,
        params: Object<'_>,
        patience: Duration,
    ) -> Result<Vec<u8>, NoResult> {
        let (id, told) = self.begin_asking(method, params)?;
        let answer = told.recv_timeout(patience).map_err(|_| {
            if self.own.drop(&id) {
                let _ = self.pending.cancel(&id);
                NoResult::Silent
            } else {
                NoResult::Gone
            }
        })?;
        let has_result = {
            let read = json::parse(&answer).map_err(|_| NoResult::Ambiguous)?;
            read.get("result")
                .is_some_and(|result| matches!(result, Value::Object(_)))
        };
        if has_result {
            Ok(answer)
        } else {
            Err(NoResult::Error)
        }
    }

    /// Asks the server for what it goes on to tell by notifications, and waits for nothing.
    pub(super) fn subscribe(&self, method: &str, params: Object<'_>) {
        // Its end, if it ever comes, is of no interest.
        let _ = self.begin_asking(method, params);
    }

    fn begin_asking(
        &self,
        method: &str,
        params: Object<'_>,
    ) -> Result<(Id, Receiver<Vec<u8>>), NoResult> {
        let (tell, told) = channel();
        let id = {
            let mut table = self.own.lock();
            table.asked += 1;
            let id = Id::named(&format!("knotrust:{}", table.asked));
            table.waiting.insert(id.clone(), tell);
            id
        };
        let forwarded = Forwarded::request(Watch::Own, None);
        if self.pending.forward(id.clone(), forwarded).is_err() {
            self.own.drop(&id);
            return Err(NoResult::Gone);
        }
        self.write_to_server(&reply::request(&id, method, params));
        Ok((id, told))
    }
}
