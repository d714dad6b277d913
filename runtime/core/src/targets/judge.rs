//! Compares what a call names with what is governed.

use std::sync::Arc;

use super::ground::{Alias, Base, Ground};
use super::path::{self, Folder, Path, Real, Unclear, tilde};
use super::place::{Holder, Prefix, Prefixes};
use super::target::{Access, Kind, Reach, Target, Why};
use super::wild::{Positions, Wild, steps_of};
use super::{links, magic};
use crate::glob::Casing;
use crate::surroundings::{Links, Naming, Os, composed, fold};

/// Collects the governed targets of one call.
pub(super) struct Judge<'g, 'a> {
    pub(super) ground: &'g Ground<'a>,
    pub(super) links: &'g dyn Links,
    pub(super) targets: Vec<Target>,
    /// Folders that were looked at, and whether nothing governed lies in or round them.
    explored: Vec<(Arc<Folder>, bool)>,
    /// A path being read.
    scratch: String,
    /// Whether something of knotrust's own was named.
    pub(super) own: bool,
}

/// How a path is used.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Usage {
    pub(super) access: Access,
    pub(super) reach: Reach,
    /// Whether whoever opens the path puts the home folder for `~`, and takes the streams of `/dev` for other files.
    pub(super) by_server: bool,
}

impl<'g, 'a> Judge<'g, 'a> {
    pub(super) fn new(ground: &'g Ground<'a>, links: &'g dyn Links) -> Self {
        Self {
            ground,
            links,
            targets: Vec::new(),
            explored: Vec::new(),
            scratch: String::new(),
            own: false,
        }
    }

    /// Judges a path in every reading: `~` as the home folder and as a name, folded as text and through links.
    pub(super) fn path(&mut self, raw: &str, folder: &Folder, usage: Usage) {
        if usage.by_server && raw.starts_with('~') {
            let home = self.ground.home.as_deref();
            match tilde(raw, home, self.ground.os) {
                Some(Ok(path)) => self.one_path(&path, folder, usage),
                Some(Err(Unclear)) => self.unknown(Why::Alias, raw),
                None => {}
            }
        }
        self.one_path(raw, folder, usage);
    }

    fn one_path(&mut self, raw: &str, folder: &Folder, usage: Usage) {
        if self.is_elsewhere(raw, folder) {
            return;
        }
        let Ok(path) = Path::read(raw, folder, self.ground.os) else {
            return self.unknown(Why::Alias, raw);
        };
        if magic::is_magic(&path.text) && (usage.by_server || !magic::is_stream(&path.text)) {
            return self.unknown(Why::Alias, raw);
        }
        let by_name = self.holders_of(&path.text, usage.reach);
        let real = match path.resolve(self.links, self.ground.os) {
            Ok(Real::Same) => return self.found(path.text, by_name, usage),
            Ok(Real::Other(real)) => real,
            Err(_) => return self.unknown(Why::Links, raw),
        };
        if magic::is_magic(&real) {
            return self.unknown(Why::Alias, raw);
        }
        let by_place = self.holders_of(&real, usage.reach);
        let text = if by_place.is_empty() { path.text } else { real };
        self.found(text, merge(by_name, by_place), usage);
    }

    /// Whether a path surely leads to nothing governed: it goes down from the working folder, does not begin like anything
    /// that is governed there, and passes no link.
    fn is_elsewhere(&mut self, raw: &str, folder: &Folder) -> bool {
        let here = std::ptr::eq(folder, Arc::as_ptr(&self.ground.folder));
        let plain = here
            && !raw.is_empty()
            && self.ground.os != Os::Windows
            && !raw.starts_with(['/', '.'])
            && !raw.as_bytes().windows(2).any(|pair| pair == b"..")
            && raw.is_ascii()
            && self.ground.is_elsewhere(raw);
        if !plain {
            return false;
        }
        let mut path = std::mem::take(&mut self.scratch);
        path.clear();
        path.push_str(&folder.real);
        let start = path.len();
        path::fold_onto(&mut path, start, raw);
        let is_plain = links::is_plain(self.links, &path, start);
        self.scratch = path;
        is_plain
    }

    fn found(&mut self, text: String, holders: Vec<Holder>, usage: Usage) {
        let kind = match usage.reach {
            Reach::Named => Kind::Path,
            Reach::Below => Kind::Paths,
        };
        self.add(kind, text, holders, usage.access);
    }

    pub(super) fn add(&mut self, kind: Kind, text: String, holders: Vec<Holder>, access: Access) {
        if holders.is_empty() {
            return;
        }
        let known = self
            .targets
            .iter_mut()
            .find(|target| target.kind == kind && target.access == access && target.text == text);
        match known {
            Some(target) => target.holders = merge(std::mem::take(&mut target.holders), holders),
            None => self.targets.push(Target {
                kind,
                text,
                access,
                holders,
            }),
        }
    }

    /// Notes that something cannot be told, and so touches everything.
    pub(super) fn unknown(&mut self, why: Why, written: &str) {
        let known = |target: &Target| target.kind == Kind::Unknown(why);
        if !self.targets.iter().any(known) {
            let shown = written.chars().take(200).collect();
            let holders = self.ground.places.holders.to_vec();
            self.add(Kind::Unknown(why), shown, holders, Access::Unknown);
        }
    }

    /// Whether nothing that is governed lies at or below a folder, nor the folder below anything governed.
    pub(super) fn is_barren(&mut self, folder: &Arc<Folder>) -> bool {
        let known = self
            .explored
            .iter()
            .find(|(known, _)| Arc::ptr_eq(known, folder));
        if let Some((_, barren)) = known {
            return *barren;
        }
        let barren =
            self.lacks(&folder.text) && (folder.text == folder.real || self.lacks(&folder.real));
        self.explored.push((Arc::clone(folder), barren));
        barren
    }

    fn lacks(&self, path: &str) -> bool {
        let ground = self.ground;
        let naming = ground.naming;
        let round = |governed: &str| {
            naming.below(path, governed).is_some() || naming.below(governed, path).is_some()
        };
        let in_table = |base: &Base<'a>| match naming.below(path, &base.text) {
            Some(rest) => {
                let mut above = false;
                let table = &base.table.prefixes;
                table.above(rest, base.longest, naming, |_| above = true);
                above || table.has_below(&fold(rest))
            }
            None => naming.below(&base.text, path).is_some(),
        };
        !ground.own.iter().any(|own| round(own))
            && !ground.aliases.iter().any(|alias| round(&alias.real))
            && !ground.bases.iter().any(in_table)
    }

    /// Who holds an absolute path, in order. Notes whether it is knotrust's own.
    fn holders_of(&mut self, path: &str, reach: Reach) -> Vec<Holder> {
        let ground = self.ground;
        let mut holders = Vec::new();
        for base in &ground.bases {
            if let Some(rest) = ground.naming.below(path, &base.text) {
                self.held(base, rest, reach, &mut holders);
            } else if reach == Reach::Below && ground.naming.below(&base.text, path).is_some() {
                holders.extend(base.table.prefixes.rows.iter().map(|row| row.holder));
            }
        }
        for alias in &ground.aliases {
            self.held_by_alias(alias, path, reach, &mut holders);
        }
        self.own |= ground.own.iter().any(|own| {
            let within = ground.naming.below(path, own).is_some();
            within || (reach == Reach::Below && ground.naming.below(own, path).is_some())
        });
        holders.sort_unstable();
        holders.dedup();
        holders
    }

    fn held(&self, base: &Base<'a>, rest: &str, reach: Reach, holders: &mut Vec<Holder>) {
        let casing = self.ground.naming.casing;
        let table = &base.table.prefixes;
        table.above(rest, base.longest, self.ground.naming, |row| {
            if covers(row, rest, reach, casing) {
                holders.push(row.holder);
            }
        });
        if reach == Reach::Below {
            let inside = table.below(&fold(rest)).iter();
            let spelled = inside.filter(|row| self.ground.naming.below(row.key, rest).is_some());
            holders.extend(spelled.map(|row| row.holder));
        }
    }

    fn held_by_alias(
        &self,
        alias: &Alias<'a>,
        path: &str,
        reach: Reach,
        holders: &mut Vec<Holder>,
    ) {
        let naming = self.ground.naming;
        if let Some(rest) = naming.below(path, &alias.real) {
            let named = match (alias.row.key, rest) {
                ("", rest) => rest.to_owned(),
                (key, "") => key.to_owned(),
                (key, rest) => format!("{key}/{rest}"),
            };
            if covers(&alias.row, &named, reach, naming.casing) {
                holders.push(alias.row.holder);
            }
        } else if reach == Reach::Below && naming.below(&alias.real, path).is_some() {
            holders.push(alias.row.holder);
        }
    }

    /// Judges a pattern: governed if it could stand for something governed.
    pub(super) fn wild(&mut self, wild: &Wild, written: &str, folder: &Folder, usage: Usage) {
        if wild.is_unclear() {
            return self.unknown(Why::Alias, written);
        }
        let os = self.ground.os;
        let whole = wild.below(&folder.text);
        let mut holders = self.holders_among(&whole, usage);
        let fixed = whole.fixed();
        let root = path::root_of(&fixed, os);
        let rest = fixed.get(root.len()..).unwrap_or("");
        match links::resolve(self.links, root, rest, root) {
            Ok(real) if real != fixed => {
                holders = merge(holders, self.holders_among(&whole.moved(&real), usage));
            }
            Ok(_) => {}
            Err(_) => self.unknown(Why::Links, written),
        }
        self.add(Kind::Paths, written.to_owned(), holders, usage.access);
    }

    fn holders_among(&mut self, wild: &Wild, usage: Usage) -> Vec<Holder> {
        let ground = self.ground;
        let mut holders = Vec::new();
        let search = Search {
            wild,
            casing: ground.naming.casing,
            deep: usage.reach == Reach::Below,
        };
        for Base { table, text, .. } in &ground.bases {
            let start = search.along(wild.start(), text);
            if start.ends {
                holders.extend(table.prefixes.rows.iter().map(|row| row.holder));
            } else if !start.positions.is_empty() {
                search.rows(start.positions, &table.prefixes, &mut holders);
            }
        }
        for alias in &ground.aliases {
            let at = search.along(wild.start(), &alias.real);
            if at.ends || !at.positions.is_empty() {
                holders.push(alias.row.holder);
            }
        }
        self.own |= ground.own.iter().any(|own| {
            // A shell's stars leave out names that begin with a dot.
            let at = search.steps(wild.start(), own, usage.by_server);
            at.ends || !at.positions.is_empty()
        });
        holders.sort_unstable();
        holders.dedup();
        holders
    }
}

/// Whether a row, whose key `path` is at or below, means it.
fn covers(row: &Prefix<'_>, path: &str, reach: Reach, casing: Casing) -> bool {
    let Some(glob) = row.glob else {
        return true;
    };
    let path = composed(path);
    glob.matches_with(&path, casing) || (reach == Reach::Below && glob.matches_below(&path, casing))
}

fn merge(mut holders: Vec<Holder>, more: Vec<Holder>) -> Vec<Holder> {
    if holders.is_empty() {
        return more;
    }
    holders.extend(more);
    holders.sort_unstable();
    holders.dedup();
    holders
}

/// A pattern on its way along governed paths.
struct Search<'w> {
    wild: &'w Wild,
    casing: Casing,
    /// Whether what lies below a match counts.
    deep: bool,
}

struct Arrival {
    positions: Positions,
    /// Whether a match lies above, and a walk goes on from there.
    ends: bool,
}

impl Search<'_> {
    fn along(&self, from: Positions, path: &str) -> Arrival {
        self.steps(from, path, true)
    }

    fn steps(&self, from: Positions, path: &str, hidden: bool) -> Arrival {
        let path = composed(path);
        let mut positions = from;
        let mut ends = self.deep && self.wild.is_complete(positions);
        for name in path.split('/').filter(|name| !name.is_empty()) {
            positions = self.wild.after(positions, name, self.casing, hidden);
            ends |= self.deep && self.wild.is_complete(positions);
            if positions.is_empty() {
                break;
            }
        }
        Arrival { positions, ends }
    }

    /// The holders of rows that the pattern could reach. Rows that share a folder it cannot enter are passed over together.
    fn rows(&self, from: Positions, table: &Prefixes<'_>, holders: &mut Vec<Holder>) {
        let mut rows = table.rows;
        while let Some((row, rest)) = rows.split_first() {
            let at = self.along(from, row.key);
            let reached = !at.positions.is_empty() && self.fits(row, from);
            if at.ends || reached {
                holders.push(row.holder);
                rows = rest;
            } else if at.positions.is_empty() {
                let stopped = self.stopped(from, row.key);
                let within = |row: &&Prefix<'_>| Naming::EXACT.below(row.key, stopped).is_some();
                let ahead = rest.iter().take_while(within).count();
                rows = rest.get(ahead..).unwrap_or(&[]);
            } else {
                rows = rest;
            }
        }
    }

    fn fits(&self, row: &Prefix<'_>, from: Positions) -> bool {
        row.glob.is_none_or(|glob| {
            self.wild
                .meets(from, &steps_of(glob), self.casing, self.deep)
        })
    }

    /// The part of a key after which nothing is possible.
    fn stopped<'k>(&self, from: Positions, key: &'k str) -> &'k str {
        let mut positions = from;
        let mut used = 0;
        for name in key.split('/') {
            positions = self.wild.after(positions, name, self.casing, true);
            used += name.len();
            if positions.is_empty() {
                break;
            }
            used += 1;
        }
        key.get(..used).unwrap_or(key)
    }
}
