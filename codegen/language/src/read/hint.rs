//! What to say when the text is not YAML. Most often a value should have been in quotes, since YAML gives a meaning to nearly every
//! character that a pattern begins with.

use std::ops::Range;

use granit_parser::ErrorKind;

use crate::{
    located::Span,
    problem::{Code, Problem, shown},
};

/// The problem of a text that stops being YAML at `span`. `flow` is the outermost open `{` or `[`.
pub(super) fn syntax(text: &str, span: Span, kind: &ErrorKind, flow: Option<Span>) -> Problem {
    let offset = span.start as usize;
    if let Some(comment) = comment_for_value(text, offset, flow) {
        let written = text.get(comment.clone()).unwrap_or("");
        let message = format!(
            "`{}` is a comment here, and cuts off what is open",
            shown(written)
        );
        return Problem::new(Code::Syntax, message)
            .at(at(span, comment), "put this in quotes, if it is a value")
            .help(quoted(value_of_comment(written)));
    }
    if let Some(value) = unquoted_value(text, offset, kind) {
        let written = text.get(value.range.clone()).unwrap_or("");
        let problem = Problem::new(
            Code::Syntax,
            format!("`{}` cannot be read without quotes", shown(written)),
        )
        .at(at(span, value.range), "put this in quotes")
        .help(quoted(written));
        return if value.in_flow && written.contains(": ") {
            problem.help("or put a comma between two entries")
        } else {
            problem
        };
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
    } else if *kind == ErrorKind::ExpectedDocumentStart {
        problem
            .at(place, "here")
            .help("a line `---` must follow a directive")
    } else if let Some(opening) = opening(text, offset, kind, flow) {
        let written = opening_value(text, opening);
        problem
            .at(place, "here")
            .at(
                at(span, opening..opening + 1),
                "opened here, and not closed before",
            )
            .help(format!("close it; if a text is meant, {}", quoted(written)))
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

fn at(span: Span, range: Range<usize>) -> Span {
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

/// How many lines back a fault may have begun.
const LINES_BACK: usize = 20;

/// A `#` in place of a value, inside brackets that are still open.
fn comment_for_value(text: &str, error: usize, flow: Option<Span>) -> Option<Range<usize>> {
    let open = flow.map(|flow| flow.start as usize);
    let known = open.and_then(|open| comment_in(text, open..error));
    // A bracket whose end was never found may not have been reported as open.
    known.or_else(|| {
        lines_before(text, error).find_map(|line| comment_in(text, first_bracket(text, line)?))
    })
}

fn comment_in(text: &str, inside: Range<usize>) -> Option<Range<usize>> {
    let start = inside.start;
    let inside = text.get(inside)?;
    for (found, _) in inside.match_indices('#') {
        let before = inside.get(..found)?.trim_end_matches([' ', '\t']);
        let spaced = before.len() < found;
        if spaced && before.ends_with([':', ',', '[', '{']) {
            let start = start + found;
            let length = text.get(start..)?.lines().next()?.trim_end().len();
            return Some(start..start + length);
        }
    }
    None
}

/// The line up to `offset` and the lines before it, last first.
fn lines_before(text: &str, offset: usize) -> impl Iterator<Item = Range<usize>> {
    let mut end = Some(offset.min(text.len()));
    let lines = std::iter::from_fn(move || {
        let line_end = end?;
        let start = text
            .get(..line_end)?
            .rfind('\n')
            .map_or(0, |newline| newline + 1);
        end = start.checked_sub(1);
        Some(start..line_end)
    });
    lines.take(LINES_BACK)
}

/// A line from its first bracket on.
fn first_bracket(text: &str, line: Range<usize>) -> Option<Range<usize>> {
    let bracket = text.get(line.clone())?.find(['{', '['])?;
    Some(line.start + bracket..line.end)
}

/// Where something was opened that should have been closed before `offset`: a bracket, or a quote.
fn opening(text: &str, offset: usize, kind: &ErrorKind, flow: Option<Span>) -> Option<usize> {
    if let ErrorKind::MismatchedFlowCollectionEnd { .. } = kind {
        return Some(offset);
    }
    let double = *kind == ErrorKind::InvalidTrailingDoubleQuotedScalar;
    let single = *kind == ErrorKind::InvalidTrailingSingleQuotedScalar;
    let quote = if double {
        Some('"')
    } else {
        single.then_some('\'')
    };
    if let Some(quote) = quote {
        let uneven = |line: &Range<usize>| {
            text.get(line.clone())
                .is_some_and(|line| line.matches(quote).count() % 2 == 1)
        };
        let line = lines_before(text, offset).skip(1).find(uneven)?;
        return text
            .get(line.clone())?
            .rfind(quote)
            .map(|at| line.start + at);
    }
    // Brackets over many lines are legal: only one that should have ended on an earlier line is worth a word.
    let unclosed = |line: &Range<usize>| {
        let line = text.get(line.clone()).unwrap_or("");
        line.matches(['}', ']']).count() < line.matches(['{', '[']).count()
    };
    if let Some(flow) = flow {
        let open = flow.start as usize;
        let first_line = open..open + text.get(open..offset)?.find('\n')?;
        return unclosed(&first_line).then_some(open);
    }
    let line = lines_before(text, offset).skip(1).find(|line| {
        text.get(line.clone())
            .is_some_and(|line| !line.trim().is_empty())
    })?;
    let last = text.get(line.clone())?.rfind(['{', '['])?;
    unclosed(&line).then_some(line.start + last)
}

/// What is written from an opening bracket or quote to the end of its line.
fn opening_value(text: &str, opening: usize) -> &str {
    let line = text
        .get(opening..)
        .and_then(|rest| rest.lines().next())
        .unwrap_or("");
    line.split(", ")
        .next()
        .unwrap_or(line)
        .trim_end_matches([' ', '}', ']', ','])
}

/// The text of a comment without the brackets that were meant to close what is open.
fn value_of_comment(written: &str) -> &str {
    let value = written.split(", ").next().unwrap_or(written);
    value.trim_end_matches([' ', '}', ']', ','])
}

/// A value that should have been in quotes.
struct Unquoted {
    range: Range<usize>,
    in_flow: bool,
}

/// The value around `offset` that should have been in quotes.
fn unquoted_value(text: &str, offset: usize, kind: &ErrorKind) -> Option<Unquoted> {
    let before = text.get(..offset)?;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = text.get(start..)?.lines().next()?;
    if *kind == ErrorKind::CommentNotSeparated {
        let end = end_in_flow(text.get(offset..start + line.len())?);
        return Some(Unquoted {
            range: offset..offset + end,
            in_flow: true,
        });
    }
    let mut last = None;
    for value in value_starts(line) {
        if start + value.start > offset {
            break;
        }
        let rest = line.get(value.start..)?;
        let end = if value.in_flow {
            end_in_flow(rest)
        } else {
            end_in_block(rest)
        };
        if end == 0 {
            continue;
        }
        let range = start + value.start..start + value.start + end;
        if is_trouble(rest, end) || ((value.after_colon || value.in_flow) && is_mark(rest)) {
            return Some(Unquoted {
                range,
                in_flow: value.in_flow,
            });
        }
        last = Some(Unquoted {
            range,
            in_flow: value.in_flow,
        });
    }
    // What is left is a value that YAML ended too early: `match: fake: wipe`, or `[fake.{a,b}]`.
    let value = last?;
    let written = text.get(value.range.clone())?;
    let plain = !written.starts_with(['"', '\'', '{', '[', '-', '?']);
    let ended_early = if value.in_flow {
        value.range.contains(&offset) && value.range.start < offset
    } else {
        let colon = written
            .find(": ")
            .or_else(|| written.strip_suffix(':').map(str::len));
        colon.is_some_and(|colon| value.range.start + colon <= offset)
    };
    (plain && ended_early).then_some(value)
}

/// `- a` and `? a` in place of a value.
fn is_mark(value: &str) -> bool {
    let mut chars = value.chars();
    matches!(chars.next(), Some('-' | '?')) && chars.next().is_none_or(|next| next == ' ')
}

#[derive(Clone, Copy)]
struct Start {
    start: usize,
    in_flow: bool,
    after_colon: bool,
}

/// Where values may begin on a line: after the marks of lists and after the first colon, and in brackets after each mark.
fn value_starts(line: &str) -> Vec<Start> {
    let mut starts: Vec<Start> = Vec::new();
    let mut depth = 0_u32;
    let mut quote = None;
    let mut colon_seen = false;
    let mut previous = None;
    let mut begin = line.len() - line.trim_start().len();
    for (offset, char) in line.char_indices() {
        let next = offset + char.len_utf8();
        let start = next
            + line
                .get(next..)
                .map_or(0, |rest| rest.len() - rest.trim_start_matches(' ').len());
        let spaced = start > next;
        let in_flow = depth > 0;
        let at_begin = offset == begin;
        let mut push = |in_flow, after_colon| {
            starts.push(Start {
                start,
                in_flow,
                after_colon,
            });
            begin = start;
        };
        match (quote, char) {
            (Some(open), _) if open == char => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'')
                if previous.is_none_or(|before| matches!(before, ' ' | '[' | '{' | ',')) =>
            {
                quote = Some(char);
            }
            (None, '{' | '[') if at_begin => {
                depth += 1;
                push(true, false);
            }
            (None, '}' | ']') => depth = depth.saturating_sub(1),
            (None, ',') if in_flow => push(true, false),
            (None, ':') if spaced && (in_flow || !colon_seen) => {
                colon_seen = colon_seen || !in_flow;
                push(in_flow, true);
            }
            (None, '-') if spaced && at_begin && !in_flow => push(false, false),
            (None, _) => {}
        }
        previous = Some(char);
    }
    starts
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
    let next_entry = after.starts_with(' ') && after.contains(": ");
    !after.trim().is_empty()
        && !next_entry
        && !after.starts_with([quote, ':', ',', '}', ']'])
        && !inside.contains('\\')
}
