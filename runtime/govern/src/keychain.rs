//! The keychain of the desktop, for the key that signs grants: the Secret Service of freedesktop.org, on the session's
//! bus, as GNOME Keyring, KWallet and KeePassXC offer it.
//!
//! What is asked of it is little: to keep 32 bytes, to give them back, to forget them. Libraries for it bring an
//! asynchronous runtime and seventy packages (2.3 MiB of binary) or a bus library in C, so the few messages are written
//! here. Nothing is ever waited for that a person would have to do: a service that does not run, or is locked, is as good
//! as none. The secret crosses the bus as it is; whoever may listen there may ask as well.

mod bus;
mod wire;

use std::ffi::OsStr;
use std::io::{Error, ErrorKind, Result};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use bus::{Bus, odd};
use wire::{Call, Reader, Writer};

/// Where the keychain may be.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Keychain {
    socket: PathBuf,
}

impl Keychain {
    /// The keychain that the session's bus leads to, by `DBUS_SESSION_BUS_ADDRESS`; nothing where that names no socket in
    /// the file system, as where there is no desktop.
    #[must_use]
    pub fn on(address: Option<&OsStr>) -> Option<Self> {
        let addresses = address?.to_str()?.split(';');
        let paths = addresses.filter_map(|one| {
            let values = one.strip_prefix("unix:")?;
            values.split(',').find_map(|one| one.strip_prefix("path="))
        });
        // An escaped path is one that nobody's desktop has.
        let mut plain = paths.filter(|path| path.starts_with('/') && !path.contains('%'));
        Some(Self {
            socket: PathBuf::from(plain.next()?),
        })
    }

    /// Keeps a secret under a name, and makes sure that it is there.
    pub(crate) fn keep(&self, name: &str, secret: &[u8]) -> Result<()> {
        let mut service = self.open()?;
        service.create(name, secret)?;
        match service.secret(name)? {
            Some(kept) if kept == secret => Ok(()),
            Some(_) | None => Err(odd("the keychain keeps nothing")),
        }
    }

    /// The secret of that name.
    pub(crate) fn find(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.open()?.secret(name)
    }

    /// Forgets the secret of that name.
    pub(crate) fn forget(&self, name: &str) -> Result<()> {
        let mut service = self.open()?;
        match service.item(name)? {
            Some(item) => service
                .ask(&item, "Item", "Delete", "", Writer::default())
                .map(drop),
            None => Ok(()),
        }
    }

    fn open(&self) -> Result<Service> {
        let mut bus = Bus::enter(UnixStream::connect(&self.socket)?)?;
        let mut plain = Writer::default();
        plain.text("plain");
        plain.signature("s");
        plain.text("");
        let answer = bus.call(call(SERVICE, "Service", "OpenSession", "sv", plain))?;
        let session = session(&answer).ok_or_else(|| odd("the keychain opens no session"))?;
        Ok(Service { bus, session })
    }
}

/// The keychain, open.
struct Service {
    bus: Bus,
    session: String,
}

impl Service {
    fn create(&mut self, name: &str, secret: &[u8]) -> Result<()> {
        let collection = self.collection()?;
        let mut item = Writer::default();
        item.array(|members| {
            members.pad(8);
            members.text("org.freedesktop.Secret.Item.Label");
            members.signature("s");
            members.text(&format!("knotrust: key {name}"));
            members.pad(8);
            members.text("org.freedesktop.Secret.Item.Attributes");
            members.signature("a{ss}");
            members.texts(&attributes(name));
        });
        item.pad(8);
        item.text(&self.session);
        item.blob(&[]);
        item.blob(secret);
        item.text("application/octet-stream");
        item.number(1);
        let answer = self.ask(
            &collection,
            "Collection",
            "CreateItem",
            "a{sv}(oayays)b",
            item,
        )?;
        match Reader::of(&answer).text() {
            Some(path) if path != NOWHERE => Ok(()),
            Some(_) | None => Err(locked()),
        }
    }

    /// The collection that new items go to, if it can be written without asking anybody.
    fn collection(&mut self) -> Result<String> {
        let mut alias = Writer::default();
        alias.text("default");
        let answer = self.ask(SERVICE, "Service", "ReadAlias", "s", alias)?;
        let path = Reader::of(&answer).text().map(str::to_owned);
        let path = path.filter(|path| path != NOWHERE).ok_or_else(locked)?;
        let mut property = Writer::default();
        property.text("org.freedesktop.Secret.Collection");
        property.text("Locked");
        let answer = self.bus.call(Call {
            interface: "org.freedesktop.DBus.Properties",
            ..call(&path, "", "Get", "ss", property)
        })?;
        let mut reader = Reader::of(&answer);
        match (reader.signature(), reader.number()) {
            (Some("b"), Some(0)) => Ok(path),
            _ => Err(locked()),
        }
    }

    fn secret(&mut self, name: &str) -> Result<Option<Vec<u8>>> {
        let Some(item) = self.item(name)? else {
            return Ok(None);
        };
        let mut session = Writer::default();
        session.text(&self.session);
        let answer = self.ask(&item, "Item", "GetSecret", "o", session)?;
        let mut reader = Reader::of(&answer);
        let secret = reader
            .text()
            .and_then(|_| reader.blob())
            .and_then(|_| reader.blob());
        let secret = secret.ok_or_else(|| odd("the keychain gives no secret"))?;
        Ok(Some(secret.to_vec()))
    }

    /// Where the item of that name is.
    fn item(&mut self, name: &str) -> Result<Option<String>> {
        let mut wanted = Writer::default();
        wanted.texts(&attributes(name));
        let answer = self.ask(SERVICE, "Service", "SearchItems", "a{ss}", wanted)?;
        let mut reader = Reader::of(&answer);
        let (Some(open), Some(closed)) = (reader.paths(), reader.paths()) else {
            return Err(odd("the keychain finds nothing and says so oddly"));
        };
        match (open.first(), closed.first()) {
            (Some(path), _) => Ok(Some((*path).to_owned())),
            (None, Some(_)) => Err(locked()),
            (None, None) => Ok(None),
        }
    }

    fn ask(
        &mut self,
        path: &str,
        interface: &str,
        method: &str,
        signature: &str,
        arguments: Writer,
    ) -> Result<Vec<u8>> {
        self.bus
            .call(call(path, interface, method, signature, arguments))
    }
}

fn call<'c>(
    path: &'c str,
    interface: &str,
    method: &'c str,
    signature: &'c str,
    arguments: Writer,
) -> Call<'c> {
    Call {
        destination: "org.freedesktop.secrets",
        path,
        interface: match interface {
            "Collection" => "org.freedesktop.Secret.Collection",
            "Item" => "org.freedesktop.Secret.Item",
            _ => "org.freedesktop.Secret.Service",
        },
        method,
        signature,
        arguments,
    }
}

/// The path of the session in the answer to the opening of one, which also holds an empty value.
fn session(answer: &[u8]) -> Option<String> {
    let mut reader = Reader::of(answer);
    if reader.signature()? != "s" {
        return None;
    }
    reader.text()?;
    reader.text().map(str::to_owned)
}

const fn attributes(name: &str) -> [(&str, &str); 2] {
    [("application", "knotrust"), ("key", name)]
}

fn locked() -> Error {
    Error::new(ErrorKind::PermissionDenied, "the keychain is locked")
}

const SERVICE: &str = "/org/freedesktop/secrets";
/// Where nothing is.
const NOWHERE: &str = "/";

#[cfg(test)]
pub(crate) mod testing;

#[cfg(test)]
mod tests {
    use super::testing::{Fake, Mood};
    use super::*;

    #[test]
    fn the_bus_is_where_the_session_says() {
        let socket = |address: &str| {
            let keychain = Keychain::on(Some(OsStr::new(address)));
            keychain.map(|keychain| keychain.socket.display().to_string())
        };
        let path = Some("/run/user/1000/bus".to_owned());
        assert_eq!(socket("unix:path=/run/user/1000/bus"), path);
        assert_eq!(
            socket("tcp:host=x;unix:guid=1,path=/run/user/1000/bus"),
            path
        );
        for none in [
            "",
            "autolaunch:",
            "unix:abstract=/x",
            "unix:path=x",
            "unix:path=/a%20b",
        ] {
            assert_eq!(socket(none), None, "{none}");
        }
        assert_eq!(Keychain::on(None), None);
    }

    #[test]
    fn what_was_kept_is_given_back_until_it_is_forgotten() {
        let fake = Fake::serve(Mood::Open);
        let keychain = fake.keychain();
        assert_eq!(keychain.find("k").unwrap(), None);
        keychain.keep("k", &[7; 32]).unwrap();
        assert_eq!(keychain.find("k").unwrap(), Some(vec![7; 32]));
        assert_eq!(keychain.find("other").unwrap(), None);
        keychain.keep("k", b"new").unwrap();
        assert_eq!(keychain.find("k").unwrap().unwrap(), b"new");
        keychain.forget("k").unwrap();
        keychain.forget("k").unwrap();
        assert_eq!(keychain.find("k").unwrap(), None);
    }

    #[test]
    fn one_that_does_not_serve_is_none() {
        for mood in [Mood::Locked, Mood::Absent, Mood::Mad] {
            let fake = Fake::serve(mood);
            assert!(fake.keychain().keep("k", b"s").is_err(), "{mood:?}");
        }
        let nobody = Keychain::on(Some(OsStr::new("unix:path=/nonexistent/bus"))).unwrap();
        assert!(nobody.keep("k", b"s").is_err());
    }
}
