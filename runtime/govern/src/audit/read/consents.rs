//! Whether what people agreed to, as the log has it, is proved by what stands beside it.

use std::path::{Path, PathBuf};

use knotrust_core::audit::record::Record;
use knotrust_core::canonical::hex;
use knotrust_core::consent::{Consent, Statement, Unproven};
use knotrust_core::grant::{MAX_TOKEN, challenge_of};
use knotrust_core::json::Value;
use knotrust_core::ruleset::{Approver, Ruleset};
use knotrust_core::tier::Tier;

use super::super::attach;
use super::Reader;
use crate::failure::StoreError;
use crate::files;

/// What became of the consents in a log when they were verified again.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Consents {
    /// How many hold under this policy.
    pub held: u64,
    /// The numbers of the events whose consent does not, or which have none where the policy asks for one.
    pub unproven: Vec<u64>,
    /// How many were given under another policy, whose keys are not known here.
    pub elsewhere: u64,
}

pub(super) fn verify(reader: &Reader, ruleset: &Ruleset<'_>) -> Result<Consents, StoreError> {
    let mut consents = Consents::default();
    let witness = Witness {
        ruleset,
        grants: &reader.grants,
    };
    for month in attach::months(&reader.folder)? {
        for line in reader.lines(month) {
            let Some(text) = line?.text else { continue };
            // Most events are about no consent, and need not be taken apart.
            let is_one = str::from_utf8(&text)
                .is_ok_and(|text| KINDS.iter().any(|kind| text.contains(kind)));
            if let Some(record) = Record::parse(&text).filter(|_| is_one) {
                consents.add(&record, &witness);
            }
        }
    }
    Ok(consents)
}

impl Consents {
    fn add(&mut self, record: &Record<'_>, witness: &Witness<'_>) {
        let about = match record.text("type").as_deref() {
            Some("approval_approved") => About::Call,
            // One that an approval gave rise to rests on the consent of that approval.
            Some("grant_created") if record.text("reason").as_deref() != Some("kind=ephemeral") => {
                About::Grant
            }
            Some(_) | None => return,
        };
        let given = record.members().get("consent");
        let is_ours = record.text("policyDigest").as_deref() == Some(witness.ruleset.digest);
        match given {
            Some(_) if !is_ours => self.elsewhere += 1,
            Some(given) => match witness.check(record, given, about) {
                Ok(()) => self.held += 1,
                Err(Unproven) => self.unproven.push(record.seq()),
            },
            None if is_ours && witness.ruleset.approvals.approver != Approver::None => {
                self.unproven.push(record.seq());
            }
            None => {}
        }
    }
}

/// What an event says that a person agreed to.
#[derive(Clone, Copy)]
enum About {
    Call,
    Grant,
}

/// Whoever tells what is proved: the keys of a policy, and the grants of the home.
struct Witness<'w> {
    ruleset: &'w Ruleset<'w>,
    grants: &'w Path,
}

impl Witness<'_> {
    fn check(&self, record: &Record<'_>, given: &Value<'_>, about: About) -> Result<(), Unproven> {
        match about {
            About::Call => self.check_call(record, given),
            About::Grant => self.check_grant(record, given),
        }
    }

    fn check_call(&self, record: &Record<'_>, given: &Value<'_>) -> Result<(), Unproven> {
        let consent = Consent::read(given).ok_or(Unproven)?;
        let approval = consent.approval.as_ref().ok_or(Unproven)?;
        let call = given.get("call").and_then(Value::as_str).ok_or(Unproven)?;
        let tier = record.text("tier").and_then(|tier| Tier::from_name(&tier));
        let named = record.text("approvalId");
        if named.as_deref().and_then(|id| id.strip_prefix("apr_")) != Some(&*approval.id) {
            return Err(Unproven);
        }
        let statement = Statement::approval(approval, call, tier.ok_or(Unproven)?, &consent);
        self.ruleset.approvals.believe(&consent, &statement)
    }

    // The log names what was signed by its hash alone. As long as the grant is in the home, the hash must be its own.
    fn check_grant(&self, record: &Record<'_>, given: &Value<'_>) -> Result<(), Unproven> {
        let consent = Consent::read(given).ok_or(Unproven)?;
        let statement = given.get("statement").and_then(Value::as_str);
        let challenge = statement.and_then(unhex).ok_or(Unproven)?;
        if consent.approval.is_some() || self.is_of_another(record, &challenge) {
            return Err(Unproven);
        }
        let statement = Statement::Recorded(challenge);
        self.ruleset.approvals.believe(&consent, &statement)
    }

    fn is_of_another(&self, record: &Record<'_>, challenge: &[u8; 32]) -> bool {
        let refs = record.members().get("grantRefs").and_then(Value::as_array);
        let id = refs.and_then(|refs| refs.first()).and_then(Value::as_str);
        let path = id.and_then(|id| self.path(id));
        let token = path.and_then(|path| files::read_public(&path, MAX_TOKEN as u64 + 1).ok());
        let token = token.and_then(|token| String::from_utf8(token).ok());
        let stored = token.and_then(|token| challenge_of(token.trim_end()).ok());
        stored.is_some_and(|stored| stored != *challenge)
    }

    fn path(&self, id: &str) -> Option<PathBuf> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        id.bytes()
            .all(plain)
            .then(|| self.grants.join(format!("{id}.jws")))
    }
}

fn unhex(text: &str) -> Option<[u8; 32]> {
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else {
        return None;
    };
    let byte = |pair: &[u8; 2]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Vec<u8> = pairs.iter().map(byte).collect::<Option<_>>()?;
    let bytes: [u8; 32] = bytes.try_into().ok()?;
    (hex(&bytes) == text).then_some(bytes)
}

const KINDS: [&str; 2] = [r#""type":"approval_approved""#, r#""type":"grant_created""#];
