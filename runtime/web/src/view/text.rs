//! Text that nobody here has written.

use knotrust_core::display::inert;
use knotrust_core::json::Text;
use maud::{Markup, html};

/// A stretch of text.
#[derive(Debug, Eq, PartialEq)]
enum Piece {
    /// As it is.
    Plain(String),
    /// A character that would act or hide, or a run of blanks: its code point, and how often.
    Mark(String, usize),
}

/// The text, inert: with marks in place of what acts, hides or pushes away what follows. Line breaks are kept after their
/// marks.
pub(super) fn shown(text: &Text<'_>) -> Markup {
    html! {
        @for piece in pieces(text) {
            @match piece {
                Piece::Plain(plain) => { (plain) }
                Piece::Mark(mark, count) => {
                    span.mark { (mark) @if count > 1 { "×" (count) } }
                    @if mark == LINE_FEED { br; }
                }
            }
        }
    }
}

/// The first characters of a text.
pub(super) fn beginning(text: &Text<'_>, most: usize) -> Text<'static> {
    let plain = text.chars().take(most);
    let plain: String = plain
        .map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    Text::from(plain)
}

fn pieces(text: &Text<'_>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let mut count = 1;
        while characters.next_if_eq(&character).is_some() {
            count += 1;
        }
        let is_blank = character == Ok(' ');
        match character {
            Ok(plain) if inert_of(plain).is_none() && !(is_blank && count >= MANY_BLANKS) => {
                push(&mut pieces, plain, count);
            }
            Ok(odd) => pieces.push(Piece::Mark(
                inert_of(odd).unwrap_or_else(|| format!("<U+{:04X}>", u32::from(odd))),
                count,
            )),
            Err(half) => pieces.push(Piece::Mark(format!("<U+{half:04X}>"), count)),
        }
    }
    pieces
}

fn push(pieces: &mut Vec<Piece>, character: char, count: usize) {
    let run = std::iter::repeat_n(character, count);
    if let Some(Piece::Plain(plain)) = pieces.last_mut() {
        plain.extend(run);
    } else {
        pieces.push(Piece::Plain(run.collect()));
    }
}

/// How a character is written that is not shown as it is.
fn inert_of(character: char) -> Option<String> {
    if character.is_ascii_graphic() || character == ' ' {
        return None;
    }
    let mut buffer = [0; 4];
    let plain = &*character.encode_utf8(&mut buffer);
    let written = inert(plain);
    (written != plain).then_some(written)
}

const LINE_FEED: &str = "<U+000A>";
const MANY_BLANKS: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let value = knotrust_core::json::parse(text.as_bytes()).unwrap();
        let shown = shown(value.as_text().unwrap()).into_string();
        let shown = shown
            .replace("<span class=\"mark\">", "[")
            .replace("</span>", "]");
        assert_eq!(shown, expected);
    }

    #[test]
    fn nothing_acts_hides_or_pushes_away() {
        check(r#""a  b""#, "a  b");
        check(r#""a     b""#, "a[&lt;U+0020&gt;×5]b");
        check(r#""\n\n\nx""#, "[&lt;U+000A&gt;×3]<br>x");
        check(r#""\u202eexe""#, "[&lt;U+202E&gt;]exe");
        check(r#""\ud800x""#, "[&lt;U+D800&gt;]x");
        check(r#""<script>&""#, "&lt;script&gt;&amp;");
        check(r#""naïve 中文""#, "naïve 中文");
    }
}
