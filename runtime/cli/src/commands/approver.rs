//! `knotrust approver enroll`: lines for the ruleset, by which a person can prove that it is them.

use knotrust_govern::pin;

use super::Done;
use super::confirm::read_line;
use crate::arguments::consent::ApproverVerb;
use crate::{exit, output};

/// Enrolls a pin. It is read from standard input, and kept nowhere.
pub(super) fn run(verb: &ApproverVerb) -> Done {
    match verb {
        ApproverVerb::Enroll => {
            output::note("Type a pin of at least 8 characters, or 10 digits; it is kept nowhere:");
            let enrolled = pin::enroll(&read_line()?)?;
            output::line(&format!(
                "approvals:\n  approver: pin\n  pin: {{ salt: {}, publicKey: {} }}",
                enrolled.salt, enrolled.public_key
            ))?;
            output::note(
                "Add these lines to the ruleset, and build: from then on nothing is approved without the pin.",
            );
        }
    }
    Ok(exit::OK)
}
