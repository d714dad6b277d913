//! What can be said on the command line: the tree, and what every branch of it may use.

pub(crate) mod consent;
pub(crate) mod knowledge;
pub(crate) mod policy;
pub(crate) mod records;

use std::ffi::OsString;

use clap::{Args, Parser, Subcommand, ValueEnum};

use consent::{Approvals, Approver, Grant, Key, Revoke};
use knowledge::{Load, Manifest, Plan, Replay};
use policy::{Explain, Policy, Test, Validate};
use records::{Audit, Inventory};

/// A policy enforcement point for MCP tool calls.
///
/// Put it in front of a server, as the command of any MCP client: `knotrust -- npx -y some-mcp-server`. Every call is
/// decided by the policy that was compiled into this program, and recorded.
#[derive(Debug, Parser)]
#[command(
    name = "knotrust",
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    arg_required_else_help = true,
    after_help = "Examples:
  knotrust -- npx -y @modelcontextprotocol/server-filesystem .
  knotrust --server notes -- notes-mcp --stdio
  knotrust run filesystem
  knotrust serve
  knotrust explain --server filesystem --tool write_file --arguments '{\"path\":\"a.txt\"}'
  knotrust demo

Exit codes: 0 done, 1 failed, 2 usage; while proxying, the server's own (128 + signal if it was killed)."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,

    #[command(flatten)]
    pub(crate) proxy: Proxy,
}

/// Proxying a command.
#[derive(Args, Debug)]
pub(crate) struct Proxy {
    /// The name that rules know the server by [default: the listed server with this command, else one made from it]
    #[arg(long, value_name = "NAME")]
    pub(crate) server: Option<String>,

    #[command(flatten)]
    pub(crate) limits: Limits,

    /// The server's command, after `--`
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

/// What a proxy lets through.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The longest message that is passed on, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub(crate) max_message: u64,
}

/// One verb.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Starts a server of the ruleset, by its pinned command, and proxies it
    Run(Run),
    /// Starts the servers of the ruleset, and is one server to the client
    Serve(Serve),
    /// Shows the main job on a small server of its own
    Demo,
    /// A small MCP server to try policies on
    DemoServer,
    /// Checks rulesets, packs and other files of knotrust
    Validate(Validate),
    /// Shows the policy that is compiled in, or compares two
    Policy(Policy),
    /// Says what the policy makes of a call, and why
    Explain(Explain),
    /// Runs a ruleset's own tests
    Test(Test),
    /// Reads the audit log
    Audit(Audit),
    /// What servers say of their tools, and whether it has changed
    Inventory(Inventory),
    /// Signs a grant, after saying what it would admit
    Grant(Grant),
    /// Takes grants back
    Revoke(Revoke),
    /// Calls that wait for a person
    Approvals(Approvals),
    /// The key that signs grants, and the keys that are trusted
    Key(Key),
    /// What proves that a person approves
    Approver(Approver),
    /// Plans which units of a manifest a task needs, through the fourteen gates
    Plan(Plan),
    /// The same, with every gate's verdict on every unit
    Trace(Plan),
    /// Plans, and prints the content that the plan lets be loaded
    Load(Load),
    /// Checks a saved plan against its manifest of today
    Replay(Replay),
    /// Manifests of governed knowledge
    Manifest(Manifest),
    /// Prints a completion script
    Completions {
        /// For which shell
        shell: clap_complete::Shell,
    },
    /// Prints the manual page
    Man,
}

/// How a program reads the answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

#[derive(Args, Debug)]
pub(crate) struct Serve {
    /// Only these servers of the ruleset
    #[arg(value_name = "SERVER")]
    pub(crate) servers: Vec<String>,
    #[command(flatten)]
    pub(crate) limits: Limits,
}

#[derive(Args, Debug)]
pub(crate) struct Run {
    /// A server of the ruleset
    pub(crate) server: String,
    #[command(flatten)]
    pub(crate) limits: Limits,
}
