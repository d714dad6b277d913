//! `knotrust policy`: the policy that is compiled in, or another one as a what-if.

mod diff;
mod show;

use std::path::Path;

use knotrust_core::json::{self, Object, Value};
use knotrust_core::number::Number;
use knotrust_core::precedence::Row;
use knotrust_core::ruleset::Ruleset;
use knotrust_language::checked::Checked;
use knotrust_language::schema::Published;
use knotrust_language::{check_file, render, schema};

use super::Done;
use crate::arguments::Format;
use crate::arguments::policy::{Of, PolicyVerb};
use crate::{exit, output};

/// Shows, or compares.
pub(super) fn run(compiled: &Ruleset<'_>, verb: PolicyVerb) -> Done {
    match verb {
        PolicyVerb::Show { of, format } => with_ruleset(compiled, &of, |ruleset| {
            print(&show::text(ruleset), &show::json(ruleset), format)
        }),
        PolicyVerb::Table { of, format } => with_ruleset(compiled, &of, |ruleset| {
            print(&table(ruleset), &table_json(ruleset), format)
        }),
        PolicyVerb::Digest { of } => with_ruleset(compiled, &of, |ruleset| {
            output::line(&format!("sha256:{}", ruleset.digest))?;
            Ok(exit::OK)
        }),
        PolicyVerb::Schema { name, kind } => schema(name.or(kind).as_deref()),
        PolicyVerb::Diff {
            before,
            after,
            format,
        } => {
            let (Some(before), Some(after)) = (checked(&before), checked(&after)) else {
                return Ok(exit::FAILED);
            };
            before.lend(|before| after.lend(|after| diff::run(before, after, format)))
        }
    }
}

/// Hands over the policy that is meant: the compiled one, or that of a file, once it has been checked.
pub(super) fn with_ruleset(
    compiled: &Ruleset<'_>,
    of: &Of,
    then: impl FnOnce(&Ruleset<'_>) -> Done,
) -> Done {
    let Some(path) = &of.ruleset else {
        return then(compiled);
    };
    match checked(path) {
        Some(checked) => checked.lend(then),
        None => Ok(exit::FAILED),
    }
}

/// The policy of a file. What is wrong with it is told to the person; without errors, warnings are left to `validate`.
pub(super) fn checked(path: &Path) -> Option<Checked> {
    let (checked, problems) = check_file(path);
    if checked.is_none() {
        output::note(&render::text(&problems, output::colour()));
    }
    checked
}

fn print(text: &str, json: &Value<'_>, format: Format) -> Done {
    match format {
        Format::Text => output::data(text)?,
        Format::Json => output::line(&json::write(json))?,
    }
    Ok(exit::OK)
}

/// The rows of the precedence table, strongest first.
fn table(ruleset: &Ruleset<'_>) -> String {
    let mut text = format!(
        "{:<4}{:<15}{:<20}{:<30}{:<18}{}\n",
        "", "LAYER", "FINDING", "TIERS", "OUTCOME", "REASON"
    );
    for row in ruleset.precedence {
        let finding = format!("{:?}", row.finding);
        text.push_str(&format!(
            "{:<4}{:<15}{:<20}{:<30}{:<18}{}\n",
            row.layer().number(),
            row.layer().as_str(),
            finding,
            tier_names(row),
            row.outcome.as_str(),
            row.reason.code(),
        ));
    }
    text
}

fn table_json(ruleset: &Ruleset<'_>) -> Value<'static> {
    let rows = ruleset.precedence.iter().map(|row| {
        let mut object = Object::new();
        object.insert(
            "layer",
            Value::Number(Number::from(u64::from(row.layer().number()))),
        );
        object.insert("layerName", Value::string(row.layer().as_str()));
        object.insert(
            "finding",
            Value::String(format!("{:?}", row.finding).into()),
        );
        let tiers = row.tiers.iter().map(|tier| Value::string(tier.as_str()));
        object.insert("tiers", Value::Array(tiers.collect()));
        object.insert("outcome", Value::string(row.outcome.as_str()));
        object.insert("reasonCode", Value::string(row.reason.code()));
        Value::Object(object)
    });
    Value::Array(rows.collect())
}

fn tier_names(row: &Row) -> String {
    row.tiers
        .iter()
        .map(|tier| tier.as_str())
        .collect::<Vec<_>>()
        .join(" ")
}

fn schema(name: Option<&str>) -> Done {
    let names = || schema::PUBLISHED.iter().map(|known| known.name);
    let Some(name) = name else {
        for name in names() {
            output::line(name)?;
        }
        return Ok(exit::OK);
    };
    let Some(known) = Published::find(name) else {
        let names: Vec<_> = names().collect();
        output::note(&format!(
            "there is no schema `{name}`; there are {}",
            names.join(", ")
        ));
        return Ok(exit::USAGE);
    };
    output::data(known.text)?;
    Ok(exit::OK)
}
