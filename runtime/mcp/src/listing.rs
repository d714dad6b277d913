//! What a server says of itself and of its tools, read from the answers in which it says so.

mod heard;

use std::borrow::Cow;

use knotrust_core::json::{self, Text, Value};
use knotrust_core::request::Untrusted;
use knotrust_core::ruleset::Listing;
use knotrust_govern::failure::StoreError;
use knotrust_govern::governor::Governor;
use knotrust_govern::inventory::Page;
use thiserror::Error;

pub use heard::Heard;

use crate::wire::splice::{Edits, at, elements, is_object, member, root};

/// Why an answer could not be taken in.
#[derive(Debug, Error)]
pub enum Unheard {
    /// Two readers could read it in two ways, so that the client would see other tools than we do.
    #[error("the list can be read in two ways")]
    Ambiguous,
    /// What it says could not be written down.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A page of a list of tools, as the client is to see it.
#[derive(Debug)]
pub struct List {
    /// The names of the tools on it.
    pub names: Vec<Text<'static>>,
    /// Whether the list ends with it.
    pub last: bool,
    /// The answer, if it is not to be passed on as it came.
    pub line: Option<Vec<u8>>,
}

/// Marks a tool whose calls a client should put before its user (`markCritical`).
const CRITICAL: &str = "anthropic/requiresUserInteraction";

/// Takes in an answer to `tools/list`. One that is an error lists nothing.
///
/// # Errors
///
/// It is ambiguous, or could not be written down.
pub fn hear_tools(
    governor: &Governor<'_>,
    server: &str,
    answer: &[u8],
    from_start: bool,
) -> Result<Option<List>, Unheard> {
    let read = json::parse(answer).map_err(|_| Unheard::Ambiguous)?;
    let Some(result) = read.get("result") else {
        return Ok(None);
    };
    let tools = result.get("tools").and_then(Value::as_array);
    let tools = tools.unwrap_or_default();
    // An empty cursor is one; only its absence ends the list.
    let last = result.get("nextCursor").is_none_or(Value::is_null);
    let page = Page {
        first: from_start,
        last,
    };
    governor.observe_tools(server, tools, page)?;
    let (names, line) = shape(governor, server, answer, tools);
    Ok(Some(List { names, last, line }))
}

/// What the policy lets a client see of a list: the names, and the answer if it changes.
fn shape(
    governor: &Governor<'_>,
    server: &str,
    answer: &[u8],
    tools: &[Value<'_>],
) -> (Vec<Text<'static>>, Option<Vec<u8>>) {
    let places = at(answer, &["result", "tools"]);
    let mut names = Vec::new();
    let mut kept: Vec<Cow<'_, [u8]>> = Vec::new();
    let mut has_changed = false;
    let places = places.iter().flat_map(|list| elements(answer, list));
    for (tool, place) in tools.iter().zip(places) {
        let written = answer.get(place).unwrap_or_default();
        match offer(governor, server, tool, written) {
            Offer::AsItIs => kept.push(written.into()),
            Offer::Marked(marked) => kept.push(marked.into()),
            Offer::Hidden => {
                has_changed = true;
                continue;
            }
        }
        has_changed |= matches!(kept.last(), Some(Cow::Owned(_)));
        names.extend(name_of(tool).cloned().map(Text::into_owned));
    }
    let list = at(answer, &["result", "tools"]).filter(|_| has_changed);
    let line = list.map(|list| {
        let mut edits = Edits::default();
        edits.replace(list, [b"[", kept.join(&b","[..]).as_slice(), b"]"].concat());
        edits.apply(answer)
    });
    (names, line)
}

/// What a client sees of one tool.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Offer {
    /// What the server says.
    AsItIs,
    /// That, and that a person is wanted.
    Marked(Vec<u8>),
    /// Nothing.
    Hidden,
}

/// What the policy lets a client see of a tool, which its server has written like this.
pub(crate) fn offer(
    governor: &Governor<'_>,
    server: &str,
    tool: &Value<'_>,
    written: &[u8],
) -> Offer {
    let settings = governor.ruleset().settings;
    let hides = settings.listing == Listing::HideDenied;
    if !hides && !settings.mark_critical {
        return Offer::AsItIs;
    }
    let Some(name) = name_of(tool) else {
        // What can't be called by anybody is not offered by a policy that hides.
        return if hides { Offer::Hidden } else { Offer::AsItIs };
    };
    let annotations = Untrusted::read(tool.get("annotations").unwrap_or(&Value::Null));
    let outlook = governor.outlook(server, name, annotations);
    if hides && outlook.hopeless {
        Offer::Hidden
    } else if settings.mark_critical && outlook.needs_person {
        Offer::Marked(marked(written))
    } else {
        Offer::AsItIs
    }
}

fn name_of<'v>(tool: &'v Value<'_>) -> Option<&'v Text<'v>> {
    tool.get("name")?.as_text()
}

fn marked(tool: &[u8]) -> Vec<u8> {
    let mut edits = Edits::default();
    let whole = root(tool);
    match member(tool, &whole, "_meta").filter(|meta| is_object(tool, meta)) {
        Some(meta) => edits.set(tool, &meta, CRITICAL, "true"),
        None => edits.set(tool, &whole, "_meta", &format!("{{\"{CRITICAL}\":true}}")),
    }
    edits.apply(tool)
}

/// Takes in an answer to `initialize` or `server/discover`.
///
/// # Errors
///
/// It is ambiguous, or could not be written down.
pub fn hear_introduction(
    governor: &Governor<'_>,
    server: &str,
    answer: &[u8],
) -> Result<(), Unheard> {
    let answer = json::parse(answer).map_err(|_| Unheard::Ambiguous)?;
    let Some(result) = answer.get("result") else {
        return Ok(());
    };
    let said = result.get("instructions").and_then(Value::as_str);
    governor.observe_instructions(server, said)?;
    Ok(())
}
