//! Parts of a message replaced, and every other byte as it was.
//!
//! What is not decided on is never written anew: numbers keep their spelling, strings their escapes, members their order.
//! All of this works on text that [`knotrust_core::json::parse`] has accepted; of other text it makes nothing sensible, and
//! nothing worse.

use std::ops::Range;

use knotrust_core::json::{self, Value};
use memchr::memchr2;

/// Where a value stands in a text.
pub(crate) type Span = Range<usize>;

/// A member of an object.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    /// Its name, with the quotes.
    pub(crate) name: Span,
    /// Its value.
    pub(crate) value: Span,
}

/// What is to be changed in a text.
#[derive(Debug, Default)]
pub(crate) struct Edits(Vec<(Span, Vec<u8>)>);

/// The value that a text is.
pub(crate) fn root(text: &[u8]) -> Span {
    let start = after_blanks(text, 0);
    start..after_value(text, start)
}

/// The value under that name of the object there, if it is one and has it.
pub(crate) fn member(text: &[u8], object: &Span, name: &str) -> Option<Span> {
    let found = members(text, object).find(|member| is_named(text, member, name));
    found.map(|member| member.value)
}

/// The value at the end of that path of names.
pub(crate) fn at(text: &[u8], path: &[&str]) -> Option<Span> {
    let mut place = root(text);
    for name in path {
        place = member(text, &place, name)?;
    }
    Some(place)
}

/// The elements of the array there.
pub(crate) fn elements<'t>(text: &'t [u8], array: &Span) -> impl Iterator<Item = Span> + use<'t> {
    let mut next = (text.get(array.start) == Some(&b'[')).then(|| array.start + 1);
    std::iter::from_fn(move || {
        let start = after_blanks(text, next?);
        if text.get(start).is_none_or(|byte| *byte == b']') {
            return None;
        }
        let end = after_value(text, start);
        next = after_separator(text, end);
        Some(start..end)
    })
}

/// Whether there is an object.
pub(crate) fn is_object(text: &[u8], place: &Span) -> bool {
    text.get(place.start) == Some(&b'{')
}

impl Edits {
    /// What stands there is to be this.
    pub(crate) fn replace(&mut self, place: Span, with: impl Into<Vec<u8>>) {
        self.0.push((place, with.into()));
    }

    /// The object there is to have this member, whether it had one of that name before or not.
    pub(crate) fn set(&mut self, text: &[u8], object: &Span, name: &str, value: &str) {
        if let Some(old) = member(text, object, name) {
            return self.replace(old, value);
        }
        let first = object.start + 1;
        let is_empty = text.get(after_blanks(text, first)) == Some(&b'}');
        let comma = if is_empty { "" } else { "," };
        let name = json::write(&Value::string(name));
        self.replace(first..first, format!("{name}:{value}{comma}"));
    }

    /// The object there is to have no member of that name.
    pub(crate) fn unset(&mut self, text: &[u8], object: &Span, name: &str) {
        let members: Vec<Member> = members(text, object).collect();
        let Some(index) = members
            .iter()
            .position(|member| is_named(text, member, name))
        else {
            return;
        };
        let before = index.checked_sub(1).and_then(|index| members.get(index));
        let (this, after) = (members.get(index), members.get(index + 1));
        let place = match (before, this, after) {
            (_, Some(this), Some(after)) => this.name.start..after.name.start,
            (Some(before), Some(this), None) => before.value.end..this.value.end,
            (None, Some(this), None) => this.name.start..this.value.end,
            (_, None, _) => return,
        };
        self.replace(place, Vec::new());
    }

    /// Whether there is nothing to change.
    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text with the changes.
    pub(crate) fn apply(mut self, text: &[u8]) -> Vec<u8> {
        self.0.sort_by_key(|(place, _)| (place.start, place.end));
        let added: usize = self.0.iter().map(|(_, with)| with.len()).sum();
        let mut changed = Vec::with_capacity(text.len() + added);
        let mut from = 0;
        for (place, with) in self.0 {
            changed.extend_from_slice(text.get(from..place.start).unwrap_or_default());
            changed.extend(with);
            from = place.end.max(from);
        }
        changed.extend_from_slice(text.get(from..).unwrap_or_default());
        changed
    }
}

/// The members of the object there.
pub(crate) fn members<'t>(text: &'t [u8], object: &Span) -> impl Iterator<Item = Member> + use<'t> {
    let mut next = is_object(text, object).then(|| object.start + 1);
    std::iter::from_fn(move || {
        let start = after_blanks(text, next?);
        if text.get(start) != Some(&b'"') {
            return None;
        }
        let name = start..after_value(text, start);
        let value = after_blanks(text, after_blanks(text, name.end) + 1);
        let value = value..after_value(text, value);
        next = after_separator(text, value.end);
        Some(Member { name, value })
    })
}

fn is_named(text: &[u8], member: &Member, name: &str) -> bool {
    let written = text.get(member.name.clone()).unwrap_or_default();
    let plain = written
        .strip_prefix(b"\"")
        .and_then(|rest| rest.strip_suffix(b"\""));
    plain == Some(name.as_bytes())
        || memchr::memchr(b'\\', written).is_some()
            && json::parse(written).is_ok_and(|read| read.as_str() == Some(name))
}

fn after_separator(text: &[u8], end: usize) -> Option<usize> {
    let at = after_blanks(text, end);
    (text.get(at) == Some(&b',')).then_some(at + 1)
}

fn after_blanks(text: &[u8], from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace());
    from + blanks.count()
}

fn after_value(text: &[u8], start: usize) -> usize {
    match text.get(start) {
        Some(b'"') => after_string(text, start),
        Some(b'{' | b'[') => after_container(text, start),
        _ => {
            let rest = text.get(start..).unwrap_or_default();
            let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace();
            start + rest.iter().position(ends).unwrap_or(rest.len())
        }
    }
}

fn after_string(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(found) = memchr2(b'"', b'\\', text.get(at..).unwrap_or_default()) {
        if text.get(at + found) == Some(&b'"') {
            return at + found + 1;
        }
        at += found + 2;
    }
    text.len()
}

fn after_container(text: &[u8], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0_usize);
    while let Some(byte) = text.get(at) {
        at = match byte {
            b'"' => after_string(text, at),
            b'{' | b'[' => {
                depth += 1;
                at + 1
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                at + 1
            }
            _ => at + 1,
        };
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str =
        " {\"a\" : 1.50 , \"\\u0062\":[ \"]\\\\\\\"}\", {\"x\":{}} ,true ] , \"c\":{} }\r\n";

    #[track_caller]
    fn check(edit: impl FnOnce(&mut Edits, &[u8], &Span), expected: &str) {
        let mut edits = Edits::default();
        edit(&mut edits, TEXT.as_bytes(), &root(TEXT.as_bytes()));
        let changed = edits.apply(TEXT.as_bytes());
        assert_eq!(String::from_utf8(changed).unwrap(), expected);
    }

    #[test]
    fn values_are_found_where_they_stand() {
        let text = TEXT.as_bytes();
        let written = |span: Span| std::str::from_utf8(&text[span]).unwrap();
        assert_eq!(written(at(text, &["a"]).unwrap()), "1.50");
        let list = at(text, &["b"]).unwrap();
        let found: Vec<&str> = elements(text, &list).map(written).collect();
        assert_eq!(found, ["\"]\\\\\\\"}\"", "{\"x\":{}}", "true"]);
        assert_eq!(at(text, &["a", "b"]), None);
        assert_eq!(at(text, &["d"]), None);
    }

    #[test]
    fn all_else_stays() {
        check(|_, _, _| {}, TEXT);
        check(
            |edits, text, root| edits.set(text, root, "a", "2"),
            &TEXT.replace("1.50", "2"),
        );
        check(
            |edits, text, root| edits.set(text, root, "n", "null"),
            &TEXT.replace("{\"a\"", "{\"n\":null,\"a\""),
        );
        check(
            |edits, text, root| {
                let inner = member(text, root, "c").unwrap();
                edits.set(text, &inner, "n", "0");
            },
            &TEXT.replace("\"c\":{}", "\"c\":{\"n\":0}"),
        );
    }

    #[test]
    fn members_go_with_their_commas() {
        for name in ["a", "b", "c"] {
            let mut edits = Edits::default();
            edits.unset(TEXT.as_bytes(), &root(TEXT.as_bytes()), name);
            let changed = edits.apply(TEXT.as_bytes());
            let left = json::parse(&changed).unwrap();
            assert_eq!(left.as_object().map(json::Object::len), Some(2), "{name}");
            assert!(left.get(name).is_none());
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(text in proptest::collection::vec(prop_oneof![
            Just(b'{'), Just(b'}'), Just(b'['), Just(b']'), Just(b'"'), Just(b'\\'), Just(b','), Just(b':'), any::<u8>(),
        ], 0..64)) {
            let all = root(&text);
            let mut edits = Edits::default();
            edits.set(&text, &all, "a", "1");
            edits.unset(&text, &all, "b");
            let _ = elements(&text, &all).count();
            let _ = edits.apply(&text);
        }
    }
}
