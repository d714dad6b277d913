//! The only place that prints.
//!
//! Data goes to standard output, everything said to a person to standard error. No meaning lies in colour alone, and
//! there is none in a pipe, or where `NO_COLOR` is set.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use knotrust_language::render::Colour;

/// Data, as it is.
///
/// A reader that has gone away is no fault of ours, and ends the writing quietly.
pub(crate) fn data(text: &str) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// A line of data.
pub(crate) fn line(text: &str) -> io::Result<()> {
    data(&format!("{text}\n"))
}

/// Something said to a person. If nobody hears it, there is nobody to tell.
pub(crate) fn note(text: &str) {
    if text.is_empty() {
        return;
    }
    let mut out = anstream::stderr().lock();
    let end = if text.ends_with('\n') { "" } else { "\n" };
    drop(write!(out, "{text}{end}"));
}

/// A failure, its causes below it, and what to do.
pub(crate) fn failure(error: &dyn std::error::Error, hint: Option<&str>) {
    let style = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    let mut text = format!("{style}error{style:#}: {error}\n");
    let mut cause = error.source();
    while let Some(source) = cause {
        text.push_str(&format!("  because {source}\n"));
        cause = source.source();
    }
    if let Some(hint) = hint {
        text.push_str(&format!("\nhint: {hint}\n"));
    }
    note(&text);
}

/// Whether diagnostics on standard error may be coloured.
pub(crate) fn colour() -> Colour {
    let choice = anstream::AutoStream::choice(&io::stderr());
    if choice == anstream::ColorChoice::Never {
        Colour::Never
    } else {
        Colour::Always
    }
}

/// Text that others have chosen, with every character that a terminal would act on, or an eye would miss, as its code
/// point.
pub(crate) fn inert(text: &str) -> String {
    knotrust_core::display::inert(text)
}
