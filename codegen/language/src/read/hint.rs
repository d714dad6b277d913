//! What to say when the text is not YAML. Most often a value should have been in quotes, since YAML gives a meaning to nearly every
//! character that a pattern begins with.

use granit_parser::ErrorKind;

use crate::{
    located::Span,
    problem::{Code, Problem, shown},
};

/// The problem of a text that stops being YAML at `span`. `flow` is the outermost open `{` or `[`.
pub(super) fn syntax(text: &str, span: Span, kind: &ErrorKind, flow: Option<Span>) -> Problem {
    let offset = span.start as usize;
    if let Some(comment) = flow.and_then(|flow| comment_in_flow(text, flow.start as usize, offset))
    {
        let written = text.get(comment.clone()).unwrap_or("");
        return Problem::new(
            Code::Syntax,
            format!(
                "`{}` is a comment here, and cuts off what is open",
                shown(written)
            ),
        )
        .at(at(span, comment), "put this in quotes, if it is a value")
        .help(quoted(value_of_comment(written)));
    }
    if let Some(value) = unquoted_value(text, offset) {
        let written = text.get(value.clone()).unwrap_or("");
        return Problem::new(
            Code::Syntax,
            format!("`{}` cannot be read without quotes", shown(written)),
        )
        .at(at(span, value), "put this in quotes")
        .help(quoted(written));
    }
    let problem = Problem::new(Code::Syntax, format!("this is not YAML: {kind}"));
    let place = Span {
        end: end_of_char(text, offset),
        ..span
    };
    if *kind == ErrorKind::UnclosedQuotedScalar {
        problem.at(place, "the quote that opens here is never closed")
    } else if let ErrorKind::UnclosedFlowCollection { .. } = kind {
        problem.at(place, "what opens here is never closed")
    } else {
        problem
            .at(place, "here")
            .help("check the indentation of this line and of the one before")
    }
}

/// `put it in quotes: "…"`, with the kind of quotes that leaves the text as it is.
pub(crate) fn quoted(text: &str) -> String {
    format!("put it in quotes: {}", quoted_only(text))
}

pub(super) fn quoted_only(text: &str) -> String {
    let text = text.trim();
    if text.contains(['"', '\\']) {
        format!("`'{}'`", shown(&text.replace('\'', "''")))
    } else {
        format!("`\"{}\"`", shown(text))
    }
}

/// What was written from the beginning of a span to the next blank or, in a list, the next comma or bracket.
pub(super) fn token(text: &str, span: Span) -> Span {
    let start = span.start as usize;
    let rest = text.get(start..).unwrap_or("");
    let line = rest.lines().next().unwrap_or("");
    let spaced = line.split([' ', '\t']).next().unwrap_or("");
    let open = spaced.matches(['{', '[']).count();
    let closed = spaced.trim_end_matches([',', '}', ']']);
    let token = if open == 0 { closed } else { spaced };
    at(
        span,
        start
            ..start
                + token
                    .len()
                    .max((span.end as usize).saturating_sub(start).min(spaced.len())),
    )
}

fn at(span: Span, range: std::ops::Range<usize>) -> Span {
    let offset = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    Span {
        file: span.file,
        start: offset(range.start),
        end: offset(range.end),
    }
}

fn end_of_char(text: &str, offset: usize) -> u32 {
    let width = text
        .get(offset..)
        .and_then(|rest| rest.chars().next())
        .map_or(0, |char| match char {
            '\n' | '\r' => 0,
            _ => char.len_utf8(),
        });
    u32::try_from(offset + width).unwrap_or(u32::MAX)
}

/// A `#` in place of a value, inside brackets that are still open.
fn comment_in_flow(text: &str, open: usize, error: usize) -> Option<std::ops::Range<usize>> {
    let inside = text.get(open..error)?;
    for (found, _) in inside.match_indices('#') {
        let before = inside.get(..found)?.trim_end_matches([' ', '\t']);
        let spaced = before.len() < found;
        if spaced && before.ends_with([':', ',', '[', '{']) {
            let start = open + found;
            let length = text.get(start..)?.lines().next()?.trim_end().len();
            return Some(start..start + length);
        }
    }
    None
}

/// The text of a comment without the brackets that were meant to close what is open.
fn value_of_comment(written: &str) -> &str {
    written.trim_end_matches([' ', '}', ']', ','])
}

/// The value around `offset` that should have been in quotes.
fn unquoted_value(text: &str, offset: usize) -> Option<std::ops::Range<usize>> {
    let before = text.get(..offset)?;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = text.get(start..)?.lines().next()?;
    let mut last_value = None;
    for (value, in_flow) in value_starts(line) {
        if start + value > offset {
            break;
        }
        let rest = line.get(value..)?;
        let end = if in_flow {
            end_in_flow(rest)
        } else {
            end_in_block(rest)
        };
        if end > 0 && is_trouble(rest, end) {
            return Some(start + value..start + value + end);
        }
        if !in_flow && end > 0 {
            last_value = Some(value..value + end);
        }
    }
    // `match: fake: wipe`: a second colon within what was meant as one value.
    let value = last_value?;
    let inside = line.get(value.clone())?;
    let colon = inside
        .find(": ")
        .or_else(|| inside.strip_suffix(':').map(str::len))?;
    let plain = !inside.starts_with(['"', '\'', '{', '[', '-', '?']);
    (plain && start + value.start + colon <= offset)
        .then_some(start + value.start..start + value.end)
}

/// Where values may begin on a line: after the marks of lists and after the first colon, and in brackets after each mark.
fn value_starts(line: &str) -> Vec<(usize, bool)> {
    let mut starts = Vec::new();
    let mut depth = 0_u32;
    let mut quote = None;
    let mut colon_seen = false;
    let mut previous = None;
    let indent = line.len() - line.trim_start().len();
    for (offset, char) in line.char_indices() {
        let next = offset + char.len_utf8();
        let value = next
            + line
                .get(next..)
                .map_or(0, |rest| rest.len() - rest.trim_start_matches(' ').len());
        let spaced = value > next;
        match (quote, char) {
            (Some(open), _) if open == char => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'')
                if previous.is_none_or(|before| matches!(before, ' ' | '[' | '{' | ',')) =>
            {
                quote = Some(char)
            }
            (None, '{' | '[') if offset == value_begin(&starts, indent) => {
                depth += 1;
                starts.push((value, true));
            }
            (None, '}' | ']') => depth = depth.saturating_sub(1),
            (None, ',') if depth > 0 => starts.push((value, true)),
            (None, ':') if spaced && (depth > 0 || !colon_seen) => {
                colon_seen = colon_seen || depth == 0;
                starts.push((value, depth > 0));
            }
            (None, '-') if spaced && offset == value_begin(&starts, indent) && depth == 0 => {
                starts.push((value, false))
            }
            (None, _) => {}
        }
        previous = Some(char);
    }
    starts
}

fn value_begin(starts: &[(usize, bool)], indent: usize) -> usize {
    starts.last().map_or(indent, |(start, _)| *start)
}

fn end_in_block(rest: &str) -> usize {
    let comment = rest.find(" #").unwrap_or(rest.len());
    rest.get(..comment).unwrap_or(rest).trim_end().len()
}

fn end_in_flow(rest: &str) -> usize {
    let mut depth = 0_u32;
    for (offset, char) in rest.char_indices() {
        match char {
            '{' | '[' => depth += 1,
            '}' | ']' if depth == 0 => return rest.get(..offset).unwrap_or("").trim_end().len(),
            '}' | ']' => depth -= 1,
            ',' if depth == 0 => return rest.get(..offset).unwrap_or("").trim_end().len(),
            _ => {}
        }
    }
    rest.trim_end().len()
}

/// True if a value that begins like this one has another meaning in YAML than its author thinks.
fn is_trouble(rest: &str, end: usize) -> bool {
    let Some(value) = rest.get(..end) else {
        return false;
    };
    match value.chars().next() {
        Some('*' | '!' | '@' | '%' | '&' | '`' | '|' | '>' | ',' | '}' | ']') => true,
        Some(open @ ('{' | '[')) => goes_on_after_bracket(value, open),
        Some(quote @ ('"' | '\'')) => goes_on_after_quote(value, quote),
        Some(_) | None => false,
    }
}

/// `{read,list}_note`: what looks like a bracket is the beginning of a pattern.
fn goes_on_after_bracket(value: &str, open: char) -> bool {
    let close = if open == '{' { '}' } else { ']' };
    let mut depth = 0_u32;
    for (offset, char) in value.char_indices() {
        if char == open {
            depth += 1;
        } else if char == close {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                let after = value.get(offset + 1..).unwrap_or("");
                return !after.is_empty() && !after.starts_with([',', '}', ']']);
            }
        }
    }
    false
}

/// `"fake".*`: the quotes close too early.
fn goes_on_after_quote(value: &str, quote: char) -> bool {
    let inside = value.get(1..).unwrap_or("");
    let after = inside.split_once(quote).map_or("", |(_, after)| after);
    !after.trim().is_empty()
        && !after.starts_with([quote, ':', ',', '}', ']'])
        && !inside.contains('\\')
}
