//! All tickets of a home, for whoever answers them: a terminal, a page, another proxy.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use knotrust_core::approval::Ending;
use knotrust_core::ruleset::Approvals;
use knotrust_core::time::Timestamp;
use thiserror::Error;

use super::Settled;
use super::answer::{Answer, Verdict};
use super::mailbox::{self, Owner};
use super::ticket::{self, Ticket};
use crate::failure::StoreError;
use crate::files::{self, Created};
use crate::home::Home;

/// All tickets of a home.
#[derive(Clone, Debug)]
pub struct Desk {
    root: PathBuf,
}

/// A ticket on the desk.
#[derive(Clone, Debug)]
pub struct Pending {
    /// The ticket.
    pub ticket: Ticket,
    /// How it ended, if it has.
    pub end: Option<Answer>,
    folder: PathBuf,
}

/// Why a ticket cannot be answered.
#[derive(Debug, Error)]
pub enum ResolveError {
    /// It has ended.
    #[error("the approval has ended: {0}")]
    Ended(Ending),
    /// Whoever held the call is gone.
    #[error("the call is gone: whoever held it has ended")]
    OwnerGone,
    /// What the ticket shows is not the call that it is about.
    #[error("the ticket was tampered with: it shows another call than the one it is about")]
    Tampered,
    /// The answer is no yes by somebody who may give it.
    #[error("{0}")]
    NoConsent(&'static str),
    /// A file.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Desk {
    /// The desk of that home.
    #[must_use]
    pub fn of(home: &Home) -> Self {
        Self {
            root: home.at("approvals"),
        }
    }

    /// All tickets, oldest first, those that have ended but are not cleared away included.
    ///
    /// # Errors
    ///
    /// The home cannot be read. Single files that cannot are passed over.
    pub fn list(&self) -> Result<Vec<Pending>, StoreError> {
        let mut pending = Vec::new();
        for owner in files::names(&self.root)? {
            let folder = self.root.join(owner);
            for (ticket, end) in tickets(&folder)? {
                pending.push(Pending {
                    folder: folder.clone(),
                    ticket,
                    end,
                });
            }
        }
        pending.sort_by(|left, right| left.ticket.id.cmp(&right.ticket.id));
        Ok(pending)
    }

    /// Where a ticket stands that this owner holds or has held, by the owner's own memory of what it asks.
    ///
    /// # Errors
    ///
    /// The home cannot be read.
    pub fn held_by(&self, owner: &str, ticket: &Ticket) -> Result<Option<Pending>, StoreError> {
        let folder = self.root.join(owner);
        if files::version(&folder.join(ticket.file()))?.is_none() {
            return Ok(None);
        }
        let end = Answer::read_from(&folder.join(ticket.end_file()))?;
        Ok(Some(Pending {
            ticket: ticket.clone(),
            end,
            folder,
        }))
    }

    /// The ticket of that id, or the only one of that code that still waits.
    ///
    /// # Errors
    ///
    /// The home cannot be read.
    pub fn find(&self, text: &str) -> Result<Option<Pending>, StoreError> {
        let (mut by_id, mut by_code) = (None, Vec::new());
        for pending in self.list()? {
            if pending.ticket.id == text {
                by_id = Some(pending);
            } else if pending.ticket.code.eq_ignore_ascii_case(text) && pending.end.is_none() {
                by_code.push(pending);
            }
        }
        let only = if by_code.len() == 1 {
            by_code.pop()
        } else {
            None
        };
        Ok(by_id.or(only))
    }
}

impl Pending {
    /// Whoever holds the call.
    #[must_use]
    pub fn owner(&self) -> String {
        let name = self.folder.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// Answers the ticket. The first answer is the only one.
    ///
    /// A yes must carry the exact hash of the call that the person was shown ([`Ticket::exact`], after
    /// [`Ticket::is_true`]) and, where the ruleset asks for it, their consent.
    ///
    /// # Errors
    ///
    /// It has ended, its owner is gone, or the answer is not one that its owner would act on.
    pub fn resolve(
        &self,
        rules: &Approvals<'_>,
        answer: &Answer,
        now: Timestamp,
    ) -> Result<(), ResolveError> {
        let end = self.folder.join(self.ticket.end_file());
        if let Some(known) = Answer::read_from(&end)? {
            return Err(ResolveError::Ended(known.verdict.ending()));
        }
        if now >= self.ticket.until {
            return Err(ResolveError::Ended(Ending::Expired));
        }
        if let Owner::Gone(_) = mailbox::owner(&self.folder) {
            return Err(ResolveError::OwnerGone);
        }
        if answer.verdict == Verdict::Approve {
            if !self.ticket.is_true() || answer.call.as_ref() != Some(&self.ticket.exact) {
                return Err(ResolveError::Tampered);
            }
            self.ticket
                .check_consent(rules, answer.consent.as_ref())
                .map_err(ResolveError::NoConsent)?;
        }
        match files::create_for_now(&end, answer.to_text().as_bytes())? {
            Created::New => {}
            Created::Exists => {
                let known = Answer::read_from(&end)?;
                let ending = known.map_or(Ending::Denied, |known| known.verdict.ending());
                return Err(ResolveError::Ended(ending));
            }
        }
        mailbox::post(&self.folder, &self.ticket.id)?;
        // An owner that cleared up meanwhile has ended it in its own way.
        match files::version(&self.folder.join(self.ticket.file()))? {
            Some(_) => Ok(()),
            None => Err(ResolveError::OwnerGone),
        }
    }
}

/// Ends the tickets of owners that are gone, and clears up after them.
pub(super) fn sweep(root: &Path, now: Timestamp) -> Result<Vec<Settled>, StoreError> {
    let mut orphans = Vec::new();
    for owner in files::names(root)? {
        let folder = root.join(owner);
        let Owner::Gone(lock) = mailbox::owner(&folder) else {
            continue;
        };
        for (ticket, end) in tickets(&folder)? {
            let answer = Answer::by_nobody(Verdict::Orphan, now);
            // An answer that nobody acted on counts for nothing either.
            let path = folder.join(ticket.end_file());
            if end.is_none()
                && files::create_for_now(&path, answer.to_text().as_bytes())? == Created::Exists
            {
                continue;
            }
            orphans.push(Settled {
                ticket: Arc::new(ticket),
                ending: Ending::Denied,
                answer,
                violation: None,
            });
        }
        clear(&folder)?;
        drop(lock);
    }
    Ok(orphans)
}

/// Removes the folder of an owner: tickets first, so that no late answer finds one to answer.
pub(super) fn clear(folder: &Path) -> Result<(), StoreError> {
    let names = files::names(folder)?;
    let (tickets, rest): (Vec<_>, Vec<_>) = names
        .iter()
        .partition(|name| name.ends_with(ticket::SUFFIX));
    for name in tickets.into_iter().chain(rest) {
        files::remove(&folder.join(name))?;
    }
    match fs::remove_dir(folder) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        // Somebody answered just now; whoever sweeps next takes it away.
        Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => Ok(()),
        Err(error) => Err(StoreError::new("remove the folder", folder, error)),
    }
}

fn tickets(folder: &Path) -> Result<Vec<(Ticket, Option<Answer>)>, StoreError> {
    let mut tickets = Vec::new();
    if !folder.is_dir() {
        return Ok(tickets);
    }
    for name in files::names(folder)? {
        let Some(id) = name
            .strip_suffix(ticket::SUFFIX)
            .filter(|id| ticket::is_id(id))
        else {
            continue;
        };
        let Ok(Some(bytes)) = files::read_if_there(&folder.join(&name), MAX_TICKET) else {
            continue;
        };
        let Some(ticket) = Ticket::read(&bytes).filter(|ticket| ticket.id == id) else {
            continue;
        };
        let end = Answer::read_from(&folder.join(ticket.end_file()))?;
        tickets.push((ticket, end));
    }
    Ok(tickets)
}

/// Arguments may be large, and a person must be able to see all of them.
const MAX_TICKET: u64 = 256 << 20;
