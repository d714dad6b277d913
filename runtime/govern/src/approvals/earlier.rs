//! The call of each tool that a person approved last, to hold the next one against.
//!
//! It is for the eyes alone: nothing is decided by it. Where the ruleset has no arguments kept, what lies here is a salted
//! hash in the place of each value: enough to say which values differ, and not what they were.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use knotrust_core::canonical::{hex, sha256_hex};
use knotrust_core::json::{self, Object, Text, Value};
use knotrust_core::time::Timestamp;

use super::changed::{Before, Change, changes};
use super::ticket::Ticket;
use crate::failure::{Cause, StoreError};
use crate::files;
use crate::home::Home;

/// The calls that were approved last, in a home.
#[derive(Clone, Debug)]
pub struct Earlier {
    home: Home,
}

/// What is kept of the arguments of a call.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Keep {
    /// All values.
    Values,
    /// A salted hash of each.
    Hashes,
}

/// How a call differs from the one of the same tool that was approved last.
#[derive(Clone, Debug, PartialEq)]
pub struct Since {
    /// When that one was asked for.
    pub asked: Timestamp,
    /// Which values of the arguments differ.
    pub changes: Vec<Change>,
}

impl Earlier {
    /// Those of that home.
    #[must_use]
    pub fn of(home: &Home) -> Self {
        Self { home: home.clone() }
    }

    /// How a call differs from the last one of its tool that was approved; nothing if there is none that can be read.
    #[must_use]
    pub fn since(&self, ticket: &Ticket) -> Option<Since> {
        let bytes = files::read_if_there(&self.path(ticket), LONGEST).ok()??;
        let kept = json::parse(&bytes).ok()?;
        if kept.get("tool")? != &Value::String(ticket.request.action.name.clone()) {
            return None;
        }
        let before = kept.get("arguments")?;
        let now = ticket.request.arguments();
        let changes = match kept.get("salt") {
            None => changes(before, &now),
            Some(salt) => {
                let hashed = hashed(&now, salt.as_str()?);
                let differences = changes(before, &hashed).into_iter();
                differences.map(|change| unhashed(change, &now)).collect()
            }
        };
        Some(Since {
            asked: Timestamp::parse(kept.get("asked")?.as_str()?)?,
            changes,
        })
    }

    /// Keeps a call that was just approved, in place of the one before. What is too long to be compared by eye is not
    /// kept, and neither is then the one before it.
    pub(crate) fn keep(&self, ticket: &Ticket, keep: Keep) -> Result<(), StoreError> {
        self.home.folder(FOLDER)?;
        let path = self.path(ticket);
        // Unlike what is decided by, this need not outlast the power: nobody waits for the disk.
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(StoreError::new("remove", &path, error));
            }
            Ok(()) | Err(_) => {}
        }
        let salt = match keep {
            Keep::Values => None,
            Keep::Hashes => Some(
                salt().ok_or_else(|| StoreError::new("draw a salt for", &path, Cause::Content))?,
            ),
        };
        let text = record(ticket, salt);
        if text.len() as u64 <= LONGEST {
            let _ = files::create_for_now(&path, text.as_bytes())?;
        }
        Ok(())
    }

    fn path(&self, ticket: &Ticket) -> PathBuf {
        let name = sha256_hex(ticket.request.action.name.as_bytes());
        self.home.at(&format!("{FOLDER}/{name}.json"))
    }
}

fn record(ticket: &Ticket, salt: Option<String>) -> String {
    let arguments = ticket.request.arguments();
    let mut object = Object::new();
    object.insert("v", Value::Number(1_u64.into()));
    object.insert("tool", Value::String(ticket.request.action.name.clone()));
    object.insert("asked", Value::String(ticket.asked.to_string().into()));
    match salt {
        None => object.insert("arguments", arguments),
        Some(salt) => {
            object.insert("arguments", hashed(&arguments, &salt));
            object.insert("salt", Value::String(salt.into()));
        }
    }
    format!("{}\n", json::write(&Value::Object(object)))
}

fn salt() -> Option<String> {
    let mut salt = [0; 16];
    getrandom::fill(&mut salt).ok()?;
    Some(hex(&salt))
}

/// The same structure, with a hash for each value.
fn hashed(value: &Value<'_>, salt: &str) -> Value<'static> {
    match value {
        Value::Object(object) => {
            let members = object.iter();
            let members =
                members.map(|(name, value)| (name.clone().into_owned(), hashed(value, salt)));
            Value::Object(members.collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(|item| hashed(item, salt)).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            let hash = sha256_hex(format!("{salt} {}", json::write(value)).as_bytes());
            Value::String(Text::from(hash))
        }
    }
}

/// A difference between hashes as one between a value that nobody kept and the one that stands at its place now.
fn unhashed(change: Change, now: &Value<'_>) -> Change {
    let before = match change.before {
        Before::Absent => Before::Absent,
        Before::Value(_) | Before::Unkept => Before::Unkept,
    };
    let after = change.after.and_then(|_| at(now, &change.place));
    Change {
        before,
        after,
        ..change
    }
}

/// The value that a JSON Pointer of ours names.
fn at(value: &Value<'_>, place: &str) -> Option<Value<'static>> {
    let mut value = value;
    for step in place.split('/').skip(1) {
        let name = step.replace("~1", "/").replace("~0", "~");
        value = match value {
            Value::Object(object) => {
                let mut members = object.iter();
                members
                    .find(|(known, _)| known.to_string_lossy() == name)?
                    .1
            }
            Value::Array(items) => items.get(name.parse::<usize>().ok()?)?,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
        };
    }
    Some(value.clone().into_owned())
}

const FOLDER: &str = "approved";
const LONGEST: u64 = 64 << 10;
