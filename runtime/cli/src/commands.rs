//! One verb a file.

pub(crate) mod version;

mod approvals;
mod approver;
mod audit;
mod completions;
mod confirm;
mod demo;
mod demo_server;
mod explain;
mod grant;
mod inventory;
mod key;
mod manifest;
mod plan;
mod policy;
mod proxy;
mod revoke;
mod test;
mod validate;

use std::error::Error;

use knotrust_core::ruleset::Ruleset;

use crate::arguments::{Arguments, Verb};
use crate::{exit, output};

/// What a verb comes to: an exit code, or something to tell a person.
pub(crate) type Done = Result<u8, Box<dyn Error>>;

/// Does what the arguments say.
pub(crate) fn run(ruleset: &'static Ruleset<'static>, arguments: Arguments) -> u8 {
    let done = match arguments.verb {
        None => proxy::command(ruleset, arguments.proxy),
        Some(Verb::Run(run)) => proxy::listed(ruleset, &run),
        Some(Verb::Serve(serve)) => proxy::serve(ruleset, &serve),
        Some(Verb::Demo) => demo::run(ruleset),
        Some(Verb::DemoServer) => demo_server::run().map_err(Into::into),
        Some(Verb::Validate(validate)) => validate::run(&validate),
        Some(Verb::Policy(policy)) => policy::run(ruleset, policy.verb),
        Some(Verb::Explain(explain)) => explain::run(ruleset, &explain),
        Some(Verb::Test(test)) => test::run(&test),
        Some(Verb::Audit(audit)) => audit::run(ruleset, audit.verb),
        Some(Verb::Inventory(inventory)) => inventory::run(inventory.verb),
        Some(Verb::Grant(grant)) => grant::run(ruleset, grant),
        Some(Verb::Revoke(revoke)) => revoke::run(ruleset, &revoke),
        Some(Verb::Approvals(approvals)) => approvals::run(ruleset, approvals.verb),
        Some(Verb::Key(key)) => key::run(key.verb),
        Some(Verb::Approver(approver)) => approver::run(ruleset, &approver.verb),
        Some(Verb::Plan(plan)) => plan::run(&plan),
        Some(Verb::Trace(plan)) => plan::trace(&plan),
        Some(Verb::Load(load)) => plan::load(&load),
        Some(Verb::Replay(replay)) => plan::replay(&replay),
        Some(Verb::Manifest(manifest)) => manifest::run(ruleset, manifest.verb),
        Some(Verb::Completions { shell }) => completions::script(shell),
        Some(Verb::Man) => completions::manual(),
    };
    done.unwrap_or_else(|error| {
        output::failure(error.as_ref(), None);
        exit::FAILED
    })
}
