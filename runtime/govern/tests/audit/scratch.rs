//! A scratch home, and its log as text.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::Duration;

use knotrust_core::audit::event::{Event, Kind};
use knotrust_core::audit::filter::Filter;
use knotrust_core::time::Timestamp;
use knotrust_govern::audit::read::Reader;
use knotrust_govern::audit::{Log, Receipt};
use knotrust_govern::clock::Moment;
use knotrust_govern::failure::StoreError;
use knotrust_govern::home::Home;
use tempfile::TempDir;

pub(crate) struct Scratch {
    pub(crate) home: Home,
    _folder: TempDir,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(None, Some(folder.path().as_os_str())).unwrap();
        Self {
            home,
            _folder: folder,
        }
    }

    pub(crate) fn at(&self, relative: &str) -> PathBuf {
        self.home.at(relative)
    }

    /// The log file of the month that all tests but those of the clock live in.
    pub(crate) fn file(&self) -> PathBuf {
        self.at("audit/202611.jsonl")
    }

    pub(crate) fn log(&self) -> Log {
        Log::of(&self.home)
    }

    /// A log with events 1 to `count`, closed again.
    pub(crate) fn with_events(count: usize) -> Self {
        let scratch = Self::new();
        let mut log = scratch.log();
        for _ in 0..count {
            append(&mut log, "earlier").unwrap();
        }
        scratch
    }

    /// Each event: file, number, type, and what a recovery says; then what verification says.
    pub(crate) fn told(&self) -> String {
        let mut out = String::new();
        for name in knotrust_govern::files::names(&self.at("audit")).unwrap() {
            if !name.ends_with(".jsonl") {
                let length = fs::metadata(self.at("audit").join(&name)).unwrap().len();
                out += &format!("{name}: {length} bytes\n");
            }
        }
        let reader = Reader::of(&self.home);
        for entry in reader.events(Filter::default()).unwrap() {
            let entry = entry.unwrap();
            let record = entry.record().unwrap();
            let members = record.members();
            let text = |name| record.text(name).unwrap_or_default();
            out += &format!("{} {} {}", record.seq(), text("type"), text("reason"));
            if let Some(seq) = members.get("lastGoodSeq") {
                out += &format!(" after {}", knotrust_core::json::write(seq));
            }
            out += "\n";
        }
        out + &self.verified() + "\n"
    }

    pub(crate) fn verified(&self) -> String {
        let found = Reader::of(&self.home).verify().unwrap();
        match found.broken {
            None => format!("intact, {} events", found.events),
            Some(at) => format!(
                "{} line {}: {}, event {}",
                at.file, at.line, at.kind, at.seq
            ),
        }
    }
}

pub(crate) fn append(log: &mut Log, reason: &str) -> Result<Receipt, StoreError> {
    append_at(log, reason, "2026-11-15T10:00:00Z", 1000)
}

pub(crate) fn append_at(
    log: &mut Log,
    reason: &str,
    wall: &str,
    steady: u64,
) -> Result<Receipt, StoreError> {
    let event = Event {
        reason: Some(reason),
        ..Event::of(Kind::Decision)
    };
    let wall = Timestamp::parse(wall).unwrap();
    log.append(
        &event,
        Moment {
            wall,
            steady: Duration::from_millis(steady),
        },
    )
}

/// Writes a file as someone else would, but private, so that its content is what matters.
pub(crate) fn put(path: PathBuf, bytes: impl AsRef<[u8]>) {
    fs::write(&path, bytes).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
}

/// Shows an error as a person would get it, with the scratch home as `HOME`.
pub(crate) fn shown(scratch: &Scratch, error: &StoreError) -> String {
    let text = format!(
        "{error}: {}; {}",
        error.source,
        error.help().unwrap_or_default()
    );
    text.replace(&scratch.home.path().display().to_string(), "HOME")
}
