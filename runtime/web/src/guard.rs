//! What a request must be before anything looks at what it asks for.
//!
//! | attack | what gives it away |
//! |---|---|
//! | a name that is made to point here (DNS rebinding) | `Host` |
//! | a request meant for a proxy | a target that is a whole address |
//! | a form of another site | `Origin`, `Sec-Fetch-Site` |
//! | a page that frames or embeds this one | `Sec-Fetch-Dest` |
//! | a script's request that needs no leave | the type of the content |
//! | a flood | its length |

use crate::http::{Head, Status};

/// A request that goes no further.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Refusal {
    pub(crate) status: Status,
    /// A word for the log.
    pub(crate) reason: &'static str,
}

/// What is wanted, as far as the guard looks.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Wanted {
    /// To see.
    Look,
    /// To see the head of the answer only.
    LookAtHead,
    /// To answer, with a form of that length.
    Answer(usize),
}

/// Looks at the head of a request that came in on that port.
pub(crate) fn admit(head: &Head, port: u16) -> Result<Wanted, Refusal> {
    let host = host(head, port)?;
    if !head.target.starts_with('/') {
        return Err(forbidden("bad_target"));
    }
    match head.method.as_str() {
        "GET" => look(head).map(|()| Wanted::Look),
        "HEAD" => look(head).map(|()| Wanted::LookAtHead),
        "POST" => answer(head, host).map(Wanted::Answer),
        _ => Err(Refusal {
            status: Status::MethodNotAllowed,
            reason: "wrong_method",
        }),
    }
}

/// The one host, which must be this one, spelled like in the address that the person was given.
fn host(head: &Head, port: u16) -> Result<&str, Refusal> {
    let bad = Refusal {
        status: Status::BadRequest,
        reason: "bad_host",
    };
    let host = head.only("host").ok().flatten().ok_or(bad)?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte);
    if host.is_empty() || !host.bytes().all(is_plain) {
        return Err(bad);
    }
    let is_ours = OURS
        .iter()
        .any(|name| host.eq_ignore_ascii_case(&format!("{name}:{port}")));
    if is_ours {
        Ok(host)
    } else {
        Err(forbidden("bad_host"))
    }
}

/// A person may follow a link to the page from anywhere; nothing else of another site may load it.
fn look(head: &Head) -> Result<(), Refusal> {
    let bad = forbidden("bad_site");
    let site = head.only("sec-fetch-site").map_err(|_| bad)?;
    let used_as = head.only("sec-fetch-dest").map_err(|_| bad)?;
    let is_foreign = matches!(site, Some(site) if site != "none" && site != "same-origin");
    let is_followed = used_as == Some("document");
    let is_embedded = matches!(
        used_as,
        Some("embed" | "fencedframe" | "frame" | "iframe" | "object")
    );
    if is_embedded || (is_foreign && !is_followed) {
        Err(bad)
    } else {
        Ok(())
    }
}

fn answer(head: &Head, host: &str) -> Result<usize, Refusal> {
    let only = |name, reason| head.only(name).map_err(|_| forbidden(reason));
    let origin = only("origin", "bad_origin")?.and_then(|origin| origin.strip_prefix("http://"));
    if !origin.is_some_and(|origin| origin.eq_ignore_ascii_case(host)) {
        return Err(forbidden("bad_origin"));
    }
    // Browsers that do not say so yet say their origin.
    if !matches!(
        only("sec-fetch-site", "bad_site")?,
        None | Some("same-origin")
    ) {
        return Err(forbidden("bad_site"));
    }
    let kind = only("content-type", "bad_content_type")?.unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        return Err(forbidden("bad_content_type"));
    }
    length(head)
}

fn length(head: &Head) -> Result<usize, Refusal> {
    let refusal = |status| Refusal {
        status,
        reason: "bad_length",
    };
    if head.only("transfer-encoding") != Ok(None) {
        return Err(refusal(Status::LengthRequired));
    }
    let length = head.only("content-length");
    let length = length.map_err(|_| refusal(Status::BadRequest))?;
    let length = length.ok_or(refusal(Status::LengthRequired))?;
    if !length.bytes().all(|byte| byte.is_ascii_digit()) || length.is_empty() {
        return Err(refusal(Status::BadRequest));
    }
    match length.parse() {
        Ok(length) if length <= LONGEST_FORM => Ok(length),
        // What is no number any more is large.
        Ok(_) | Err(_) => Err(refusal(Status::TooLarge)),
    }
}

const fn forbidden(reason: &'static str) -> Refusal {
    Refusal {
        status: Status::Forbidden,
        reason,
    }
}

const OURS: [&str; 2] = ["127.0.0.1", "localhost"];
const LONGEST_FORM: usize = 8192;
