//! Answers, with what every one of them tells the browser.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::view::{STYLE, Sheet};

/// An answer.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: Status,
    page: Sheet,
}

/// How it went.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Status {
    Ok,
    BadRequest,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    Conflict,
    Gone,
    LengthRequired,
    TooLarge,
    HeadTooLarge,
    Failed,
}

impl Response {
    pub(crate) const fn new(status: Status, page: Sheet) -> Self {
        Self { status, page }
    }

    /// The answer as it goes out; without its body for whoever asked for the head alone.
    pub(crate) fn into_bytes(self, head_only: bool) -> Vec<u8> {
        let allow = match self.status {
            Status::MethodNotAllowed => "Allow: GET, HEAD, POST\r\n",
            Status::Ok
            | Status::BadRequest
            | Status::Forbidden
            | Status::NotFound
            | Status::Conflict
            | Status::Gone
            | Status::LengthRequired
            | Status::TooLarge
            | Status::HeadTooLarge
            | Status::Failed => "",
        };
        let policy = policy(&self.page);
        let body = self.page.markup.into_string();
        let mut text = format!(
            "HTTP/1.1 {}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\
             Content-Security-Policy: {policy}\r\n{HEADERS}{allow}Connection: close\r\n\r\n",
            self.status.line(),
            body.len(),
        );
        if !head_only {
            text.push_str(&body);
        }
        text.into_bytes()
    }
}

impl Status {
    const fn line(self) -> &'static str {
        match self {
            Self::Ok => "200 OK",
            Self::BadRequest => "400 Bad Request",
            Self::Forbidden => "403 Forbidden",
            Self::NotFound => "404 Not Found",
            Self::MethodNotAllowed => "405 Method Not Allowed",
            Self::Conflict => "409 Conflict",
            Self::Gone => "410 Gone",
            Self::LengthRequired => "411 Length Required",
            Self::TooLarge => "413 Content Too Large",
            Self::HeadTooLarge => "431 Request Header Fields Too Large",
            Self::Failed => "500 Internal Server Error",
        }
    }
}

/// Nothing from elsewhere, no frame; styles and the one script there may be are named by their hashes.
fn policy(page: &Sheet) -> String {
    let own = page.style.as_deref();
    let styles: Vec<_> = [STYLE].into_iter().chain(own).map(hash).collect();
    let script = page.script.map(|script| {
        format!(
            "script-src {}; require-trusted-types-for 'script'; ",
            hash(script)
        )
    });
    format!(
        "default-src 'none'; style-src {}; {}form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
        styles.join(" "),
        script.unwrap_or_default()
    )
}

fn hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)))
}

/// Nothing is kept, nothing is told to others, and no other page has a hand in here.
const HEADERS: &str = "X-Frame-Options: DENY\r\n\
     Cache-Control: no-store\r\n\
     Referrer-Policy: no-referrer\r\n\
     X-Content-Type-Options: nosniff\r\n\
     Cross-Origin-Opener-Policy: same-origin\r\n\
     Cross-Origin-Resource-Policy: same-origin\r\n\
     X-Robots-Tag: noindex\r\n";
