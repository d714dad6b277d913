//! Pages that a command shows, and waits for: a passkey is made, or signs a grant.
//!
//! A terminal cannot ask a passkey; a page can. The page shows what is signed, and hands the command nothing but what it
//! has verified.

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use knotrust_core::consent::{Assertion, DOMAIN, cose_of};
use knotrust_core::ruleset::Passkey;
use knotrust_govern::home::Home;
use subtle::ConstantTimeEq;

use crate::http::{Form, Response, Status};
use crate::register::{draw, hash};
use crate::server::{self, Host, Listening};
use crate::view;

/// A page that a command waits for.
#[derive(Debug)]
pub struct Errand {
    /// For the person alone.
    pub url: String,
    /// The port on the loopback address.
    pub port: u16,
    listening: Listening,
    done: Receiver<Option<Brought>>,
}

/// What the page is for.
#[derive(Debug)]
pub enum Purpose {
    /// A new passkey, other than the known ones.
    Enroll,
    /// A signature over a challenge, which stands for these facts.
    Sign {
        /// What is signed.
        challenge: [u8; 32],
        /// What that means, a line a fact.
        facts: Vec<String>,
        /// What else is worth a look before it is signed.
        seen: Vec<String>,
    },
}

/// What the page has brought.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Brought {
    /// A passkey that has signed once.
    Passkey(Enrolled),
    /// The signature that was asked for.
    Signature(Assertion),
}

/// A new passkey.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Enrolled {
    /// Its id, base64url.
    pub credential: String,
    /// Its public key in COSE form, base64url.
    pub public_key: String,
}

impl Errand {
    /// Opens the page. Nothing if no port or no randomness can be had, or the home cannot be written.
    #[must_use]
    pub fn open(home: &Home, purpose: Purpose, known: &'static [Passkey<'static>]) -> Option<Self> {
        let (token, secret) = (draw()?, draw()?);
        let challenge = match &purpose {
            Purpose::Sign { challenge, .. } => *challenge,
            // Nobody knows it beforehand, so that what is tried is there.
            Purpose::Enroll => hash(&draw()?),
        };
        let (sender, done) = mpsc::channel();
        let host = Desk {
            token: hash(&token),
            secret,
            known,
            purpose,
            challenge,
            sender: Mutex::new(Some(sender)),
        };
        let listening = server::start(Arc::new(host), home).ok()?;
        let port = listening.port;
        Some(Self {
            url: format!("http://{DOMAIN}:{port}/{token}"),
            port,
            listening,
            done,
        })
    }

    /// Waits for the person; nothing if they will not.
    #[must_use]
    pub fn wait(self) -> Option<Brought> {
        let brought = self.done.recv().ok().flatten();
        self.listening.drain();
        brought
    }
}

/// Serves the one page there is.
#[derive(Debug)]
struct Desk {
    token: [u8; 32],
    secret: String,
    known: &'static [Passkey<'static>],
    purpose: Purpose,
    challenge: [u8; 32],
    /// Taken by whoever answers first.
    sender: Mutex<Option<Sender<Option<Brought>>>>,
}

impl Host for Desk {
    fn refuse(&self, status: Status, _reason: &'static str) -> Response {
        Response::new(status, view::refused(status))
    }

    fn show(&self, token: &str) -> Response {
        if !self.knows(token) {
            return self.refuse(Status::NotFound, "bad_token");
        }
        if self.is_over() {
            return Response::new(Status::Gone, view::done(OVER));
        }
        self.page(Status::Ok, None)
    }

    fn take(&self, token: &str, body: &[u8]) -> Response {
        if !self.knows(token) {
            return self.refuse(Status::NotFound, "bad_token");
        }
        let form = Form::read(body);
        let comes_from_here = |form: &Form| {
            let secret = form.get("csrf").unwrap_or_default();
            self.secret.as_bytes().ct_eq(secret.as_bytes()).into()
        };
        let Some(form) = form.filter(comes_from_here) else {
            return self.page(Status::Forbidden, Some(REFUSED));
        };
        match form.get("action") {
            Some("deny") => self.end(None, "Nothing was done."),
            Some("approve") => match self.brought(&form) {
                Some(brought) => self.end(Some(brought), "The terminal has it."),
                None => self.page(Status::Forbidden, Some(UNPROVEN)),
            },
            _ => self.page(Status::BadRequest, Some(REFUSED)),
        }
    }
}

impl Desk {
    fn brought(&self, form: &Form) -> Option<Brought> {
        match &self.purpose {
            Purpose::Enroll => {
                let enrolled = Enrolled::read(form)?;
                let passkey = Passkey {
                    credential: &enrolled.credential,
                    public_key: &enrolled.public_key,
                };
                let trial = form.assertion("trial")?;
                trial.prove(&[passkey], &self.challenge).ok()?;
                Some(Brought::Passkey(enrolled))
            }
            Purpose::Sign { challenge, .. } => {
                let assertion = form.assertion("grant")?;
                assertion.prove(self.known, challenge).ok()?;
                Some(Brought::Signature(assertion))
            }
        }
    }

    fn end(&self, brought: Option<Brought>, words: &str) -> Response {
        let sender = self
            .sender
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let told = sender.map(|sender| sender.send(brought));
        match told {
            Some(Ok(())) => Response::new(Status::Ok, view::done(words)),
            Some(Err(_)) | None => Response::new(Status::Conflict, view::done(OVER)),
        }
    }

    fn page(&self, status: Status, remark: Option<&str>) -> Response {
        let facts = match &self.purpose {
            Purpose::Enroll => None,
            Purpose::Sign { facts, seen, .. } => Some((facts.as_slice(), seen.as_slice())),
        };
        let page = view::Errand {
            secret: &self.secret,
            remark,
            known: self.known,
            challenge: &self.challenge,
            facts,
        };
        Response::new(status, page.render())
    }

    fn knows(&self, token: &str) -> bool {
        hash(token) == self.token
    }

    fn is_over(&self) -> bool {
        self.sender
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_none()
    }
}

impl Enrolled {
    fn read(form: &Form) -> Option<Self> {
        let bytes = |name| URL_SAFE_NO_PAD.decode(form.get(name)?).ok();
        let credential = bytes("made.credential").filter(|id| (16..=1023).contains(&id.len()))?;
        Some(Self {
            credential: URL_SAFE_NO_PAD.encode(credential),
            public_key: cose_of(&bytes("made.publicKey")?)?,
        })
    }
}

const OVER: &str = "This page has done what it was for.";
const REFUSED: &str = "That did not come from the buttons of this page, so nothing was done.";
const UNPROVEN: &str = "That is no signature of a passkey that counts here, so nothing was done.";
