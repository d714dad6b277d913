//! The call of each tool that a person approved last, to hold the next one against.
//!
//! It is for the eyes alone: nothing is decided by it.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use knotrust_core::canonical::sha256_hex;
use knotrust_core::time::Timestamp;

use super::changed::{Change, changes};
use super::ticket::Ticket;
use crate::failure::StoreError;
use crate::files;
use crate::home::Home;

/// The calls that were approved last, in a home.
#[derive(Clone, Debug)]
pub struct Earlier {
    home: Home,
}

/// How a call differs from the one of the same tool that was approved last.
#[derive(Clone, Debug, PartialEq)]
pub struct Since {
    /// When that one was asked for.
    pub asked: Timestamp,
    /// Which values of the arguments differ.
    pub changes: Vec<Change>,
}

impl Earlier {
    /// Those of that home.
    #[must_use]
    pub fn of(home: &Home) -> Self {
        Self { home: home.clone() }
    }

    /// How a call differs from the last one of its tool that was approved; nothing if there is none that can be read.
    #[must_use]
    pub fn since(&self, ticket: &Ticket) -> Option<Since> {
        let bytes = files::read_if_there(&self.path(ticket), LONGEST).ok()??;
        let earlier = Ticket::read(&bytes)?;
        if earlier.request.action.name != ticket.request.action.name {
            return None;
        }
        let (before, after) = (earlier.request.arguments(), ticket.request.arguments());
        Some(Since {
            asked: earlier.asked,
            changes: changes(&before, &after),
        })
    }

    /// Keeps a call that was just approved, in place of the one before. What is too long to be compared by eye is not
    /// kept, and neither is then the one before it.
    pub(crate) fn keep(&self, ticket: &Ticket) -> Result<(), StoreError> {
        self.home.folder(FOLDER)?;
        let (path, text) = (self.path(ticket), ticket.to_text());
        // Unlike what is decided by, this need not outlast the power: nobody waits for the disk.
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(StoreError::new("remove", &path, error));
            }
            Ok(()) | Err(_) => {}
        }
        if text.len() as u64 <= LONGEST {
            let _ = files::create_for_now(&path, text.as_bytes())?;
        }
        Ok(())
    }

    fn path(&self, ticket: &Ticket) -> PathBuf {
        let name = sha256_hex(ticket.request.action.name.as_bytes());
        self.home.at(&format!("{FOLDER}/{name}.json"))
    }
}

const FOLDER: &str = "approved";
const LONGEST: u64 = 64 << 10;
