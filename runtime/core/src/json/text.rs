//! Strings of JSON, which may hold what a Rust string may not.

use std::borrow::Cow;
use std::fmt;

/// A JSON string: a Rust string, or one with lone surrogates (`"\ud800"`), which RFC 8259 allows and Unicode does not.
#[derive(Clone)]
pub struct Text<'a>(Form<'a>);

// INVARIANT: `Surrogates` holds at least one lone surrogate, so that equal strings have equal forms.
#[derive(Clone)]
enum Form<'a> {
    Plain(Cow<'a, str>),
    /// Generalised UTF-8 ("WTF-8"): lone surrogates stand as the three bytes they would have.
    Surrogates(Vec<u8>),
}

impl<'a> Text<'a> {
    /// The text, unless it holds a lone surrogate.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.0 {
            Form::Plain(text) => Some(text),
            Form::Surrogates(_) => None,
        }
    }

    /// The text as bytes: UTF-8, but for lone surrogates, which stand as the three bytes `ED A0..BF 80..BF`.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Form::Plain(text) => text.as_bytes(),
            Form::Surrogates(bytes) => bytes,
        }
    }

    /// The text with U+FFFD in place of each lone surrogate. For showing only: never compare, hash or send it.
    #[must_use]
    pub fn to_string_lossy(&self) -> Cow<'_, str> {
        match &self.0 {
            Form::Plain(text) => Cow::Borrowed(text),
            Form::Surrogates(bytes) => Cow::Owned(
                units(bytes)
                    .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
                    .collect(),
            ),
        }
    }

    /// The characters, with a lone surrogate as the error it is.
    pub fn chars(&self) -> impl Iterator<Item = Result<char, u16>> {
        let (plain, surrogates) = match &self.0 {
            Form::Plain(text) => (Some(text.chars().map(Ok)), None),
            Form::Surrogates(bytes) => (None, Some(units(bytes))),
        };
        plain
            .into_iter()
            .flatten()
            .chain(surrogates.into_iter().flatten())
    }

    /// The UTF-16 code units, by which RFC 8785 orders member names.
    pub fn utf16(&self) -> impl Iterator<Item = u16> {
        self.chars().flat_map(|unit| {
            let mut pair = [0; 2];
            let length = match unit {
                Ok(character) => character.encode_utf16(&mut pair).len(),
                Err(surrogate) => {
                    pair = [surrogate, 0];
                    1
                }
            };
            pair.into_iter().take(length)
        })
    }

    /// The text as a string, unless it holds a lone surrogate.
    #[must_use]
    pub fn into_string(self) -> Option<Cow<'a, str>> {
        match self.0 {
            Form::Plain(text) => Some(text),
            Form::Surrogates(_) => None,
        }
    }

    /// The text behind a prefix and a dot: how an action is named after its server.
    #[must_use]
    pub fn prefixed(&self, prefix: &str) -> Text<'static> {
        Text(match &self.0 {
            Form::Plain(text) => {
                let mut name = String::with_capacity(prefix.len() + 1 + text.len());
                name.push_str(prefix);
                name.push('.');
                name.push_str(text);
                Form::Plain(Cow::Owned(name))
            }
            Form::Surrogates(bytes) => Form::Surrogates([prefix.as_bytes(), b".", bytes].concat()),
        })
    }

    /// The same text, owning its bytes.
    #[must_use]
    pub fn into_owned(self) -> Text<'static> {
        Text(match self.0 {
            Form::Plain(text) => Form::Plain(Cow::Owned(text.into_owned())),
            Form::Surrogates(bytes) => Form::Surrogates(bytes),
        })
    }

    // INVARIANT: the bytes are generalised UTF-8 in which no two surrogates form a pair.
    pub(super) fn from_generalised(bytes: Vec<u8>) -> Self {
        Self(match String::from_utf8(bytes) {
            Ok(text) => Form::Plain(Cow::Owned(text)),
            Err(error) => Form::Surrogates(error.into_bytes()),
        })
    }
}

/// Characters of generalised UTF-8, and its lone surrogates as errors.
fn units(bytes: &[u8]) -> impl Iterator<Item = Result<char, u16>> {
    bytes
        .utf8_chunks()
        .flat_map(|chunk| {
            // A surrogate is invalid from its second byte on, so it comes in three chunks of one byte each; the
            // first, ED, says nothing yet and the last two hold the value.
            chunk
                .valid()
                .chars()
                .map(Ok)
                .chain(chunk.invalid().first().copied().map(Err))
        })
        .scan(None, join_surrogate)
        .flatten()
}

// Three invalid bytes in a row are one surrogate: ED, then 6 + 6 bits.
fn join_surrogate(
    pending: &mut Option<(u8, Option<u8>)>,
    unit: Result<char, u8>,
) -> Option<Option<Result<char, u16>>> {
    Some(match (unit, *pending) {
        (Ok(character), _) => Some(Ok(character)),
        (Err(first), None) => {
            *pending = Some((first, None));
            None
        }
        (Err(second), Some((first, None))) => {
            *pending = Some((first, Some(second)));
            None
        }
        (Err(third), Some((_, Some(second)))) => {
            *pending = None;
            Some(Err(0xD000
                | u16::from(second & 0x3F) << 6
                | u16::from(third & 0x3F)))
        }
    })
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Text<'_> {}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        super::write::write_text(&mut out, self);
        f.write_str(&out)
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Self(Form::Plain(Cow::Borrowed(text)))
    }
}

impl From<String> for Text<'_> {
    fn from(text: String) -> Self {
        Self(Form::Plain(Cow::Owned(text)))
    }
}
