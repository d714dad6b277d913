//! Places of manifests: files and URLs, and how one is named from another.

use crate::manifest::path::has_scheme;
use crate::scope::folded;

/// Where a manifest is.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Location(Place);

#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Place {
    File(String),
    Url(String),
}

impl Location {
    /// A file, or a folder that holds one.
    #[must_use]
    pub fn file(path: &str) -> Self {
        Self(Place::File(folded(path)))
    }

    /// A URL, if it is one that manifests may be fetched from.
    #[must_use]
    pub fn url(url: &str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        let scheme = scheme.to_ascii_lowercase();
        if !matches!(scheme.as_str(), "http" | "https") || rest.is_empty() {
            return None;
        }
        let end = rest.find(['?', '#']).unwrap_or(rest.len());
        let (place, query) = rest.split_at_checked(end)?;
        let query = query.split('#').next().unwrap_or_default();
        let (host, path) = match place.split_once('/') {
            Some((host, path)) => (host, folded(&format!("/{path}"))),
            None => (place, "/".to_owned()),
        };
        (!host.is_empty()).then(|| {
            Self(Place::Url(format!(
                "{scheme}://{}{path}{query}",
                host.to_ascii_lowercase()
            )))
        })
    }

    /// Whether it must be fetched over the network.
    #[must_use]
    pub const fn is_remote(&self) -> bool {
        matches!(self.0, Place::Url(_))
    }

    /// The path or the URL.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Place::File(place) | Place::Url(place) => place,
        }
    }

    /// The place that a reference in this manifest names.
    #[must_use]
    pub fn refer(&self, reference: &str) -> Option<Self> {
        if reference.is_empty() {
            return None;
        }
        if let Some(url) = Self::url(reference) {
            return Some(url);
        }
        if has_scheme(reference) {
            return None;
        }
        match &self.0 {
            Place::File(path) => {
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                let is_rooted = path.starts_with('/') && folder.is_empty();
                let separator = if folder.is_empty() && !is_rooted {
                    ""
                } else {
                    "/"
                };
                let absolute = reference.starts_with('/');
                let joined = if absolute {
                    reference.to_owned()
                } else {
                    format!("{folder}{separator}{reference}")
                };
                Some(Self::file(&joined))
            }
            Place::Url(url) => {
                let (scheme, rest) = url.split_once("://")?;
                let rest = rest.split('?').next().unwrap_or_default();
                let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
                if let Some(elsewhere) = reference.strip_prefix("//") {
                    return Self::url(&format!("{scheme}://{elsewhere}"));
                }
                let folder = path
                    .rsplit_once('/')
                    .map(|(folder, _)| format!("{folder}/"))
                    .unwrap_or_default();
                let path = match reference.strip_prefix('/') {
                    Some(rooted) => rooted.to_owned(),
                    None => format!("{folder}{reference}"),
                };
                Self::url(&format!("{scheme}://{host}/{path}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(from: &str, reference: &str, expected: Option<&str>) {
        let from = Location::url(from).unwrap_or_else(|| Location::file(from));
        let found = from.refer(reference);
        assert_eq!(
            found.as_ref().map(Location::as_str),
            expected,
            "{from:?} + {reference}"
        );
    }

    #[test]
    fn references_are_seen_from_where_they_stand() {
        check("/m/hub.yaml", "leaf.yaml", Some("/m/leaf.yaml"));
        check("/hub.yaml", "leaf.yaml", Some("/leaf.yaml"));
        check("hub.yaml", "sub/../leaf.yaml", Some("leaf.yaml"));
        check("m/hub.yaml", "/leaf.yaml", Some("/leaf.yaml"));
        check(
            "m/hub.yaml",
            "HTTPS://X.example/a",
            Some("https://x.example/a"),
        );
        check(
            "https://x.example/a/k.yaml",
            "b.yaml",
            Some("https://x.example/a/b.yaml"),
        );
        check(
            "https://x.example/a/k.yaml?q",
            "../b.yaml?v=1#f",
            Some("https://x.example/b.yaml?v=1"),
        );
        check(
            "https://x.example",
            "/b.yaml",
            Some("https://x.example/b.yaml"),
        );
        check(
            "https://x.example/a",
            "//y.example/b",
            Some("https://y.example/b"),
        );
        check("https://x.example/a", "file:///etc/passwd", None);
        check("m/hub.yaml", "ftp://x.example/a", None);
        check("m/hub.yaml", "", None);
    }
}
