//! Action scopes: which paths a pattern matches.

use crate::manifest::Denials;

/// The kinds of things a scope speaks about, in the order in which they are looked at.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Dimension {
    /// Tools, by name.
    Tools,
    /// Paths, by pattern.
    Paths,
    /// Capabilities, by name.
    Capabilities,
}

impl Dimension {
    /// The member of a scope.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Paths => "paths",
            Self::Capabilities => "capabilities",
        }
    }

    /// What is denied of this kind.
    pub(crate) fn denied(self, deny: &Denials) -> &[String] {
        match self {
            Self::Tools => &deny.tools,
            Self::Paths => &deny.paths,
            Self::Capabilities => &deny.capabilities,
        }
    }

    /// Whether a token is denied; a path is, however it is spelt.
    pub(crate) fn denies(self, deny: &Denials, token: &str) -> bool {
        let denied = self.denied(deny);
        match self {
            Self::Tools | Self::Capabilities => denied.iter().any(|known| known == token),
            Self::Paths => {
                let folded = folded(token);
                denied
                    .iter()
                    .any(|pattern| matches_path(pattern, token) || matches_path(pattern, &folded))
            }
        }
    }
}

/// Whether a path pattern of an action scope matches a path: `**` is any run of characters, `*` any run without `/`,
/// everything else stands for itself, and all of the path must match.
#[must_use]
pub fn matches_path(pattern: &str, path: &str) -> bool {
    glob(&tokens(pattern), path)
}

/// The path with `.`, `..`, doubled and backward slashes folded away. What would lead above the start is dropped.
#[must_use]
pub fn folded(path: &str) -> String {
    let is_absolute = path.starts_with(['/', '\\']);
    let mut kept: Vec<&str> = Vec::new();
    for segment in path.split(['/', '\\']) {
        match segment {
            "" | "." => {}
            ".." => {
                kept.pop();
            }
            other => kept.push(other),
        }
    }
    let root = if is_absolute { "/" } else { "" };
    format!("{root}{}", kept.join("/"))
}

enum Token {
    /// Any run.
    Everything,
    /// Any run without `/`.
    Segment,
    Literal(char),
}

fn tokens(pattern: &str) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(pattern.len());
    let mut characters = pattern.chars().peekable();
    while let Some(character) = characters.next() {
        tokens.push(match character {
            '*' if characters.next_if_eq(&'*').is_some() => Token::Everything,
            '*' => Token::Segment,
            other => Token::Literal(other),
        });
    }
    tokens
}

/// Follows all readings at once: `reached[i]` says that the first `i` tokens can match what was read so far.
fn glob(tokens: &[Token], text: &str) -> bool {
    let mut reached = vec![false; tokens.len() + 1];
    if let Some(start) = reached.first_mut() {
        *start = true;
    }
    skip_stars(tokens, &mut reached);
    for character in text.chars() {
        let mut next = vec![false; tokens.len() + 1];
        for (index, token) in tokens.iter().enumerate() {
            if !reached.get(index).copied().unwrap_or_default() {
                continue;
            }
            let stays = match token {
                Token::Everything => true,
                Token::Segment => character != '/',
                Token::Literal(expected) => {
                    if *expected == character
                        && let Some(place) = next.get_mut(index + 1)
                    {
                        *place = true;
                    }
                    false
                }
            };
            if stays && let Some(place) = next.get_mut(index) {
                *place = true;
            }
        }
        skip_stars(tokens, &mut next);
        reached = next;
    }
    reached.last().copied().unwrap_or_default()
}

/// A star may stand for nothing.
fn skip_stars(tokens: &[Token], reached: &mut [bool]) {
    for (index, token) in tokens.iter().enumerate() {
        let here = reached.get(index).copied().unwrap_or_default();
        if here
            && !matches!(token, Token::Literal(_))
            && let Some(place) = reached.get_mut(index + 1)
        {
            *place = true;
        }
    }
}
