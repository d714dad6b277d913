//! `knotrust manifest`: manifests of governed knowledge.

mod signing;

use std::fs;
use std::path::Path;

use knotrust_core::json::{self, Value};
use knotrust_core::ruleset::Ruleset;
use knotrust_govern::clock;
use knotrust_knowledge::date::IsoDate;
use knotrust_knowledge::lint::{Surroundings, lint};
use knotrust_knowledge::starter::starter;

use super::Done;
use crate::arguments::Format;
use crate::arguments::knowledge::ManifestVerb;
use crate::{exit, output};

/// Looks a manifest through, signs or verifies it, or begins one.
pub(super) fn run(ruleset: &Ruleset<'_>, verb: ManifestVerb) -> Done {
    match verb {
        ManifestVerb::Validate { file, format } => validate(&file, format),
        ManifestVerb::Sign { file, key, out } => signing::sign(&file, &key, out),
        ManifestVerb::Verify { file, key, format } => signing::verify(ruleset, &file, &key, format),
        ManifestVerb::Init { project, paths } => {
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            output::data(&starter(&project, &paths))?;
            Ok(exit::OK)
        }
    }
}

fn validate(file: &Path, format: Format) -> Done {
    let text = fs::read_to_string(file)?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let exists = |path: &str| folder.join(path).exists();
    let today = IsoDate::day_of(clock::now().wall);
    let report = lint(
        &text,
        Surroundings {
            today: &today,
            exists: Some(&exists),
        },
    );
    let value = report.to_json(&file.to_string_lossy());
    match format {
        Format::Json => output::line(&json::write(&value))?,
        Format::Text => {
            let findings = value
                .get("findings")
                .and_then(Value::as_array)
                .unwrap_or_default();
            for finding in findings {
                output::line(&output::inert(&json::write(finding)))?;
            }
            output::line(if report.is_ok() { "valid" } else { "invalid" })?;
        }
    }
    Ok(if report.is_ok() {
        exit::OK
    } else {
        exit::FAILED
    })
}
