//! What people say yes to: grants, single calls, keys.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Format;

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
    Approve(Approve),
    /// Refuses a call
    Deny {
        /// The ticket's id or code
        ticket: String,
        /// How the answer is printed
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Shows the calls that wait, as they come and go, until interrupted
    Watch {
        /// How they are printed
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
}

#[derive(Args, Debug)]
pub(crate) struct Approve {
    /// The ticket's id or code
    pub(crate) ticket: String,
    /// The reviewer who answers, where the ruleset asks for a role
    #[arg(long, value_name = "NAME")]
    pub(crate) reviewer: Option<String>,
    /// The reviewer's private key, a file such as `identity.key`, to sign the answer with
    #[arg(long, value_name = "FILE", requires = "reviewer")]
    pub(crate) key: Option<PathBuf>,
    /// Without asking
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Shows the call, and lets nothing go on
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How the answer is printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
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
    /// Signs with a key from elsewhere from now on: a file such as the `identity.key` of another home
    Import {
        /// The file
        file: PathBuf,
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
    /// Prints the lines that let a passkey or a pin approve, to be added to the ruleset
    Enroll {
        /// A pin, typed here, instead of a passkey, made on a page
        #[arg(long)]
        pin: bool,
    },
}
