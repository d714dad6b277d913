//! What one text among the arguments may be taken for.
//!
//! A server may trim, put the home folder for `~`, take `@` for a mention and `:12` for a line; who opens an address may
//! stop at another sign than the parser here. Every reading that is known counts.

use std::sync::Arc;

use super::judge::{Judge, Usage};
use super::links;
use super::marks::Marks;
use super::path::{Folder, has_variable};
use super::target::{Kind, Reach, Why};
use super::url::{self, Address};
use super::wild::Wild;
use crate::glob::Pattern;
use crate::surroundings::{Entry, Naming, Os};

/// How the tool at hand takes its texts.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Manner {
    pub(super) usage: Usage,
    /// Whether it is known to open addresses as a browser parses them, and to follow none inside them.
    pub(super) whatwg: bool,
    /// Whether its texts are about files, so that a star alone, or blanks, may be part of a pattern.
    pub(super) files: bool,
}

impl Judge<'_, '_> {
    /// Judges a whole text in every reading.
    pub(super) fn text(&mut self, text: &str, folders: &[Arc<Folder>], manner: Manner) {
        let trimmed = text.trim_matches(is_blank);
        let marks = Marks::of(trimmed);
        if trimmed.is_empty()
            || self.is_nothing(trimmed, text, marks, folders)
            || self.address(trimmed, folders, manner)
        {
            return;
        }
        if marks.has(Marks::VALUE) && has_variable(trimmed) {
            return self.unknown(Why::Variable, trimmed);
        }
        for folder in folders {
            self.name(trimmed, marks, folder, manner);
            if trimmed.len() != text.len() {
                self.path(text, folder, manner.usage);
            }
        }
        if let Some((before, _)) = trimmed.split_once('\0') {
            self.text(before, folders, manner);
        }
        self.parts(trimmed, marks, folders, manner);
    }

    /// Whether a text is surely no path, pattern or address that is governed: a word or a sentence without any sign, that
    /// does not begin like anything governed, and is no link.
    fn is_nothing(
        &mut self,
        text: &str,
        untrimmed: &str,
        marks: Marks,
        folders: &[Arc<Folder>],
    ) -> bool {
        let is_sentence = marks.has(Marks::BLANK);
        let signs = if is_sentence {
            SENTENCE_SIGNS
        } else {
            WORD_SIGNS
        };
        // A list of names would be all dots.
        let is_list = is_sentence
            && text
                .split(' ')
                .next()
                .is_some_and(|first| first.contains('.'));
        if marks.has(signs) || is_list {
            return false;
        }
        folders.iter().all(|folder| {
            let is_elsewhere = if Arc::ptr_eq(folder, &self.ground.folder) {
                self.ground.is_elsewhere(text)
            } else {
                self.is_barren(folder)
            };
            let is_plain = |name| {
                let entry = links::look(self.links, &folder.real, name);
                matches!(entry, Entry::Plain | Entry::Missing)
            };
            is_elsewhere && is_plain(text) && (untrimmed.len() == text.len() || is_plain(untrimmed))
        })
    }

    /// A text as one path or pattern.
    fn name(&mut self, text: &str, marks: Marks, folder: &Folder, manner: Manner) {
        self.path(text, folder, manner.usage);
        if marks.has(Marks::WILD) && is_pattern(text, manner.files) {
            self.pattern(text, folder, manner.usage);
        }
    }

    /// A glob, braces and all.
    pub(super) fn pattern(&mut self, text: &str, folder: &Folder, usage: Usage) {
        match Pattern::path(text) {
            Ok(pattern) if text.contains('{') => {
                for glob in pattern.globs() {
                    self.wild(&Wild::read(glob.text()), text, folder, usage);
                }
            }
            Ok(_) | Err(_) => self.wild(&Wild::read(text), text, folder, usage),
        }
    }

    /// Paths with something before or after them: `@docs/a`, `docs/a#L3`, `docs/a:12`, `HEAD:docs/a`, `--file=docs/a`,
    /// and lists of paths.
    fn parts(&mut self, text: &str, marks: Marks, folders: &[Arc<Folder>], manner: Manner) {
        let words = text.split_whitespace();
        if words.clone().nth(1).is_some() {
            let path_like = |word: &str| {
                word.trim_end_matches(['.', ',', ';', ':'])
                    .contains(['/', '\\', '.'])
            };
            if words.clone().all(path_like) {
                words
                    .for_each(|word| self.text(word.trim_end_matches([',', ';']), folders, manner));
            }
            return;
        }
        let has_drive = self.ground.os == Os::Windows && links::drive(text).is_some();
        if !marks.has(Marks::SIGN) || has_drive {
            return;
        }
        let parts = text
            .split(SIGNS)
            .filter(|part| !part.is_empty() && part.len() < text.len());
        if parts.clone().nth(MAX_PARTS).is_some() {
            return self.unknown(Why::Excess, text);
        }
        let values = text
            .match_indices('=')
            .filter_map(|(at, _)| text.get(at + 1..));
        for part in parts.chain(values.take(MAX_VALUES)) {
            if !self.address(part, folders, manner) {
                for folder in folders {
                    self.name(part, marks, folder, manner);
                }
            }
        }
    }

    /// Judges a text as an address; says whether it is one and nothing else.
    pub(super) fn address(&mut self, text: &str, folders: &[Arc<Folder>], manner: Manner) -> bool {
        if !text.contains(':') {
            self.host_alone(text, manner);
            return false;
        }
        match url::read(text) {
            Some(Address::File { path, elsewhere }) => {
                self.file_address(text, &path, elsewhere, folders, manner);
                true
            }
            Some(Address::Web {
                href,
                keys,
                loopback,
            }) => {
                self.web(&href, &keys, loopback, manner);
                if !manner.whatwg {
                    self.inner_addresses(text, manner);
                }
                true
            }
            Some(Address::Other { href, key, path }) => {
                self.web(&href, &[key], None, manner);
                self.inner_addresses(text, manner);
                self.host_alone(text, manner);
                for folder in folders {
                    self.path(&path, folder, manner.usage);
                }
                false
            }
            None => {
                self.host_alone(text, manner);
                false
            }
        }
    }

    fn file_address(
        &mut self,
        text: &str,
        path: &str,
        elsewhere: bool,
        folders: &[Arc<Folder>],
        manner: Manner,
    ) {
        if elsewhere {
            self.unknown(Why::Alias, text);
        }
        let usage = Usage {
            by_server: false,
            ..manner.usage
        };
        let drive = path
            .strip_prefix('/')
            .filter(|rest| links::drive(rest).is_some());
        let relative = text
            .split_once(':')
            .map(|(_, rest)| rest)
            .filter(|rest| !rest.starts_with('/'));
        for folder in folders {
            for path in [Some(path), drive, relative].into_iter().flatten() {
                self.path(path, folder, usage);
            }
        }
    }

    fn web(&mut self, href: &str, keys: &[String], loopback: Option<u16>, manner: Manner) {
        let mut holders = Vec::new();
        for key in keys {
            let urls = self.ground.places.urls;
            urls.above(key, self.ground.longest_url, Naming::EXACT, |row| {
                holders.push(row.holder)
            });
            if manner.usage.reach == Reach::Below {
                holders.extend(urls.below(key).iter().map(|row| row.holder));
            }
        }
        holders.sort_unstable();
        holders.dedup();
        self.own |= loopback.is_some_and(|port| self.ground.is_own_port(port));
        self.add(Kind::Url, href.to_owned(), holders, manner.usage.access);
    }

    fn inner_addresses(&mut self, text: &str, manner: Manner) {
        for reading in url::other_readings(text) {
            if let Some(Address::Web {
                href,
                keys,
                loopback,
            }) = url::read(&reading)
            {
                self.web(&href, &keys, loopback, manner);
            }
        }
    }

    /// A host without a scheme, as `curl` takes it: `docs.example.com/a`, `localhost:8080`, `//docs.example.com`.
    fn host_alone(&mut self, text: &str, manner: Manner) {
        if self.ground.places.urls.rows.is_empty() && self.ground.own_ports.is_empty() {
            return;
        }
        let text = text.strip_prefix("//").unwrap_or(text);
        let ends = |byte: u8| matches!(byte, b'/' | b'?' | b'#' | b'\\');
        let end = text.bytes().position(ends).unwrap_or(text.len());
        let host = text.get(..end).unwrap_or(text);
        if !self.could_be_host(host) {
            return;
        }
        if let Some(Address::Web {
            href,
            keys,
            loopback,
        }) = url::read(&format!("http://{text}"))
        {
            self.web(&href, &keys, loopback, manner);
        }
    }

    /// Spares the parser the names of files, which are many: `a.md` is no host that is governed.
    fn could_be_host(&self, host: &str) -> bool {
        let marks = Marks::of(host);
        if marks.has(Marks::BLANK) {
            return false;
        }
        if marks.has(HOST_SIGNS) {
            return true;
        }
        let host = host.strip_suffix('.').unwrap_or(host);
        let last = host.rsplit('.').next().unwrap_or(host);
        let is_known = |label: &&str| label.eq_ignore_ascii_case(last);
        host.eq_ignore_ascii_case("localhost")
            || (last.len() < host.len()
                && (last.ends_with(|c: char| c.is_ascii_digit())
                    || self.ground.labels.iter().any(is_known)))
    }
}

/// Signs that file names seldom have, and hosts may.
const HOST_SIGNS: Marks = Marks::SIGN
    .and(Marks::VALUE)
    .and(Marks::OTHER)
    .and(Marks::WILD);

/// What a server may trim.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}' || c == '\0'
}

/// The parts and values that a text is taken apart into.
const MAX_PARTS: usize = 4_096;
const MAX_VALUES: usize = 16;

/// Signs with which a word, or a sentence, may be more than that.
const WORD_SIGNS: Marks = SENTENCE_SIGNS.and(Marks::SIGN).and(Marks::DOT);
const SENTENCE_SIGNS: Marks = Marks::SLASH
    .and(Marks::WILD)
    .and(Marks::VALUE)
    .and(Marks::COLON)
    .and(Marks::TILDE)
    .and(Marks::CONTROL)
    .and(Marks::OTHER);

/// What may stand between a path and something else.
const SIGNS: [char; 6] = ['=', ':', ',', ';', '@', '#'];

/// Whether a text with wildcards may be meant as a pattern over paths.
///
/// Other things are written with stars too: types of media, times, regular expressions, emphasis.
fn is_pattern(text: &str, files: bool) -> bool {
    files || (text.contains('/') && !text.contains(char::is_whitespace) && text != "*/*")
}
