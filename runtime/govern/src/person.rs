//! Who answers, as far as the operating system knows, and what they type unseen.

use std::io::stdin;

use rustix::process::getuid;
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

/// The user of this process, as it stands in answers and in the log: `uid:1000`.
#[must_use]
pub fn here() -> String {
    format!("uid:{}", getuid().as_raw())
}

/// Reads what a person types while the terminal does not show it. Where there is no terminal, just reads.
pub fn unseen<T>(read: impl FnOnce() -> T) -> T {
    let Ok(usual) = tcgetattr(stdin()) else {
        return read();
    };
    let mut quiet = usual.clone();
    quiet.local_modes.remove(LocalModes::ECHO);
    quiet.local_modes.insert(LocalModes::ECHONL);
    // What was typed ahead was shown; it stays where it is, to be read.
    let _ = tcsetattr(stdin(), OptionalActions::Drain, &quiet);
    let typed = read();
    let _ = tcsetattr(stdin(), OptionalActions::Drain, &usual);
    typed
}
