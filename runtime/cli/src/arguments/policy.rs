//! Policies: checked, shown, asked, tried.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::Format;

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  knotrust validate
  knotrust validate teams/*.yaml --format sarif > findings.sarif")]
pub(crate) struct Validate {
    /// Files to check [default: knotrust.yaml]
    pub(crate) files: Vec<PathBuf>,
    /// How findings are printed
    #[arg(long, value_enum, default_value_t = Findings::Text)]
    pub(crate) format: Findings,
    /// Says which patterns match none of the tools that servers have listed to this home
    #[arg(long)]
    pub(crate) inventory: bool,
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum Findings {
    /// For people
    Text,
    /// One object for programs
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}

#[derive(Args, Debug)]
pub(crate) struct Policy {
    #[command(subcommand)]
    pub(crate) verb: PolicyVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyVerb {
    /// The compiled policy, in words
    Show {
        #[command(flatten)]
        of: Of,
        /// How it is printed
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// The precedence table: what outranks what
    Table {
        #[command(flatten)]
        of: Of,
        /// How it is printed
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// The digest of what the policy means
    Digest {
        #[command(flatten)]
        of: Of,
    },
    /// A JSON Schema of knotrust's files and messages
    Schema {
        /// Which one, as `ruleset` or `event.v1`; without it, their names
        #[arg(value_name = "KIND")]
        name: Option<String>,
        /// The same
        #[arg(long, value_name = "KIND", conflicts_with = "name")]
        kind: Option<String>,
    },
    /// Which calls change their outcome between two rulesets
    Diff {
        /// The one before
        before: PathBuf,
        /// The one after
        after: PathBuf,
        /// How it is printed
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
}

/// Which policy is meant.
#[derive(Args, Debug)]
pub(crate) struct Of {
    /// Another ruleset than the one compiled in, as a what-if; it never enforces
    #[arg(long, value_name = "FILE")]
    pub(crate) ruleset: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  knotrust explain --server filesystem --tool read_text_file --arguments '{\"path\":\"/etc/passwd\"}'
  knotrust explain --ruleset next.yaml --server stripe --tool create_refund --arguments '{\"amount\":1}' --format json
  knotrust explain --batch < calls.jsonl")]
pub(crate) struct Explain {
    /// The logical server
    #[arg(long, required_unless_present = "batch")]
    pub(crate) server: Option<String>,
    /// The tool's own name
    #[arg(long, required_unless_present = "batch")]
    pub(crate) tool: Option<String>,
    /// The arguments, a JSON object
    #[arg(long, value_name = "JSON")]
    pub(crate) arguments: Option<String>,
    /// What the server says of the tool, a JSON object
    #[arg(long, value_name = "JSON")]
    pub(crate) annotations: Option<String>,
    /// The agent that calls
    #[arg(long, value_name = "ID")]
    pub(crate) agent: Option<String>,
    #[command(flatten)]
    pub(crate) of: Of,
    /// Reads JSON lines {server, tool, arguments, annotations?, agent?, context?} and writes one decision a line
    #[arg(long, conflicts_with_all = ["server", "tool", "arguments", "annotations", "agent"])]
    pub(crate) batch: bool,
    /// How it is printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Args, Debug)]
pub(crate) struct Test {
    /// The ruleset whose tests are run [default: knotrust.yaml]
    #[arg(long, value_name = "FILE")]
    pub(crate) ruleset: Option<PathBuf>,
    /// How it is printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}
