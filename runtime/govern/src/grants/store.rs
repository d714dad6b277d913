//! Grants that are added, revoked, listed and cleared away.

use ed25519_dalek::SigningKey;
use knotrust_core::grant::{Claims, Grant, GrantError, Kind, Trust, Unsigned, said_by};
use knotrust_core::json::{Object, Value, write};
use knotrust_core::time::Timestamp;
use thiserror::Error;

use super::changes::{Change, ChangeKind, Moment};
use super::index::key_of;
use super::{GrantSet, SUFFIX};
use crate::failure::StoreError;
use crate::files::{self, Created};
use crate::keys::KeyError;

/// Why a grant cannot be added.
#[derive(Debug, Error)]
pub enum AddError {
    /// It does not hold here.
    #[error(transparent)]
    Grant(#[from] GrantError),
    /// A grant of this id was revoked.
    #[error("the grant `{0}` was revoked; a new one has to be made")]
    Revoked(String),
    /// Another grant of this id is there.
    #[error("another grant has the id `{0}`")]
    Taken(String),
    /// It lives for one call, and is not kept.
    #[error("a grant for one call is not kept")]
    Ephemeral,
    /// A key.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// A file.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Which grants to revoke.
#[derive(Clone, Copy, Debug)]
pub enum Selector<'a> {
    /// The one of this id.
    Id(&'a str),
    /// Those whose tool pattern is written exactly so.
    Tool(&'a str),
    /// All.
    All,
}

/// A grant that was revoked.
#[derive(Clone, Debug, PartialEq)]
pub struct Revoked {
    /// Its id.
    pub id: String,
    /// What it said, if it could be understood.
    pub claims: Option<Claims>,
}

/// A grant file, as a list shows it.
#[derive(Debug)]
pub struct Listed {
    /// The name of the file.
    pub file: String,
    /// What it says, if it can be understood.
    pub claims: Option<Claims>,
    /// The verified grant, or why there is none.
    pub grant: Result<Grant, String>,
    /// Whether it has been used up.
    pub spent: bool,
}

impl GrantSet<'_> {
    /// Signs claims with the identity of this home and keeps the grant.
    ///
    /// # Errors
    ///
    /// As [`GrantSet::add`]; or there is no identity to be had.
    pub fn issue(&mut self, unsigned: Unsigned) -> Result<Grant, AddError> {
        let identity: SigningKey = self.keys.identity()?;
        self.add(&unsigned.sign(&identity))
    }

    /// Keeps a grant.
    ///
    /// # Errors
    ///
    /// It does not hold here, was revoked, is for one call only, or its id is taken; or it cannot be written.
    pub fn add(&mut self, token: &str) -> Result<Grant, AddError> {
        self.version()?;
        let trust = Trust {
            keys: &self.keyring,
            approvals: self.approvals,
        };
        let grant = Grant::verify(token, trust)?;
        let id = &grant.claims().id;
        if matches!(grant.claims().kind, Kind::Ephemeral { .. }) {
            return Err(AddError::Ephemeral);
        }
        let lock = self.place.lock()?;
        if files::version(&self.place.tombstone(id))?.is_some() {
            return Err(AddError::Revoked(id.clone()));
        }
        let path = self.place.token(id);
        match files::create(&path, format!("{token}\n").as_bytes())? {
            Created::New => self.note(ChangeKind::Added, grant.claims())?,
            Created::Exists if self.place.read_token(id).as_deref() == Ok(token) => {}
            Created::Exists => return Err(AddError::Taken(id.clone())),
        }
        drop(lock);
        Ok(grant)
    }

    /// Revokes grants. A tombstone is written before anything is taken away.
    ///
    /// # Errors
    ///
    /// A file cannot be written. What was revoked before that stays revoked; to try again is safe.
    pub fn revoke(
        &mut self,
        selector: Selector<'_>,
        now: Timestamp,
    ) -> Result<Vec<Revoked>, StoreError> {
        let chosen = self.chosen(selector)?;
        if chosen.is_empty() {
            return Ok(chosen);
        }
        let lock = self.place.lock()?;
        files::folder_public(&self.place.tombstones)?;
        for revoked in &chosen {
            let tombstone = tombstone(revoked, now);
            files::write(&self.place.tombstone(&revoked.id), tombstone.as_bytes())?;
        }
        for revoked in &chosen {
            files::remove(&self.place.token(&revoked.id))?;
            if let Some(claims) = &revoked.claims {
                self.note(ChangeKind::Removed, claims)?;
            }
        }
        drop(lock);
        Ok(chosen)
    }

    /// What a revocation would revoke.
    ///
    /// # Errors
    ///
    /// The folder cannot be read.
    pub fn chosen(&self, selector: Selector<'_>) -> Result<Vec<Revoked>, StoreError> {
        let names = files::names(&self.place.grants)?;
        let names = names.iter().filter_map(|file| file.strip_suffix(SUFFIX));
        let mut chosen = Vec::new();
        for name in names.filter(|name| super::is_name(name)) {
            if matches!(selector, Selector::Id(id) if id != name) {
                continue;
            }
            let claims = self.place.read_token(name).ok();
            let claims = claims.and_then(|token| said_by(&token).ok());
            let is_meant = match selector {
                Selector::Id(_) | Selector::All => true,
                Selector::Tool(tool) => claims
                    .as_ref()
                    .is_some_and(|claims| claims.tool.to_text() == tool),
            };
            if is_meant {
                chosen.push(Revoked {
                    id: name.to_owned(),
                    claims: claims.filter(|claims| claims.id == name),
                });
            }
        }
        Ok(chosen)
    }

    /// All grant files, those that are no good included.
    ///
    /// # Errors
    ///
    /// The folder cannot be read.
    pub fn list(&mut self) -> Result<Vec<Listed>, StoreError> {
        self.version()?;
        let mut listed = Vec::new();
        for file in files::names(&self.place.grants)? {
            let Some(name) = file.strip_suffix(SUFFIX) else {
                continue;
            };
            let token = self.place.read_token(name);
            let claims = token.ok().and_then(|token| said_by(&token).ok());
            let spent = match &claims {
                Some(claims) => self.uses.is_spent(claims)?,
                None => false,
            };
            let grant = if files::version(&self.place.tombstone(name))?.is_some() {
                Err("it was revoked".to_owned())
            } else {
                self.read(name)
            };
            listed.push(Listed {
                grant,
                claims,
                spent,
                file,
            });
        }
        Ok(listed)
    }

    /// Clears away what can never matter again: grants that have been expired for a week, and what was written down about
    /// them. Returns how many.
    ///
    /// # Errors
    ///
    /// A file cannot be removed.
    pub fn prune(&mut self, now: Timestamp) -> Result<usize, StoreError> {
        let long_ago = u64::try_from(now.seconds())
            .unwrap_or_default()
            .saturating_sub(WEEK);
        let mut pruned = 0;
        for dead in self.chosen(Selector::All)? {
            let Some(claims) = dead.claims.filter(|claims| claims.expires < long_ago) else {
                continue;
            };
            let lock = self.place.lock()?;
            files::remove(&self.place.token(&dead.id))?;
            self.note(ChangeKind::Removed, &claims)?;
            // The token is signed, so that its record may go only once it has expired wherever it is copied back.
            self.uses.forget(&dead.id)?;
            drop(lock);
            pruned += 1;
        }
        Ok(pruned)
    }

    /// Writes down that the set has changed. The caller holds its lock.
    fn note(&self, kind: ChangeKind, claims: &Claims) -> Result<(), StoreError> {
        self.place.changes.add(&Change {
            kind,
            key: key_of(claims),
            name: claims.id.clone(),
            folder: Moment::of(&self.place.grants)?,
        })
    }
}

fn tombstone(revoked: &Revoked, now: Timestamp) -> String {
    let mut object = Object::new();
    object.insert("jti", Value::String(revoked.id.clone().into()));
    object.insert("revokedAt", Value::String(now.to_string().into()));
    if let Some(claims) = &revoked.claims {
        object.insert("expires", Value::Number(claims.expires.into()));
    }
    format!("{}\n", write(&Value::Object(object)))
}

const WEEK: u64 = 7 * 86_400;
