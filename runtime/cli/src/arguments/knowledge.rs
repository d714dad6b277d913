//! Governed knowledge: plans and manifests.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::Format;

#[derive(Args, Debug)]
#[command(after_help = "Example:
  knotrust plan --manifest knowledge.yaml --task 'how do refunds work' --options '{\"env\":\"prod\"}' --format text")]
pub(crate) struct Plan {
    /// The manifest
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: PathBuf,
    /// What is to be done, in words
    #[arg(long, value_name = "TEXT")]
    pub(crate) task: String,
    /// Options of the planner, a JSON object
    #[arg(long, value_name = "JSON", default_value = "{}")]
    pub(crate) options: String,
    /// What is printed
    #[arg(long, value_enum, default_value_t = PlanFormat::Plan)]
    pub(crate) format: PlanFormat,
}

/// What is printed of a plan.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum PlanFormat {
    /// The part that every implementation agrees on
    Outcome,
    /// The whole plan
    Plan,
    /// Every gate's verdict on every unit
    Trace,
    /// For people
    Text,
}

#[derive(Args, Debug)]
pub(crate) struct Replay {
    /// A saved plan
    pub(crate) plan: PathBuf,
}

#[derive(Args, Debug)]
pub(crate) struct Manifest {
    #[command(subcommand)]
    pub(crate) verb: ManifestVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ManifestVerb {
    /// Looks a manifest through
    Validate {
        /// The manifest
        file: PathBuf,
        /// How it is printed
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Prints a first manifest for these files
    Init {
        /// The name of the project
        #[arg(long)]
        project: String,
        /// Paths of its units
        paths: Vec<String>,
    },
}
