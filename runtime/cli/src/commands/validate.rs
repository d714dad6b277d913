//! `knotrust validate`: the checks of the build, without a build.

use std::collections::BTreeMap;
use std::path::PathBuf;

use knotrust_govern::failure::StoreError;
use knotrust_govern::home::Home;
use knotrust_govern::inventory::Inventory;
use knotrust_language::{check_files_against, render};

use super::Done;
use super::proxy::home;
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
    let listed = if validate.inventory {
        listed(&home()?)?
    } else {
        BTreeMap::new()
    };
    let problems = check_files_against(files, &listed);
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

/// The tools of the servers that this home knows.
fn listed(home: &Home) -> Result<BTreeMap<String, Vec<String>>, StoreError> {
    let tools = |server: String| {
        let listed = Inventory::open(home, &server)?.list()?;
        let there = listed.into_iter().filter(|tool| !tool.gone);
        Ok((server, there.filter_map(|tool| tool.name).collect()))
    };
    Inventory::servers(home)?.into_iter().map(tools).collect()
}
