//! The spellings of keys and signatures.

use base64::Engine;
use base64::alphabet;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};
use ed25519_dalek::VerifyingKey;

/// The bytes of a text in PEM, hex or base64. Blanks don't count.
pub(super) fn bytes_of(text: &str) -> Option<Vec<u8>> {
    let body = if is_pem(text) {
        pem_body(text)
    } else {
        text.to_owned()
    };
    let body: String = body
        .chars()
        .filter(|character| !character.is_whitespace())
        .collect();
    if body.len() >= SHORTEST_HEX
        && body.len().is_multiple_of(2)
        && body.bytes().all(|byte| byte.is_ascii_hexdigit())
    {
        return from_hex(&body);
    }
    let lenient =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let bytes = |alphabet| GeneralPurpose::new(alphabet, lenient).decode(&body).ok();
    bytes(&alphabet::STANDARD)
        .or_else(|| bytes(&alphabet::URL_SAFE))
        .filter(|bytes| !bytes.is_empty())
}

/// A public key: 32 bytes, or those after the prefix that every Ed25519 key has in a SubjectPublicKeyInfo.
pub(super) fn key_of(text: &str) -> Option<VerifyingKey> {
    let bytes = bytes_of(text)?;
    let raw = match bytes.strip_prefix(&SPKI_PREFIX) {
        Some(raw) => raw,
        None => &bytes,
    };
    VerifyingKey::from_bytes(raw.try_into().ok()?).ok()
}

pub(super) fn is_pem(text: &str) -> bool {
    text.trim_start().starts_with("-----BEGIN ")
}

pub(super) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

fn pem_body(text: &str) -> String {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("-----"))
        .collect()
}

fn from_hex(digits: &str) -> Option<Vec<u8>> {
    let value = |byte: &u8| {
        char::from(*byte)
            .to_digit(16)
            .and_then(|digit| u8::try_from(digit).ok())
    };
    digits
        .as_bytes()
        .chunks(2)
        .map(|pair| match pair {
            [high, low] => Some(value(high)? << 4 | value(low)?),
            _ => None,
        })
        .collect()
}

const SHORTEST_HEX: usize = 64;
const SPKI_PREFIX: [u8; 12] = [
    0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00,
];
