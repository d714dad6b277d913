//! A policy in words, and as JSON.

use std::fmt::Write as _;

use knotrust_core::json::{Object, Text, Value};
use knotrust_core::number::Number;
use knotrust_core::ruleset::{Effect, Launch, Mode, Rule, Ruleset, Source, Unlisted};

/// The policy in words.
pub(super) fn text(ruleset: &Ruleset<'_>) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write_text(&mut out, ruleset);
    out
}

fn write_text(out: &mut String, ruleset: &Ruleset<'_>) -> std::fmt::Result {
    let mode = match ruleset.settings.mode {
        Mode::Enforce => "enforced",
        Mode::Observe => "a dry run: decided and recorded, nothing withheld",
    };
    writeln!(out, "{} {}, {mode}", ruleset.name, ruleset.version)?;
    writeln!(out, "sha256:{}", ruleset.digest)?;
    writeln!(out, "from {}", ruleset.files.join(", "))?;
    let unlisted = match ruleset.unlisted_servers {
        Unlisted::Allow => "others may be used",
        Unlisted::Deny => "others are denied",
    };
    writeln!(out, "\nServers ({unlisted})")?;
    for server in ruleset.servers {
        match server.launch {
            Launch::Command { command, .. } => {
                writeln!(out, "  {:<16} {}", server.name, command.join(" "))?;
            }
            Launch::Url(url) => writeln!(out, "  {:<16} {url}", server.name)?,
        }
    }
    writeln!(
        out,
        "\nTools that no rule names are {}, {} if they look destructive.",
        ruleset.defaults.unknown_tool, ruleset.defaults.destructive_looking
    )?;
    writeln!(
        out,
        "\nRules, strongest first; a narrower one that matches beats those around it"
    )?;
    for (_, rule) in ruleset.rules.iter() {
        let condition = if rule.when.is_empty() {
            ""
        } else {
            " (on conditions)"
        };
        writeln!(
            out,
            "  {:<12} {}{condition}  {}",
            effect(&rule),
            rule.pattern,
            ruleset.spelled(rule.place)
        )?;
    }
    let envelope = &ruleset.envelope;
    writeln!(out, "\nEnvelope: no grant above {}", envelope.grant_ceiling)?;
    for bound in envelope.deny {
        writeln!(
            out,
            "  deny         {}  {}",
            bound.pattern,
            ruleset.spelled(bound.place)
        )?;
    }
    for tier in envelope.force_tiers.iter() {
        writeln!(out, "  ask a person for everything {tier}")?;
    }
    for bound in envelope.force_tools {
        writeln!(
            out,
            "  ask a person {}  {}",
            bound.pattern,
            ruleset.spelled(bound.place)
        )?;
    }
    for floor in envelope.floors {
        writeln!(
            out,
            "  at least {:<11} {}  {}",
            floor.tier.as_str(),
            floor.bound.pattern,
            ruleset.spelled(floor.bound.place)
        )?;
    }
    let approvals = &ruleset.approvals;
    let channels: Vec<_> = approvals
        .channels
        .iter()
        .map(|channel| channel.as_str())
        .collect();
    writeln!(
        out,
        "\nA person is asked through {}; a call waits {} s, the question stands {} s.",
        channels.join(", "),
        approvals.hold / 1000,
        approvals.expires / 1000
    )?;
    for domain in ruleset.domains {
        writeln!(out, "Governed: {}", domain.name)?;
    }
    Ok(())
}

/// The policy as JSON.
pub(super) fn json(ruleset: &Ruleset<'_>) -> Value<'static> {
    let owned = |text: &str| Value::String(Text::from(text.to_owned()));
    let mut policy = Object::new();
    policy.insert("name", owned(ruleset.name));
    policy.insert("version", Value::Number(Number::from(ruleset.version)));
    policy.insert("digest", owned(&format!("sha256:{}", ruleset.digest)));
    policy.insert(
        "mode",
        Value::string(match ruleset.settings.mode {
            Mode::Enforce => "enforce",
            Mode::Observe => "observe",
        }),
    );
    policy.insert(
        "files",
        ruleset
            .files
            .iter()
            .map(|file| owned(file))
            .collect::<Vec<_>>()
            .into(),
    );
    policy.insert(
        "servers",
        ruleset
            .servers
            .iter()
            .map(|server| owned(server.name))
            .collect::<Vec<_>>()
            .into(),
    );
    let rules = ruleset.rules.iter().map(|(_, rule)| {
        let mut object = Object::new();
        object.insert("pattern", owned(rule.pattern));
        object.insert("effect", owned(&effect(&rule)));
        object.insert("conditional", Value::Bool(!rule.when.is_empty()));
        object.insert(
            "source",
            Value::string(match rule.source {
                Source::Own => "own",
                Source::Pack => "pack",
            }),
        );
        object.insert("place", owned(&ruleset.spelled(rule.place)));
        Value::Object(object)
    });
    policy.insert("rules", Value::Array(rules.collect()));
    let deny = ruleset
        .envelope
        .deny
        .iter()
        .map(|bound| owned(bound.pattern));
    policy.insert("envelopeDeny", Value::Array(deny.collect()));
    policy.insert(
        "grantCeiling",
        Value::string(ruleset.envelope.grant_ceiling.as_str()),
    );
    let domains = ruleset.domains.iter().map(|domain| owned(domain.name));
    policy.insert("domains", Value::Array(domains.collect()));
    Value::Object(policy)
}

pub(super) fn effect(rule: &Rule<'_>) -> String {
    match rule.effect {
        Effect::Deny => "deny".to_owned(),
        Effect::Tier(tier) => tier.to_string(),
        Effect::Allow(None) => "allow".to_owned(),
        Effect::Allow(Some(tier)) => format!("allow {tier}"),
    }
}
