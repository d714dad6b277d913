//! The grants of a home, as one of its processes sees them.
//!
//! One file a grant, so that a person can look, copy and delete with their own hands. Any number of processes share them:
//! a change that one of them makes, or a hand makes, is seen by all others at their next decision, for the price of
//! looking at three files ([`changes`]). What a call may be covered by is found through an [`index`], read when the first
//! decision needs it; tokens are read and verified when they are first pointed at, and remembered while they are the
//! same. A revocation writes its tombstone before it takes anything away, and the tombstone wins over whatever lies
//! beside it.

mod changes;
mod following;
mod index;
mod preview;
mod snapshot;
mod store;
mod table;
#[cfg(test)]
pub(crate) mod testing;

pub use preview::{Admitted, admitted, recorded};
pub use store::{AddError, Listed, Revoked, Selector};

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use knotrust_core::evidence::GrantAtHand;
use knotrust_core::grant::{Call, Grant, Keyring, Kind, MAX_TOKEN, Trust, said_by};
use knotrust_core::ruleset::Approvals;
use knotrust_core::time::Timestamp;

use crate::failure::StoreError;
use crate::files;
use crate::home::Home;
use crate::keys::Keys;
use crate::lock::Lock;
use crate::uses::{Spend, Uses};
use changes::{Changes, Moment, Position};
use index::{Index, Key, key_of};

/// The grants of a home, as this process sees them.
#[derive(Debug)]
pub struct GrantSet<'a> {
    place: Place,
    keys: Keys,
    approvals: &'a Approvals<'a>,
    uses: Uses,
    index: Index,
    keyring: Keyring,
    seen: Option<Seen>,
    version: u64,
    /// The latest second that was ever seen: what has expired once stays so, though the clock be set back.
    latest: u64,
    loaded: HashMap<Box<str>, Loaded>,
    warned: BTreeSet<String>,
    warnings: Vec<String>,
}

/// What covers a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Covering {
    /// The grants that cover it now, in order.
    pub grants: Vec<GrantAtHand>,
    /// The role of whoever approved exactly this call.
    pub role: Option<String>,
    /// The first moment at which time alone may change the above.
    pub settled: Option<Timestamp>,
}

/// Where things are.
#[derive(Debug)]
struct Place {
    grants: PathBuf,
    tombstones: PathBuf,
    index: PathBuf,
    changes: Changes,
}

/// What the set was like when it was last looked at.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Seen {
    end: Position,
    folder: Moment,
    keys: Moment,
}

#[derive(Debug)]
struct Loaded {
    file: files::Version,
    grant: Option<Arc<Grant>>,
}

impl<'a> GrantSet<'a> {
    /// The grants of that home. Nothing is read yet.
    #[must_use]
    pub fn of(home: &Home, approvals: &'a Approvals<'a>) -> Self {
        let index = home.at("grants/index");
        Self {
            place: Place {
                grants: home.at("grants"),
                tombstones: home.at("grants/tombstones"),
                changes: Changes::at(index.join("changes")),
                index,
            },
            keys: Keys::of(home),
            approvals,
            uses: Uses::of(home),
            index: Index::default(),
            keyring: Keyring::new(),
            seen: None,
            version: 0,
            latest: 0,
            loaded: HashMap::new(),
            warned: BTreeSet::new(),
            warnings: Vec::new(),
        }
    }

    /// The version of the set, after a look at whether it has changed. Two equal answers of one process mean the same
    /// grants and the same keys.
    ///
    /// # Errors
    ///
    /// The home cannot be read.
    pub fn version(&mut self) -> Result<u64, StoreError> {
        let now = self.look()?;
        if self.seen != Some(now) {
            self.catch_up(now)?;
            self.version += 1;
        }
        Ok(self.version)
    }

    /// The grants that cover a call now: those of the home, and before them the one that a person's approval has just
    /// given rise to.
    ///
    /// # Errors
    ///
    /// The home cannot be read. Single grants that cannot are passed over, and warned of.
    pub fn covering(
        &mut self,
        call: &Call<'_>,
        approved: Option<&Grant>,
        now: Timestamp,
    ) -> Result<Covering, StoreError> {
        self.version()?;
        self.latest = self.latest.max(second(now));
        let mut covering = Covering::default();
        if let Some(grant) = approved {
            self.weigh(grant, call, now, &mut covering)?;
        }
        for name in self.index.candidates(call) {
            if let Some(grant) = self.fitting(&name, call)? {
                self.weigh(&grant, call, now, &mut covering)?;
            }
        }
        Ok(covering)
    }

    /// Writes down that a grant is used for a call, before the call goes out. Only [`Spend::Spent`] lets it go.
    ///
    /// # Errors
    ///
    /// It cannot be written down. The use may count all the same.
    pub fn consume(
        &mut self,
        id: &str,
        approved: Option<&Grant>,
        call: &Call<'_>,
        now: Timestamp,
    ) -> Result<Spend, StoreError> {
        let stored = match approved {
            Some(grant) if grant.claims().id == id => None,
            Some(_) | None => self.fitting(id, call)?,
        };
        match stored.as_deref().or(approved.filter(|_| stored.is_none())) {
            Some(grant) if grant.claims().id == id => self.uses.consume(grant.claims(), call, now),
            Some(_) | None => Ok(Spend::Gone),
        }
    }

    /// Takes note that it is not earlier than that, whatever the clock says: what has expired by then has expired.
    pub fn not_before(&mut self, at: Timestamp) {
        self.latest = self.latest.max(second(at));
    }

    /// Files that are not used, each told once.
    pub fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    /// The keys of this home.
    #[must_use]
    pub const fn keys(&self) -> &Keys {
        &self.keys
    }

    fn weigh(
        &self,
        grant: &Grant,
        call: &Call<'_>,
        now: Timestamp,
        covering: &mut Covering,
    ) -> Result<(), StoreError> {
        let claims = grant.claims();
        let second = second(now);
        if grant.fits(call).is_err() || claims.expires <= self.latest {
            return Ok(());
        }
        let change = grant.changes_after(second).map(moment);
        covering.settled = covering.settled.into_iter().chain(change).min();
        let is_free = || Ok(!claims.is_counted() || self.uses.leave_room(claims, call)?);
        if grant.covers(call, second).is_err() || !is_free()? {
            return Ok(());
        }
        let reviewer = grant
            .consent()
            .and_then(|consent| consent.reviewer.as_deref());
        let is_reviewer =
            |known: &&knotrust_core::ruleset::Reviewer<'_>| Some(known.name) == reviewer;
        let for_this_call = matches!(claims.kind, Kind::Ephemeral { .. });
        if let (true, Some(reviewer)) = (
            for_this_call,
            self.approvals.reviewers.iter().find(is_reviewer),
        ) {
            covering.role = Some(reviewer.role.to_owned());
        }
        covering.grants.push(GrantAtHand {
            id: claims.id.clone(),
            cap: claims.cap,
            not_before: claims.not_before.map(|start| moment(start).seconds()),
            expires: moment(claims.expires).seconds(),
            single_use: claims.is_counted(),
            for_this_call,
        });
        Ok(())
    }

    /// The grant of that name, if it is there, verified, not revoked, and speaks of the call.
    fn fitting(&mut self, name: &str, call: &Call<'_>) -> Result<Option<Arc<Grant>>, StoreError> {
        // What was seen not to fit need not be looked at again: were it replaced, the folder would have changed.
        let known = self.loaded.get(name).and_then(|known| known.grant.as_ref());
        if known.is_some_and(|grant| grant.fits(call).is_err()) {
            return Ok(None);
        }
        Ok(self.load(name)?.filter(|grant| grant.fits(call).is_ok()))
    }

    fn load(&mut self, name: &str) -> Result<Option<Arc<Grant>>, StoreError> {
        let path = self.place.token(name);
        let Some(file) = files::version(&path)? else {
            self.loaded.remove(name);
            return Ok(None);
        };
        if files::version(&self.place.tombstone(name))?.is_some() {
            self.loaded.remove(name);
            return Ok(None);
        }
        if let Some(known) = self.loaded.get(name).filter(|known| known.file == file) {
            return Ok(known.grant.clone());
        }
        let grant = match self.read(name) {
            Ok(grant) => Some(Arc::new(grant)),
            Err(why) => {
                self.warn(name, &why);
                None
            }
        };
        if self.loaded.len() >= MOST_LOADED {
            self.loaded.clear();
        }
        let loaded = Loaded {
            file,
            grant: grant.clone(),
        };
        self.loaded.insert(name.into(), loaded);
        Ok(grant)
    }

    fn read(&self, name: &str) -> Result<Grant, String> {
        let trust = Trust {
            keys: &self.keyring,
            approvals: self.approvals,
        };
        let token = self.place.read_token(name)?;
        let grant = Grant::verify(&token, trust).map_err(|error| error.to_string())?;
        if grant.claims().id == name {
            Ok(grant)
        } else {
            Err(MISNAMED.to_owned())
        }
    }

    fn warn(&mut self, name: &str, why: &str) {
        let shown = name.escape_debug();
        self.warn_once(
            name,
            format!("the grant file `{shown}{SUFFIX}` is not used: {why}"),
        );
    }

    fn warn_once(&mut self, name: &str, warning: String) {
        if self.warned.len() < MOST_WARNED && self.warned.insert(name.to_owned()) {
            self.warnings.push(warning);
        }
    }
}

impl Place {
    fn token(&self, name: &str) -> PathBuf {
        self.grants.join(format!("{name}{SUFFIX}"))
    }

    fn tombstone(&self, name: &str) -> PathBuf {
        self.tombstones.join(format!("{name}.json"))
    }

    fn lock(&self) -> Result<Lock, StoreError> {
        files::folder_public(&self.grants)?;
        files::folder_public(&self.index)?;
        Lock::take(&self.index.join(".lock"))
    }

    /// The text of a token. One line end at its end belongs to the file.
    fn read_token(&self, name: &str) -> Result<String, String> {
        if !is_name(name) {
            return Err("its name is not the id of a grant".to_owned());
        }
        let bytes = files::read_public(&self.token(name), MAX_TOKEN as u64 + 1);
        let bytes = bytes.map_err(|error| error.source.to_string())?;
        let text = String::from_utf8(bytes).map_err(|_| "it is not text".to_owned())?;
        Ok(text.strip_suffix('\n').unwrap_or(&text).to_owned())
    }

    fn key(&self, name: &str) -> Result<Key, String> {
        let token = self.read_token(name)?;
        let claims = said_by(&token).map_err(|error| error.to_string())?;
        if claims.id == name {
            Ok(key_of(&claims))
        } else {
            Err(MISNAMED.to_owned())
        }
    }
}

fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    !name.is_empty() && name.bytes().all(plain)
}

fn second(now: Timestamp) -> u64 {
    u64::try_from(now.seconds()).unwrap_or_default()
}

fn moment(second: u64) -> Timestamp {
    Timestamp::from_seconds(i64::try_from(second).unwrap_or(i64::MAX))
}

const SUFFIX: &str = ".jws";
const MISNAMED: &str = "its name is not the id in it";

/// Verified grants that are remembered: some hundred bytes each.
const MOST_LOADED: usize = 10_000;

/// Files that are warned of: beyond that, more would bury everything else.
const MOST_WARNED: usize = 100;

#[cfg(test)]
mod tests;
