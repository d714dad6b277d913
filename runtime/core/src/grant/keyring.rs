//! The public keys that may sign grants.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::VerifyingKey;
use sha2::{Digest, Sha256};
use thiserror::Error;

/// A key under which anybody can sign, or none: of small order, off the curve, or not in its one spelling.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[error("the key is weak: anybody could sign with it")]
pub struct WeakKey;

/// Trusted keys by their ids.
#[derive(Clone, Debug, Default)]
pub struct Keyring {
    // INVARIANT: no weak keys, and every key under its own thumbprint.
    keys: BTreeMap<String, Option<VerifyingKey>>,
}

/// What is known of a key id.
#[derive(Clone, Copy, Debug)]
pub enum Signer<'a> {
    /// Nothing.
    Unknown,
    /// Something claims it that is not the key of this id. No signature under it holds.
    Impostor,
    /// The key.
    Key(&'a VerifyingKey),
}

impl Keyring {
    /// Trusts nobody.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            keys: BTreeMap::new(),
        }
    }

    /// Trusts a key and returns its id.
    ///
    /// # Errors
    ///
    /// The key is weak.
    pub fn trust(&mut self, public: &[u8; 32]) -> Result<String, WeakKey> {
        let key = VerifyingKey::from_bytes(public).map_err(|_| WeakKey)?;
        let has_other_spelling = key.to_edwards().compress().as_bytes() != public;
        if key.is_weak() || has_other_spelling {
            return Err(WeakKey);
        }
        let kid = thumbprint(public);
        self.keys.insert(kid.clone(), Some(key));
        Ok(kid)
    }

    /// Notes that what lies under this id is not its key, so that nothing signed under it holds.
    pub fn distrust(&mut self, kid: impl Into<String>) {
        self.keys.insert(kid.into(), None);
    }

    /// What is known of that id.
    #[must_use]
    pub fn find(&self, kid: &str) -> Signer<'_> {
        match self.keys.get(kid) {
            Some(Some(key)) => Signer::Key(key),
            Some(None) => Signer::Impostor,
            None => Signer::Unknown,
        }
    }

    /// The ids of all trusted keys, in order.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        let usable = self.keys.iter().filter(|(_, key)| key.is_some());
        usable.map(|(kid, _)| kid.as_str())
    }
}

/// The id of a key: the first 16 characters of the base64url SHA-256 of its 32 bytes (reference, section 5).
#[must_use]
pub fn thumbprint(public: &[u8; 32]) -> String {
    let mut kid = URL_SAFE_NO_PAD.encode(Sha256::digest(public));
    kid.truncate(16);
    kid
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weak_keys_are_never_trusted() {
        let mut keyring = Keyring::new();
        let mut neutral = [0; 32];
        neutral[0] = 1;
        assert_eq!(keyring.trust(&neutral), Err(WeakKey));
        assert_eq!(keyring.trust(&[0; 32]), Err(WeakKey), "order four");
        assert_eq!(keyring.trust(&[0xFF; 32]), Err(WeakKey), "not canonical");
        assert_eq!(keyring.ids().count(), 0);
    }

    #[test]
    fn a_key_is_known_by_its_thumbprint() {
        let secret = ed25519_dalek::SigningKey::from_bytes(&[0x42; 32]);
        let mut keyring = Keyring::new();
        let kid = keyring.trust(secret.verifying_key().as_bytes());
        assert_eq!(kid.as_deref(), Ok("MJfi3uLLSjS1OEDN"));
        assert!(matches!(keyring.find("MJfi3uLLSjS1OEDN"), Signer::Key(_)));
        assert!(matches!(
            keyring.find("../MJfi3uLLSjS1OEDN"),
            Signer::Unknown
        ));
    }
}
