//! Ed25519 public keys as JSON Web Keys (RFC 8037).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use knotrust_core::json::{self, Object, Value};

use super::KeyError;

/// Reads a public key.
pub(super) fn read(bytes: &[u8]) -> Result<[u8; 32], KeyError> {
    let jwk = json::parse(bytes).map_err(|_| KeyError::NotAKey)?;
    let text = |name| jwk.get(name).and_then(Value::as_str);
    if text("kty") != Some("OKP") || text("crv") != Some("Ed25519") {
        return Err(KeyError::NotAKey);
    }
    if jwk.get("d").is_some() {
        return Err(KeyError::Private);
    }
    let public = text("x").and_then(|x| URL_SAFE_NO_PAD.decode(x).ok());
    public
        .and_then(|public| public.try_into().ok())
        .ok_or(KeyError::NotAKey)
}

/// Writes a public key.
pub(super) fn write(public: &[u8; 32]) -> String {
    let mut jwk = Object::new();
    jwk.insert("kty", Value::string("OKP"));
    jwk.insert("crv", Value::string("Ed25519"));
    jwk.insert("x", Value::String(URL_SAFE_NO_PAD.encode(public).into()));
    format!("{}\n", json::write(&Value::Object(jwk)))
}
