//! Assertions of passkeys (WebAuthn level 3, section 7.2), as far as they prove consent.
//!
//! Only what carries the proof is checked: that a known credential signed, over our challenge, on a page of this machine,
//! with the person present and verified. Signature counters would need a memory that a process of the same user could
//! roll back; since every challenge is the hash of what is agreed to, a repeated assertion says nothing new.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::VerifyingKey;
use p256::ecdsa::signature::Verifier;
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::{decoded, encoded};
use crate::json::{self, Object, Value};
use crate::ruleset::Passkey;

/// The domain that passkeys are made for. The page answers under this name; an address would be no domain.
pub const DOMAIN: &str = "localhost";

/// What an authenticator and a browser say together.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Assertion {
    /// The credential id.
    pub credential: Vec<u8>,
    /// The authenticator data.
    pub authenticator: Vec<u8>,
    /// The client data, as the browser serialised it.
    pub client: Vec<u8>,
    /// The signature over both.
    pub signature: Vec<u8>,
}

/// Why an assertion proves nothing.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
pub enum PasskeyFault {
    /// A credential that the ruleset does not know, or knows with a key that is none.
    #[error("the passkey is not one that the ruleset names")]
    UnknownCredential,
    /// The client data are not of an assertion over this challenge.
    #[error("the passkey signed something else")]
    OtherChallenge,
    /// It was made on another page, or inside one.
    #[error("the passkey was asked by another page")]
    OtherPage,
    /// The person was not there, or was not verified.
    #[error("the passkey did not verify the person")]
    NobodyThere,
    /// The signature does not hold.
    #[error("the signature of the passkey does not hold")]
    InvalidSignature,
}

/// The key of a passkey: ES256 (-7 in COSE) or EdDSA (-8), which between them all authenticators know.
enum PublicKey {
    Es256(p256::ecdsa::VerifyingKey),
    Ed25519(VerifyingKey),
}

impl PublicKey {
    /// Reads a COSE key in base64url. CTAP2 leaves it one encoding, so what is not the key itself is constant.
    fn read(text: &str) -> Option<Self> {
        let cose = URL_SAFE_NO_PAD.decode(text).ok()?;
        if let Some(key) = cose.strip_prefix(&ED25519_COSE) {
            return VerifyingKey::from_bytes(key.try_into().ok()?)
                .ok()
                .map(Self::Ed25519);
        }
        let (x, rest) = cose.strip_prefix(&P256_COSE)?.split_at_checked(32)?;
        let y = rest.strip_prefix(&P256_COSE_Y)?;
        let point = [&[UNCOMPRESSED], x, y].concat();
        p256::ecdsa::VerifyingKey::from_sec1_bytes(&point)
            .ok()
            .map(Self::Es256)
    }

    fn verify(&self, signed: &[u8], signature: &[u8]) -> Option<()> {
        match self {
            Self::Es256(key) => {
                let signature = p256::ecdsa::Signature::from_der(signature).ok()?;
                key.verify(signed, &signature).ok()
            }
            Self::Ed25519(key) => {
                let signature = ed25519_dalek::Signature::from_slice(signature).ok()?;
                key.verify_strict(signed, &signature).ok()
            }
        }
    }
}

/// The COSE key in base64url, as a ruleset holds it, of the SubjectPublicKeyInfo that a browser hands out when a passkey
/// is made; `None` for keys that are not known here.
#[must_use]
pub fn cose_of(public_key_info: &[u8]) -> Option<String> {
    let cose = if let Some(key) = public_key_info.strip_prefix(&ED25519_INFO) {
        [&ED25519_COSE, key].concat()
    } else {
        let point = public_key_info.strip_prefix(&P256_INFO)?;
        let (x, y) = point.strip_prefix(&[UNCOMPRESSED])?.split_at_checked(32)?;
        [&P256_COSE, x, &P256_COSE_Y, y].concat()
    };
    let text = URL_SAFE_NO_PAD.encode(cose);
    PublicKey::read(&text).map(|_| text)
}

impl Assertion {
    /// Whether one of the known passkeys agreed to the challenge.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn prove(&self, known: &[Passkey<'_>], challenge: &[u8; 32]) -> Result<(), PasskeyFault> {
        let is_meant = |passkey: &&Passkey<'_>| {
            let credential = URL_SAFE_NO_PAD.decode(passkey.credential);
            credential.is_ok_and(|credential| credential == self.credential)
        };
        let passkey = known.iter().find(is_meant);
        let key = passkey.and_then(|passkey| PublicKey::read(passkey.public_key));
        check_client(&self.client, challenge)?;
        check_authenticator(&self.authenticator)?;
        let client = Sha256::digest(&self.client);
        let signed = [self.authenticator.as_slice(), &client].concat();
        key.ok_or(PasskeyFault::UnknownCredential)?
            .verify(&signed, &self.signature)
            .ok_or(PasskeyFault::InvalidSignature)
    }

    /// Reads the members that a browser posts: base64url, without padding.
    #[must_use]
    pub fn read(value: &Value<'_>) -> Option<Self> {
        let bytes = |name| value.get(name).and_then(decoded);
        Some(Self {
            credential: bytes("credential")?,
            authenticator: bytes("authenticatorData")?,
            client: bytes("clientDataJSON")?,
            signature: bytes("signature")?,
        })
    }

    pub(super) fn write(&self, object: &mut Object<'static>) {
        object.insert("credential", encoded(&self.credential));
        object.insert("authenticatorData", encoded(&self.authenticator));
        object.insert("clientDataJSON", encoded(&self.client));
        object.insert("signature", encoded(&self.signature));
    }
}

fn check_client(client: &[u8], challenge: &[u8; 32]) -> Result<(), PasskeyFault> {
    let client = json::parse(client).map_err(|_| PasskeyFault::OtherChallenge)?;
    let kind = client.get("type").and_then(Value::as_str);
    let sent = client.get("challenge").and_then(decoded);
    if kind != Some("webauthn.get") || sent.as_deref() != Some(challenge.as_slice()) {
        return Err(PasskeyFault::OtherChallenge);
    }
    let origin = client.get("origin").and_then(Value::as_str);
    let framed = client.get("crossOrigin").and_then(Value::as_bool) == Some(true)
        || client.get("topOrigin").is_some();
    if framed || !origin.is_some_and(is_ours) {
        return Err(PasskeyFault::OtherPage);
    }
    Ok(())
}

/// `http://localhost:PORT`, whatever the port: the page takes a new one at every start.
fn is_ours(origin: &str) -> bool {
    let rest = origin.strip_prefix("http://").unwrap_or_default();
    let (host, port) = rest.split_once(':').unwrap_or((rest, "80"));
    let plain = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    plain && host == DOMAIN
}

fn check_authenticator(data: &[u8]) -> Result<(), PasskeyFault> {
    let (hash, rest) = data
        .split_first_chunk::<32>()
        .ok_or(PasskeyFault::NobodyThere)?;
    if hash.as_slice() != Sha256::digest(DOMAIN).as_slice() {
        return Err(PasskeyFault::OtherPage);
    }
    // Flags, then a counter of four bytes.
    match rest {
        [flags, _, _, _, _, ..] if flags & THERE_AND_VERIFIED == THERE_AND_VERIFIED => Ok(()),
        _ => Err(PasskeyFault::NobodyThere),
    }
}

const THERE_AND_VERIFIED: u8 = 0b101;

const UNCOMPRESSED: u8 = 4;

/// What stands before the point in a SubjectPublicKeyInfo of P-256 (RFC 5480).
const P256_INFO: [u8; 26] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A,
    0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];

/// What stands before the key in a SubjectPublicKeyInfo of Ed25519 (RFC 8410).
const ED25519_INFO: [u8; 12] = [
    0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00,
];

/// What stands before the first coordinate in the COSE key of an ES256 passkey (RFC 9053): kty 2, alg -7, crv 1.
const P256_COSE: [u8; 10] = [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20];

/// What stands before the second.
const P256_COSE_Y: [u8; 3] = [0x22, 0x58, 0x20];

/// What stands before the key in the COSE key of an EdDSA passkey: kty 1, alg -8, crv 6.
const ED25519_COSE: [u8; 10] = [0xA4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21, 0x58, 0x20];
