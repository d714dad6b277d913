//! How a person is asked, and who counts as one.

use std::collections::BTreeMap;

use knotrust_core::ruleset::{self, Channel};

use super::{Resolver, text::Time};
use crate::{
    located::{Located, Span},
    model,
    problem::{Code, Problem},
    resolved::{ApprovalRule, Approvals, Approver, Passkey, Reviewer},
};

impl Resolver<'_> {
    pub(super) fn approvals(&mut self, written: Option<&Located<model::Approvals>>) -> Approvals {
        let defaults = ruleset::Approvals::DEFAULT;
        let mut resolved = Approvals {
            channels: defaults.channels.to_vec(),
            hold: defaults.hold,
            expires: defaults.expires,
            approver: Approver::None,
            require_signed: false,
            reviewers: Vec::new(),
            rules: Vec::new(),
        };
        let Some(Located { value: written, .. }) = written else {
            return resolved;
        };
        if let Some(channels) = &written.channels {
            resolved.channels = self.channels(channels);
        }
        let hold = written
            .hold
            .as_ref()
            .and_then(|hold| self.duration(hold, "approvals.hold", Time::HOUR));
        resolved.expires = self.expiry(written).unwrap_or(resolved.expires);
        // A person who may take less time than a call is held open is a person who may take that long.
        resolved.hold = hold.unwrap_or(resolved.hold.min(resolved.expires));
        if let (Some(given), Some(hold)) = (&written.hold, hold)
            && hold > resolved.expires
        {
            let expires = written
                .expires
                .as_ref()
                .or(written.timeout.as_ref())
                .map(|expires| expires.span);
            let problem = Problem::new(
                Code::Conflict,
                "a call is held open for longer than the person may take",
            )
            .at(given.span, "held for longer");
            self.push(match expires {
                Some(span) => problem.at(span, "expires before"),
                None => problem.help("`expires` is `15m` if left out"),
            });
        }
        resolved.approver = self.approver(written);
        resolved.require_signed = written.require_signed_resolutions.unwrap_or(false);
        resolved.reviewers = self.reviewers(written);
        let rules = written.rules.as_deref().unwrap_or_default();
        resolved.rules = rules
            .iter()
            .filter_map(|rule| self.approval_rule(rule, resolved.expires))
            .collect();
        resolved
    }

    fn channels(&mut self, written: &[Located<model::Channel>]) -> Vec<Channel> {
        let mut seen: BTreeMap<model::Channel, Span> = BTreeMap::new();
        let mut channels = Vec::new();
        for channel in written {
            let known = Channel::from(channel.value);
            match seen.insert(channel.value, channel.span) {
                Some(first) => self.twice("channel", known.as_str(), channel.span, first),
                None => channels.push(known),
            }
        }
        channels
    }

    fn expiry(&mut self, written: &model::Approvals) -> Option<u64> {
        if let (Some(expires), Some(timeout)) = (&written.expires, &written.timeout) {
            self.push(
                Problem::new(
                    Code::Conflict,
                    "`timeout` is another spelling of `expires`, and both are given",
                )
                .at(timeout.span, "the same again")
                .at(expires.span, "given here")
                .help("keep one of the two"),
            );
        }
        let expires = written
            .expires
            .as_ref()
            .and_then(|time| self.duration(time, "approvals.expires", Time::YEAR));
        let timeout = written
            .timeout
            .as_ref()
            .and_then(|time| self.duration(time, "approvals.timeout", Time::YEAR));
        expires.or(timeout)
    }

    fn approver(&mut self, written: &model::Approvals) -> Approver {
        let kind = written
            .approver
            .as_ref()
            .map(|approver| approver.value)
            .unwrap_or_default();
        let span = written.approver.as_ref().map(|approver| approver.span);
        let pin = written.pin.as_ref().and_then(|pin| self.pin(pin));
        let passkeys: Vec<Passkey> = written
            .passkeys
            .iter()
            .flatten()
            .filter_map(|passkey| self.passkey(passkey))
            .collect();
        self.unused_proof(written, kind);
        match (kind, pin) {
            (model::Approver::None, _) => Approver::None,
            (model::Approver::Pin, Some(pin)) => pin,
            (model::Approver::Pin, None) => {
                if written.pin.is_none() {
                    self.nobody_enrolled(span, "no pin is enrolled");
                }
                // No passkey counts: nobody can say yes, which is what was asked for until somebody can.
                Approver::Passkey(Vec::new())
            }
            (model::Approver::Passkey, _) => {
                if written.passkeys.is_none() {
                    self.nobody_enrolled(span, "no passkey is enrolled");
                }
                Approver::Passkey(passkeys)
            }
        }
    }

    fn nobody_enrolled(&mut self, span: Option<Span>, what: &str) {
        let problem = Problem::new(
            Code::NobodyEnrolled,
            format!("{what}, so nobody can approve anything"),
        );
        let problem =
            problem.help("run `knotrust approver enroll` and add the lines that it prints");
        self.push(match span {
            Some(span) => problem.at(span, "asks for a proof that nobody can give"),
            None => problem,
        });
    }

    /// A pin or a passkey that is not asked for proves nothing, though its author may think so.
    fn unused_proof(&mut self, written: &model::Approvals, kind: model::Approver) {
        let pin = written
            .pin
            .as_ref()
            .map(|pin| pin.span)
            .filter(|_| kind != model::Approver::Pin);
        let passkey = written
            .passkeys
            .as_ref()
            .and_then(|passkeys| passkeys.first())
            .map(|passkey| passkey.span);
        let passkey = passkey.filter(|_| kind != model::Approver::Passkey);
        for (span, name) in [(pin, "pin"), (passkey, "passkey")] {
            let Some(span) = span else { continue };
            self.push(
                Problem::new(
                    Code::Conflict,
                    format!("a {name} is given, and `approver` does not ask for one"),
                )
                .at(span, "not asked for")
                .help(format!("write `approver: {name}`, or remove it")),
            );
        }
    }

    fn pin(&mut self, written: &Located<model::Pin>) -> Option<Approver> {
        let salt = self.base64url(&written.value.salt);
        let public_key = self.key_text(&written.value.public_key);
        let salt = salt?;
        if salt.len() != 16 {
            let message = format!(
                "the salt of a pin has 16 bytes, and this has {}",
                salt.len()
            );
            self.push(
                Problem::new(Code::BadKey, message).at(written.value.salt.span, "not a salt"),
            );
            return None;
        }
        Some(Approver::Pin {
            salt: written.value.salt.value.0.clone(),
            public_key: public_key?,
        })
    }

    fn passkey(&mut self, written: &Located<model::Passkey>) -> Option<Passkey> {
        let passkey = &written.value;
        if let Some(name) = &passkey.name {
            self.identifier(name, "name");
        }
        let credential = self.base64url(&passkey.credential);
        let public_key = self.base64url(&passkey.public_key);
        let both = credential.is_some() && public_key.is_some();
        both.then(|| Passkey {
            credential: passkey.credential.value.0.clone(),
            public_key: passkey.public_key.value.0.clone(),
        })
    }

    fn reviewers(&mut self, written: &model::Approvals) -> Vec<Reviewer> {
        let mut names: BTreeMap<String, Span> = BTreeMap::new();
        let mut reviewers = Vec::new();
        for reviewer in written.reviewers.iter().flatten() {
            let span = reviewer.value.name.span;
            let name = self.identifier(&reviewer.value.name, "name");
            let role = self.identifier(&reviewer.value.role, "role");
            let key = reviewer.value.key.as_ref();
            let public_key = key.and_then(|key| self.key_file(key));
            if key.is_none() && reviewer.whole && written.require_signed_resolutions == Some(true) {
                self.push(
                    Problem::new(
                        Code::MissingKey,
                        "a reviewer without a `key` cannot sign, and resolutions must be signed",
                    )
                    .at(span, "this reviewer")
                    .help("name the file with the reviewer's Ed25519 public key"),
                );
            }
            let (Some(name), Some(role)) = (name, role) else {
                continue;
            };
            match names.insert(name.clone(), span) {
                Some(first) => self.twice("reviewer", &name, span, first),
                None => reviewers.push(Reviewer {
                    name,
                    role,
                    public_key,
                }),
            }
        }
        reviewers
    }

    fn approval_rule(
        &mut self,
        written: &Located<model::ApprovalRule>,
        default: u64,
    ) -> Option<ApprovalRule> {
        let rule = &written.value;
        let matching = &rule.matching.value;
        let tools = self.patterns(matching.tools.iter().flatten());
        let paths: Vec<_> = matching
            .paths
            .iter()
            .flatten()
            .filter_map(|path| self.path_pattern(path))
            .collect();
        let role = self.identifier(&rule.required_role, "requiredRole");
        let expires = match &rule.expires_after {
            Some(time) => self.duration(time, "expiresAfter", Time::YEAR)?,
            None => default,
        };
        let policy_ref = self.sentence(rule.policy_ref.as_ref(), "policyRef");
        if matching.tools.is_none() && matching.paths.is_none() && rule.matching.whole {
            self.push(
                Problem::new(
                    Code::MissingKey,
                    "this rule matches nothing: it has neither `tools` nor `paths`",
                )
                .at(rule.matching.span, "this rule")
                .help("write `tools: [\"*\"]` if every call is meant"),
            );
        }
        let line = self.place(written.span).line;
        Some(ApprovalRule {
            tools,
            paths,
            required_role: role?,
            expires,
            policy_ref,
            line,
            span: written.span,
        })
    }
}

impl From<model::Channel> for Channel {
    fn from(channel: model::Channel) -> Self {
        match channel {
            model::Channel::InputRequired => Self::InputRequired,
            model::Channel::ElicitationUrl => Self::ElicitationUrl,
            model::Channel::ElicitationForm => Self::ElicitationForm,
            model::Channel::BlockAndWait => Self::BlockAndWait,
        }
    }
}
