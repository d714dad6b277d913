//! An event as a line of the log.
//!
//! An append is on the way of every call, so a line is written in one go: members stand in their canonical order in the
//! code, and no tree is built. A test compares with the canonical form that the general writer gives.

use super::chain::{Hash, Head};
use super::event::{Agreed, Event, Given, LONGEST_TEXT};
use crate::canonical::{canonical, hex, sha256_hex};
use crate::json::{Text, Value, write_str, write_text};
use crate::time::Timestamp;

/// Writes lines, one after the other, into memory that it keeps.
#[derive(Debug, Default)]
pub struct Scribe {
    line: String,
    tail: String,
    minute: Minute,
}

impl Scribe {
    /// Writes the line of an event that follows `head`, and gives the new head. The line is in [`Self::line`].
    pub fn write(&mut self, event: &Event<'_>, head: &Head, at: Timestamp) -> Head {
        // INVARIANT: time does not run back within a chain.
        let at = at.max(head.at);
        let seq = head.seq.saturating_add(1);
        self.line.clear();
        self.tail.clear();
        before_hash(&mut self.line, event);
        after_hash(&mut self.tail, event, head, seq);
        self.time(r#","ts":""#, at);
        word(&mut self.tail, r#","type":"#, event.kind.as_str());
        if let Some(wall) = event.wall {
            self.time(r#","wall":""#, wall);
        }
        self.tail.push('}');
        let hash = Hash::of(&self.line, &self.tail);
        self.line.push_str(r#","hash":""#);
        push_ascii(&mut self.line, &hash.to_hex());
        self.line.push('"');
        self.line.push_str(&self.tail);
        self.line.push('\n');
        Head { seq, hash, at }
    }

    /// The line last written, with its newline.
    #[must_use]
    pub fn line(&self) -> &str {
        &self.line
    }

    fn time(&mut self, opening: &str, time: Timestamp) {
        self.tail.push_str(opening);
        self.minute.write(&mut self.tail, time);
        self.tail.push('"');
    }
}

// Both halves: names in ascending order, each member with the comma before it.

fn before_hash(out: &mut String, event: &Event<'_>) {
    text(out, r#"{"agent":"#, event.agent);
    maybe(out, r#","approvalId":"#, event.approval_id);
    maybe(out, r#","approver":"#, event.approver);
    text(
        out,
        r#","argsHash":"#,
        event.args_hash.unwrap_or("unavailable"),
    );
    if event.cache_hit {
        out.push_str(r#","cacheHit":true"#);
    }
    maybe(out, r#","channel":"#, event.channel);
    if let Some(given) = event.consent {
        consent(out, given);
    }
    maybe(out, r#","correlationId":"#, event.correlation);
    maybe(out, r#","decisionId":"#, event.decision_id);
    if let Some(detail) = event.detail {
        out.push_str(r#","detail":"#);
        out.push_str(detail.as_str());
    }
    if let Some(ending) = event.ending {
        word(out, r#","ending":"#, ending.as_str());
    }
    if !event.grant_refs.is_empty() {
        list(out, r#","grantRefs":["#, event.grant_refs);
    }
}

fn after_hash(out: &mut String, event: &Event<'_>, head: &Head, seq: u64) {
    if let Some(last_good) = event.last_good {
        hash(out, r#","lastGoodHash":""#, last_good.hash);
        number(out, r#","lastGoodSeq":"#, last_good.seq);
    }
    if let Some(micros) = event.latency_micros {
        millis(out, r#","latencyMs":"#, micros);
    }
    if let Some(layer) = event.layer {
        word(out, r#","layer":"#, layer.as_str());
    }
    maybe(out, r#","newFingerprint":"#, event.fingerprints.new);
    maybe(out, r#","oldFingerprint":"#, event.fingerprints.old);
    if let Some(outcome) = event.outcome {
        word(out, r#","outcome":"#, outcome.as_str());
    }
    maybe(out, r#","parentId":"#, event.parent);
    maybe(out, r#","policyDigest":"#, event.policy_digest);
    hash(out, r#","prevHash":""#, head.hash);
    if let Some(arguments) = event.raw_args {
        out.push_str(r#","rawArgs":"#);
        out.push_str(arguments.as_str());
    }
    maybe(out, r#","reason":"#, event.reason);
    maybe(out, r#","requestId":"#, event.request_id);
    maybe(out, r#","rule":"#, event.rule);
    number(out, r#","seq":"#, seq);
    if let Some(sequence) = event.sequence {
        number(out, r#","sequence":"#, sequence);
    }
    maybe(out, r#","server":"#, event.server);
    maybe(out, r#","session":"#, event.session);
    text(out, r#","subject":"#, event.subject);
    text(out, r#","surface":"#, event.surface);
    if let Some(tier) = event.tier {
        word(out, r#","tier":"#, tier.as_str());
    }
    out.push_str(r#","tool":"#);
    match event.tool {
        Some(tool) => name(out, tool),
        None => out.push_str(r#""""#),
    }
}

// What is too long for any authenticator is recorded by its length and hash.
fn consent(out: &mut String, given: Given<'_>) {
    let mut object = given.consent.to_object();
    match given.to {
        Agreed::Call(call) => object.insert("call", Value::String(call.to_owned().into())),
        Agreed::Grant(challenge) => {
            object.insert("statement", Value::String(hex(&challenge).into()))
        }
    }
    let written = canonical(&Value::Object(object)).unwrap_or_default();
    if written.is_empty() || written.len() > LONGEST_CONSENT {
        text(out, r#","consent":"#, &cut("", written.as_bytes()));
    } else {
        out.push_str(r#","consent":"#);
        out.push_str(&written);
    }
}

fn maybe(out: &mut String, opening: &str, value: Option<&str>) {
    if let Some(value) = value {
        text(out, opening, value);
    }
}

fn list(out: &mut String, opening: &str, values: &[&str]) {
    out.push_str(opening);
    for (index, value) in values.iter().take(MOST_REFERENCES).enumerate() {
        text(out, if index == 0 { "" } else { "," }, value);
    }
    out.push(']');
}

fn text(out: &mut String, opening: &str, value: &str) {
    out.push_str(opening);
    if value.len() > LONGEST_TEXT {
        write_str(out, &cut(value, value.as_bytes()));
    } else if is_plain(value) {
        out.push('"');
        out.push_str(value);
        out.push('"');
    } else {
        write_str(out, value);
    }
}

fn name(out: &mut String, value: &Text<'_>) {
    match value.as_str() {
        Some(value) => text(out, "", value),
        None if value.as_bytes().len() > LONGEST_TEXT => {
            write_str(out, &cut(&value.to_string_lossy(), value.as_bytes()));
        }
        None => write_text(out, value),
    }
}

// A word of ours: nothing in it needs an escape.
fn word(out: &mut String, opening: &str, value: &str) {
    out.push_str(opening);
    out.push('"');
    out.push_str(value);
    out.push('"');
}

fn hash(out: &mut String, opening: &str, hash: Hash) {
    out.push_str(opening);
    push_ascii(out, &hash.to_hex());
    out.push('"');
}

// Thousandths, without the zeros at the end: what ECMAScript writes for so many milliseconds.
fn millis(out: &mut String, opening: &str, micros: u64) {
    let micros = micros.min(LONGEST_LATENCY);
    number(out, opening, micros / 1000);
    let mut rest = micros % 1000;
    if rest > 0 {
        out.push('.');
    }
    for unit in [100, 10, 1] {
        if rest > 0 {
            push_ascii(out, &[decimal(rest / unit)]);
            rest %= unit;
        }
    }
}

fn number(out: &mut String, opening: &str, mut value: u64) {
    out.push_str(opening);
    let mut digits = [0; 20];
    let mut used = 0;
    for place in digits.iter_mut().rev() {
        *place = decimal(value);
        used += 1;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    push_ascii(out, digits.get(digits.len() - used..).unwrap_or_default());
}

// The last decimal digit of a number.
fn decimal(value: u64) -> u8 {
    b'0' + (value % 10) as u8
}

fn push_ascii(out: &mut String, bytes: &[u8]) {
    // INVARIANT: they are digits and the like, so none is ever left out.
    out.push_str(str::from_utf8(bytes).unwrap_or_default());
}

// No early exit: that lets the compiler look at many bytes at once.
fn is_plain(value: &str) -> bool {
    let odd = |byte: u8| byte < 0x20 || byte == b'"' || byte == b'\\';
    !value.bytes().fold(false, |found, byte| found | odd(byte))
}

fn cut(value: &str, whole: &[u8]) -> String {
    let (start, _) = value.split_at(value.floor_char_boundary(LONGEST_TEXT - 128));
    format!(
        "{start}… [{} bytes, sha256:{}]",
        whole.len(),
        sha256_hex(whole)
    )
}

/// The text of the minute last written: most events fall into the minute of the one before.
#[derive(Debug, Default)]
struct Minute {
    number: Option<i64>,
    text: String,
}

impl Minute {
    fn write(&mut self, out: &mut String, time: Timestamp) {
        let minute = time.millis().div_euclid(60_000);
        if self.number != Some(minute) {
            self.text = Timestamp::from_millis(minute * 60_000).to_string();
            self.text
                .truncate(self.text.len().saturating_sub("00.000Z".len()));
            self.number = Some(minute);
        }
        out.push_str(&self.text);
        let millis = time.millis().rem_euclid(60_000).unsigned_abs();
        let digit = |unit: u64| decimal(millis / unit);
        let seconds = [
            digit(10_000),
            digit(1000),
            b'.',
            digit(100),
            digit(10),
            digit(1),
            b'Z',
        ];
        push_ascii(out, &seconds);
    }
}

// Far more than any call has, and few enough to keep a line short.
const MOST_REFERENCES: usize = 32;
// Several times what a passkey's assertion takes.
const LONGEST_CONSENT: usize = 16 << 10;
// Half a year, which keeps the number exact as a double.
const LONGEST_LATENCY: u64 = 1 << 44;

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::super::event::{Ending, Fingerprints, Kind, LastGood, RawArguments};
    use super::super::record::Record;
    use super::*;
    use crate::consent::{Approval, Assertion, Consent, Proof};
    use crate::json::parse;
    use crate::precedence::{Layer, Outcome};
    use crate::tier::Tier;

    /// The line must be what the general writer makes of it, and carry the hash that reading it gives.
    fn line_of(event: &Event<'_>, head: &Head, at: i64) -> String {
        let mut scribe = Scribe::default();
        let next = scribe.write(event, head, Timestamp::from_millis(at));
        let line = scribe.line().strip_suffix('\n').unwrap();
        assert_eq!(canonical(&parse(line.as_bytes()).unwrap()).unwrap(), line);
        let record = Record::parse(line.as_bytes()).unwrap();
        assert_eq!(record.head(), next);
        assert_eq!(record.computed_hash(), Some(next.hash));
        line.to_owned()
    }

    #[track_caller]
    fn check(event: &Event<'_>, expected: Expect) {
        expected.assert_eq(&line_of(event, &Head::GENESIS, 1_700_000_000_007));
    }

    #[test]
    fn a_bare_event_has_the_members_of_the_reference() {
        check(
            &Event::of(Kind::SessionStarted),
            expect![[
                r#"{"agent":"system","argsHash":"unavailable","hash":"ca7974239ffee1aaa3381150d43fc0bb600eec62ed5349b771ce9444e0f01e37","prevHash":"0000000000000000000000000000000000000000000000000000000000000000","seq":1,"subject":"system","surface":"knotrust","tool":"","ts":"2023-11-14T22:13:20.007Z","type":"session_started"}"#
            ]],
        );
    }

    #[test]
    fn a_full_event_is_canonical() {
        let tool = parse(br#""notes.\ud800""#).unwrap();
        let event = Event {
            surface: "stdio_proxy",
            tool: tool.as_text(),
            args_hash: Some("sha256:00"),
            raw_args: RawArguments::new(r#"{"a":1}"#),
            approval_id: Some("apr_1"),
            approver: Some("me"),
            cache_hit: true,
            channel: Some("local_page"),
            decision_id: Some("01J"),
            ending: Some(Ending::ToolError),
            grant_refs: &["a", "b\"\n"],
            fingerprints: Fingerprints {
                old: Some("o"),
                new: Some("n"),
            },
            last_good: Some(LastGood {
                seq: 7,
                hash: Head::GENESIS.hash,
            }),
            latency_micros: Some(1050),
            layer: Some(Layer::Grant),
            outcome: Some(Outcome::Allow),
            policy_digest: Some("d"),
            reason: Some("grant_allow"),
            request_id: Some("r"),
            rule: Some("knotrust.yaml:4"),
            server: Some("notes"),
            session: Some("s"),
            tier: Some(Tier::Critical),
            wall: Some(Timestamp::from_millis(0)),
            ..Event::of(Kind::Decision)
        };
        check(
            &event,
            expect![[
                r#"{"agent":"system","approvalId":"apr_1","approver":"me","argsHash":"sha256:00","cacheHit":true,"channel":"local_page","decisionId":"01J","ending":"tool_error","grantRefs":["a","b\"\n"],"hash":"5eff7079449a90f337b6c4829dc4d46a18cbb3ad12bb154890090d086c96dc8a","lastGoodHash":"0000000000000000000000000000000000000000000000000000000000000000","lastGoodSeq":7,"latencyMs":1.05,"layer":"grant","newFingerprint":"n","oldFingerprint":"o","outcome":"allow","policyDigest":"d","prevHash":"0000000000000000000000000000000000000000000000000000000000000000","rawArgs":{"a":1},"reason":"grant_allow","requestId":"r","rule":"knotrust.yaml:4","seq":1,"server":"notes","session":"s","subject":"system","surface":"stdio_proxy","tier":"critical","tool":"notes.\ud800","ts":"2023-11-14T22:13:20.007Z","type":"decision","wall":"1970-01-01T00:00:00.000Z"}"#
            ]],
        );
    }

    #[test]
    fn a_consent_is_in_the_log_with_the_call_it_is_to() {
        let mut consent = Consent {
            approval: Some(Approval {
                id: "01J".to_owned(),
                until: 7,
            }),
            reviewer: None,
            proof: Proof::Passkey(Assertion {
                credential: vec![1],
                authenticator: vec![2],
                client: vec![3],
                signature: vec![4],
            }),
        };
        let line = |consent: &Consent| {
            let given = Given {
                consent,
                to: Agreed::Call("sha256:00"),
            };
            let event = Event {
                channel: Some("page"),
                consent: Some(given),
                decision_id: Some("01J"),
                ..Event::of(Kind::ApprovalApproved)
            };
            line_of(&event, &Head::GENESIS, 0)
        };
        let expected = r#""channel":"page","consent":{"approval":{"id":"01J","until":7},"authenticatorData":"Ag","call":"sha256:00","clientDataJSON":"Aw","credential":"AQ","kind":"passkey","signature":"BA"},"decisionId":"01J""#;
        assert!(line(&consent).contains(expected));
        consent.reviewer = Some("x".repeat(100_000));
        assert!(line(&consent).len() < 1000);
    }

    #[test]
    fn time_does_not_run_back() {
        let head = Head {
            at: Timestamp::from_millis(5000),
            ..Head::GENESIS
        };
        let line = line_of(&Event::of(Kind::Decision), &head, 10);
        assert!(line.contains(r#""ts":"1970-01-01T00:00:05.000Z""#));
    }

    #[test]
    fn no_text_makes_a_line_long() {
        let long = "\u{1}é".repeat(50_000);
        let tool = Text::from(long.as_str());
        let event = Event {
            subject: &long,
            agent: &long,
            tool: Some(&tool),
            reason: Some(&long),
            grant_refs: &[long.as_str(); 100],
            ..Event::of(Kind::Decision)
        };
        let line = line_of(&event, &Head::GENESIS, 0);
        assert!(line.len() < 1_000_000, "{}", line.len());
        assert!(line.contains("… [150000 bytes, sha256:"));
    }

    proptest! {
        #[test]
        fn any_event_is_canonical(
            texts in proptest::collection::vec(any::<String>(), 6),
            micros in proptest::option::of(any::<u64>()),
            seq in 0..u64::MAX >> 12,
            at in 0..4_000_000_000_000i64,
        ) {
            let [subject, agent, tool, reason, server, rule] = texts.try_into().unwrap();
            let tool = Text::from(tool.as_str());
            let event = Event {
                subject: &subject,
                agent: &agent,
                tool: Some(&tool),
                reason: Some(&reason),
                server: Some(&server),
                rule: Some(&rule),
                latency_micros: micros,
                ..Event::of(Kind::Decision)
            };
            line_of(&event, &Head { seq, ..Head::GENESIS }, at);
        }
    }
}
