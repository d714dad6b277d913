//! The key with which a process signs what never leaves it.

use ed25519_dalek::SigningKey;
use knotrust_core::grant::{Keyring, Trust};
use knotrust_core::ruleset::Approvals;

use super::{KeyError, fresh};

/// A key that was made by this process, and goes with it.
///
/// The grant of an approval lives for one call in the memory of whoever holds that call. Signed with such a key, it is
/// worth nothing anywhere else; and an enforcement point needs no secret of the home, nor a keychain that may want to
/// be unlocked while a person waits.
#[derive(Debug)]
pub(crate) struct Passing {
    key: SigningKey,
    keyring: Keyring,
}

impl Passing {
    /// Makes one.
    ///
    /// # Errors
    ///
    /// The system has no randomness.
    pub(crate) fn make() -> Result<Self, KeyError> {
        let key = fresh()?;
        let mut keyring = Keyring::new();
        keyring.trust(key.verifying_key().as_bytes())?;
        Ok(Self { key, keyring })
    }

    /// What signs.
    pub(crate) const fn key(&self) -> &SigningKey {
        &self.key
    }

    /// Trust in this key and in no other.
    pub(crate) const fn trust<'t>(&'t self, approvals: &'t Approvals<'t>) -> Trust<'t> {
        Trust {
            keys: &self.keyring,
            approvals,
        }
    }
}
