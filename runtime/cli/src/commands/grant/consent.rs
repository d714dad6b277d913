//! The proof that a person agrees, where the ruleset asks for one.

use knotrust_core::consent::{Approval, Consent, Proof};
use knotrust_core::ruleset::{Approver, Ruleset};
use knotrust_govern::pin;

use super::super::confirm::read_line;
use crate::output;

/// Asks for what the ruleset takes for a proof; nothing where the session of the operating system is enough.
pub(crate) fn ask(
    ruleset: &Ruleset<'_>,
    approval: Option<Approval>,
    challenge: &[u8; 32],
) -> Result<Option<Consent>, Box<dyn std::error::Error>> {
    match ruleset.approvals.approver {
        Approver::None => {
            let consent = |approval| Consent {
                approval: Some(approval),
                reviewer: None,
                proof: Proof::Session,
            };
            Ok(approval.map(consent))
        }
        Approver::Pin { salt, public_key } => {
            output::note("The ruleset asks for the pin:");
            let signature = pin::sign(&read_line()?, salt, public_key, challenge)?;
            Ok(Some(Consent {
                approval,
                reviewer: None,
                proof: Proof::Pin(signature),
            }))
        }
        Approver::Passkey(_) => {
            Err("the ruleset asks for a passkey, which a terminal cannot show: use the page".into())
        }
    }
}
