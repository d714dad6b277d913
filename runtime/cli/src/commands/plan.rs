//! `knotrust plan`, `trace` and `replay`: the planner from a shell.

use std::error::Error;
use std::fs;
use std::path::Path;

use knotrust_core::json;
use knotrust_govern::clock;
use knotrust_knowledge::artifact::{Kind, artifact, plan_text, pretty, trace_text};
use knotrust_knowledge::date::IsoDate;
use knotrust_knowledge::manifest::Manifest;
use knotrust_knowledge::options::Options;
use knotrust_knowledge::{planner, replay as replaying, trace as tracing};

use super::Done;
use crate::arguments::knowledge::{Plan, PlanFormat, Replay};
use crate::{exit, output};

/// Plans, and prints what is asked for.
pub(super) fn run(asked: &Plan) -> Done {
    let (manifest, options) = read(asked)?;
    let text = match asked.format {
        PlanFormat::Outcome => {
            pretty(&planner::plan(&manifest, &asked.task, &options).outcome_json())
        }
        PlanFormat::Plan => {
            let plan = planner::plan(&manifest, &asked.task, &options);
            pretty(&artifact(Kind::Plan, &plan.to_json(), None))
        }
        PlanFormat::Text => plan_text(&planner::plan(&manifest, &asked.task, &options)),
        PlanFormat::Trace => {
            let trace = tracing::trace(&manifest, &asked.task, &options);
            pretty(&artifact(Kind::Trace, &trace.to_json(), None))
        }
    };
    output::line(text.trim_end())?;
    Ok(exit::OK)
}

/// Plans, and prints every gate's verdict.
pub(super) fn trace(asked: &Plan) -> Done {
    let (manifest, options) = read(asked)?;
    let trace = tracing::trace(&manifest, &asked.task, &options);
    let text = match asked.format {
        PlanFormat::Text => trace_text(&trace),
        PlanFormat::Outcome | PlanFormat::Plan | PlanFormat::Trace => {
            pretty(&artifact(Kind::Trace, &trace.to_json(), None))
        }
    };
    output::line(text.trim_end())?;
    Ok(exit::OK)
}

/// Makes a saved plan again, from the manifest as it is now, and says what has become of it.
pub(super) fn replay(asked: &Replay) -> Done {
    let text = fs::read(&asked.plan)?;
    let saved = json::parse(&text)?;
    let folder = asked.plan.parent().unwrap_or(Path::new(""));
    let recorded = replaying::recorded(&saved);
    let checks: Vec<_> = recorded
        .iter()
        .map(|recorded| {
            let manifest = recorded
                .source()
                .and_then(|source| fs::read_to_string(folder.join(source)).ok());
            recorded.replay(manifest.as_deref())
        })
        .collect();
    let report = replaying::report(&checks);
    output::line(pretty(&report).trim_end())?;
    let is_ok = report.get("ok").and_then(json::Value::as_bool);
    Ok(if is_ok == Some(false) {
        exit::FAILED
    } else {
        exit::OK
    })
}

fn read(asked: &Plan) -> Result<(Manifest, Options), Box<dyn Error>> {
    let text = fs::read_to_string(&asked.manifest)?;
    let source = asked.manifest.to_string_lossy();
    let manifest = Manifest::read(&text)?.from_source(&source);
    let options = json::parse(asked.options.as_bytes())?;
    let options = Options::from_json(&options, &IsoDate::day_of(clock::now().wall))?;
    Ok((manifest, options))
}
