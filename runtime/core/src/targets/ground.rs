//! The places of a ruleset, as they lie round one working folder.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::links;
use super::own::Own;
use super::path::{self, Folder, Path};
use super::place::{Anchor, PathTable, Places, Prefix};
use crate::surroundings::{Links, Naming, Os, Surroundings, fold};

/// The places of a ruleset, as they lie round one working folder.
///
/// To lay the ground costs a look at the links of every governed path, so callers keep it while the working folder is the
/// same, and lay it anew now and then, for a governed path may become a link.
#[derive(Clone, Debug)]
pub struct Ground<'a> {
    pub(super) places: Places<'a>,
    pub(super) os: Os,
    pub(super) naming: Naming,
    pub(super) folder: Arc<Folder>,
    pub(super) home: Option<String>,
    pub(super) bases: Vec<Base<'a>>,
    pub(super) aliases: Vec<Alias<'a>>,
    /// Whether the working folder is in a governed place, or a pattern could match anything in it.
    is_inside: bool,
    /// The bytes that governed paths in the working folder begin with.
    firsts: [bool; 256],
    /// Paths that are knotrust's own.
    pub(super) own: Vec<String>,
    /// The last labels of the hosts of URLs.
    pub(super) labels: BTreeSet<&'a str>,
    /// The length of the longest key of a URL.
    pub(super) longest_url: usize,
    /// The ports of its pages.
    pub(super) own_ports: Vec<u16>,
}

/// Where a table of paths starts.
#[derive(Clone, Debug)]
pub(super) struct Base<'a> {
    pub(super) table: PathTable<'a>,
    pub(super) text: String,
    /// The length of its longest key.
    pub(super) longest: usize,
}

/// A governed path that is, or lies behind, a link.
#[derive(Clone, Debug)]
pub(super) struct Alias<'a> {
    pub(super) real: String,
    pub(super) row: Prefix<'a>,
}

impl<'a> Ground<'a> {
    /// Lays the ground: finds where each anchor is, and which governed paths are links.
    #[must_use]
    pub fn lay(places: Places<'a>, own: &Own<'_>, around: &Surroundings<'_>) -> Self {
        let mut ground = Self {
            places,
            os: around.os,
            naming: around.naming,
            folder: Arc::new(Folder::at(around.cwd, around.os, around.links)),
            home: Some(around.home.to_owned()).filter(|home| !home.is_empty()),
            bases: Vec::new(),
            aliases: Vec::new(),
            is_inside: false,
            firsts: [false; 256],
            own: own_paths(own, around),
            labels: places
                .urls
                .rows
                .iter()
                .map(|row| last_label(row.key))
                .collect(),
            longest_url: places.urls.longest(),
            own_ports: own.ports.to_vec(),
        };
        for table in places.paths {
            ground.add(*table, around.links);
        }
        ground.note_firsts();
        ground
    }

    /// Whether a name in the working folder begins like nothing that is governed there.
    pub(super) fn is_elsewhere(&self, name: &str) -> bool {
        let first = name.bytes().next().unwrap_or(b'/');
        !self.is_inside && !self.firsts.get(usize::from(first)).copied().unwrap_or(true)
    }

    fn note_firsts(&mut self) {
        let mut governed: Vec<String> = self.own.clone();
        governed.extend(self.aliases.iter().map(|alias| alias.real.clone()));
        for base in &self.bases {
            let rows = base.table.prefixes.rows.iter();
            governed.extend(rows.map(|row| format!("{}/{}", base.text, row.key)));
        }
        let folder = Arc::clone(&self.folder);
        // From here plain names lead to what is no plain file.
        let odd =
            |path: &str| path.is_empty() || path.starts_with("/proc") || path.starts_with("/dev");
        self.is_inside |= odd(&folder.text) || odd(&folder.real);
        for path in &governed {
            let path = path.trim_end_matches('/');
            for folder in [&folder.text, &folder.real] {
                self.is_inside |= self.naming.below(folder, path).is_some();
                let rest = self.naming.below(path, folder).unwrap_or("");
                for first in [rest, &fold(rest)]
                    .into_iter()
                    .filter_map(|rest| rest.bytes().next())
                {
                    self.note_first(first.to_ascii_lowercase());
                    self.note_first(first.to_ascii_uppercase());
                }
            }
        }
    }

    fn note_first(&mut self, byte: u8) {
        if let Some(first) = self.firsts.get_mut(usize::from(byte)) {
            *first = true;
        }
    }

    /// Whether one of knotrust's pages listens there.
    pub(super) fn is_own_port(&self, port: u16) -> bool {
        self.own_ports.contains(&port)
    }

    fn add(&mut self, table: PathTable<'a>, links: &dyn Links) {
        let Some(base) = self.base_of(table.anchor, links) else {
            return;
        };
        for row in table.prefixes.rows {
            let root = path::root_of(&base.real, self.os);
            let Ok(real) = links::resolve(links, &base.real, row.key, root) else {
                continue;
            };
            let expected = self.naming.below(&real, &base.real);
            if expected.is_none_or(|rest| rest != row.key) {
                self.aliases.push(Alias { real, row: *row });
            }
        }
        let longest = table.prefixes.longest();
        if base.real != base.text {
            self.bases.push(Base {
                table,
                text: base.real,
                longest,
            });
        }
        self.bases.push(Base {
            table,
            text: base.text,
            longest,
        });
    }

    fn base_of(&self, anchor: Anchor, links: &dyn Links) -> Option<Folder> {
        match anchor {
            Anchor::Root => Some(Folder {
                text: String::new(),
                real: String::new(),
            }),
            Anchor::Home => {
                let home = self.home.as_deref()?;
                Some(Folder::at(home, self.os, links))
            }
            Anchor::Folder { up } => {
                let climb = "../".repeat(usize::from(up));
                Some(Folder {
                    text: self.climb(&self.folder.text, &climb),
                    real: self.climb(&self.folder.real, &climb),
                })
            }
        }
    }

    fn climb(&self, folder: &str, climb: &str) -> String {
        let mut text = folder.to_owned();
        let keep = path::root_of(folder, self.os).len();
        path::fold_onto(&mut text, keep, climb);
        text
    }
}

fn last_label(key: &str) -> &str {
    let host = key.split(['/', ':']).next().unwrap_or(key);
    host.rsplit('.').next().unwrap_or(host)
}

fn own_paths(own: &Own<'_>, around: &Surroundings<'_>) -> Vec<String> {
    let mut paths = Vec::new();
    for raw in [own.home, own.program].into_iter().flatten() {
        let folder = Folder::at(raw, around.os, around.links);
        paths.extend([folder.text, folder.real]);
    }
    paths.dedup();
    paths
}

impl Folder {
    /// An absolute folder under both of its names.
    pub(super) fn at(raw: &str, os: Os, links: &dyn Links) -> Self {
        let text = path::absolute(raw, os);
        let root = path::root_of(&text, os);
        let rest = text.get(root.len()..).unwrap_or("");
        let real = links::resolve(links, root, rest, root).unwrap_or_else(|_| text.clone());
        Self { text, real }
    }

    /// The folder that a path leads to from here.
    pub(super) fn enter(&self, raw: &str, os: Os, links: &dyn Links) -> Option<Self> {
        let path = Path::read(raw, self, os).ok()?;
        let real = path.real(links, os).ok()?;
        Some(Self {
            text: path.text,
            real,
        })
    }
}
