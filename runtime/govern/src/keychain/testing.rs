//! A bus with a keychain on it, for tests. What real ones answer was looked at on GNOME Keyring.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::{Arc, Mutex};
use std::thread;

use super::Keychain;
use super::wire::{Message, PREFIX, Reader, Writer};

/// How the keychain feels.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Mood {
    /// It serves.
    Open,
    /// Its collection is locked.
    Locked,
    /// Nobody has the name on the bus.
    Absent,
    /// It answers what is no message.
    Mad,
}

/// A keychain that lasts as long as this.
pub(crate) struct Fake {
    folder: tempfile::TempDir,
    items: Arc<Mutex<HashMap<String, Vec<u8>>>>,
}

impl Fake {
    pub(crate) fn serve(mood: Mood) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(folder.path().join("bus")).unwrap();
        let items: Arc<Mutex<HashMap<_, _>>> = Arc::default();
        let shared = Arc::clone(&items);
        thread::spawn(move || {
            for stream in listener.incoming() {
                // A client that hangs up ends its own connection.
                let _ = attend(stream.unwrap(), mood, &shared);
            }
        });
        Self { folder, items }
    }

    pub(crate) fn keychain(&self) -> Keychain {
        let address = format!("unix:path={}", self.folder.path().join("bus").display());
        Keychain::on(Some(address.as_ref())).unwrap()
    }

    /// The names of what it keeps.
    pub(crate) fn names(&self) -> Vec<String> {
        let items = self.items.lock().unwrap();
        let mut names: Vec<_> = items.keys().cloned().collect();
        names.sort();
        names
    }
}

fn attend(stream: UnixStream, mood: Mood, items: &Mutex<HashMap<String, Vec<u8>>>) -> Option<()> {
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    stream.read_line(&mut line).ok()?;
    assert!(line.starts_with("\0AUTH EXTERNAL "), "{line}");
    stream.get_mut().write_all(b"OK 0123\r\n").ok()?;
    line.clear();
    stream.read_line(&mut line).ok()?;
    for serial in 1.. {
        let mut bytes = vec![0; PREFIX];
        stream.read_exact(&mut bytes).ok()?;
        let rest = Message::rest(bytes.first_chunk().unwrap()).unwrap();
        bytes.resize(PREFIX + rest, 0);
        stream.read_exact(&mut bytes[PREFIX..]).ok()?;
        if mood == Mood::Mad && serial > 1 {
            return stream.get_mut().write_all(&[b'l'; 64]).ok();
        }
        let body = Message::read(&bytes).unwrap().body;
        let has = |word: &str| {
            bytes
                .windows(word.len())
                .any(|part| part == word.as_bytes())
        };
        let answer = answer(&has, &body, mood, items);
        // Something that nobody asked for comes first, as on a real bus.
        for (kind, answers, body) in [
            (4, 0, &[][..]),
            answer
                .as_ref()
                .map_or((3, serial, &[][..]), |body| (2, serial, body)),
        ] {
            stream
                .get_mut()
                .write_all(&message(kind, answers, body))
                .ok()?;
        }
    }
    None
}

fn answer(
    has: &dyn Fn(&str) -> bool,
    body: &[u8],
    mood: Mood,
    items: &Mutex<HashMap<String, Vec<u8>>>,
) -> Option<Vec<u8>> {
    let mut items = items.lock().unwrap();
    let mut out = Writer::default();
    let path_of = |bytes: &dyn Fn(&str) -> bool, items: &HashMap<String, Vec<u8>>| {
        items
            .keys()
            .find(|name| bytes(&format!("/item/{name}\0")))
            .cloned()
    };
    if has("Hello\0") {
        out.text(":1.7");
    } else if mood == Mood::Absent {
        return None;
    } else if has("OpenSession\0") {
        out.signature("s");
        out.text("");
        out.text("/session/1");
    } else if has("ReadAlias\0") {
        out.text("/collection/login");
    } else if has("Get\0") {
        out.signature("b");
        out.number(u32::from(mood == Mood::Locked));
    } else if has("SearchItems\0") {
        let name = items.keys().find(|name| has(&format!("{name}\0")));
        let mut found = Writer::default();
        if let Some(name) = name {
            found.text(&format!("/item/{name}"));
        }
        out.blob(&found.bytes());
        out.number(0);
    } else if has("CreateItem\0") {
        // Label and attributes come before the secret; the name ends the label.
        let text = String::from_utf8_lossy(body).into_owned();
        let name = text.split("knotrust: key ").nth(1)?.split('\0').next()?;
        let session = body.windows(10).position(|part| part == b"/session/1")?;
        let mut reader = Reader::of(body);
        reader.take(session + 11)?;
        reader.blob()?;
        items.insert(name.to_owned(), reader.blob()?.to_vec());
        out.text(&format!("/item/{name}"));
        out.text("/");
    } else if has("GetSecret\0") {
        let name = path_of(has, &items)?;
        out.text("/session/1");
        out.blob(&[]);
        out.blob(items.get(&name)?);
        out.text("text/plain");
    } else if has("Delete\0") {
        let name = path_of(has, &items)?;
        items.remove(&name);
        out.text("/");
    }
    Some(out.bytes())
}

fn message(kind: u8, answers: u32, body: &[u8]) -> Vec<u8> {
    let mut writer = Writer::default();
    for byte in [b'l', kind, 0, 1] {
        writer.byte(byte);
    }
    writer.number(u32::try_from(body.len()).unwrap());
    writer.number(1);
    writer.array(|fields| {
        fields.byte(5);
        fields.signature("u");
        fields.number(answers);
    });
    writer.pad(8);
    let mut bytes = writer.bytes();
    bytes.extend(body);
    bytes
}
