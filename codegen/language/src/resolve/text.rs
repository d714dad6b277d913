//! Texts with a meaning of their own: patterns, names, times, pointers, addresses.

use knotrust_core::{
    glob,
    targets::{building::Builder, place::Holder},
};

use super::Resolver;
use crate::{
    lints::patterns::narrow_path,
    located::{Located, Span},
    model::{Duration, Identifier, PathPattern, Pattern, Pointer, Sentence, Url},
    problem::{Code, Problem, code_point, is_visible, shown},
    resolved::Bound,
};

impl Resolver<'_> {
    /// A pattern over action names. No tool has a name with anything but visible ASCII in it.
    pub(super) fn pattern(&mut self, written: &Located<Pattern>) -> Option<Bound> {
        let text = &written.value.0;
        let allowed = |char: char| char.is_ascii_graphic();
        self.characters(text, written.span, "a pattern over tool names", allowed)?;
        let pattern = self.glob(glob::Pattern::name(text), written.span)?;
        self.can_match(&pattern, written.span);
        Some(Bound {
            pattern,
            place: self.place(written.span),
            span: written.span,
        })
    }

    pub(super) fn patterns<'a>(
        &mut self,
        written: impl IntoIterator<Item = &'a Located<Pattern>>,
    ) -> Vec<Bound> {
        written
            .into_iter()
            .filter_map(|written| self.pattern(written))
            .collect()
    }

    /// An action name is `server.tool`: a pattern without room for the dot matches none.
    fn can_match(&mut self, pattern: &glob::Pattern, span: Span) {
        let Some(never) = pattern.globs().find(|glob| !glob.tokens().any(may_be_dot)) else {
            return;
        };
        let message = format!(
            "`{}` never matches: the name of an action is `server.tool`, with a dot",
            shown(never.text())
        );
        let problem = Problem::new(Code::NeverMatches, message).at(span, "no dot in it");
        let in_brackets = self
            .sources
            .slice(Span {
                start: span.start.saturating_sub(1),
                ..span
            })
            .starts_with('[');
        self.push(
            if in_brackets && !self.sources.slice(span).starts_with(['"', '\'']) {
                problem.help("if the brackets belong to the pattern, put all of it in quotes")
            } else {
                problem.help("begin with the name of the server, or with `*.`")
            },
        );
    }

    /// A pattern over paths. Files may have letters of all scripts in their names.
    pub(super) fn path_pattern(&mut self, written: &Located<PathPattern>) -> Option<glob::Pattern> {
        let text = &written.value.0;
        self.visible(text, written.span, "a path pattern")?;
        let pattern = self.glob(glob::Pattern::path(text), written.span)?;
        self.problems.extend(narrow_path(&pattern, written.span));
        Some(pattern)
    }

    /// Names of skills, which need not be actions.
    pub(super) fn skills<'a>(
        &mut self,
        written: impl IntoIterator<Item = &'a Located<Pattern>>,
    ) -> Vec<Bound> {
        let mut skills = Vec::new();
        for written in written {
            let text = &written.value.0;
            let allowed = |char: char| char.is_ascii_graphic();
            let fits = self.characters(text, written.span, "a pattern over skill names", allowed);
            let pattern = fits.and_then(|()| self.glob(glob::Pattern::name(text), written.span));
            let place = self.place(written.span);
            skills.extend(pattern.map(|pattern| Bound {
                pattern,
                place,
                span: written.span,
            }));
        }
        skills
    }

    /// A pattern over texts in arguments.
    pub(super) fn text_pattern(&mut self, written: &Located<Pattern>) -> Option<()> {
        let text = &written.value.0;
        let hides = |char: char| char == ' ' || is_visible(char);
        self.characters(text, written.span, "a pattern", hides)?;
        self.glob(glob::Pattern::name(text), written.span)
            .map(|_| ())
    }

    fn glob(
        &mut self,
        pattern: Result<glob::Pattern, glob::GlobError>,
        span: Span,
    ) -> Option<glob::Pattern> {
        match pattern {
            Ok(pattern) => Some(pattern),
            Err(error) => {
                let at = error.at();
                let place = self.sources.within(span, at..at + 1);
                let place = if self.sources.slice(place).is_empty() {
                    span
                } else {
                    place
                };
                self.push(
                    Problem::new(Code::BadPattern, error.to_string())
                        .at(place, "here")
                        .help(error.help()),
                );
                None
            }
        }
    }

    /// A text of which every character can be seen, and that neither begins nor ends with a blank.
    pub(super) fn visible(&mut self, text: &str, span: Span, what: &str) -> Option<()> {
        let inner = text.trim_matches(' ');
        if inner.len() < text.len() {
            let at = if text.starts_with(' ') {
                0
            } else {
                inner.len()
            };
            let place = self.sources.within(span, at..at + 1);
            self.push(
                Problem::new(
                    Code::BadCharacter,
                    format!("{what} begins or ends with a blank (U+0020)"),
                )
                .at(place, "a blank")
                .help("remove it"),
            );
            return None;
        }
        self.characters(text, span, what, |char| char == ' ' || is_visible(char))
    }

    /// Names each character that may not be there.
    pub(super) fn characters(
        &mut self,
        text: &str,
        span: Span,
        what: &str,
        allowed: fn(char) -> bool,
    ) -> Option<()> {
        let mut named: Vec<char> = Vec::new();
        for (offset, char) in text.char_indices() {
            if allowed(char) || named.contains(&char) {
                continue;
            }
            named.push(char);
            let place = self.sources.within(span, offset..offset + char.len_utf8());
            // A raw one that hides was named when the text was read.
            let raw = self.sources.slice(place).contains(char);
            if raw && !is_visible(char) && !matches!(char, '\t' | '\n' | '\r' | ' ') {
                continue;
            }
            self.push(
                Problem::new(Code::BadCharacter, format!("{what} cannot contain {}", described(char)))
                    .at(place, code_point(char))
                    .help("remove it, or write the character that was meant: no name has it, so this would never match"),
            );
        }
        named.is_empty().then_some(())
    }

    /// A name that an author chose.
    pub(super) fn identifier(
        &mut self,
        written: &Located<Identifier>,
        whose: &str,
    ) -> Option<String> {
        let text = &written.value.0;
        let allowed = |char: char| char.is_ascii_alphanumeric() || matches!(char, '.' | '_' | '-');
        let fits =
            text.starts_with(|first: char| first.is_ascii_alphanumeric()) && text.len() <= 128;
        if text.chars().all(allowed) && fits {
            return Some(text.clone());
        }
        let odd: Vec<String> = text
            .chars()
            .filter(|char| !allowed(*char))
            .map(described)
            .collect();
        let message = match odd.first() {
            Some(first) => format!("`{whose}` is `{}`, and a name has no {first}", shown(text)),
            None if text.is_empty() => format!("`{whose}` is empty"),
            None => format!("`{whose}` is `{}`, which is no name", shown(text)),
        };
        self.push(
            Problem::new(Code::BadName, message)
                .at(written.span, "not a name")
                .help("a name begins with a letter or a digit and goes on with letters, digits, `.`, `_` and `-`, up to 128"),
        );
        None
    }

    /// Words that people read.
    pub(super) fn sentence(&mut self, written: Option<&Sentence>, whose: &str) -> Option<String> {
        let text = &written?.0;
        if text.trim().is_empty() {
            self.push(
                Problem::new(Code::BadName, format!("`{whose}` is empty"))
                    .help("say something, or leave it out"),
            );
            return None;
        }
        Some(text.clone())
    }

    /// A time in milliseconds.
    pub(super) fn duration(
        &mut self,
        written: &Located<Duration>,
        whose: &str,
        most: Time,
    ) -> Option<u64> {
        let text = written.value.0.as_str();
        let problem = match millis(text) {
            Ok(0) => Problem::new(Code::OutOfRange, format!("`{whose}` is no time at all"))
                .at(written.span, "zero"),
            Ok(millis) if millis <= most.millis => return Some(millis),
            Ok(_) | Err(BadDuration::TooLong) => {
                let message = format!(
                    "`{whose}` can be at most `{}`, but is `{}`",
                    most.text,
                    shown(text)
                );
                Problem::new(Code::OutOfRange, message).at(written.span, "too long")
            }
            Err(BadDuration::NoUnit) => {
                let message = format!("`{whose}` has no unit: `{}` of what?", shown(text));
                Problem::new(Code::BadDuration, message)
                    .at(written.span, "a unit is missing")
                    .help("write `s`, `m`, `h` or `d` after the number")
            }
            Err(BadDuration::Unreadable) => {
                let message = format!(
                    "`{whose}` is `{}`, which is no duration with a unit",
                    shown(text)
                );
                Problem::new(Code::BadDuration, message)
                    .at(written.span, "not a duration")
                    .help("write a whole number and a unit: `30s`, `15m`, `72h`, `1h30m`")
            }
        };
        self.push(problem);
        None
    }

    pub(super) fn pointer(&mut self, written: &Located<Pointer>) -> Option<String> {
        self.pointer_text(&written.value.0, written.span)
    }

    /// A JSON Pointer (RFC 6901).
    pub(super) fn pointer_text(&mut self, text: &str, span: Span) -> Option<String> {
        let begins = text.is_empty() || text.starts_with('/');
        let escapes = text
            .split('~')
            .skip(1)
            .all(|rest| rest.starts_with(['0', '1']));
        if begins && escapes {
            return Some(text.to_owned());
        }
        let help = if begins {
            "in a pointer `~` is written `~0`, and a `/` within a name `~1`".to_owned()
        } else {
            format!("a pointer begins with `/`: `/{}`", shown(text))
        };
        self.push(
            Problem::new(
                Code::BadPointer,
                format!("`{}` is no JSON Pointer", shown(text)),
            )
            .at(span, "not a pointer")
            .help(help),
        );
        None
    }

    /// An `http` or `https` address with a host and without a password.
    pub(super) fn url(&mut self, written: &Located<Url>) -> Option<String> {
        let text = &written.value.0;
        self.visible(text, written.span, "a URL")?;
        let problem = |message: String| {
            Problem::new(Code::BadUrl, message).at(written.span, "not such a URL")
        };
        let lower = text.to_ascii_lowercase();
        let Some(rest) = lower
            .strip_prefix("https://")
            .or_else(|| lower.strip_prefix("http://"))
        else {
            self.push(problem(format!(
                "`{}` is neither an `http` nor an `https` URL",
                shown(text)
            )));
            return None;
        };
        let authority = rest.split(['/', '?', '#']).next().unwrap_or("");
        if authority.is_empty() || authority.starts_with(':') {
            self.push(problem(format!("`{}` names no host", shown(text))));
            return None;
        }
        if authority.contains('@') {
            self.push(
                problem(format!("`{}` holds a user or a password", shown(text)))
                    .help("a policy is no place for secrets"),
            );
            return None;
        }
        if let Err(error) = Builder::default().url(text, Holder::Domain(0)) {
            self.push(problem(format!("`{}` is {error}", shown(text))));
            return None;
        }
        Some(text.clone())
    }
}

fn may_be_dot(token: glob::Token<'_>) -> bool {
    match token {
        glob::Token::Char(char) => char == '.',
        glob::Token::Class(class) => class.contains('.'),
        glob::Token::One
        | glob::Token::Star
        | glob::Token::Deep
        | glob::Token::Folders
        | glob::Token::Below => true,
    }
}

/// The longest that a duration may be.
#[derive(Clone, Copy)]
pub(super) struct Time {
    millis: u64,
    text: &'static str,
}

impl Time {
    pub(super) const MINUTE: Self = Self {
        millis: 60_000,
        text: "60s",
    };
    pub(super) const HOUR: Self = Self {
        millis: 3_600_000,
        text: "1h",
    };
    pub(super) const YEAR: Self = Self {
        millis: 365 * 86_400_000,
        text: "365d",
    };
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum BadDuration {
    NoUnit,
    TooLong,
    Unreadable,
}

/// One or more of a whole number and a unit, summed.
fn millis(text: &str) -> Result<u64, BadDuration> {
    let mut total: u64 = 0;
    let mut rest = text;
    if rest.is_empty() {
        return Err(BadDuration::Unreadable);
    }
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, after) = rest
            .split_at_checked(digits)
            .ok_or(BadDuration::Unreadable)?;
        // `010s` is eight, ten or a mistake.
        if number.is_empty() || (number.len() > 1 && number.starts_with('0')) {
            return Err(BadDuration::Unreadable);
        }
        let unit = match after.bytes().next() {
            Some(b's') => 1_000,
            Some(b'm') => 60_000,
            Some(b'h') => 3_600_000,
            Some(b'd') => 86_400_000,
            None => return Err(BadDuration::NoUnit),
            Some(_) => return Err(BadDuration::Unreadable),
        };
        rest = after.get(1..).unwrap_or("");
        let number: u64 = number.parse().map_err(|_| BadDuration::TooLong)?;
        let part = number.checked_mul(unit).ok_or(BadDuration::TooLong)?;
        total = total.checked_add(part).ok_or(BadDuration::TooLong)?;
    }
    Ok(total)
}

/// A character, named so that it cannot be taken for another.
fn described(char: char) -> String {
    if char.is_ascii_graphic() {
        format!("`{char}` ({})", code_point(char))
    } else {
        code_point(char)
    }
}

/// Bytes as text, or where they stop being it.
pub(crate) fn utf8(bytes: Vec<u8>) -> Result<String, usize> {
    String::from_utf8(bytes).map_err(|error| error.utf8_error().valid_up_to())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units_and_neither_wrap_nor_round() {
        let rows = [
            ("300s", Ok(300_000)),
            ("1h30m", Ok(5_400_000)),
            ("2d", Ok(172_800_000)),
            ("0s", Ok(0)),
            ("300", Err(BadDuration::NoUnit)),
            ("1h30", Err(BadDuration::NoUnit)),
            ("5:00", Err(BadDuration::Unreadable)),
            ("1.5h", Err(BadDuration::Unreadable)),
            ("-1s", Err(BadDuration::Unreadable)),
            ("010s", Err(BadDuration::Unreadable)),
            ("1 h", Err(BadDuration::Unreadable)),
            ("1H", Err(BadDuration::Unreadable)),
            ("", Err(BadDuration::Unreadable)),
            ("99999999999999h", Err(BadDuration::TooLong)),
            ("99999999999999999999s", Err(BadDuration::TooLong)),
        ];
        for (text, expected) in rows {
            assert_eq!(millis(text), expected, "{text}");
        }
    }
}
