//! A notice on the desktop when a call waits, where there is a desktop.
//!
//! It says what waits and by which code, and never where the page is: notices are kept, and read by other programs.

use std::env;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;

use knotrust_core::display::inert;
use knotrust_govern::approvals::Ticket;
use knotrust_govern::page::{Address, Page};
use knotrust_web::page::LocalPage;

/// A page whose questions are also announced on the desktop.
#[derive(Debug)]
pub(super) struct Announced {
    page: LocalPage,
    desktop: Option<Desktop>,
}

/// What shows a notice.
#[derive(Clone, Copy, Debug)]
enum Desktop {
    /// `notify-send`, where a display is.
    Freedesktop,
    /// `osascript`.
    Macos,
}

impl Announced {
    /// That page, with notices unless `KNOTRUST_NOTIFY` is `off` or there is no desktop.
    pub(super) fn new(page: LocalPage) -> Self {
        Self {
            page,
            desktop: Desktop::here(),
        }
    }
}

impl Page for Announced {
    fn show(&self, ticket: &Arc<Ticket>) -> Option<Address> {
        if let Some(desktop) = self.desktop {
            desktop.tell(&text(ticket));
        }
        self.page.show(ticket)
    }
}

impl Desktop {
    fn here() -> Option<Self> {
        let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
        if env::var_os("KNOTRUST_NOTIFY").is_some_and(|value| value == "off") {
            None
        } else if cfg!(target_os = "macos") {
            Some(Self::Macos)
        } else if is_set("DISPLAY") || is_set("WAYLAND_DISPLAY") {
            Some(Self::Freedesktop)
        } else {
            None
        }
    }

    /// Shows a notice. Where that fails, the terminal has said it already.
    fn tell(self, text: &str) {
        let mut command = match self {
            Self::Freedesktop => {
                let mut command = Command::new("notify-send");
                command.args([
                    "--app-name=knotrust",
                    "--urgency=critical",
                    "--",
                    TITLE,
                    text,
                ]);
                command
            }
            Self::Macos => {
                let mut command = Command::new("osascript");
                command.args(MACOS).args([text, TITLE]);
                command
            }
        };
        let none = Stdio::null;
        let started = command.stdin(none()).stdout(none()).stderr(none()).spawn();
        if let Ok(mut child) = started {
            // Waited for, so that it does not stay as a dead process.
            let waiting = thread::Builder::new().name("notice".to_owned());
            let _ = waiting.spawn(move || child.wait());
        }
    }
}

/// Desktops read markup in notices, and an agent chooses what a tool is called.
fn text(ticket: &Ticket) -> String {
    let name = inert(&ticket.request.action.name.to_string_lossy());
    let name: String = name.chars().take(LONGEST_NAME).collect();
    let name = name
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    format!(
        "{name} ({}) waits, code {}.\nknotrust approvals show {}",
        ticket.tier, ticket.code, ticket.code
    )
}

const TITLE: &str = "A call waits for you";
const LONGEST_NAME: usize = 80;
const MACOS: [&str; 7] = [
    "-e",
    "on run arguments",
    "-e",
    "display notification (item 1 of arguments) with title (item 2 of arguments)",
    "-e",
    "end run",
    "--",
];
