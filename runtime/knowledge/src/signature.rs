//! Signatures of manifests: Ed25519 over the text.
//!
//! Nothing is fetched here. [`Needs::of`] says which texts must be had, [`verify`] what they prove. Only a key that was
//! trusted beforehand proves who signed; a key that comes with the manifest proves that the text is whole, and no more.

mod encoding;

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use knotrust_core::json::{Value, parse};

use crate::manifest::Signing;
use crate::members::{Members, text};
use encoding::{bytes_of, is_pem, key_of};

/// What has to be fetched, relative to the manifest, before its signature can be verified.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Needs<'a> {
    /// Where the signature is.
    pub signature: Option<&'a str>,
    /// Where the key is. Not needed where a trusted key is at hand.
    pub public_key: Option<&'a str>,
}

impl<'a> Needs<'a> {
    /// The places that a `signing` block names, unless it holds the thing itself.
    #[must_use]
    pub fn of(signing: &'a Signing) -> Self {
        let place = |value: &'a Option<String>| value.as_deref().filter(|value| !is_inline(value));
        Self {
            signature: place(&signing.signature),
            public_key: place(&signing.public_key),
        }
    }
}

/// What was fetched. Nothing stands for what could not be.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Fetched {
    /// The signature.
    pub signature: Option<String>,
    /// The key.
    pub public_key: Option<String>,
}

/// A public key, as trusted beforehand.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PublicKey(VerifyingKey);

impl PublicKey {
    /// Reads a key: PEM, hex or base64 of 32 bytes or of the usual structure around them (RFC 8410).
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        key_of(text).map(Self)
    }

    /// The key of these bytes; nothing if they are none.
    #[must_use]
    pub fn of_bytes(bytes: &[u8; 32]) -> Option<Self> {
        VerifyingKey::from_bytes(bytes).ok().map(Self)
    }
}

/// What a signature proves.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Verification {
    /// What was found.
    pub status: Status,
    /// Whose key verified.
    pub via: Option<Via>,
    /// The name of the key.
    pub key_id: Option<String>,
    /// What was found, in words.
    pub detail: String,
}

/// What was found.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Status {
    /// The signature is that of the text.
    Verified,
    /// It is not. The manifest must not be used.
    Invalid,
    /// Nobody can say.
    Unverifiable,
    /// There is none.
    Unsigned,
}

/// Whose key verified.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Via {
    /// One that was trusted beforehand.
    Pinned,
    /// The one that the manifest names.
    Declared,
    /// The one that came with the signature.
    Envelope,
}

impl Verification {
    /// Whether the text is what somebody trusted signed.
    #[must_use]
    pub fn is_trusted(&self) -> bool {
        self.status == Status::Verified && self.via == Some(Via::Pinned)
    }

    /// Whether the manifest may be used, where a signature by somebody trusted is or isn't asked for.
    #[must_use]
    pub fn suffices(&self, required: bool) -> bool {
        if required {
            self.is_trusted()
        } else {
            self.status != Status::Invalid
        }
    }

    /// The finding as it is told.
    #[must_use]
    pub fn to_json(&self) -> Value<'static> {
        Members::new()
            .text("status", self.status.name())
            .maybe("via", self.via.map(|via| text(via.name())))
            .maybe("keyId", self.key_id.as_deref().map(text))
            .text("detail", &self.detail)
            .done()
    }
}

impl Status {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Invalid => "invalid",
            Self::Unverifiable => "unverifiable",
            Self::Unsigned => "unsigned",
        }
    }
}

impl Via {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::Declared => "declared",
            Self::Envelope => "envelope",
        }
    }
}

/// Verifies the signature of a manifest's text.
///
/// Where keys are trusted, they alone count: any of them may have signed.
#[must_use]
pub fn verify(
    manifest: &str,
    signing: Option<&Signing>,
    fetched: &Fetched,
    trusted: &[PublicKey],
) -> Verification {
    let Some(signing) = signing else {
        return finding(Status::Unsigned, None, "the manifest has no signing block");
    };
    match examine(manifest, signing, fetched, trusted) {
        Ok(verification) | Err(verification) => verification,
    }
}

// Whatever ends the examination early is as much a finding as its end.
fn examine(
    manifest: &str,
    signing: &Signing,
    fetched: &Fetched,
    trusted: &[PublicKey],
) -> Result<Verification, Verification> {
    let key_id = signing.key_id.clone();
    let unverifiable =
        |key_id: Option<String>, detail: &str| finding(Status::Unverifiable, key_id, detail);
    let declared = signing.signature.as_deref();
    let declared = declared
        .ok_or_else(|| unverifiable(key_id.clone(), "the signing block names no signature"))?;
    if !signing.scheme.as_deref().is_none_or(is_eddsa) {
        return Err(unverifiable(key_id, "the signature scheme is not ed25519"));
    }
    let written = if is_inline(declared) {
        Some(declared)
    } else {
        fetched.signature.as_deref()
    };
    let written = written.ok_or_else(|| unverifiable(None, "the signature could not be loaded"))?;
    let envelope = Envelope::of(written);
    let key_id = key_id.or_else(|| envelope.key_id.clone());
    if !envelope.algorithm.as_deref().is_none_or(is_eddsa) {
        return Err(unverifiable(
            key_id,
            "the signature envelope names another algorithm than ed25519",
        ));
    }
    let signature =
        bytes_of(&envelope.signature).and_then(|bytes| <[u8; 64]>::try_from(bytes).ok());
    let signature = signature.ok_or_else(|| {
        finding(
            Status::Invalid,
            key_id.clone(),
            "the signature is not 64 bytes",
        )
    })?;
    let (keys, via) = keys(signing, fetched, &envelope, trusted)
        .map_err(|detail| unverifiable(key_id.clone(), detail))?;
    let signature = Signature::from_bytes(&signature);
    let folded = format!("{}\n", manifest.trim_end_matches('\n'));
    let signed = |key: &VerifyingKey| {
        [manifest, &folded]
            .iter()
            .any(|text| key.verify_strict(text.as_bytes(), &signature).is_ok())
    };
    if keys.iter().any(signed) {
        let detail = format!("the text is what the {} key signed", via.name());
        Ok(Verification {
            via: Some(via),
            ..finding(Status::Verified, key_id, &detail)
        })
    } else {
        Err(finding(
            Status::Invalid,
            key_id,
            &format!("the text is not what the {} key signed", via.name()),
        ))
    }
}

fn finding(status: Status, key_id: Option<String>, detail: &str) -> Verification {
    Verification {
        status,
        via: None,
        key_id,
        detail: detail.to_owned(),
    }
}

/// The keys that count, and where they come from. A declared key that can't be read is not replaced by another.
fn keys(
    signing: &Signing,
    fetched: &Fetched,
    envelope: &Envelope,
    trusted: &[PublicKey],
) -> Result<(Vec<VerifyingKey>, Via), &'static str> {
    if !trusted.is_empty() {
        return Ok((trusted.iter().map(|key| key.0).collect(), Via::Pinned));
    }
    let (written, via) = match &signing.public_key {
        Some(declared) if is_inline(declared) => (declared.as_str(), Via::Declared),
        Some(_) => {
            let fetched = fetched.public_key.as_deref();
            (
                fetched.ok_or("the public key could not be loaded")?,
                Via::Declared,
            )
        }
        None => (
            envelope
                .public_key
                .as_deref()
                .ok_or("there is no public key")?,
            Via::Envelope,
        ),
    };
    let key = key_of(written).ok_or("the public key cannot be read")?;
    Ok((vec![key], via))
}

/// A signature, bare or with what goes with it.
#[derive(Default)]
struct Envelope {
    signature: String,
    public_key: Option<String>,
    key_id: Option<String>,
    algorithm: Option<String>,
}

impl Envelope {
    fn of(written: &str) -> Self {
        let value = parse(written.trim().as_bytes()).ok();
        let member = |name: &str| value.as_ref()?.get(name)?.as_str().map(str::to_owned);
        match member("signature") {
            Some(signature) => Self {
                signature,
                public_key: member("public_key"),
                key_id: member("key_id"),
                algorithm: member("algorithm"),
            },
            None => Self {
                signature: written.to_owned(),
                ..Self::default()
            },
        }
    }
}

fn is_eddsa(name: &str) -> bool {
    ["ed25519", "eddsa"]
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known))
}

/// Whether a text is a key or a signature rather than the name of a file that holds one.
fn is_inline(text: &str) -> bool {
    is_pem(text) || bytes_of(text).is_some_and(|bytes| matches!(bytes.len(), 32 | 44 | 64))
}

/// Signs a text, exactly as it is, with the private key of that seed: base64, as `signing.signature` may name it.
#[must_use]
pub fn sign(text: &str, seed: &[u8; 32]) -> String {
    let signature = SigningKey::from_bytes(seed).sign(text.as_bytes());
    encoding::base64(&signature.to_bytes())
}

/// The seed of a private key: PEM or base64 of PKCS #8 (RFC 8410), or of the 32 bytes, or those in hex.
#[must_use]
pub fn seed(text: &str) -> Option<[u8; 32]> {
    let bytes = encoding::bytes_of(text.trim())?;
    let seed = bytes.strip_prefix(PKCS8).unwrap_or(&bytes);
    seed.try_into().ok()
}

/// What stands before the seed in PKCS #8.
const PKCS8: &[u8] = &[
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];

/// The public key to a seed, in base64.
#[must_use]
pub fn public_key(seed: &[u8; 32]) -> String {
    encoding::base64(SigningKey::from_bytes(seed).verifying_key().as_bytes())
}
