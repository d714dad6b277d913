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
#[command(after_help = "Example:
  knotrust load --manifest knowledge.yaml --task 'how do refunds work' --known '{\"refunds\":\"2cf24d…\"}'")]
pub(crate) struct Load {
    /// The manifest
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: PathBuf,
    /// What is to be done, in words
    #[arg(long, value_name = "TEXT")]
    pub(crate) task: String,
    /// Options of the planner, a JSON object
    #[arg(long, value_name = "JSON", default_value = "{}")]
    pub(crate) options: String,
    /// Units at hand already, as `[{id, sha256}]` or `{id: sha256}`: unchanged content is left out
    #[arg(long, value_name = "JSON", default_value = "[]")]
    pub(crate) known: String,
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
    /// Signs a manifest, and writes the signature beside it
    Sign {
        /// The manifest
        file: PathBuf,
        /// A private Ed25519 key: PEM as `openssl genpkey -algorithm ed25519` writes it, or 32 bytes in hex or base64
        #[arg(long, value_name = "FILE")]
        key: PathBuf,
        /// Where the signature is written [default: the manifest's name and `.sig`]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Says what a manifest's signature proves
    Verify {
        /// The manifest
        file: PathBuf,
        /// A public Ed25519 key that is trusted [default: those of the policy]
        #[arg(long, value_name = "FILE")]
        key: Vec<PathBuf>,
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
