//! `knotrust approver enroll`: lines for the ruleset, by which a person can prove that it is them.

use std::io::{self, IsTerminal as _};

use knotrust_core::ruleset::{Approver, Passkey, Ruleset};
use knotrust_govern::pin;
use knotrust_web::errand::{Brought, Errand, Purpose};

use super::Done;
use super::confirm::read_unseen;
use super::proxy::home;
use crate::arguments::consent::ApproverVerb;
use crate::{exit, output};

/// Enrolls a passkey, or a pin.
pub(super) fn run(ruleset: &Ruleset<'static>, verb: &ApproverVerb) -> Done {
    match verb {
        ApproverVerb::Enroll { pin: true } => enroll_pin(),
        ApproverVerb::Enroll { pin: false } => enroll_passkey(known(ruleset)),
    }
}

/// The passkeys that count already.
const fn known(ruleset: &Ruleset<'static>) -> &'static [Passkey<'static>] {
    match ruleset.approvals.approver {
        Approver::Passkey(known) => known,
        Approver::None | Approver::Pin { .. } => &[],
    }
}

fn enroll_passkey(known: &'static [Passkey<'static>]) -> Done {
    let errand =
        Errand::open(&home()?, Purpose::Enroll, known).ok_or("no page can be served here")?;
    output::note(&format!(
        "Open this page in a browser of this machine, and make a passkey there:\n\n  {}\n",
        errand.url
    ));
    let Some(Brought::Passkey(made)) = errand.wait() else {
        output::note("no passkey was made");
        return Ok(exit::FAILED);
    };
    let earlier = known
        .iter()
        .map(|known| line(known.credential, known.public_key));
    let all: String = earlier
        .chain([line(&made.credential, &made.public_key)])
        .collect();
    output::data(&format!(
        "approvals:\n  approver: passkey\n  passkeys:\n{all}"
    ))?;
    output::note(
        "Add these lines to the ruleset, and build: from then on nothing is approved without this passkey.\n\
         Enroll a second one, and keep it elsewhere: if the only one is lost, only another build approves again.",
    );
    Ok(exit::OK)
}

fn line(credential: &str, public_key: &str) -> String {
    format!("    - {{ credential: {credential}, publicKey: {public_key} }}\n")
}

/// It is read from standard input, and kept nowhere.
fn enroll_pin() -> Done {
    output::note(
        "Type a pin of at least 8 characters, or 10 digits; it is not shown, and kept nowhere:",
    );
    let typed = read_unseen()?;
    // Nobody sees a slip of the finger; who pipes it in has made none.
    if io::stdin().is_terminal() {
        output::note("Once more:");
        if read_unseen()? != typed {
            return Err("the two are not the same".into());
        }
    }
    let enrolled = pin::enroll(&typed)?;
    output::line(&format!(
        "approvals:\n  approver: pin\n  pin: {{ salt: {}, publicKey: {} }}",
        enrolled.salt, enrolled.public_key
    ))?;
    output::note(
        "Add these lines to the ruleset, and build: from then on nothing is approved without the pin.",
    );
    Ok(exit::OK)
}
