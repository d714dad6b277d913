//! Answers, with what every one of them tells the browser.

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::Markup;
use sha2::{Digest, Sha256};

use crate::view::STYLE;

/// An answer.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: Status,
    body: String,
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
    pub(crate) fn new(status: Status, page: Markup) -> Self {
        Self {
            status,
            body: page.into_string(),
        }
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
        let mut text = format!(
            "HTTP/1.1 {}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n{}{allow}Connection: close\r\n\r\n",
            self.status.line(),
            self.body.len(),
            *HEADERS
        );
        if !head_only {
            text.push_str(&self.body);
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

/// No script, no frame, nothing from elsewhere, nothing kept. The one style sheet is named by its hash.
static HEADERS: LazyLock<String> = LazyLock::new(|| {
    let style = STANDARD.encode(Sha256::digest(STYLE));
    format!(
        "Content-Security-Policy: default-src 'none'; style-src 'sha256-{style}'; form-action 'self'; \
         frame-ancestors 'none'; base-uri 'none'\r\n\
         X-Frame-Options: DENY\r\n\
         Cache-Control: no-store\r\n\
         Referrer-Policy: no-referrer\r\n\
         X-Content-Type-Options: nosniff\r\n\
         Cross-Origin-Opener-Policy: same-origin\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\n\
         X-Robots-Tag: noindex\r\n"
    )
});
