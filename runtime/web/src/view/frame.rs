//! What every page has round it, and what its headers must know of it.

use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The style sheet of every page.
pub(crate) const STYLE: &str = include_str!("style.css");

/// A page. Whatever it runs or is styled by stands in it whole, and its headers name the hash of each.
#[derive(Debug)]
pub(crate) struct Sheet {
    pub(crate) markup: Markup,
    /// What styles this page alone.
    pub(crate) style: Option<String>,
    pub(crate) script: Option<&'static str>,
}

/// A page without a script.
pub(super) fn still(title: &str, body: &Markup) -> Sheet {
    whole(title, body, None, None)
}

/// A page. Its title is ours, never somebody's who wants something.
pub(super) fn whole(
    title: &str,
    body: &Markup,
    style: Option<String>,
    script: Option<&'static str>,
) -> Sheet {
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                // Under `no-referrer` alone browsers hide where a form came from, also from ourselves.
                meta name="referrer" content="same-origin";
                title { (title) " · knotrust" }
                style { (PreEscaped(STYLE)) }
                @if let Some(style) = &style { style { (PreEscaped(style)) } }
            }
            body {
                header { span.brand { "knotrust" } span { "on this machine only" } }
                main { (body) }
                @if let Some(script) = script { script { (PreEscaped(script)) } }
            }
        }
    };
    Sheet {
        markup,
        style,
        script,
    }
}
