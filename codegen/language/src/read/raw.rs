//! Faults of a text before it is YAML: its encoding, its size, characters that hide.

use crate::{
    located::Span,
    problem::{Code, Problem, code_point, enough, is_visible, shown},
    source::{FileId, MAX_BYTES, Sources},
};

/// What could be made of the bytes of a file.
pub(super) struct Decoded {
    /// The text; if it is not UTF-8, with a replacement for what is not.
    pub(super) text: String,
    /// Where the first byte stands that is not UTF-8.
    invalid: Option<usize>,
    encoding: Option<&'static str>,
    too_large: bool,
}

impl Decoded {
    /// True if there is no use in reading on.
    pub(super) fn stops(&self) -> bool {
        self.invalid.is_some() || self.too_large
    }
}

pub(super) fn decode(bytes: &[u8]) -> Decoded {
    let too_large = bytes.len() as u64 > MAX_BYTES;
    let encoding = match bytes {
        [0xff, 0xfe, ..] | [_, 0, ..] => Some("UTF-16, little endian"),
        [0xfe, 0xff, ..] | [0, _, ..] => Some("UTF-16, big endian"),
        _ => None,
    };
    match std::str::from_utf8(bytes) {
        Ok(text) => Decoded {
            text: text.to_owned(),
            invalid: None,
            encoding,
            too_large,
        },
        // The limit may have cut a character in two.
        Err(error) if too_large && error.error_len().is_none() => {
            let text = String::from_utf8_lossy(bytes).into_owned();
            Decoded {
                text,
                invalid: None,
                encoding,
                too_large,
            }
        }
        Err(error) => {
            let text = String::from_utf8_lossy(bytes).into_owned();
            Decoded {
                text,
                invalid: Some(error.valid_up_to()),
                encoding,
                too_large,
            }
        }
    }
}

pub(super) fn check(
    sources: &Sources,
    file: FileId,
    decoded: &Decoded,
    problems: &mut Vec<Problem>,
) {
    if decoded.too_large {
        problems.push(too_large(sources, file, &decoded.text));
    } else if let Some(offset) = decoded.invalid {
        problems.push(not_utf8(file, offset, decoded.encoding));
    } else {
        characters(file, &decoded.text, problems);
        indentation(file, &decoded.text, problems);
    }
}

fn at(file: FileId, start: usize, length: usize) -> Span {
    let offset = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    Span {
        file,
        start: offset(start),
        end: offset(start + length),
    }
}

/// Names the longest line, since it is nearly always a single value that makes a file large.
fn too_large(sources: &Sources, file: FileId, text: &str) -> Problem {
    let mut start = 0;
    let mut longest = (0, 0);
    for line in text.split_inclusive('\n') {
        if line.len() > longest.1 {
            longest = (start, line.len());
        }
        start += line.len();
    }
    let line = text.get(longest.0..).unwrap_or("");
    let key = line.split([':', '\n']).next().unwrap_or("").trim();
    let span = at(file, longest.0, 0);
    let message = format!(
        "the file is larger than the {} MiB that a policy may have",
        MAX_BYTES / 1024 / 1024
    );
    Problem::new(Code::TooLarge, message)
        .at(span, "the longest line")
        .help(format!(
            "its longest line is line {}, `{}`",
            sources.position(span).line,
            shown(key)
        ))
}

fn not_utf8(file: FileId, offset: usize, encoding: Option<&str>) -> Problem {
    let message = match encoding {
        Some(encoding) => format!("the file is not UTF-8: it looks like {encoding}"),
        None => format!(
            "the file is not UTF-8: byte {} cannot be part of it",
            offset + 1
        ),
    };
    Problem::new(Code::NotUtf8, message)
        .at(
            at(file, offset, '\u{fffd}'.len_utf8()),
            "not UTF-8 from here",
        )
        .help("save the file as UTF-8, without a byte order mark")
}

/// Characters that hide may not stand in a policy at all, comments included: a reviewer must see what the compiler reads. Written as an
/// escape in double quotes they can be seen, and are then judged by the place where they stand.
fn characters(file: FileId, text: &str, problems: &mut Vec<Problem>) {
    lone_return(file, text, problems);
    for (offset, char) in text.char_indices() {
        if enough(problems) {
            return;
        }
        if offset == 0 && char == '\u{feff}' {
            problems.push(
                Problem::new(
                    Code::ByteOrderMark,
                    "the file begins with a byte order mark (U+FEFF)",
                )
                .at(at(file, 0, char.len_utf8()), "")
                .help("save the file as UTF-8, without a byte order mark"),
            );
            continue;
        }
        if !is_allowed(char) {
            let message = format!("the character {} cannot be seen", code_point(char));
            let escape = if u32::from(char) > 0xffff {
                format!("\\U{:08X}", u32::from(char))
            } else {
                format!("\\u{:04X}", u32::from(char))
            };
            problems.push(
                Problem::new(Code::HiddenCharacter, message)
                    .at(at(file, offset, char.len_utf8()), "here")
                    .help(format!(
                        "remove it; if it is meant, write `{escape}` in double quotes"
                    )),
            );
        }
    }
}

/// Said once: a file with old line ends has one on every line.
fn lone_return(file: FileId, text: &str, problems: &mut Vec<Problem>) {
    let mut returns = text.match_indices('\r').map(|(offset, _)| offset);
    let lone = returns.find(|offset| {
        !text
            .get(offset + 1..)
            .is_some_and(|rest| rest.starts_with('\n'))
    });
    if let Some(offset) = lone {
        problems.push(
            Problem::new(
                Code::HiddenCharacter,
                "a carriage return (U+000D) without a line feed",
            )
            .at(
                at(file, offset, 1),
                "some readers begin a new line here, others do not",
            )
            .help("end every line with a line feed, or with both"),
        );
    }
}

pub(crate) fn is_allowed(char: char) -> bool {
    matches!(char, '\n' | '\r' | '\t') || is_visible(char)
}

fn indentation(file: FileId, text: &str, problems: &mut Vec<Problem>) {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if enough(problems) {
            return;
        }
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        let blank = line.trim().is_empty();
        let tab = line.get(..indent).and_then(|indent| indent.find('\t'));
        if let (Some(tab), false) = (tab, blank) {
            problems.push(
                Problem::new(Code::Tab, "a tab is used for indentation")
                    .at(at(file, start + tab, 1), "a tab")
                    .help("indent with blanks: readers disagree on how wide a tab is"),
            );
        }
        start += line.len();
    }
}
