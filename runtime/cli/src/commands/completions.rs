//! `knotrust completions` and `knotrust man`: made from the same tree that reads the arguments.

use clap::CommandFactory as _;

use super::Done;
use crate::arguments::Arguments;
use crate::{exit, output};

/// Prints a completion script.
pub(super) fn script(shell: clap_complete::Shell) -> Done {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "knotrust", &mut script);
    output::data(&String::from_utf8_lossy(&script))?;
    Ok(exit::OK)
}

/// Prints the manual page.
pub(super) fn manual() -> Done {
    let mut page = Vec::new();
    clap_mangen::Man::new(Arguments::command()).render(&mut page)?;
    output::data(&String::from_utf8_lossy(&page))?;
    Ok(exit::OK)
}
