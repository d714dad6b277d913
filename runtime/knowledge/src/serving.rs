//! Whether a manifest came from where it says it is served (§3.12).

use knotrust_core::json::Value;

use crate::manifest::{Listing, Manifest};
use crate::members::{Members, quoted, text, texts};
use crate::scope::{folded, lies_below, matches_path};

/// What the retrieval URL says.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Status {
    /// The manifest names no place, so any will do.
    NoBinding,
    /// It was read from a file.
    Local,
    /// It came from a place it names.
    Bound,
    /// It came from elsewhere: no trust above `known`.
    Unbound,
}

impl Status {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoBinding => "no-binding",
            Self::Local => "local",
            Self::Bound => "bound",
            Self::Unbound => "unbound",
        }
    }
}

/// The status, and what it was found from.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Binding {
    /// What was found.
    pub status: Status,
    /// Where the manifest came from.
    pub source: Option<String>,
    /// The places it names.
    pub declared: Vec<String>,
}

/// Compares where a manifest came from with its `serving` block, if it has one.
#[must_use]
pub fn binding(manifest: &Manifest) -> Option<Binding> {
    let serving = manifest.serving.as_ref()?;
    let declared = serving.manifest.texts().to_vec();
    let source = manifest.source.clone();
    Some(Binding {
        status: status(&serving.manifest, source.as_deref()),
        source,
        declared,
    })
}

/// Compares a place with the declared ones. A list that is there and empty names no place at all, so none will do.
#[must_use]
pub fn status(declared: &Listing, source: Option<&str>) -> Status {
    let Some(source) = source.and_then(Place::of) else {
        return if declared.is_absent() {
            Status::NoBinding
        } else {
            Status::Local
        };
    };
    if declared.is_absent() {
        return Status::NoBinding;
    }
    let is_bound = declared
        .listed()
        .iter()
        .any(|url| Place::of(url).as_ref() == Some(&source));
    if is_bound {
        Status::Bound
    } else {
        Status::Unbound
    }
}

impl Binding {
    pub(crate) fn warning(&self) -> Option<String> {
        (self.status == Status::Unbound).then(|| format!("serving binding: {}", self.detail()))
    }

    fn detail(&self) -> String {
        let source = self.source.as_deref().unwrap_or("a place without a name");
        match self.status {
            Status::NoBinding => "the manifest names no place it is served from".to_owned(),
            Status::Local => "the manifest was read from a file".to_owned(),
            Status::Bound => format!("the manifest was retrieved from {source}, which it names"),
            Status::Unbound => format!(
                "the manifest was retrieved from {source}, which is not in its serving.manifest {}; trust it no further than 'known'",
                quoted(&self.declared)
            ),
        }
    }

    pub(crate) fn to_json(&self) -> Value<'static> {
        Members::new()
            .text("status", self.status.name())
            .maybe("source", self.source.as_deref().map(text))
            .set("declared", texts(&self.declared))
            .text("detail", &self.detail())
            .done()
    }
}

/// Scheme, host and port, path: what counts of a URL.
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct Place {
    scheme: String,
    host: String,
    path: String,
}

impl Place {
    pub(crate) fn of(url: &str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        let scheme = scheme.to_ascii_lowercase();
        let default_port = match scheme.as_str() {
            "https" => ":443",
            "http" => ":80",
            _ => return None,
        };
        let rest = rest.split(['?', '#']).next().unwrap_or_default();
        let (authority, path) = match rest.find(['/', '\\']) {
            Some(at) => rest.split_at_checked(at)?,
            None => (rest, "/"),
        };
        let host = authority
            .rsplit_once('@')
            .map_or(authority, |(_, host)| host)
            .to_ascii_lowercase();
        let host = host.strip_suffix(default_port).unwrap_or(&host).to_owned();
        if host.is_empty() {
            return None;
        }
        Some(Self {
            scheme,
            host,
            path: path.to_owned(),
        })
    }

    /// Whether nobody on the way can change what is served.
    pub(crate) fn is_secure(&self) -> bool {
        self.scheme == "https"
    }

    /// The path from the other place, taken as a folder, to this one. Http and https are one place.
    pub(crate) fn below(&self, folder: &Self) -> Option<String> {
        let (path, folder_path) = (plain(&self.path), plain(&folder.path));
        let rest = path
            .strip_prefix(folder_path.trim_end_matches('/'))?
            .strip_prefix('/')?;
        (self.host == folder.host).then(|| rest.to_owned())
    }

    /// Whether this is the other place or lies below it, once dot segments in any spelling are folded.
    pub(crate) fn lies_below(&self, other: &Self) -> bool {
        let (path, folder) = (plain(&self.path), plain(&other.path));
        let is_within = if folder.contains('*') {
            matches_path(&folder, &path)
        } else {
            lies_below(&path, &folder)
        };
        self.scheme == other.scheme && self.host == other.host && is_within
    }
}

/// The path with dot segments in any spelling folded.
fn plain(path: &str) -> String {
    let dots = path
        .replace("%2e", ".")
        .replace("%2E", ".")
        .replace("%2f", "/")
        .replace("%2F", "/");
    let folder = if path.ends_with('/') { "/" } else { "" };
    format!("{}{folder}", folded(&dots).trim_end_matches('/'))
}
