//! `knotrust grant verify`: whether a token covers a request at a moment.

use std::fs;
use std::path::PathBuf;

use knotrust_core::case::{Case, Standing};
use knotrust_core::exact;
use knotrust_core::grant::{Call, Grant, GrantError, Trust};
use knotrust_core::json::{self, Object, Value};
use knotrust_core::request;
use knotrust_core::ruleset::Ruleset;
use knotrust_core::tier::Tier;
use knotrust_govern::clock;
use knotrust_govern::home::Home;
use knotrust_govern::keys::Keys;
use knotrust_govern::whereabouts::Whereabouts;

use super::super::Done;
use crate::arguments::Format;
use crate::{exit, output};

/// What is asked.
pub(super) struct Asked {
    pub(super) token: String,
    pub(super) request: PathBuf,
    pub(super) now: Option<u64>,
    pub(super) tier: Option<String>,
    pub(super) format: Format,
}

/// Verifies, in the order of the reference, and prints the first thing that is wrong.
pub(super) fn run(ruleset: &Ruleset<'_>, home: &Home, asked: &Asked) -> Done {
    let text = fs::read(&asked.request)?;
    let value = json::parse(&text)?;
    let request = request::read(&value)?;
    let now = match asked.now {
        Some(now) => now,
        None => u64::try_from(clock::now().wall.seconds())?,
    };
    let whereabouts = Whereabouts::here();
    let around = whereabouts.surroundings();
    let (arguments, hash, exact) = (
        request.arguments(),
        request.call_hash().ok(),
        exact::call_hash(&request),
    );
    let tier = match &asked.tier {
        Some(name) => Tier::from_name(name).ok_or("`--tier` is routine, sensitive or critical")?,
        None => Case::of(ruleset, &request, &arguments, Standing::default(), &around).tier,
    };
    let (keyring, _) = Keys::of(home).keyring()?;
    let trust = Trust {
        keys: &keyring,
        approvals: &ruleset.approvals,
    };
    let call = Call {
        request: &request,
        arguments: &arguments,
        hash: hash.as_deref(),
        exact: &exact,
        session: None,
        around: &around,
    };
    let checked =
        Grant::verify(&asked.token, trust).and_then(|grant| grant.check(&call, tier, now));
    report(checked, asked.format)
}

fn report(checked: Result<(), GrantError>, format: Format) -> Done {
    let code = checked.err().map(GrantError::code);
    match format {
        Format::Text => output::line(code.unwrap_or("ok"))?,
        Format::Json => {
            let mut object = Object::new();
            object.insert("ok", Value::Bool(code.is_none()));
            object.insert("code", code.map_or(Value::Null, Value::string));
            output::line(&json::write(&Value::Object(object)))?;
        }
    }
    Ok(if code.is_none() {
        exit::OK
    } else {
        exit::FAILED
    })
}
