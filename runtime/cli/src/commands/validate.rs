//! `knotrust validate`: the checks of the build, without a build.

use std::path::PathBuf;

use knotrust_language::{check_files, render};

use super::Done;
use crate::arguments::policy::{Findings, Validate};
use crate::{exit, output};

/// Checks each file, and prints all findings at once.
pub(super) fn run(validate: &Validate) -> Done {
    let default = [PathBuf::from("knotrust.yaml")];
    let files = if validate.files.is_empty() {
        &default[..]
    } else {
        &validate.files
    };
    let problems = check_files(files);
    let failed = problems.errors().next().is_some();
    match validate.format {
        Findings::Text => {
            output::note(&render::text(&problems, output::colour()));
            if !failed {
                let names: Vec<_> = files
                    .iter()
                    .map(|path| path.display().to_string())
                    .collect();
                output::line(&format!("{}: valid", names.join(", ")))?;
            }
        }
        Findings::Json => output::line(&render::json(&problems))?,
        Findings::Sarif => output::line(&render::sarif(&problems))?,
    }
    Ok(if failed { exit::FAILED } else { exit::OK })
}
