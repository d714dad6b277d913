//! The places of a ruleset, as they lie round one working folder.

use super::links;
use super::own::Own;
use super::path::{self, Folder, Path};
use super::place::{Anchor, PathTable, Places, Prefix};
use crate::surroundings::{Links, Naming, Os, Surroundings};

/// The places of a ruleset, as they lie round one working folder.
///
/// To lay the ground costs a look at the links of every governed path, so callers keep it while the working folder is the
/// same, and lay it anew now and then, for a governed path may become a link.
#[derive(Clone, Debug)]
pub struct Ground<'a> {
    pub(super) places: Places<'a>,
    pub(super) os: Os,
    pub(super) naming: Naming,
    pub(super) folder: Folder,
    pub(super) home: Option<String>,
    pub(super) bases: Vec<Base<'a>>,
    pub(super) aliases: Vec<Alias<'a>>,
    /// Paths that are knotrust's own.
    pub(super) own: Vec<String>,
    /// The port of its page.
    pub(super) own_port: Option<u16>,
}

/// Where a table of paths starts.
#[derive(Clone, Debug)]
pub(super) struct Base<'a> {
    pub(super) table: PathTable<'a>,
    pub(super) text: String,
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
            folder: Folder::at(around.cwd, around.os, around.links),
            home: Some(around.home.to_owned()).filter(|home| !home.is_empty()),
            bases: Vec::new(),
            aliases: Vec::new(),
            own: own_paths(own, around),
            own_port: own.port,
        };
        for table in places.paths {
            ground.add(*table, around.links);
        }
        ground
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
        if base.real != base.text {
            self.bases.push(Base {
                table,
                text: base.real,
            });
        }
        self.bases.push(Base {
            table,
            text: base.text,
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
        let real = path.resolve(links, os).ok()?;
        Some(Self {
            text: path.text,
            real,
        })
    }
}
