//! Builds the tables of governed places from patterns as authors write them.

use std::collections::BTreeSet;

use super::index;
use super::place::{Anchor, Holder, PathTable, Places, Prefix, Prefixes};
use super::url;
use crate::glob::{Glob, GlobError, Pattern, Token};
use crate::surroundings::fold;

/// Gathers what a ruleset governs.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    paths: Vec<(Anchor, OwnedPrefix)>,
    urls: Vec<OwnedPrefix>,
    holders: BTreeSet<Holder>,
}

/// The tables of governed places, owned.
#[derive(Clone, Debug, Default)]
pub struct OwnedPlaces {
    /// The paths, one table an anchor.
    pub paths: Vec<(Anchor, OwnedPrefixes)>,
    /// The URLs.
    pub urls: OwnedPrefixes,
    /// All who hold a path or URL, in order.
    pub holders: Vec<Holder>,
}

/// One table, owned.
#[derive(Clone, Debug, Default)]
pub struct OwnedPrefixes {
    /// The rows, as a table lends them.
    pub rows: Vec<OwnedPrefix>,
    /// The slots.
    pub slots: Vec<u32>,
}

/// One row, owned.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct OwnedPrefix {
    /// See [`Prefix::key`].
    pub key: String,
    /// The spelling of [`Prefix::glob`].
    pub glob: Option<String>,
    /// See [`Prefix::holder`].
    pub holder: Holder,
}

/// Why a URL cannot be governed.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("not a URL with a scheme and a host")]
pub struct NotAUrl;

impl Builder {
    /// Adds a path pattern: relative to the working folder, absolute, or with `~/` in front.
    ///
    /// # Errors
    ///
    /// What is wrong with the pattern.
    pub fn path(&mut self, pattern: &str, holder: Holder) -> Result<(), GlobError> {
        let (home, text) = match pattern.strip_prefix('~') {
            Some("") => (true, "./"),
            Some(rest) if rest.starts_with('/') => (true, rest.trim_start_matches('/')),
            Some(_) | None => (false, pattern),
        };
        let text = if home && text.is_empty() { "./" } else { text };
        for glob in Pattern::path(text)?.globs() {
            let (anchor, row) = row(glob, home, holder);
            self.paths.push((anchor, row));
        }
        self.holders.insert(holder);
        Ok(())
    }

    /// Adds a URL and all below its path.
    ///
    /// # Errors
    ///
    /// The text is no URL, or is one of a file.
    pub fn url(&mut self, url: &str, holder: Holder) -> Result<(), NotAUrl> {
        let key = url::key(url).filter(|key| !key.is_empty()).ok_or(NotAUrl)?;
        self.urls.push(OwnedPrefix {
            key,
            glob: None,
            holder,
        });
        self.holders.insert(holder);
        Ok(())
    }

    /// Sorts and indexes all that was added.
    #[must_use]
    pub fn finish(self) -> OwnedPlaces {
        let mut anchors: Vec<Anchor> = self.paths.iter().map(|(anchor, _)| *anchor).collect();
        anchors.sort_unstable();
        anchors.dedup();
        let table = |anchor: Anchor| {
            let own = self.paths.iter().filter(|(at, _)| *at == anchor);
            (
                anchor,
                OwnedPrefixes::of(own.map(|(_, row)| row.clone()).collect()),
            )
        };
        OwnedPlaces {
            paths: anchors.into_iter().map(table).collect(),
            urls: OwnedPrefixes::of(self.urls),
            holders: self.holders.into_iter().collect(),
        }
    }
}

impl OwnedPlaces {
    /// Lends the tables to `then`: what a generated module would hold as literals.
    pub fn lend<T>(&self, then: impl FnOnce(Places<'_>) -> T) -> T {
        let rows: Vec<Vec<Prefix<'_>>> = self.paths.iter().map(|(_, table)| table.rows()).collect();
        let tables: Vec<PathTable<'_>> = self
            .paths
            .iter()
            .zip(&rows)
            .map(|((anchor, table), rows)| {
                PathTable::new(*anchor, Prefixes::new(rows, &table.slots))
            })
            .collect();
        let urls = self.urls.rows();
        then(Places {
            paths: &tables,
            urls: Prefixes::new(&urls, &self.urls.slots),
            holders: &self.holders,
        })
    }
}

impl OwnedPrefixes {
    fn of(mut rows: Vec<OwnedPrefix>) -> Self {
        rows.sort_by(|one, other| index::order(&one.key, &other.key).then_with(|| one.cmp(other)));
        rows.dedup();
        let keys: Vec<String> = rows.iter().map(|row| fold(&row.key).into_owned()).collect();
        Self {
            slots: index::slots(&keys),
            rows,
        }
    }

    fn rows(&self) -> Vec<Prefix<'_>> {
        self.rows.iter().map(OwnedPrefix::lend).collect()
    }
}

impl OwnedPrefix {
    /// The row, as a table holds it.
    #[must_use]
    pub fn lend(&self) -> Prefix<'_> {
        match &self.glob {
            None => Prefix::new(&self.key, self.holder),
            Some(glob) => Prefix::glob(&self.key, glob, self.holder),
        }
    }
}

/// The row of one glob: what is fixed in it is the key, and if all below that is meant, the glob is not kept.
fn row(glob: Glob<'_>, home: bool, holder: Holder) -> (Anchor, OwnedPrefix) {
    let text = glob.text();
    let (anchor, text) = if home {
        (Anchor::Home, text)
    } else if let Some(rest) = text.strip_prefix('/') {
        (Anchor::Root, rest)
    } else if is_drive(text) {
        (Anchor::Root, text)
    } else {
        let up = text.split('/').take_while(|name| *name == "..").count();
        let rest = text.get(up * 3..).unwrap_or("**");
        let up = u8::try_from(up).unwrap_or(u8::MAX);
        (Anchor::Folder { up }, rest)
    };
    let (key, whole) = fixed(Glob::path(text));
    let row = OwnedPrefix {
        key,
        glob: (!whole).then(|| text.to_owned()),
        holder,
    };
    (anchor, row)
}

/// The fixed folders a glob begins with, and whether it means all that lies at and below them.
fn fixed(glob: Glob<'_>) -> (String, bool) {
    let mut key = String::new();
    let mut name = String::new();
    for token in glob.tokens() {
        match token {
            Token::Char('/') => {
                if !key.is_empty() {
                    key.push('/');
                }
                key.push_str(&std::mem::take(&mut name));
            }
            Token::Char(c) => name.push(c),
            Token::Below => {
                let slash = if key.is_empty() { "" } else { "/" };
                return (format!("{key}{slash}{name}"), true);
            }
            Token::Deep => return (key.clone(), name.is_empty() && is_all(glob.text(), &key)),
            Token::One | Token::Class(_) | Token::Star | Token::Folders => return (key, false),
        }
    }
    // A glob without a wildcard names one file; the pattern's own spelling would have had all below it.
    (key, false)
}

/// Whether two stars are all that a glob has below its fixed folders.
fn is_all(text: &str, key: &str) -> bool {
    key.is_empty() && text == "**"
}

fn is_drive(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':', b'/', ..] if letter.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, expected: &[(Anchor, &str, Option<&str>)]) {
        let mut builder = Builder::default();
        builder.path(pattern, Holder::Domain(0)).unwrap();
        let found: Vec<_> = builder
            .paths
            .iter()
            .map(|(anchor, row)| (*anchor, row.key.as_str(), row.glob.as_deref()))
            .collect();
        assert_eq!(found, expected, "{pattern}");
    }

    #[test]
    fn patterns_become_rows() {
        let here = Anchor::Folder { up: 0 };
        check("docs/", &[(here, "docs", None)]);
        check("docs/**", &[(here, "docs", None)]);
        check("policy.md", &[(here, "policy.md", None)]);
        check("./", &[(here, "", None)]);
        check("./src/../docs/", &[(here, "docs", None)]);
        check("../shared/", &[(Anchor::Folder { up: 1 }, "shared", None)]);
        check("../..", &[(Anchor::Folder { up: 2 }, "", None)]);
        check("/etc/x", &[(Anchor::Root, "etc/x", None)]);
        check("/", &[(Anchor::Root, "", None)]);
        check("C:/x/", &[(Anchor::Root, "C:/x", None)]);
        check("~/notes/", &[(Anchor::Home, "notes", None)]);
        check("~", &[(Anchor::Home, "", None)]);
        check("pkg/*/docs/**", &[(here, "pkg", Some("pkg/*/docs/**"))]);
        check("**/.env", &[(here, "", Some("**/.env"))]);
        check("../*.md", &[(Anchor::Folder { up: 1 }, "", Some("*.md"))]);
        check("{a,b}/", &[(here, "a", None), (here, "b", None)]);
    }
}
