//! A path as the file system reads it.
//!
//! The operating system does not fold `..` as text: it goes to the folder it has arrived in, and up from there. So does this.
//! What does not exist yet is resolved as far as it exists, for a write will create it there.

use crate::surroundings::{Entry, Links};

/// The links that one path may lead through, and the looks it may cost: more is hostile or a loop.
const MAX_LINKS: usize = 40;
const MAX_LOOKS: usize = 256;

/// The path leads in a circle, or its links cannot be read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Unresolvable;

/// Goes from the resolved folder `from` along `path`, and returns where that leads.
///
/// `root` is what no `..` climbs out of: `""`, or a drive.
pub(super) fn resolve(
    links: &dyn Links,
    from: &str,
    path: &str,
    root: &str,
) -> Result<String, Unresolvable> {
    let mut walk = Walk {
        at: String::with_capacity(from.len() + path.len() + 1),
        missing: false,
        links: 0,
        looks: 0,
        root: root.to_owned(),
    };
    walk.at.push_str(from);
    walk.along(links, path)?;
    Ok(walk.at)
}

/// Whether no segment of a folded, absolute path is a link, from byte `start` on.
pub(super) fn is_plain(links: &dyn Links, path: &str, start: usize) -> bool {
    let mut at = start;
    for _ in 0..MAX_LOOKS {
        let Some((folder, rest)) = path.split_at_checked(at) else {
            return true;
        };
        let Some(rest) = rest.strip_prefix('/') else {
            return true;
        };
        let name = rest.split('/').next().unwrap_or(rest);
        match look(links, folder, name) {
            Entry::Plain => at += name.len() + 1,
            Entry::Missing => return true,
            Entry::Link(_) | Entry::Unknown => return false,
        }
    }
    false
}

/// A name that no file system takes is not there.
pub(super) fn look(links: &dyn Links, folder: &str, name: &str) -> Entry {
    if name.len() > MAX_NAME || name.contains('\0') {
        Entry::Missing
    } else {
        links.look(folder, name)
    }
}

/// The longest name of a file on the common file systems, in the letters that take the most bytes.
const MAX_NAME: usize = 255 * 3;

struct Walk {
    at: String,
    missing: bool,
    links: usize,
    looks: usize,
    root: String,
}

impl Walk {
    fn along(&mut self, links: &dyn Links, path: &str) -> Result<(), Unresolvable> {
        for name in path.split('/') {
            match name {
                "" | "." => {}
                ".." => self.up(),
                name => self.into(links, name)?,
            }
        }
        Ok(())
    }

    fn up(&mut self) {
        let parent = self.at.rfind('/').filter(|at| *at >= self.root.len());
        self.at.truncate(parent.unwrap_or(self.root.len()));
        // Above a missing folder things may exist again.
        self.missing = false;
    }

    fn into(&mut self, links: &dyn Links, name: &str) -> Result<(), Unresolvable> {
        let entry = if self.missing {
            Entry::Missing
        } else {
            self.looks += 1;
            if self.looks > MAX_LOOKS {
                return Err(Unresolvable);
            }
            look(links, &self.at, name)
        };
        match entry {
            Entry::Plain => self.push(name),
            Entry::Missing => {
                self.missing = true;
                self.push(name);
            }
            Entry::Unknown => return Err(Unresolvable),
            Entry::Link(target) => {
                self.links += 1;
                if self.links > MAX_LINKS {
                    return Err(Unresolvable);
                }
                let drive = drive(&target).filter(|_| !self.root.is_empty());
                let rest = if let Some((drive, rest)) = drive {
                    drive.clone_into(&mut self.root);
                    rest
                } else {
                    &target
                };
                if drive.is_some() || target.starts_with('/') {
                    self.at.clone_from(&self.root);
                }
                // A target is walked to its end before the path goes on, and a loop ends at the limit of links.
                self.along(links, rest)?;
            }
        }
        Ok(())
    }

    fn push(&mut self, name: &str) {
        self.at.push('/');
        self.at.push_str(name);
    }
}

/// Splits a drive, `C:`, off the front.
pub(super) fn drive(path: &str) -> Option<(&str, &str)> {
    let (drive, rest) = path.split_at_checked(2)?;
    let is_drive = matches!(drive.as_bytes(), [letter, b':'] if letter.is_ascii_alphabetic());
    is_drive.then_some((drive, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Some4;

    impl Links for Some4 {
        fn look(&self, folder: &str, name: &str) -> Entry {
            match (folder, name) {
                ("/p", "docs" | "src") | ("/p/docs", _) | ("", _) => Entry::Plain,
                ("/p", "l") => Entry::Link("docs/sub".to_owned()),
                ("/p", "far") => Entry::Link("/srv/share".to_owned()),
                ("/p", "chain") => Entry::Link("l/x".to_owned()),
                ("/p", "loop") => Entry::Link("loop".to_owned()),
                _ => Entry::Missing,
            }
        }
    }

    #[track_caller]
    fn check(path: &str, expected: Result<&str, Unresolvable>) {
        let found = resolve(&Some4, "/p", path, "");
        assert_eq!(found.as_deref(), expected.as_ref().copied(), "{path}");
    }

    #[test]
    fn links_are_followed_one_by_one() {
        check("docs/a", Ok("/p/docs/a"));
        check("l/../a", Ok("/p/docs/a"));
        check("far/../a", Ok("/srv/a"));
        check("chain/y", Ok("/p/docs/sub/x/y"));
        check("new/../l/new/x", Ok("/p/docs/sub/new/x"));
        check("../../../x", Ok("/x"));
        check("loop", Err(Unresolvable));
        check(&"src/../".repeat(300), Err(Unresolvable));
    }
}
