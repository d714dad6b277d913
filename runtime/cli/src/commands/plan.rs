//! `knotrust plan`, `trace`, `load` and `replay`: the planner from a shell.

use std::error::Error;
use std::fs;
use std::path::Path;

use knotrust_core::json;
use knotrust_govern::clock;
use knotrust_govern::loading::content;
use knotrust_knowledge::artifact::{Kind, artifact, plan_text, pretty, trace_text};
use knotrust_knowledge::date::IsoDate;
use knotrust_knowledge::loading::{Known, Loaded, wanted};
use knotrust_knowledge::manifest::Manifest;
use knotrust_knowledge::options::Options;
use knotrust_knowledge::{planner, replay as replaying, trace as tracing};

use super::Done;
use crate::arguments::knowledge::{Load, Plan, PlanFormat, Replay};
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

/// Plans, and prints the content of what the plan lets be loaded. What is sound in a manifest is loaded, whatever else is in it.
pub(super) fn load(asked: &Load) -> Done {
    let text = fs::read_to_string(&asked.manifest)?;
    let source = asked.manifest.to_string_lossy();
    let manifest = Manifest::survey(&text)?.from_source(&source);
    let options = json::parse(asked.options.as_bytes())?;
    let options = Options::from_json(&options, &IsoDate::day_of(clock::now().wall))?;
    let known = Known::read(&json::parse(asked.known.as_bytes())?);
    let plan = planner::plan(&manifest, &asked.task, &options);
    let folder = match asked.manifest.parent() {
        Some(folder) if folder != Path::new("") => folder,
        Some(_) | None => Path::new("."),
    };
    let may = |real: &str| {
        let mut units = manifest.units_at(real).peekable();
        let eligible = |id: &str| plan.selected(id).is_some_and(|unit| unit.load_eligible);
        units.peek().is_none() || units.any(|unit| eligible(&unit.id))
    };
    let mut loaded = Loaded::default();
    for unit in wanted(&plan, &manifest) {
        match unit {
            Ok(unit) => {
                let bytes = content(folder, &unit.path, may);
                loaded.take(&unit, bytes.as_deref().map_err(|why| *why), &known);
            }
            Err(unavailable) => loaded.refuse(unavailable),
        }
    }
    let mut told = json::Object::new();
    told.insert("plan", artifact(Kind::Plan, &plan.to_json(), None));
    if let json::Value::Object(members) = loaded.to_json(&source) {
        for (name, value) in members.iter() {
            told.insert(name.clone(), value.clone());
        }
    }
    output::line(pretty(&json::Value::Object(told)).trim_end())?;
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
