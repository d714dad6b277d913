//! The token: compact JWS (RFC 7515) with Ed25519 (RFC 8037), and no freedom beyond that.
//!
//! A token has exactly one spelling. A decoder that skips what it does not know would let one grant appear under many
//! texts, and whatever compares texts could be walked around; a header that names a key, a URL or an extension would let
//! the token bring its own judge.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signature, VerifyingKey};

use super::error::GrantError;
use crate::json::{self, Value};

/// The longest token that is read.
pub const MAX_TOKEN: usize = 8192;

const ALGORITHM: &str = "EdDSA";
const TYPE: &str = "knotrust-grant+jws";

/// Header parameters that would change what is verified, or by whom. Other unknown ones say nothing and are passed over.
const REFUSED: [&str; 11] = [
    "b64", "crit", "cty", "enc", "jku", "jwk", "x5c", "x5t", "x5t#S256", "x5u", "zip",
];

/// A token taken apart. Nothing is verified yet.
pub(super) struct Compact<'a> {
    signed: &'a str,
    payload: Vec<u8>,
    signature: Vec<u8>,
    kid: String,
}

impl<'a> Compact<'a> {
    pub(super) fn parse(token: &'a str) -> Result<Self, GrantError> {
        if token.len() > MAX_TOKEN {
            return Err(GrantError::Malformed);
        }
        let (signed, signature) = token.rsplit_once('.').ok_or(GrantError::Malformed)?;
        let (header, payload) = signed.split_once('.').ok_or(GrantError::Malformed)?;
        Ok(Self {
            signed,
            kid: key_id(&decode(header)?)?,
            payload: decode(payload)?,
            signature: decode(signature)?,
        })
    }

    pub(super) fn kid(&self) -> &str {
        &self.kid
    }

    pub(super) fn payload(&self) -> Result<Value<'_>, GrantError> {
        json::parse(&self.payload).map_err(|_| GrantError::Malformed)
    }

    pub(super) fn verify(&self, key: &VerifyingKey) -> Result<(), GrantError> {
        let signature =
            Signature::from_slice(&self.signature).map_err(|_| GrantError::InvalidSignature)?;
        // Strict: one signature has one spelling, and a key of small order signs nothing.
        key.verify_strict(self.signed.as_bytes(), &signature)
            .map_err(|_| GrantError::InvalidSignature)
    }
}

/// What an Ed25519 key signs for these claims: both segments as they will be sent.
pub(super) fn signing_input(kid: &str, payload: &str) -> String {
    let mut header = json::Object::new();
    for (name, value) in [("alg", ALGORITHM), ("typ", TYPE), ("kid", kid)] {
        header.insert(name, Value::string(value));
    }
    let header = json::write(&Value::Object(header));
    [header.as_str(), payload]
        .map(|segment| URL_SAFE_NO_PAD.encode(segment))
        .join(".")
}

/// The token of a signed input.
pub(super) fn seal(input: &str, signature: &Signature) -> String {
    format!("{input}.{}", URL_SAFE_NO_PAD.encode(signature.to_bytes()))
}

fn decode(segment: &str) -> Result<Vec<u8>, GrantError> {
    if segment.is_empty() {
        return Err(GrantError::Malformed);
    }
    // The engine refuses padding, other alphabets and loose bits in the last character.
    URL_SAFE_NO_PAD
        .decode(segment)
        .map_err(|_| GrantError::Malformed)
}

fn key_id(header: &[u8]) -> Result<String, GrantError> {
    let header = json::parse(header).map_err(|_| GrantError::Malformed)?;
    let is = |name, expected| header.get(name).and_then(Value::as_str) == Some(expected);
    let refused = REFUSED.iter().any(|name| header.get(name).is_some());
    if !is("alg", ALGORITHM) || !is("typ", TYPE) || refused {
        return Err(GrantError::Malformed);
    }
    match header.get("kid").and_then(Value::as_str) {
        Some(kid) if !kid.is_empty() => Ok(kid.to_owned()),
        Some(_) | None => Err(GrantError::Malformed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(segment: &str, expected: Result<&[u8], GrantError>) {
        assert_eq!(decode(segment).as_deref(), expected.as_deref(), "{segment}");
    }

    #[test]
    fn a_segment_has_one_spelling() {
        check("AQ", Ok(&[1]));
        check("_-8", Ok(&[0xFF, 0xEF]));
        for bad in [
            "",
            "AR",
            "AQ==",
            "AQ=",
            "A",
            "/+8",
            "A Q",
            "AQ\n",
            "\u{feff}AQ",
            "AQ.AQ",
        ] {
            check(bad, Err(GrantError::Malformed));
        }
    }
}
