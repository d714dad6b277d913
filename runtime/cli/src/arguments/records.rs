//! What was recorded: of calls, and of servers.

use clap::{Args, Subcommand};

use super::Format;

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
    /// Says that the wall clock is right, where the log does not believe a jump of it
    BelieveClock {
        /// Without asking
        #[arg(long)]
        yes: bool,
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
