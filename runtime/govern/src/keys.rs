//! The identity that signs grants, and the public keys that are trusted to have signed them.
//!
//! The secret half of the identity lies in the [keychain](crate::keychain) of the desktop where there is one that answers,
//! and else in a file that only its user may read. A keychain keeps it from a stolen disk, not from a process of the same
//! user, which may ask the keychain as well; what keeps such a process from signing grants is the ruleset's `approver`,
//! whose secret is in neither. `identity.key` holds the secret, or says under which name the keychain has it.

mod jwk;
mod passing;

pub(crate) use passing::Passing;

use std::io::ErrorKind;
use std::path::PathBuf;

use ed25519_dalek::{Signer as _, SigningKey};
use knotrust_core::canonical::hex;
use knotrust_core::grant::{Keyring, WeakKey, thumbprint};
use thiserror::Error;

use crate::failure::{Cause, StoreError};
use crate::files::{self, Created};
use crate::home::Home;
use crate::keychain::Keychain;
use crate::lock::Lock;

/// The keys of a home.
#[derive(Clone, Debug)]
pub struct Keys {
    keychain: Option<Keychain>,
    identity: PathBuf,
    folder: PathBuf,
    retired: PathBuf,
}

/// Why a key cannot be had.
#[derive(Debug, Error)]
pub enum KeyError {
    /// A file.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Anybody could sign with it.
    #[error(transparent)]
    Weak(#[from] WeakKey),
    /// Not the JSON of an Ed25519 public key.
    #[error("not an Ed25519 public key in JWK form")]
    NotAKey,
    /// Not the file of an identity.
    #[error("not an identity: 64 hexadecimal digits")]
    NotAnIdentity,
    /// A private key where a public one should be.
    #[error("this is a private key: hand out its public half only")]
    Private,
    /// The key was rotated away.
    #[error("the key `{0}` was rotated away; what it signed stays void")]
    Retired(String),
    /// The keychain has the key, and does not give it.
    #[error(
        "the key `{kid}` is in the keychain of the desktop, which does not give it; unlock the keychain, or sign with a new key: `knotrust key rotate`"
    )]
    Keychain {
        /// The id of the key.
        kid: String,
        /// Why it does not.
        source: std::io::Error,
    },
    /// No key has that id.
    #[error("no trusted key has the id `{0}`")]
    Unknown(String),
    /// The system has no randomness.
    #[error("the system has no randomness to give")]
    Random(#[from] getrandom::Error),
}

/// A key file that is not used, and why.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Unusable {
    /// The name of the file.
    pub file: String,
    /// Why it is not used.
    pub why: &'static str,
}

/// Where the secret half of the identity lies.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Kept {
    /// In that file.
    File(PathBuf),
    /// In the keychain of the desktop.
    Keychain,
}

/// What `identity.key` holds.
enum Stored {
    Here(SigningKey),
    /// The keychain has the secret of the key of that id.
    Elsewhere(String),
}

/// What a rotation did.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Rotation {
    /// The key that signs from now on.
    pub new: String,
    /// The key whose grants are void from now on.
    pub old: Option<String>,
}

impl Keys {
    /// The keys of that home.
    #[must_use]
    pub fn of(home: &Home) -> Self {
        Self {
            keychain: home.keychain().cloned(),
            identity: home.at("identity.key"),
            folder: home.at("keys"),
            retired: home.at("keys/retired"),
        }
    }

    /// The key that signs grants here; made at the first use.
    ///
    /// # Errors
    ///
    /// The file is not private to this user, is not a key, or cannot be made.
    pub fn identity(&self) -> Result<SigningKey, KeyError> {
        let key = match self.stored()? {
            Some(stored) => self.secret(stored)?,
            None => self.make()?,
        };
        if self.is_retired(&kid_of(&key))? {
            // A rotation was cut off before the new key was in place, or is under way.
            self.rotate_if(|keys, kid| keys.is_retired(kid))?;
            return self.identity();
        }
        self.publish(&key)?;
        Ok(key)
    }

    /// The id of the key that signs grants here, which takes no secret; the key is made if there is none.
    ///
    /// # Errors
    ///
    /// As [`Keys::identity`], for a key that is not in the keychain.
    pub fn id(&self) -> Result<String, KeyError> {
        match self.stored()? {
            Some(Stored::Elsewhere(kid)) => Ok(kid),
            Some(Stored::Here(_)) | None => Ok(kid_of(&self.identity()?)),
        }
    }

    /// Replaces the identity. What the old one signed is void from now on.
    ///
    /// # Errors
    ///
    /// A file cannot be written. To try again is safe.
    pub fn rotate(&self) -> Result<Rotation, KeyError> {
        self.rotate_if(|_, _| Ok(true))
    }

    /// Signs with a key from elsewhere from now on. What another key of this home signed is void then.
    ///
    /// # Errors
    ///
    /// It is no such key, or one that was rotated away; or a file cannot be written. To try again is safe.
    pub fn import(&self, identity: &[u8]) -> Result<Rotation, KeyError> {
        let key = parsed(identity).ok_or(KeyError::NotAnIdentity)?;
        let kid = kid_of(&key);
        if self.is_retired(&kid)? {
            return Err(KeyError::Retired(kid));
        }
        self.replace(|_, old| Ok(old != kid), || Ok(key.clone()))
    }

    fn rotate_if(
        &self,
        wanted: impl Fn(&Self, &str) -> Result<bool, StoreError>,
    ) -> Result<Rotation, KeyError> {
        self.replace(wanted, fresh)
    }

    fn replace(
        &self,
        wanted: impl Fn(&Self, &str) -> Result<bool, StoreError>,
        by: impl FnOnce() -> Result<SigningKey, getrandom::Error>,
    ) -> Result<Rotation, KeyError> {
        files::folder_public(&self.folder)?;
        let lock = Lock::take(&self.folder.join(".lock"))?;
        let old = self.stored()?;
        let old_kid = old.as_ref().map(Stored::kid);
        if let (Some(old), Some(kid)) = (&old, &old_kid) {
            if !wanted(self, kid)? {
                return Ok(Rotation {
                    new: kid.clone(),
                    old: None,
                });
            }
            self.retire_key(kid, self.public(old))?;
        }
        let new = by()?;
        let text = self.put_away(&new);
        files::write(&self.identity, text.as_bytes())?;
        self.publish(&new)?;
        if let (Some(Stored::Elsewhere(kid)), Some(keychain)) = (&old, &self.keychain) {
            // It is retired: that it is still there somewhere is nothing to fail for.
            drop(keychain.forget(kid));
        }
        drop(lock);
        Ok(Rotation {
            new: kid_of(&new),
            old: old_kid,
        })
    }

    /// Where the secret half of the identity lies; nothing if there is none yet.
    ///
    /// # Errors
    ///
    /// The file of the identity cannot be read.
    pub fn kept(&self) -> Result<Option<Kept>, StoreError> {
        Ok(self.stored()?.map(|stored| match stored {
            Stored::Here(_) => Kept::File(self.identity.clone()),
            Stored::Elsewhere(_) => Kept::Keychain,
        }))
    }

    /// Trusts a public key in JWK form, and returns its id.
    ///
    /// # Errors
    ///
    /// It is no such key, a weak one, or one that was rotated away.
    pub fn trust(&self, jwk: &[u8]) -> Result<String, KeyError> {
        let public = jwk::read(jwk)?;
        let kid = Keyring::new().trust(&public)?;
        if self.is_retired(&kid)? {
            return Err(KeyError::Retired(kid));
        }
        self.write_public(&kid, &public)?;
        Ok(kid)
    }

    /// Trusts a key no longer, for good.
    ///
    /// # Errors
    ///
    /// No such key is trusted, or a file cannot be written.
    pub fn distrust(&self, kid: &str) -> Result<(), KeyError> {
        let unknown = || KeyError::Unknown(kid.to_owned());
        let path = self.folder.join(file_name(kid).ok_or_else(unknown)?);
        let jwk = files::read_public(&path, MAX_KEY_FILE).map_err(|_| unknown())?;
        self.retire_key(kid, Some(jwk::read(&jwk)?))
    }

    /// The keys that are trusted, and the files beside them that are of no use.
    ///
    /// # Errors
    ///
    /// The folder cannot be read. Single files that cannot are reported as unusable.
    pub fn keyring(&self) -> Result<(Keyring, Vec<Unusable>), StoreError> {
        let (mut keyring, mut unusable) = (Keyring::new(), Vec::new());
        for file in files::names(&self.folder)? {
            let Some(kid) = file.strip_suffix(SUFFIX) else {
                continue;
            };
            if let Err(why) = self.add(&mut keyring, kid, &file) {
                unusable.push(Unusable { file, why });
            }
        }
        Ok((keyring, unusable))
    }

    /// Where the public keys lie.
    #[must_use]
    pub const fn folder(&self) -> &PathBuf {
        &self.folder
    }

    fn add(&self, keyring: &mut Keyring, kid: &str, file: &str) -> Result<(), &'static str> {
        // Whoever read the identity just before a rotation may publish it just after.
        if self.is_retired(kid).unwrap_or(true) {
            return Err("the key was rotated away");
        }
        let bytes = files::read_public(&self.folder.join(file), MAX_KEY_FILE);
        let bytes = bytes.map_err(|_| "it cannot be read, or others may write it")?;
        let public = jwk::read(&bytes).map_err(|_| "it is not a public key in JWK form")?;
        if thumbprint(&public) != kid {
            keyring.distrust(kid);
            return Err("its name is not the id of the key in it");
        }
        keyring.trust(&public).map(drop).map_err(|_| {
            keyring.distrust(kid);
            "the key in it is weak"
        })
    }

    fn stored(&self) -> Result<Option<Stored>, StoreError> {
        let Some(bytes) = files::read_if_there(&self.identity, 100)? else {
            return Ok(None);
        };
        let content = || StoreError::new("read", &self.identity, Cause::Content);
        let stored = match pointed_to(&bytes) {
            Some(kid) => Some(Stored::Elsewhere(kid)),
            None => parsed(&bytes).map(Stored::Here),
        };
        stored.map(Some).ok_or_else(content)
    }

    fn secret(&self, stored: Stored) -> Result<SigningKey, KeyError> {
        let kid = match stored {
            Stored::Here(key) => return Ok(key),
            Stored::Elsewhere(kid) => kid,
        };
        let missing = |why| std::io::Error::new(ErrorKind::NotFound, why);
        let found = match &self.keychain {
            Some(keychain) => keychain.find(&kid),
            None => Err(missing("there is none here")),
        };
        let key = found.and_then(|secret| {
            let key =
                secret.and_then(|secret| Some(SigningKey::from_bytes(&secret.try_into().ok()?)));
            key.filter(|key| kid_of(key) == kid)
                .ok_or_else(|| missing("it is not there"))
        });
        key.map_err(|source| KeyError::Keychain { kid, source })
    }

    /// Puts a new secret into the keychain if that takes it, and returns what the file of the identity is to say.
    fn put_away(&self, key: &SigningKey) -> String {
        let kid = kid_of(key);
        match &self.keychain {
            Some(keychain) if keychain.keep(&kid, key.as_bytes()).is_ok() => {
                format!("{POINTER}{kid}\n")
            }
            Some(_) | None => written(key),
        }
    }

    fn public(&self, stored: &Stored) -> Option<[u8; 32]> {
        match stored {
            Stored::Here(key) => Some(*key.verifying_key().as_bytes()),
            Stored::Elsewhere(kid) => {
                let path = self.folder.join(file_name(kid)?);
                jwk::read(&files::read_public(&path, MAX_KEY_FILE).ok()?).ok()
            }
        }
    }

    fn make(&self) -> Result<SigningKey, KeyError> {
        let key = fresh()?;
        match files::create(&self.identity, self.put_away(&key).as_bytes())? {
            Created::New => Ok(key),
            // Another process was first; its key is the one.
            Created::Exists => {
                if let Some(keychain) = &self.keychain {
                    drop(keychain.forget(&kid_of(&key)));
                }
                let content = StoreError::new("read", &self.identity, Cause::Content);
                let stored = self.stored()?.ok_or(KeyError::Store(content))?;
                self.secret(stored)
            }
        }
    }

    fn publish(&self, key: &SigningKey) -> Result<(), StoreError> {
        self.write_public(&kid_of(key), key.verifying_key().as_bytes())
    }

    fn write_public(&self, kid: &str, public: &[u8; 32]) -> Result<(), StoreError> {
        files::folder_public(&self.folder)?;
        let path = self.folder.join(format!("{kid}{SUFFIX}"));
        let wanted = jwk::write(public);
        match files::read_public(&path, MAX_KEY_FILE) {
            Ok(bytes) if jwk::read(&bytes).is_ok_and(|known| known == *public) => Ok(()),
            Ok(_) | Err(_) => files::write(&path, wanted.as_bytes()),
        }
    }

    // First what says that it is over, then the end: cut off between, the key is over.
    fn retire_key(&self, kid: &str, public: Option<[u8; 32]>) -> Result<(), KeyError> {
        files::folder_public(&self.retired)?;
        let name = format!("{kid}{SUFFIX}");
        let said = public.map_or_else(|| "{}\n".to_owned(), |public| jwk::write(&public));
        files::write(&self.retired.join(&name), said.as_bytes())?;
        Ok(files::remove(&self.folder.join(&name))?)
    }

    fn is_retired(&self, kid: &str) -> Result<bool, StoreError> {
        let path = self.retired.join(format!("{kid}{SUFFIX}"));
        Ok(files::version(&path)?.is_some())
    }
}

impl Stored {
    fn kid(&self) -> String {
        match self {
            Self::Here(key) => kid_of(key),
            Self::Elsewhere(kid) => kid.clone(),
        }
    }
}

/// Signs a challenge with the key in the file of an identity: so a reviewer answers, who keeps their own elsewhere.
///
/// # Errors
///
/// It is no such file.
pub fn sign_with(identity: &[u8], challenge: &[u8; 32]) -> Result<[u8; 64], KeyError> {
    let key = parsed(identity).ok_or(KeyError::NotAnIdentity)?;
    Ok(key.sign(challenge).to_bytes())
}

fn file_name(kid: &str) -> Option<String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let is_id = (1..=64).contains(&kid.len()) && kid.bytes().all(plain);
    is_id.then(|| format!("{kid}{SUFFIX}"))
}

fn kid_of(key: &SigningKey) -> String {
    thumbprint(key.verifying_key().as_bytes())
}

fn fresh() -> Result<SigningKey, getrandom::Error> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed)?;
    Ok(SigningKey::from_bytes(&seed))
}

fn written(key: &SigningKey) -> String {
    format!("{}\n", hex(key.as_bytes()))
}

/// The id of the key that the keychain has, if that is what the file says.
fn pointed_to(bytes: &[u8]) -> Option<String> {
    let kid = str::from_utf8(bytes).ok()?.strip_prefix(POINTER)?;
    let kid = kid.strip_suffix('\n').unwrap_or(kid);
    file_name(kid).map(|_| kid.to_owned())
}

fn parsed(bytes: &[u8]) -> Option<SigningKey> {
    let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let (pairs, []) = text.as_chunks::<2>() else {
        return None;
    };
    let digit = |byte: u8| {
        char::from(byte)
            .to_digit(16)
            .and_then(|digit| u8::try_from(digit).ok())
    };
    let seed = pairs
        .iter()
        .map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?));
    let seed: Vec<u8> = seed.collect::<Option<_>>()?;
    Some(SigningKey::from_bytes(&seed.try_into().ok()?))
}

const POINTER: &str = "keychain ";
const SUFFIX: &str = ".jwk.json";
const MAX_KEY_FILE: u64 = 4096;

#[cfg(test)]
mod tests;
