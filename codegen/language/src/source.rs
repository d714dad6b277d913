//! The texts a policy is made of. Everything that is read is read here, so that tests and fuzzing can lend texts from memory, and so that
//! a build script can name every file that it depends on.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::{self, Read},
    ops::Range,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use crate::located::Span;

/// The largest text that is read. Ten thousand rules take less than a tenth of it.
pub const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// Which of the texts of [`Sources`].
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct FileId(u32);

impl FileId {
    pub(crate) fn number(self) -> u32 {
        self.0
    }

    pub(crate) fn from_number(number: u32) -> Self {
        Self(number)
    }
}

/// A line and a column, both from 1. Columns count characters.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Position {
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
}

/// Where files come from.
#[derive(Clone, Debug)]
pub enum Files {
    /// The file system.
    Disk,
    /// A table of paths and contents, as tests and fuzzing use.
    Memory(BTreeMap<PathBuf, Vec<u8>>),
}

/// All texts that were read, and the paths that were asked for.
#[derive(Clone, Debug)]
pub struct Sources {
    files: Files,
    texts: Vec<Text>,
    paths: BTreeSet<PathBuf>,
}

#[derive(Clone, Debug)]
struct Text {
    path: PathBuf,
    text: Arc<str>,
    lines: Vec<u32>,
}

impl Sources {
    /// No text yet.
    pub fn new(files: Files) -> Self {
        Self {
            files,
            texts: Vec::new(),
            paths: BTreeSet::new(),
        }
    }

    /// Every path that was asked for, whether or not there was a file: a build depends on all of them.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.paths.iter().map(PathBuf::as_path)
    }

    /// The bytes of a file, up to one more than `limit`.
    pub fn bytes(&mut self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.paths.insert(path.to_owned());
        match &self.files {
            Files::Disk => from_disk(path, limit),
            Files::Memory(table) => table
                .get(path)
                .cloned()
                .ok_or_else(|| io::ErrorKind::NotFound.into()),
        }
    }

    /// Keeps a text, so that problems can point into it.
    pub fn add(&mut self, path: &Path, text: &str) -> FileId {
        let id = FileId(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        let lines = line_starts(text);
        self.texts.push(Text {
            path: path.to_owned(),
            text: text.into(),
            lines,
        });
        id
    }

    /// The name of a file as a person would give it.
    pub fn name(&self, file: FileId) -> String {
        self.get(file)
            .map_or_else(String::new, |text| display(&text.path))
    }

    /// The path of a file.
    pub fn path(&self, file: FileId) -> &Path {
        self.get(file).map_or(Path::new(""), |text| &text.path)
    }

    /// A whole text.
    pub fn text(&self, file: FileId) -> Arc<str> {
        self.get(file)
            .map_or_else(|| "".into(), |text| Arc::clone(&text.text))
    }

    /// What stands at a span.
    pub fn slice(&self, span: Span) -> &str {
        let text = self.get(span.file).map_or("", |text| &text.text);
        text.get(span.start as usize..span.end as usize)
            .unwrap_or("")
    }

    /// Where a span begins.
    pub fn position(&self, span: Span) -> Position {
        self.locate(span.file, span.start)
    }

    /// Where a span ends.
    pub fn end_position(&self, span: Span) -> Position {
        self.locate(span.file, span.end)
    }

    /// The bytes of a line, counted from 1, without its end.
    pub fn line(&self, file: FileId, line: u32) -> Range<usize> {
        let Some(text) = self.get(file) else {
            return 0..0;
        };
        let number = line as usize;
        let start = text
            .lines
            .get(number.saturating_sub(1))
            .copied()
            .unwrap_or(0) as usize;
        let end = text
            .lines
            .get(number)
            .map_or(text.text.len(), |next| *next as usize);
        let whole = text.text.get(start..end).unwrap_or("");
        start..start + whole.trim_end_matches(['\r', '\n']).len()
    }

    /// The place in the text of a part of a scalar's value: the bytes `part` of the value of the scalar written at `span`.
    ///
    /// Quotes and escapes make the two differ.
    pub fn within(&self, span: Span, part: Range<usize>) -> Span {
        let written = self.slice(span);
        let offset = |target: usize| {
            let inside = written_offset(written, target).unwrap_or(written.len());
            span.start + u32::try_from(inside).unwrap_or(0)
        };
        let start = offset(part.start).min(span.end);
        Span {
            file: span.file,
            start,
            end: offset(part.end).clamp(start, span.end),
        }
    }

    fn get(&self, file: FileId) -> Option<&Text> {
        self.texts.get(file.0 as usize)
    }

    fn locate(&self, file: FileId, offset: u32) -> Position {
        let Some(text) = self.get(file) else {
            return Position { line: 1, column: 1 };
        };
        let line = text.lines.partition_point(|start| *start <= offset).max(1);
        let start = text.lines.get(line - 1).copied().unwrap_or(0);
        let before = text.text.get(start as usize..offset as usize).unwrap_or("");
        let column = before.chars().count() + 1;
        Position {
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column).unwrap_or(u32::MAX),
        }
    }
}

/// A path as a person would type it, with `/` on every system.
pub fn display(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    text.strip_prefix("./").map(str::to_owned).unwrap_or(text)
}

/// A path without `.` and `..`, as far as they can be taken away: two that are equal name one file.
pub fn folded(path: &Path) -> PathBuf {
    let mut folded = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(folded.components().next_back(), Some(Component::Normal(_))) =>
            {
                folded.pop();
            }
            Component::Prefix(_)
            | Component::RootDir
            | Component::Normal(_)
            | Component::ParentDir => folded.push(part),
        }
    }
    folded
}

/// Why a file cannot be read, in the same words on every system.
pub fn reason(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::NotFound {
        "there is no such file".to_owned()
    } else if error.kind() == io::ErrorKind::PermissionDenied {
        "it may not be read".to_owned()
    } else {
        error.to_string()
    }
}

fn from_disk(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    // A pipe or a device could hold the build for ever, a pipe even while it is opened.
    if !path.metadata()?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        ));
    }
    let file = File::open(path)?;
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn line_starts(text: &str) -> Vec<u32> {
    let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    let starts = ends.map(|(offset, _)| u32::try_from(offset + 1).unwrap_or(u32::MAX));
    std::iter::once(0).chain(starts).collect()
}

/// How far into the written form of a scalar its value's byte `target` stands.
fn written_offset(written: &str, target: usize) -> Option<usize> {
    match written.as_bytes().first()? {
        b'\'' => {
            let mut value = 0;
            let mut chars = written.char_indices().skip(1);
            while let Some((offset, char)) = chars.next() {
                if value >= target {
                    return Some(offset);
                }
                if char == '\'' {
                    chars.next();
                }
                value += char.len_utf8();
            }
            None
        }
        b'"' => {
            let mut value = 0;
            let mut offset = 1;
            while let Some(char) = written.get(offset..).and_then(|rest| rest.chars().next()) {
                if value >= target {
                    return Some(offset);
                }
                let (width, length) = if char == '\\' {
                    escape(written.get(offset + 1..)?)
                } else {
                    (char.len_utf8(), char.len_utf8())
                };
                offset += width;
                value += length;
            }
            None
        }
        _ => Some(target.min(written.len())),
    }
}

/// The width of a double-quoted escape as written, and of the character it stands for.
fn escape(rest: &str) -> (usize, usize) {
    let digits = match rest.as_bytes().first() {
        Some(b'x') => 2,
        Some(b'u') => 4,
        Some(b'U') => 8,
        _ => return (1 + rest.chars().next().map_or(0, char::len_utf8), 1),
    };
    let code = rest
        .get(1..=digits)
        .and_then(|hex| u32::from_str_radix(hex, 16).ok());
    (
        2 + digits,
        code.and_then(char::from_u32).map_or(1, char::len_utf8),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(written: &str, part: Range<usize>) -> String {
        let mut sources = Sources::new(Files::Disk);
        let file = sources.add(Path::new("x"), written);
        let end = u32::try_from(written.len()).unwrap();
        let span = sources.within(
            Span {
                file,
                start: 0,
                end,
            },
            part,
        );
        sources.slice(span).to_owned()
    }

    #[test]
    fn a_part_of_a_value_is_found_behind_quotes_and_escapes() {
        assert_eq!(place("github.[ab", 7..8), "[");
        assert_eq!(place("\"github.[ab\"", 7..8), "[");
        assert_eq!(place("'it''s.[ab'", 5..6), "[");
        assert_eq!(place(r#""\u00e9\x2e[ab""#, 3..4), "[");
    }

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let mut sources = Sources::new(Files::Disk);
        let file = sources.add(Path::new("x"), "a\r\n\u{e9}b\n");
        let at = |start| {
            sources.position(Span {
                file,
                start,
                end: start,
            })
        };
        assert_eq!(at(0), Position { line: 1, column: 1 });
        assert_eq!(at(5), Position { line: 2, column: 2 });
        assert_eq!(sources.line(file, 2), 3..6);
    }
}
