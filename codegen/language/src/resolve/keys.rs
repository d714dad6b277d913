//! Public keys, from files and from the ruleset itself.

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use knotrust_core::{grant::Keyring, json};

use super::Resolver;
use crate::{
    located::{Located, Span},
    model::{KeyText, PathText},
    problem::{Code, Problem, shown},
    source,
};

/// The largest file that a key can be in.
const LARGEST_KEY: u64 = 16 * 1024;

impl Resolver<'_> {
    /// The Ed25519 public key in a file, in base64url.
    pub(super) fn key_file(&mut self, written: &Located<PathText>) -> Option<String> {
        let bytes = self.bytes(written, "the key", LARGEST_KEY)?;
        let name = shown(&source::display(&self.path(written)));
        let Some(key) = std::str::from_utf8(&bytes).ok().and_then(ed25519) else {
            let message = format!("`{name}` holds no Ed25519 public key");
            self.push(
                Problem::new(Code::BadKey, message)
                    .at(written.span, "named here")
                    .help("a key is 32 bytes in base64url or hex, a JWK, or PEM as `openssl pkey -pubout` writes it"),
            );
            return None;
        };
        self.strong(&key, written.span)
    }

    /// The Ed25519 public key that stands in the ruleset, in base64url.
    pub(super) fn key_text(&mut self, written: &Located<KeyText>) -> Option<String> {
        let bytes = self.base64url(written)?;
        let Ok(key) = <[u8; 32]>::try_from(bytes.as_slice()) else {
            let message = format!(
                "an Ed25519 public key has 32 bytes, and this has {}",
                bytes.len()
            );
            self.push(Problem::new(Code::BadKey, message).at(written.span, "not a key"));
            return None;
        };
        self.strong(&key, written.span)
    }

    pub(super) fn base64url(&mut self, written: &Located<KeyText>) -> Option<Vec<u8>> {
        match URL_SAFE_NO_PAD.decode(&written.value.0) {
            Ok(bytes) if !bytes.is_empty() => Some(bytes),
            Ok(_) | Err(_) => {
                let message = format!(
                    "`{}` is not base64url without padding",
                    shown(&written.value.0)
                );
                self.push(Problem::new(Code::BadKey, message).at(written.span, "not base64url"));
                None
            }
        }
    }

    fn strong(&mut self, key: &[u8; 32], span: Span) -> Option<String> {
        match Keyring::default().trust(key) {
            Ok(_) => Some(URL_SAFE_NO_PAD.encode(key)),
            Err(weak) => {
                self.push(Problem::new(Code::BadKey, weak.to_string()).at(span, "this key"));
                None
            }
        }
    }
}

/// What stands before the 32 bytes of an Ed25519 key in a SubjectPublicKeyInfo (RFC 8410).
const INFO: [u8; 12] = [
    0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
];

fn ed25519(text: &str) -> Option<[u8; 32]> {
    let text = text.trim();
    let bytes = if let Some(rest) = text.strip_prefix("-----BEGIN PUBLIC KEY-----") {
        let body = rest.strip_suffix("-----END PUBLIC KEY-----")?;
        let body: String = body.split_whitespace().collect();
        STANDARD.decode(body).ok()?.strip_prefix(&INFO)?.to_vec()
    } else if text.starts_with('{') {
        let key = json::parse(text.as_bytes()).ok()?;
        let is =
            |name: &str, value: &str| key.get(name).and_then(json::Value::as_str) == Some(value);
        if !is("kty", "OKP") || !is("crv", "Ed25519") {
            return None;
        }
        URL_SAFE_NO_PAD.decode(key.get("x")?.as_str()?).ok()?
    } else if text.len() == 64 {
        let digits = text.as_bytes().as_chunks::<2>().0.iter();
        let byte =
            |digits: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
        digits.map(byte).collect::<Option<Vec<u8>>>()?
    } else {
        URL_SAFE_NO_PAD
            .decode(text)
            .or_else(|_| STANDARD.decode(text))
            .ok()?
    };
    bytes.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_in_each_of_its_forms() {
        let key: [u8; 32] = std::array::from_fn(|index| u8::try_from(index).unwrap());
        let short = URL_SAFE_NO_PAD.encode(key);
        let long = STANDARD.encode(INFO.iter().chain(&key).copied().collect::<Vec<u8>>());
        let hex: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        let forms = [
            format!("{short}\n"),
            STANDARD.encode(key),
            hex,
            format!("-----BEGIN PUBLIC KEY-----\n{long}\n-----END PUBLIC KEY-----\n"),
            format!(r#"{{"kty":"OKP","crv":"Ed25519","x":"{short}"}}"#),
        ];
        for form in forms {
            assert_eq!(ed25519(&form), Some(key), "{form}");
        }
        for form in [
            "",
            "ssh-ed25519 AAAA",
            &short.replacen('A', "", 1),
            r#"{"kty":"RSA"}"#,
            "{",
        ] {
            assert_eq!(ed25519(form), None, "{form}");
        }
    }
}
