//! Claims to token.

use ed25519_dalek::{Signer, SigningKey};

use super::claims::{AgentScope, Claims, Conditions, Kind, Party, Scope};
use super::jws;
use super::keyring::thumbprint;
use crate::consent::{CLAIM, Consent, Statement};
use crate::json::{self, Object, Value};

/// Claims on their way to a token.
#[derive(Clone, Debug)]
pub struct Unsigned {
    payload: Object<'static>,
}

impl Unsigned {
    /// Writes the claims down, in the order of the reference.
    #[must_use]
    pub fn new(claims: &Claims) -> Self {
        Self {
            payload: payload(claims),
        }
    }

    /// What a person signs to agree to a grant that lasts.
    #[must_use]
    pub fn challenge(&self) -> [u8; 32] {
        Statement::Grant(&Value::Object(self.payload.clone())).challenge()
    }

    /// Adds a person's consent.
    #[must_use]
    pub fn with_consent(mut self, consent: &Consent) -> Self {
        self.payload
            .insert(CLAIM, Value::Object(consent.to_object()));
        self
    }

    /// The token, signed.
    #[must_use]
    pub fn sign(self, key: &SigningKey) -> String {
        let kid = thumbprint(key.verifying_key().as_bytes());
        let payload = json::write(&Value::Object(self.payload));
        let input = jws::signing_input(&kid, &payload);
        jws::seal(&input, &key.sign(input.as_bytes()))
    }
}

fn payload(claims: &Claims) -> Object<'static> {
    let mut payload = Object::new();
    payload.insert("v", number(1));
    payload.insert("jti", text(&claims.id));
    payload.insert("iat", number(claims.issued_at));
    payload.insert("exp", number(claims.expires));
    if let Some(first) = claims.not_before {
        payload.insert("nbf", number(first));
    }
    payload.insert("iss", text(&claims.issuer));
    payload.insert("k", text(claims.kind.as_str()));
    payload.insert("su", Value::Bool(claims.single_use));
    payload.insert("p", party(&claims.principal));
    payload.insert("ag", agent(&claims.agent));
    payload.insert("t", text(&claims.tool.to_text()));
    payload.insert("s", scope(&claims.scope));
    if let Conditions::Bounds(bounds) = &claims.conditions {
        payload.insert("c", Value::Object(bounds.to_object()));
    }
    payload.insert("r", text(claims.cap.as_str()));
    let organisation = if claims.organisation {
        "org"
    } else {
        "personal"
    };
    payload.insert("es", text(organisation));
    if let Some(admin) = claims.admin {
        payload.insert("ad", Value::Bool(admin));
    }
    if let Kind::Ephemeral { call, exact } = &claims.kind {
        payload.insert("ch", text(call));
        if let Some(exact) = exact {
            payload.insert("cx", text(exact));
        }
    }
    payload
}

fn party(party: &Party) -> Value<'static> {
    let mut object = Object::new();
    object.insert("type", text(&party.kind));
    object.insert("id", text(&party.id));
    Value::Object(object)
}

fn agent(scope: &AgentScope) -> Value<'static> {
    match scope {
        AgentScope::Any => text("*"),
        AgentScope::Named(agent) => party(agent),
    }
}

fn scope(scope: &Scope) -> Value<'static> {
    let mut object = Object::new();
    if let Some(kind) = &scope.resource_type {
        object.insert("resourceType", text(kind));
    }
    if let Some(pattern) = &scope.id {
        object.insert("idPattern", text(&pattern.to_text()));
    }
    Value::Object(object)
}

fn number(value: u64) -> Value<'static> {
    Value::Number(value.into())
}

fn text(value: &str) -> Value<'static> {
    Value::String(value.to_owned().into())
}
