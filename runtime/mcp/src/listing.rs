//! What a server says of itself and of its tools, read from the answers in which it says so.

use knotrust_core::json::{self, Value};
use knotrust_govern::failure::StoreError;
use knotrust_govern::governor::Governor;
use knotrust_govern::inventory::Page;
use thiserror::Error;

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
) -> Result<(), Unheard> {
    let answer = json::parse(answer).map_err(|_| Unheard::Ambiguous)?;
    let Some(result) = answer.get("result") else {
        return Ok(());
    };
    let tools = result.get("tools").and_then(Value::as_array);
    // An empty cursor is one; only its absence ends the list.
    let last = result.get("nextCursor").is_none_or(Value::is_null);
    let page = Page {
        first: from_start,
        last,
    };
    governor.observe_tools(server, tools.unwrap_or_default(), page)?;
    Ok(())
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
