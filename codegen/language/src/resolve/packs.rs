//! Packs: rules written once for all who use a server. They are read here, each once.

use std::path::PathBuf;

use knotrust_core::canonical::sha256_hex;

use super::Resolver;
use crate::{
    de,
    located::{Located, Span},
    model::{Pack, PackReference},
    problem::{Code, Problem, shown},
    read,
    resolved::{Bound, Resource, Rule},
    source::{self, FileId, Sources},
    written,
};

/// What all packs together say.
#[derive(Default)]
pub(super) struct Packs {
    pub(super) rules: Vec<Rule>,
    pub(super) resources: Vec<Resource>,
    /// What was read, so that a pack that two others need is read once.
    done: Vec<PathBuf>,
    /// The packs that are being read, each named by the one before.
    open: Vec<PathBuf>,
}

/// Packs that need each other, however deep.
const DEEPEST: usize = 16;
/// Packs that one ruleset uses, all in all.
const MOST: usize = 1_000;

/// Checks a pack by itself.
pub(crate) fn check_alone(
    sources: &mut Sources,
    pack: &Pack,
    file: FileId,
    problems: &mut Vec<Problem>,
) {
    let path = sources.path(file).to_owned();
    let mut resolver = Resolver {
        sources,
        problems,
        files: vec![file],
    };
    let mut packs = Packs {
        open: vec![source::folded(&path)],
        ..Packs::default()
    };
    resolver.pack(&mut packs, pack);
}

impl Resolver<'_> {
    pub(super) fn packs(&mut self, written: &[Located<PackReference>]) -> Packs {
        let main = self
            .files
            .first()
            .map(|file| source::folded(self.sources.path(*file)));
        let mut packs = Packs {
            open: main.into_iter().collect(),
            ..Packs::default()
        };
        self.references(&mut packs, written);
        packs
    }

    fn references(&mut self, packs: &mut Packs, written: &[Located<PackReference>]) {
        for reference in written {
            self.reference(packs, reference);
        }
    }

    fn reference(&mut self, packs: &mut Packs, reference: &Located<PackReference>) {
        let written = &reference.value.path;
        let path = self.path(written);
        if let Some(start) = packs.open.iter().position(|open| *open == path) {
            self.cycle(
                packs.open.get(start..).unwrap_or_default(),
                &path,
                written.span,
            );
            return;
        }
        let Some(bytes) = self.bytes(written, "the pack", source::MAX_BYTES) else {
            return;
        };
        self.pinned(reference, &bytes);
        if packs.done.contains(&path) {
            return;
        }
        if packs.open.len() > DEEPEST || packs.done.len() >= MOST {
            let message = format!("packs are nested more than {DEEPEST} deep, or more than {MOST}");
            self.push(Problem::new(Code::Nesting, message).at(written.span, "one too many"));
            return;
        }
        packs.done.push(path.clone());
        let document = read::bytes_of(self.sources, &path, &bytes, self.problems);
        let file = document.file;
        self.files.push(file);
        let Some(root) = written::pack(self.sources, document, self.problems) else {
            return;
        };
        match de::from_node::<Pack>(&root) {
            Ok(pack) => {
                packs.open.push(path);
                self.pack(packs, &pack);
                packs.open.pop();
            }
            Err(misread) => self.push(written::misread(&misread, root.span)),
        }
    }

    fn pack(&mut self, packs: &mut Packs, pack: &Pack) {
        self.identifier(&pack.metadata.name, "metadata.name");
        self.sentence(pack.metadata.description.as_ref(), "metadata.description");
        let server = pack
            .server
            .as_ref()
            .and_then(|server| self.server_name(&server.value, server.span));
        self.references(packs, pack.packs.as_deref().unwrap_or_default());
        let rules = pack
            .tiers
            .as_ref()
            .and_then(|tiers| tiers.rules.as_deref())
            .unwrap_or_default();
        packs.rules.extend(
            rules
                .iter()
                .filter_map(|rule| self.pack_rule(rule, server.as_deref())),
        );
        let resources = self.resources(pack.resources.as_deref().unwrap_or_default());
        for resource in &resources {
            resource
                .patterns
                .iter()
                .for_each(|bound| self.stays_within(bound, server.as_deref()));
        }
        packs.resources.extend(resources);
    }

    /// A pack for one server may not speak of another: it comes from somebody else.
    pub(super) fn stays_within(&mut self, bound: &Bound, server: Option<&str>) {
        let Some(server) = server else { return };
        let prefix = format!("{server}.");
        if bound
            .pattern
            .globs()
            .all(|glob| glob.text().starts_with(&prefix))
        {
            return;
        }
        let message = format!(
            "a pack for the server `{server}` cannot speak of `{}`",
            shown(bound.pattern.text())
        );
        self.push(
            Problem::new(Code::BeyondServer, message)
                .at(bound.span, "reaches beyond its server")
                .help(format!(
                    "begin the pattern with `{prefix}`, or leave `server` out of the pack"
                )),
        );
    }

    fn pinned(&mut self, reference: &Located<PackReference>, bytes: &[u8]) {
        let Some(wanted) = &reference.value.digest else {
            return;
        };
        let found = format!("sha256:{}", sha256_hex(bytes));
        if wanted.value.0 != found {
            let name = shown(&source::display(&self.path(&reference.value.path)));
            self.push(
                Problem::new(
                    Code::DigestMismatch,
                    format!("the pack `{name}` is not the one that was pinned"),
                )
                .at(wanted.span, "pinned to this")
                .help(format!(
                    "read what has changed in it; if it is wanted, pin it anew: `{found}`"
                )),
            );
        }
    }

    fn cycle(&mut self, chain: &[PathBuf], last: &PathBuf, span: Span) {
        let names: Vec<String> = chain
            .iter()
            .chain([last])
            .map(|path| shown(&source::display(path)))
            .collect();
        let message = format!("this is a cycle: `{}`", names.join("` needs `"));
        self.push(
            Problem::new(Code::Cycle, message)
                .at(span, "needs what needs it")
                .help("remove one of these references"),
        );
    }
}
