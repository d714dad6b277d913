//! The command line: one verb a file.
//!
//! [`main`] is all that the binary calls: it is handed the policy that was compiled in, reads the arguments, and gives
//! back the exit code. While a command proxies, standard output belongs to the protocol; everything a person reads goes
//! through `output`.
#![forbid(unsafe_code)]

mod arguments;
mod commands;
mod exit;
mod output;
mod question;

use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _};
use knotrust_core::ruleset::Ruleset;

use arguments::Arguments;

/// Runs the program that holds this policy.
#[must_use]
pub fn main(ruleset: &'static Ruleset<'static>) -> ExitCode {
    let version: &'static str = commands::version::line(ruleset).leak();
    let command = Arguments::command().version(version);
    let matches = match command.try_get_matches() {
        Ok(matches) => matches,
        Err(error) => {
            // Help and version are what was asked for; anything else is a fault of usage.
            let asked = !error.use_stderr();
            return match error.print() {
                Ok(()) if asked => ExitCode::SUCCESS,
                Ok(()) | Err(_) => ExitCode::from(exit::USAGE),
            };
        }
    };
    let code = match Arguments::from_arg_matches(&matches) {
        Ok(arguments) => commands::run(ruleset, arguments),
        Err(error) => {
            output::note(&error.to_string());
            exit::USAGE
        }
    };
    ExitCode::from(code)
}
