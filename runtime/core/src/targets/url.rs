//! One key for the many spellings of a URL.
//!
//! The key of a web address is `host/path` or `host:port/path`: no scheme, since `http` and `https` lead to one place; no
//! user, query or fragment. Parsing is the WHATWG's, as in browsers; what parsers are known to read differently is read in
//! every way. Servers differ too: many fold slashes, decode `%2F` and cut path parameters off, and for them there is a
//! second key.

use std::net::{Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

/// What a text says as an address.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Address {
    /// A file: the path, decoded, and whether another host is named.
    File { path: String, elsewhere: bool },
    /// An address: as a browser would write it, and the keys to look it up by.
    Web {
        href: String,
        keys: Vec<String>,
        /// The port, if the host is this machine.
        loopback: Option<u16>,
    },
    /// Another scheme: its key, and the path in it.
    Other {
        href: String,
        key: String,
        path: String,
    },
}

/// The schemes of the web: one place, whichever is used.
const WEB: [&str; 4] = ["http", "https", "ws", "wss"];

/// Reads a text as an address by the WHATWG rules.
pub(super) fn read(text: &str) -> Option<Address> {
    let scheme = scheme(text)?;
    let parsed = Url::parse(text);
    if scheme == "file" {
        return Some(file(text, parsed.ok().as_ref()));
    }
    if WEB.contains(&scheme.as_str()) {
        return parsed.ok().as_ref().map(web).or_else(|| unparsable(text));
    }
    if !text.contains('/') {
        return None;
    }
    let url = parsed.ok()?;
    let path = decode(url.path(), true);
    Some(Address::Other {
        key: key_of(url.scheme(), &url),
        href: url.into(),
        path,
    })
}

/// The key of a prefix in a ruleset, or of an address: how [`read`] names the place.
pub(super) fn key(text: &str) -> Option<String> {
    match read(text)? {
        Address::Web { keys, .. } => keys.into_iter().next(),
        Address::Other { key, .. } => Some(key),
        Address::File { .. } => None,
    }
}

/// The scheme in front of an address, in small letters and without the blanks that parsers drop.
pub(super) fn scheme(text: &str) -> Option<String> {
    let colon = text.find(':')?;
    let head = text.get(..colon)?;
    if head.len() > 64 {
        return None;
    }
    let dropped = |c: &char| !matches!(c, '\t' | '\n' | '\r');
    let scheme: String = head.chars().filter(dropped).collect();
    let scheme = scheme.trim_start_matches(|c: char| c <= ' ');
    let is_scheme = scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    is_scheme.then(|| scheme.to_ascii_lowercase())
}

fn web(url: &Url) -> Address {
    let (host, loopback) = host_of(url);
    let port = url.port_or_known_default().unwrap_or(0);
    let plain = normal(url.path());
    let mut keys = Vec::new();
    for host in host {
        // Both well-known ports are one place, as both schemes are.
        let authority = match port {
            80 | 443 => host,
            port => format!("{host}:{port}"),
        };
        keys.push(join(&authority, &plain));
        if plain.contains(['%', '\\', ';']) || plain.contains("//") {
            keys.push(join(&authority, &as_servers_fold(&plain)));
        }
    }
    Address::Web {
        href: url.as_str().to_owned(),
        keys,
        loopback: loopback.then_some(port),
    }
}

/// The host under each of its names, and whether it is this machine.
fn host_of(url: &Url) -> (Vec<String>, bool) {
    match url.host() {
        None => (vec![String::new()], false),
        Some(Host::Domain(domain)) => {
            let domain = domain.trim_end_matches('.');
            if domain == "localhost" || domain.ends_with(".localhost") {
                (
                    vec![
                        domain.to_owned(),
                        "localhost".to_owned(),
                        "127.0.0.1".to_owned(),
                        "[::1]".to_owned(),
                    ],
                    true,
                )
            } else {
                (vec![domain.to_owned()], false)
            }
        }
        Some(Host::Ipv4(ip)) => of_ipv4(ip),
        Some(Host::Ipv6(ip)) => of_ipv6(ip),
    }
}

fn of_ipv4(ip: Ipv4Addr) -> (Vec<String>, bool) {
    let mut names = vec![ip.to_string()];
    if ip == Ipv4Addr::LOCALHOST || ip.is_unspecified() {
        names.extend(["127.0.0.1".to_owned(), "localhost".to_owned()]);
    }
    (names, ip.is_loopback() || ip.is_unspecified())
}

fn of_ipv6(ip: Ipv6Addr) -> (Vec<String>, bool) {
    if let Some(ip) = ip.to_ipv4_mapped() {
        return of_ipv4(ip);
    }
    let mut names = vec![format!("[{ip}]")];
    if ip.is_loopback() || ip.is_unspecified() {
        names.extend(["[::1]".to_owned(), "localhost".to_owned()]);
    }
    (names, ip.is_loopback() || ip.is_unspecified())
}

/// What clients that are less strict than a browser may still make of a web address.
fn unparsable(text: &str) -> Option<Address> {
    let rest = text.split_once(':')?.1.trim_start_matches(['/', '\\']);
    let end = rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end)?;
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let host = host
        .split(':')
        .next()?
        .trim()
        .trim_end_matches('.')
        .to_ascii_lowercase();
    let path = path.split(['?', '#']).next()?;
    Some(Address::Web {
        href: text.to_owned(),
        keys: vec![join(&host, &as_servers_fold(path))],
        loopback: None,
    })
}

fn file(text: &str, url: Option<&Url>) -> Address {
    let bare = || text.split_once(':').map_or("", |(_, rest)| rest);
    let (path, elsewhere) = match url {
        Some(url) => {
            let host = url.host_str().unwrap_or("");
            (url.path().to_owned(), !matches!(host, "" | "localhost"))
        }
        None => (
            bare().split(['?', '#']).next().unwrap_or("").to_owned(),
            true,
        ),
    };
    Address::File {
        path: decode(&path, true),
        elsewhere,
    }
}

fn key_of(scheme: &str, url: &Url) -> String {
    let host = url.host_str().unwrap_or("").to_ascii_lowercase();
    let port = url
        .port()
        .map_or_else(String::new, |port| format!(":{port}"));
    join(
        &format!("{scheme}:/{host}{port}"),
        &as_servers_fold(&normal(url.path())),
    )
}

fn join(authority: &str, path: &str) -> String {
    let path = path.trim_matches('/');
    if path.is_empty() {
        authority.to_owned()
    } else {
        format!("{authority}/{path}")
    }
}

/// A path with the letters decoded that need no escape.
fn normal(path: &str) -> String {
    decode(path, false)
}

/// Decodes percent-escapes: all of them, or only those of letters that need none.
fn decode(text: &str, all: bool) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let value = match (byte, after) {
            (b'%', [high, low, ..]) => hex(*high).zip(hex(*low)).map(|(high, low)| high << 4 | low),
            _ => None,
        };
        let free = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        match value {
            Some(value) if all || free(value) => {
                bytes.push(value);
                rest = after.get(2..).unwrap_or(&[]);
            }
            Some(_) | None => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}

/// A path as lenient servers read it: decoded, slashes folded, dots followed, parameters cut off.
fn as_servers_fold(path: &str) -> String {
    let decoded = decode(path, true).replace('\\', "/");
    let mut names: Vec<&str> = Vec::new();
    for name in decoded.split('/') {
        match name.split(';').next().unwrap_or(name) {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    format!("/{}", names.join("/"))
}

/// Everything that looks like an address inside another, or that a parser with other ideas of hosts might call.
///
/// `https://docs.example@evil.test/` leads to `evil.test`, and to `docs.example` in a client that stops at the wrong sign.
pub(super) fn other_readings(text: &str) -> Vec<String> {
    let mut readings = Vec::new();
    let colons = text.bytes().filter(|byte| *byte == b':').count();
    if colons < 2 && !text.contains(['@', '%']) {
        return readings;
    }
    let decoded = decode(text, true);
    for text in [text, decoded.as_str()] {
        for (at, _) in text.match_indices("http").chain(text.match_indices("HTTP")) {
            let inner = text.get(at..).filter(|_| at > 0);
            let scheme = inner.and_then(scheme);
            if scheme.is_some_and(|scheme| WEB.contains(&scheme.as_str())) {
                readings.extend(inner.map(str::to_owned));
            }
        }
        let Some((_, rest)) = text.split_once(':').filter(|_| text.contains('@')) else {
            continue;
        };
        let rest = rest.trim_start_matches(['/', '\\']);
        for (at, _) in rest.match_indices('@') {
            let (before, after) = (rest.get(..at), rest.get(at + 1..));
            let hosts = [before.and_then(|before| before.rsplit('@').next()), after];
            readings.extend(
                hosts
                    .into_iter()
                    .flatten()
                    .map(|host| format!("http://{host}")),
            );
        }
    }
    readings.sort_unstable();
    readings.dedup();
    readings.truncate(MAX_READINGS);
    readings
}

const MAX_READINGS: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(key(text).as_deref(), Some(expected), "{text}");
    }

    #[test]
    fn spellings_share_a_key() {
        for text in [
            "https://docs.example.com/a",
            "HTTP://DOCS.Example.com:80/a/",
            "https://docs.example.com./a",
            "https://docs%2Eexample.com/a",
            "https://docs\u{3002}example\u{ff0e}com/a",
            "https://\u{217e}ocs.example.com/a",
            "https:docs.example.com/a",
            "https:\\\\docs.example.com\\a",
            "ht\ntps://docs.exa\tmple.com/a",
            "  https://docs.example.com/a  ",
            "https://user:pw@docs.example.com:0443/a?x#y",
            "https://do\u{ad}cs.example.com/%61",
        ] {
            check(text, "docs.example.com/a");
        }
        check("http://0x7f000001:8080/a", "127.0.0.1:8080/a");
        check("http://[::ffff:127.0.0.1]:8080/", "127.0.0.1:8080");
        check("memo://Notes/a/b", "memo:/notes/a/b");
    }

    #[test]
    fn lenient_servers_have_their_own_key() {
        let keys = |text| match read(text) {
            Some(Address::Web { keys, .. }) => keys,
            other => panic!("{other:?}"),
        };
        assert_eq!(keys("https://h/x/..%2Fa"), ["h/x/..%2Fa", "h/a"]);
        assert_eq!(keys("https://h/a/b"), ["h/a/b"]);
        assert_eq!(
            keys("https://h//a;v=1/b"),
            ["h//a;v=1/b".replace("h//", "h/"), "h/a/b".to_owned()]
        );
    }
}
