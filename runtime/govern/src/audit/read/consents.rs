//! Whether what people agreed to, as the log has it, is proved by what stands beside it.

use knotrust_core::audit::record::Record;
use knotrust_core::consent::{Consent, Statement, Unproven};
use knotrust_core::json::Value;
use knotrust_core::ruleset::Ruleset;
use knotrust_core::tier::Tier;

use super::super::attach;
use super::Reader;
use crate::failure::StoreError;

/// What became of the consents in a log when they were verified again.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Consents {
    /// How many hold under this policy.
    pub held: u64,
    /// The numbers of the events whose consent does not.
    pub unproven: Vec<u64>,
    /// How many were given under another policy, whose keys are not known here.
    pub elsewhere: u64,
}

pub(super) fn verify(reader: &Reader, ruleset: &Ruleset<'_>) -> Result<Consents, StoreError> {
    let mut consents = Consents::default();
    for month in attach::months(&reader.folder)? {
        for line in reader.lines(month) {
            let Some(text) = line?.text else { continue };
            // Most events have none, and need not be taken apart.
            let has_one = str::from_utf8(&text).is_ok_and(|text| text.contains(MEMBER));
            if let Some(record) = Record::parse(&text).filter(|_| has_one) {
                consents.add(&record, ruleset);
            }
        }
    }
    Ok(consents)
}

impl Consents {
    fn add(&mut self, record: &Record<'_>, ruleset: &Ruleset<'_>) {
        // A grant that lasts carries its own, which is verified wherever the grant is read.
        if record.text("type").as_deref() != Some("approval_approved") {
            return;
        }
        let Some(given) = record.members().get("consent") else {
            return;
        };
        if record.text("policyDigest").as_deref() != Some(ruleset.digest) {
            self.elsewhere += 1;
        } else if check(record, given, ruleset).is_ok() {
            self.held += 1;
        } else {
            self.unproven.push(record.seq());
        }
    }
}

fn check(record: &Record<'_>, given: &Value<'_>, ruleset: &Ruleset<'_>) -> Result<(), Unproven> {
    let consent = Consent::read(given).ok_or(Unproven)?;
    let approval = consent.approval.as_ref().ok_or(Unproven)?;
    let call = given.get("call").and_then(Value::as_str).ok_or(Unproven)?;
    let tier = record.text("tier").and_then(|tier| Tier::from_name(&tier));
    let named = record.text("approvalId");
    if named.as_deref().and_then(|id| id.strip_prefix("apr_")) != Some(&*approval.id) {
        return Err(Unproven);
    }
    let statement = Statement::approval(approval, call, tier.ok_or(Unproven)?, &consent);
    ruleset.approvals.believe(&consent, &statement)
}

const MEMBER: &str = r#""consent":"#;
