//! What can be said on the command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

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

    /// The longest message that is passed on, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub(crate) max_message: u64,

    /// The server's command, after `--`
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

/// One verb.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Starts a server of the ruleset, by its pinned command, and proxies it
    Run(Run),
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
pub(crate) struct Run {
    /// A server of the ruleset
    pub(crate) server: String,
    /// The longest message that is passed on, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub(crate) max_message: u64,
}

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
        /// Which one; without it, their names
        name: Option<String>,
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

#[derive(Args, Debug)]
pub(crate) struct Audit {
    #[command(subcommand)]
    pub(crate) verb: AuditVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditVerb {
    /// The last events, oldest first
    List {
        /// How many
        #[arg(short = 'n', long, default_value_t = 50)]
        limit: usize,
        /// How they are printed
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// The last events, and those that follow, until interrupted
    Tail {
        /// How many of those that are there
        #[arg(short = 'n', long, default_value_t = 10)]
        limit: usize,
        /// How they are printed
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Events that all of these hold for
    Query {
        /// A pattern over `server.tool`
        #[arg(long)]
        tool: Option<String>,
        /// allow, deny, pending_approval or deferred_not_eligible
        #[arg(long)]
        outcome: Option<String>,
        /// routine, sensitive or critical
        #[arg(long)]
        tier: Option<String>,
        /// Since a moment (RFC 3339) or for a while back (`2h`, `7d`)
        #[arg(long)]
        since: Option<String>,
        /// The agent
        #[arg(long)]
        agent: Option<String>,
        /// The logical server
        #[arg(long)]
        server: Option<String>,
        /// How they are printed
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Whether the chain is whole
    Verify {
        /// How it is printed
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
}

#[derive(Args, Debug)]
pub(crate) struct Inventory {
    #[command(subcommand)]
    pub(crate) verb: InventoryVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum InventoryVerb {
    /// What was seen of each server, and what has changed since it was accepted
    List {
        /// One server only
        server: Option<String>,
        /// How it is printed
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Accepts what a server says of its tools now
    Accept {
        /// The server
        server: String,
        /// These tools only
        tools: Vec<String>,
        /// Without asking
        #[arg(long, short)]
        yes: bool,
    },
}

#[derive(Args, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  knotrust grant --server notes --tool write_note --expires 30d
  knotrust grant --server stripe --tool create_refund --resource 'ch_*' --condition 'amount<=5000' --tier-cap critical
  knotrust grant list"
)]
pub(crate) struct Grant {
    #[command(subcommand)]
    pub(crate) verb: Option<GrantVerb>,
    #[command(flatten)]
    pub(crate) new: NewGrant,
}

/// A grant to be signed.
#[derive(Args, Debug)]
pub(crate) struct NewGrant {
    /// The logical server
    #[arg(long, value_name = "NAME")]
    pub(crate) server: Option<String>,
    /// The tool, or a pattern as rules have them
    #[arg(long, value_name = "PATTERN")]
    pub(crate) tool: Option<String>,
    /// The agent that may use it [default: any]
    #[arg(long, value_name = "ID")]
    pub(crate) agent: Option<String>,
    /// The resource: `id`, `id*`, or `type:id`
    #[arg(long, value_name = "PATTERN")]
    pub(crate) resource: Option<String>,
    /// A condition on an argument, as in `amount<=5000`; may be given several times
    #[arg(long, value_name = "CONDITION")]
    pub(crate) condition: Vec<String>,
    /// The most that a numeric argument may come to in all uses together, as in `amount=5000`
    #[arg(long, value_name = "ARGUMENT=MOST")]
    pub(crate) limit: Vec<String>,
    /// How often it may be used
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) uses: Option<u64>,
    /// Used up by one call
    #[arg(long)]
    pub(crate) single_use: bool,
    /// The highest tier it covers
    #[arg(long, value_name = "TIER", default_value = "sensitive")]
    pub(crate) tier_cap: String,
    /// For how long
    #[arg(long, value_name = "WHILE", default_value = "30d")]
    pub(crate) expires: String,
    /// Without asking
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Says what would be signed, and signs nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How it is printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Debug, Subcommand)]
pub(crate) enum GrantVerb {
    /// All grants of this home
    List {
        /// How they are printed
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// One grant, in words
    Show {
        /// Its id
        id: String,
        /// How it is printed
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Whether a token covers a request at a moment
    Verify {
        /// The token
        #[arg(long)]
        token: String,
        /// A file with a decision request
        #[arg(long, value_name = "FILE")]
        request: PathBuf,
        /// Epoch seconds [default: now]
        #[arg(long, value_name = "EPOCH")]
        now: Option<u64>,
        /// The tier of the request [default: what the compiled policy makes of it]
        #[arg(long, value_name = "TIER")]
        tier: Option<String>,
        /// How it is printed
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Prints the token of a grant
    Export {
        /// Its id
        id: String,
    },
    /// Keeps a token from elsewhere, signed by a key that is trusted here
    Import {
        /// A file with the token; `-` for standard input
        file: PathBuf,
    },
}

#[derive(Args, Debug)]
pub(crate) struct Revoke {
    /// The id of a grant
    #[arg(required_unless_present_any = ["tool", "all"])]
    pub(crate) id: Option<String>,
    /// Those whose tool pattern is written exactly so
    #[arg(long, value_name = "PATTERN", conflicts_with = "id")]
    pub(crate) tool: Option<String>,
    /// All of them
    #[arg(long, conflicts_with_all = ["id", "tool"])]
    pub(crate) all: bool,
    /// Without asking
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Says what would be revoked, and revokes nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How it is printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Args, Debug)]
pub(crate) struct Approvals {
    #[command(subcommand)]
    pub(crate) verb: ApprovalsVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ApprovalsVerb {
    /// The calls that wait for a person
    List {
        /// How they are printed
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// One call, with all its arguments
    Show {
        /// The ticket's id or code
        ticket: String,
        /// How it is printed
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Lets a call go on
    Approve {
        /// The ticket's id or code
        ticket: String,
        /// Without showing the call and asking
        #[arg(long, short)]
        yes: bool,
    },
    /// Refuses a call
    Deny {
        /// The ticket's id or code
        ticket: String,
    },
    /// Shows the calls that wait, as they come and go, until interrupted
    Watch,
}

#[derive(Args, Debug)]
pub(crate) struct Key {
    #[command(subcommand)]
    pub(crate) verb: KeyVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeyVerb {
    /// The key that signs grants here, and the keys that are trusted
    Show {
        /// How they are printed
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Makes a new key; what the old one signed is void
    Rotate {
        /// Without asking
        #[arg(long, short)]
        yes: bool,
    },
    /// Trusts a public key, a file in JWK form
    Trust {
        /// The file
        file: PathBuf,
    },
    /// Trusts a key no longer, for good
    Distrust {
        /// Its id
        kid: String,
    },
}

#[derive(Args, Debug)]
pub(crate) struct Approver {
    #[command(subcommand)]
    pub(crate) verb: ApproverVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ApproverVerb {
    /// Prints the lines that let a pin approve, to be added to the ruleset
    Enroll,
}

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
