//! `knotrust test`: a ruleset's own tests.

use std::io;
use std::path::Path;

use knotrust_core::json::{self, Object, Text, Value};
use knotrust_language::trial::{self, Trial};
use knotrust_language::{check_untried, render};

use super::Done;
use crate::arguments::Format;
use crate::arguments::policy::Test;
use crate::{exit, output};

/// Runs the tests of a ruleset, each through the real decision.
pub(super) fn run(test: &Test) -> Done {
    let path = test
        .ruleset
        .as_deref()
        .unwrap_or(Path::new("knotrust.yaml"));
    let (checked, problems) = check_untried(path);
    let Some(checked) = checked else {
        output::note(&render::text(&problems, output::colour()));
        return Ok(exit::FAILED);
    };
    let trials = trial::run(&checked);
    let failed = trials
        .iter()
        .filter(|trial| !trial.differences().is_empty())
        .count();
    match test.format {
        Format::Text => {
            for trial in &trials {
                print(trial)?;
            }
            output::line(&format!(
                "{} passed, {failed} failed",
                trials.len() - failed
            ))?;
        }
        Format::Json => {
            let trials = trials.iter().map(as_json).collect();
            output::line(&json::write(&Value::Array(trials)))?;
        }
    }
    Ok(if failed == 0 { exit::OK } else { exit::FAILED })
}

fn print(trial: &Trial<'_>) -> io::Result<()> {
    let differences = trial.differences();
    let verdict = if differences.is_empty() {
        "ok    "
    } else {
        "FAILED"
    };
    output::line(&format!("{verdict} {}", trial.test.name))?;
    for (what, expected, decided) in differences {
        output::line(&format!(
            "       {what}: {expected} was expected, {decided} was decided"
        ))?;
    }
    Ok(())
}

fn as_json(trial: &Trial<'_>) -> Value<'static> {
    let differences = trial.differences();
    let mut object = Object::new();
    object.insert("name", Value::String(Text::from(trial.test.name.clone())));
    object.insert("passed", Value::Bool(differences.is_empty()));
    for (what, expected, decided) in differences {
        let mut difference = Object::new();
        difference.insert("expected", Value::String(Text::from(expected.to_owned())));
        difference.insert("decided", Value::string(decided));
        object.insert(what, Value::Object(difference));
    }
    Value::Object(object)
}
