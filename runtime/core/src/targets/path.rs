//! The text of a path, made absolute.

use std::borrow::Cow;

use super::links::{self, Unresolvable, drive};
use super::windows;
use crate::surroundings::{Links, Os};

/// A folder that relative paths start from, under both of its names.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Folder {
    /// Absolute, folded as text; `""` is the root.
    pub(super) text: String,
    /// The same with links resolved.
    pub(super) real: String,
}

/// The text is another system's or another user's name for a file.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) struct Unclear;

/// A path to be judged: where it starts, and how it goes on.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Path<'p> {
    /// The path folded as text.
    pub(super) text: String,
    /// How much of the text is the folder it starts from.
    start: usize,
    /// The folder that it starts from, with links resolved.
    from: &'p str,
    rest: Cow<'p, str>,
}

/// Where a path leads through links.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Real {
    /// To where its text says.
    Same,
    /// Elsewhere.
    Other(String),
}

impl<'p> Path<'p> {
    /// Reads a path as `os` would, from `folder` on.
    pub(super) fn read(raw: &'p str, folder: &'p Folder, os: Os) -> Result<Self, Unclear> {
        let mut rest = match os {
            Os::Linux | Os::Macos => Cow::Borrowed(raw),
            Os::Windows => Cow::Owned(windows::translate(raw, drive(&folder.text))?),
        };
        let at_hand = root_of(&folder.text, os);
        let mut text = String::with_capacity(folder.text.len() + rest.len() + 1);
        let from = match split_drive(&rest, os) {
            Some((drive, after)) if !drive.eq_ignore_ascii_case(at_hand) => {
                text.push_str(drive);
                rest = Cow::Owned(after.to_owned());
                ""
            }
            Some((_, after)) => {
                text.push_str(at_hand);
                rest = Cow::Owned(after.to_owned());
                at_hand
            }
            None if rest.starts_with('/') => {
                text.push_str(at_hand);
                at_hand
            }
            None => {
                text.push_str(&folder.text);
                &folder.real
            }
        };
        let start = text.len();
        let keep = root_of(&text, os).len();
        fold_onto(&mut text, keep, &rest);
        if os == Os::Macos && text.starts_with(MACOS_DATA) {
            text.drain(..MACOS_DATA.len());
            return Ok(Self {
                rest: Cow::Owned(text.clone()),
                text,
                start: 0,
                from: "",
            });
        }
        Ok(Self {
            text,
            start,
            from,
            rest,
        })
    }

    /// Where the path leads through symbolic links.
    pub(super) fn resolve(&self, links: &dyn Links, os: Os) -> Result<Real, Unresolvable> {
        let folder = self.text.get(..self.start).unwrap_or("");
        let straight = folder == self.from && !self.rest.contains("..");
        if straight && links::is_plain(links, &self.text, self.start) {
            return Ok(Real::Same);
        }
        let root = root_of(&self.text, os);
        let from = if self.from.is_empty() {
            root
        } else {
            self.from
        };
        let real = links::resolve(links, from, &self.rest, root)?;
        Ok(if real == self.text {
            Real::Same
        } else {
            Real::Other(real)
        })
    }

    /// Where the path leads, in full.
    pub(super) fn real(&self, links: &dyn Links, os: Os) -> Result<String, Unresolvable> {
        self.resolve(links, os).map(|real| match real {
            Real::Same => self.text.clone(),
            Real::Other(real) => real,
        })
    }
}

/// Appends a relative path to an absolute one, whose first `keep` bytes no `..` removes.
pub(super) fn fold_onto(text: &mut String, keep: usize, path: &str) {
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                let parent = text.rfind('/').filter(|at| *at >= keep);
                text.truncate(parent.unwrap_or(keep));
            }
            name => {
                text.push('/');
                text.push_str(name);
            }
        }
    }
}

/// An absolute path, folded; what is not absolute is taken to be.
pub(super) fn absolute(raw: &str, os: Os) -> String {
    let root = Folder {
        text: String::new(),
        real: String::new(),
    };
    Path::read(raw, &root, os).map_or_else(|_| raw.to_owned(), |path| path.text)
}

/// The drive of an absolute path on Windows, else nothing.
pub(super) fn root_of(path: &str, os: Os) -> &str {
    match os {
        Os::Linux | Os::Macos => "",
        Os::Windows => drive(path).map_or("", |(drive, _)| drive),
    }
}

/// Splits a drive off a path, where there are drives.
fn split_drive(path: &str, os: Os) -> Option<(&str, &str)> {
    match os {
        Os::Linux | Os::Macos => None,
        Os::Windows => drive(path),
    }
}

/// Where macOS shows the root once more.
const MACOS_DATA: &str = "/System/Volumes/Data";

/// What `~` at the front of a path stands for: the home folder, or that of another user, which is unclear.
pub(super) fn tilde(raw: &str, home: Option<&str>, os: Os) -> Option<Result<String, Unclear>> {
    let after = raw.strip_prefix('~')?;
    let is_separator = |c: char| c == '/' || (os == Os::Windows && c == '\\');
    let (user, rest) = after.split_at_checked(after.find(is_separator).unwrap_or(after.len()))?;
    if user.is_empty() {
        return Some(home.map(|home| format!("{home}{rest}")).ok_or(Unclear));
    }
    let is_name = user.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && user
            .chars()
            .all(|c| c.is_alphanumeric() || "_-.".contains(c));
    (is_name && !rest.is_empty()).then_some(Err(Unclear))
}

/// Whether the name of a variable stands where a server might put its value.
///
/// A dollar alone says little, as query languages and schemas use it for their own names: it counts with a folder after it,
/// within braces, or if its name is one of an environment.
pub(super) fn has_variable(text: &str) -> bool {
    if text.contains(char::is_whitespace) || !text.contains(['$', '%']) {
        return false;
    }
    let is_path = text.contains(['/', '\\']);
    let dollar = text.match_indices('$').any(|(at, _)| {
        let after = text.get(at + 1..).unwrap_or("");
        if text.get(..at).is_some_and(|before| before.ends_with("::")) {
            // The stream of a file on Windows.
            return false;
        }
        if after.starts_with('{') || after.starts_with('(') {
            return is_path || after.ends_with(['}', ')']);
        }
        let name = after.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let name = name.into_iter().next().unwrap_or("");
        let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let shouts = name.len() > 1 && !name.contains(|c: char| c.is_ascii_lowercase());
        begins && (shouts || (at == 0 && after.get(name.len()..).unwrap_or("").starts_with('/')))
    });
    dollar || has_percent_name(text)
}

fn has_percent_name(text: &str) -> bool {
    let mut parts = text.split('%').skip(1);
    let is_name = |part: &str| {
        part.len() > 1
            && part.starts_with(|c: char| c.is_ascii_alphabetic())
            && part
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "_()".contains(c))
    };
    let count = text.matches('%').count();
    count >= 2 && parts.by_ref().take(count - 1).any(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_fold_as_text() {
        let folder = Folder {
            text: "/home/dev/proj".to_owned(),
            real: "/home/dev/proj".to_owned(),
        };
        let read = |raw| Path::read(raw, &folder, Os::Linux).unwrap().text;
        assert_eq!(read("docs/a"), "/home/dev/proj/docs/a");
        assert_eq!(read("../../../../../x"), "/x");
        assert_eq!(read("//home//dev/./x/../y/"), "/home/dev/y");
        assert_eq!(read("C:/x"), "/home/dev/proj/C:/x");
        assert_eq!(read(""), "/home/dev/proj");
    }

    #[test]
    fn variables_are_told_from_operators() {
        for text in [
            "$HOME/x",
            "${workspaceFolder}/x",
            "a/${X}",
            "$x/y",
            "%USERPROFILE%\\x",
            "$HOME",
            "a/$DIR/b",
        ] {
            assert!(has_variable(text), "{text}");
        }
        for text in [
            "$set",
            "$ref",
            "$.a/b",
            "5$",
            "100%",
            "a%20b%20c/d",
            "/odata/$metadata/x",
            "$x, $y",
            "%d/%s",
            "a/b::$DATA",
        ] {
            assert!(!has_variable(text), "{text}");
        }
    }
}
