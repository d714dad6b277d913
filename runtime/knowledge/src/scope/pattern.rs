//! Patterns of paths, and paths as they compare.

/// Whether a path pattern of a manifest matches a path: `**` is any run of characters, `*` any run without `/`, everything
/// else stands for itself, and all of the path must match.
///
/// A question mark makes what stands before it optional, as it does in every other reader of these patterns; none of them
/// meant it to. Whoever denies something asks [`may_match`] too.
#[must_use]
pub fn matches_path(pattern: &str, path: &str) -> bool {
    glob(&places(pattern, QuestionMark::Optional), path)
}

/// As [`matches_path`], but `?` is one character other than `/`: how scopes are compared with what happens.
#[must_use]
pub fn may_match(pattern: &str, path: &str) -> bool {
    glob(&places(pattern, QuestionMark::AnyCharacter), path)
}

/// The path with `.`, `..`, doubled and backward slashes folded away. What leads above the start stays there.
#[must_use]
pub fn folded(path: &str) -> String {
    let is_absolute = path.starts_with(['/', '\\']);
    let mut kept: Vec<&str> = Vec::new();
    for segment in path.split(['/', '\\']) {
        match segment {
            "" | "." => {}
            ".." if kept.last().is_some_and(|last| *last != "..") => {
                kept.pop();
            }
            ".." if is_absolute => {}
            other => kept.push(other),
        }
    }
    let root = if is_absolute { "/" } else { "" };
    format!("{root}{}", kept.join("/"))
}

/// Whether a folded path lies at or below another, at a boundary between segments.
pub(crate) fn lies_below(path: &str, folder: &str) -> bool {
    match path.strip_prefix(folder) {
        // What the empty path holds is whatever does not lead out of it.
        Some(_) if folder.is_empty() => {
            !path.starts_with('/') && path != ".." && !path.starts_with("../")
        }
        Some(rest) => rest.is_empty() || folder.ends_with('/') || rest.starts_with('/'),
        None => false,
    }
}

/// What a question mark means.
#[derive(Clone, Copy, Eq, PartialEq)]
enum QuestionMark {
    Optional,
    AnyCharacter,
}

/// A place in a pattern: what it takes, how often, and whether it may be left out.
struct Place {
    takes: Takes,
    repeats: bool,
    optional: bool,
}

#[derive(Clone, Copy)]
enum Takes {
    Anything,
    AllButSlash,
    Only(char),
}

impl Place {
    const fn once(takes: Takes) -> Self {
        Self {
            takes,
            repeats: false,
            optional: false,
        }
    }

    const fn run(takes: Takes) -> Self {
        Self {
            takes,
            repeats: true,
            optional: true,
        }
    }

    fn accepts(&self, character: char) -> bool {
        match self.takes {
            Takes::Anything => true,
            Takes::AllButSlash => character != '/',
            Takes::Only(expected) => character == expected,
        }
    }
}

fn places(pattern: &str, question_mark: QuestionMark) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::with_capacity(pattern.len());
    let mut characters = pattern.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '*' if characters.next_if_eq(&'*').is_some() => {
                places.push(Place::run(Takes::Anything));
            }
            '*' => places.push(Place::run(Takes::AllButSlash)),
            '?' if question_mark == QuestionMark::AnyCharacter => {
                places.push(Place::once(Takes::AllButSlash));
            }
            '?' => {
                if let Some(before) = places.last_mut() {
                    before.optional = true;
                }
            }
            other => places.push(Place::once(Takes::Only(other))),
        }
    }
    places
}

/// Follows all readings at once: `reached[i]` says that the first `i` places can match what was read so far.
fn glob(places: &[Place], text: &str) -> bool {
    let mut reached = vec![false; places.len() + 1];
    mark(&mut reached, 0);
    skip_optional(places, &mut reached);
    for character in text.chars() {
        let mut next = vec![false; places.len() + 1];
        for (index, place) in places.iter().enumerate() {
            if reached.get(index) == Some(&true) && place.accepts(character) {
                mark(&mut next, if place.repeats { index } else { index + 1 });
            }
        }
        skip_optional(places, &mut next);
        reached = next;
    }
    reached.last() == Some(&true)
}

fn skip_optional(places: &[Place], reached: &mut [bool]) {
    for (index, place) in places.iter().enumerate() {
        if place.optional && reached.get(index) == Some(&true) {
            mark(reached, index + 1);
        }
    }
}

fn mark(reached: &mut [bool], index: usize) {
    if let Some(place) = reached.get_mut(index) {
        *place = true;
    }
}
