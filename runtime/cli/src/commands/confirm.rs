//! Asking the person at the terminal.

use std::io::{self, IsTerminal as _};

use knotrust_govern::person;

use crate::output;

/// Asks, and takes nothing but `y` or `yes` for a yes. Without a terminal nobody can be asked, which is a no.
pub(super) fn confirm(question: &str, yes: bool) -> io::Result<bool> {
    if yes {
        return Ok(true);
    }
    if !io::stdin().is_terminal() {
        output::note(
            "nobody can be asked here: standard input is no terminal\n\nhint: `--yes` says yes beforehand",
        );
        return Ok(false);
    }
    output::note(&format!("{question} [y/N]"));
    Ok(matches!(read_line()?.as_str(), "y" | "Y" | "yes"))
}

/// A line that the person types.
pub(super) fn read_line() -> io::Result<String> {
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

/// A line of standard input that the terminal does not show while it is typed.
pub(super) fn read_unseen() -> io::Result<String> {
    person::unseen(read_line)
}
