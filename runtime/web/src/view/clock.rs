//! How much time is left, counted down by the style sheet: the page asks nobody, and needs no script for it.

use knotrust_core::time::Timestamp;
use maud::{Markup, html};

/// The countdown. What it says without style is the moment itself.
pub(super) fn face(until: Timestamp) -> Markup {
    html! {
        p.clock {
            span.left.in-time role="timer" aria-label={ "until " (until.to_string()) } {}
            span.in-time { " left, until " (moment(until)) }
            span.too-late { "The time is over: this call will not run." }
        }
        div.bar.in-time aria-hidden="true" { i {} }
    }
}

/// What sets it going from a moment.
pub(super) fn style(now: Timestamp, until: Timestamp) -> String {
    let left = until.millis().saturating_sub(now.millis()).max(0);
    format!(
        ".left{{--left:{};animation-duration:{left}ms}}.bar i{{animation-duration:{left}ms}}\
         .in-time,.too-late{{animation-delay:{left}ms}}.left.in-time{{animation-delay:0ms,{left}ms;animation-duration:{left}ms,1ms}}",
        left / 1000
    )
}

fn moment(at: Timestamp) -> String {
    let text = at.to_string();
    let time = text.split_once('T').map_or("", |(_, time)| time);
    format!("{} UTC", time.split('.').next().unwrap_or_default())
}
