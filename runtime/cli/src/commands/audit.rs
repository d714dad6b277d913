//! `knotrust audit`: what happened, and whether the record of it is whole.

mod since;

pub(super) use since::millis;

use std::thread;
use std::time::Duration;

use knotrust_core::audit::filter::Filter;
use knotrust_core::audit::record::Record;
use knotrust_core::glob::Pattern;
use knotrust_core::json::{self, Object, Value};
use knotrust_core::number::Number;
use knotrust_core::precedence::Outcome;
use knotrust_core::ruleset::Ruleset;
use knotrust_core::tier::Tier;
use knotrust_govern::audit::Log;
use knotrust_govern::audit::read::{Consents, Entry, Reader, Verification};
use knotrust_govern::clock;
use knotrust_govern::home::Home;

use super::Done;
use super::confirm::confirm;
use super::proxy::home;
use crate::arguments::Format;
use crate::arguments::records::AuditVerb;
use crate::{exit, output};

/// How often the log is looked at while it is followed.
const GLANCE: Duration = Duration::from_millis(200);

/// Reads the log.
pub(super) fn run(ruleset: &Ruleset<'_>, verb: AuditVerb) -> Done {
    let home = home()?;
    let reader = Reader::of(&home);
    match verb {
        AuditVerb::List { limit, format } => {
            print(&reader.last(limit, &Filter::default())?, format)?
        }
        AuditVerb::Tail { limit, format } => return tail(&reader, limit, format),
        AuditVerb::Query {
            tool,
            outcome,
            tier,
            since,
            agent,
            server,
            format,
        } => {
            let filter = Filter {
                tool: tool.as_deref().map(Pattern::name).transpose()?,
                outcome: outcome
                    .as_deref()
                    .map(|word| known(word, Outcome::from_name, "outcome"))
                    .transpose()?,
                tier: tier
                    .as_deref()
                    .map(|word| known(word, Tier::from_name, "tier"))
                    .transpose()?,
                since: since
                    .as_deref()
                    .map(|text| since::read(text, clock::now().wall))
                    .transpose()?,
                agent,
                server,
            };
            for entry in reader.events(filter)? {
                print(&[entry?], format)?;
            }
        }
        AuditVerb::BelieveClock { yes } => return believe_clock(&home, yes),
        AuditVerb::Verify { format } => {
            return verify(&reader.verify()?, &reader.consents(ruleset)?, format);
        }
    }
    Ok(exit::OK)
}

fn believe_clock(home: &Home, yes: bool) -> Done {
    let now = clock::now();
    if !confirm(&format!("Is it {} (UTC) now?", now.wall), yes)? {
        return Ok(exit::FAILED);
    }
    let receipt = Log::of(home).believe_clock(now)?;
    output::note(&format!("recorded as event {}", receipt.seq()));
    Ok(exit::OK)
}

fn tail(reader: &Reader, limit: usize, format: Format) -> Done {
    let mut follower = reader.follow(Filter::default())?;
    print(&reader.last(limit, &Filter::default())?, format)?;
    loop {
        print(&follower.poll()?, format)?;
        thread::sleep(GLANCE);
    }
}

fn verify(verification: &Verification, consents: &Consents, format: Format) -> Done {
    let Verification { events, broken } = verification;
    match format {
        Format::Text => {
            output::line(&match broken {
                None => format!("intact, {events} events"),
                Some(broken) => format!(
                    "broken after {events} events: {} in {} at line {}, event {}",
                    broken.kind, broken.file, broken.line, broken.seq
                ),
            })?;
            if let Some(words) = in_words(consents) {
                output::line(&words)?;
            }
        }
        Format::Json => {
            let mut object = Object::new();
            object.insert("intact", Value::Bool(broken.is_none()));
            object.insert("events", Value::Number(Number::from(*events)));
            if let Some(broken) = broken {
                object.insert("kind", Value::string(broken.kind.as_str()));
                object.insert("file", Value::string(&broken.file));
                object.insert("line", Value::Number(Number::from(broken.line)));
                object.insert("seq", Value::Number(Number::from(broken.seq)));
            }
            object.insert("consents", Value::Object(in_members(consents)));
            output::line(&json::write(&Value::Object(object)))?;
        }
    }
    Ok(if broken.is_none() && consents.unproven.is_empty() {
        exit::OK
    } else {
        exit::FAILED
    })
}

/// What became of people's consents; nothing where there are none.
fn in_words(consents: &Consents) -> Option<String> {
    let mut parts = Vec::new();
    if consents.held > 0 {
        parts.push(format!("{} hold", consents.held));
    }
    if consents.elsewhere > 0 {
        parts.push(format!(
            "{} were given under another policy",
            consents.elsewhere
        ));
    }
    if let Some(first) = consents.unproven.first() {
        let count = consents.unproven.len();
        parts.push(format!(
            "{count} are not proved, the first in event {first}"
        ));
    }
    (!parts.is_empty()).then(|| format!("consents: {}", parts.join(", ")))
}

fn in_members(consents: &Consents) -> Object<'static> {
    let number = |number: u64| Value::Number(Number::from(number));
    let mut object = Object::new();
    object.insert("held", number(consents.held));
    object.insert("elsewhere", number(consents.elsewhere));
    let unproven = consents.unproven.iter().map(|seq| number(*seq));
    object.insert("unproven", Value::Array(unproven.collect()));
    object
}

fn print(entries: &[Entry], format: Format) -> std::io::Result<()> {
    for entry in entries {
        match format {
            Format::Json => output::line(entry.line())?,
            Format::Text => {
                if let Some(record) = entry.record() {
                    output::line(&line(&record))?;
                }
            }
        }
    }
    Ok(())
}

/// One event for people: when, what, to whom, and why. Whatever others have chosen is shown inertly.
fn line(record: &Record<'_>) -> String {
    const SHOWN: [(&str, &str); 9] = [
        ("outcome", ""),
        ("tier", "tier="),
        ("ending", "ending="),
        ("tool", "tool="),
        ("agent", "agent="),
        ("reason", "reason="),
        ("rule", "rule="),
        ("approvalId", "approval="),
        ("argsHash", "args="),
    ];
    let at = record.at().map(|at| at.to_string()).unwrap_or_default();
    let kind = record.text("type").unwrap_or_default();
    let mut line = format!("{at} #{} {kind}", record.head().seq);
    for (name, label) in SHOWN {
        // What is about no tool has no arguments that could be missing.
        let tool = record.text("tool").unwrap_or_default();
        if name == "argsHash" && tool.is_empty() {
            continue;
        }
        if let Some(text) = record.text(name).filter(|text| !text.is_empty()) {
            // Hashes are for looking up, not for reading.
            let text = if name == "argsHash" {
                text.chars().take(19).collect()
            } else {
                text
            };
            line.push_str(&format!(" {label}{}", output::inert(&text)));
        }
    }
    line
}

fn known<T>(word: &str, read: fn(&str) -> Option<T>, what: &str) -> Result<T, String> {
    read(word).ok_or_else(|| format!("`{}` is no {what}", output::inert(word)))
}
