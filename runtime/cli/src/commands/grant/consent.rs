//! The proof that a person agrees, where the ruleset asks for one.

use std::error::Error;

use knotrust_core::consent::{Consent, Proof};
use knotrust_core::ruleset::{Approver, Passkey, Ruleset};
use knotrust_govern::home::Home;
use knotrust_govern::pin;
use knotrust_web::errand::{Brought, Errand, Purpose};

use super::super::confirm::read_unseen;
use crate::output;

/// Asks for what the ruleset takes for a proof of a yes to a grant; nothing where the session of the operating system is
/// enough.
pub(crate) fn to_grant(
    ruleset: &Ruleset<'static>,
    home: &Home,
    challenge: &[u8; 32],
    (facts, seen): (Vec<String>, Vec<String>),
) -> Result<Option<Consent>, Box<dyn Error>> {
    let proof = match ruleset.approvals.approver {
        Approver::None => return Ok(None),
        Approver::Pin { salt, public_key } => typed(salt, public_key, challenge)?,
        Approver::Passkey(known) => signed(home, known, challenge, (facts, seen))?,
    };
    Ok(Some(Consent {
        approval: None,
        reviewer: None,
        proof,
    }))
}

/// Asks for the proof of a yes to a call, as far as a terminal can: a passkey is asked for on a page, which shows the
/// call.
pub(crate) fn to_call(
    ruleset: &Ruleset<'_>,
    challenge: &[u8; 32],
) -> Result<Proof, Box<dyn Error>> {
    match ruleset.approvals.approver {
        Approver::None => Ok(Proof::Session),
        Approver::Pin { salt, public_key } => typed(salt, public_key, challenge),
        Approver::Passkey(_) => Err("the ruleset asks for a passkey: use the page".into()),
    }
}

fn typed(salt: &str, public_key: &str, challenge: &[u8; 32]) -> Result<Proof, Box<dyn Error>> {
    output::note("The ruleset asks for the pin (it is not shown while you type):");
    let signature = pin::sign(&read_unseen()?, salt, public_key, challenge)?;
    Ok(Proof::Pin(signature))
}

fn signed(
    home: &Home,
    known: &'static [Passkey<'static>],
    challenge: &[u8; 32],
    (facts, seen): (Vec<String>, Vec<String>),
) -> Result<Proof, Box<dyn Error>> {
    if known.is_empty() {
        return Err(
            "the ruleset asks for a passkey and names none: `knotrust approver enroll`".into(),
        );
    }
    let purpose = Purpose::Sign {
        challenge: *challenge,
        facts,
        seen,
    };
    let errand = Errand::open(home, purpose, known).ok_or("no page can be served here")?;
    output::note(&format!(
        "The ruleset asks for a passkey. Open this page in a browser of this machine, and sign there:\n\n  {}\n",
        errand.url
    ));
    match errand.wait() {
        Some(Brought::Signature(assertion)) => Ok(Proof::Passkey(assertion)),
        Some(Brought::Passkey(_)) | None => Err("the grant was not signed".into()),
    }
}
