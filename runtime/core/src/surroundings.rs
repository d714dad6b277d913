//! Where a call happens: what relative paths, `~` and links stand for, and how names compare.

mod naming;

pub use naming::{Forms, Naming};
pub(crate) use naming::{composed, fold, split_segments};

use crate::targets;

/// Where a call happens. Given by the caller, since this crate asks no operating system.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// The working folder of the server, absolute.
    pub cwd: &'a str,
    /// What `~` stands for, absolute; empty if unknown.
    pub home: &'a str,
    /// How the operating system reads paths.
    pub os: Os,
    /// How the file system compares names.
    pub naming: Naming,
    /// Where symbolic links lead.
    pub links: &'a dyn Links,
}

/// How an operating system reads paths.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Os {
    /// One root, `/` separates, any other byte is part of a name.
    Linux,
    /// The same; `/System/Volumes/Data` is the root once more.
    Macos,
    /// Both slashes separate; drive letters; trailing dots and blanks dropped.
    Windows,
}

impl Os {
    /// How the system that this was built for reads paths.
    pub const HERE: Self = if cfg!(windows) {
        Self::Windows
    } else if cfg!(target_os = "macos") {
        Self::Macos
    } else {
        Self::Linux
    };

    /// How names compare there, unless more is known about the disk.
    #[must_use]
    pub const fn naming(self) -> Naming {
        match self {
            Self::Linux => Naming::CASED,
            Self::Macos | Self::Windows => Naming::FOLDED,
        }
    }
}

/// What is known of symbolic links: the one thing about a path that its text does not say.
pub trait Links {
    /// What `name` in `folder` is. The folder is absolute (`""` is the root), has no `.` or `..`, and was itself resolved.
    ///
    /// Separators are `/` on every system. Called once a segment, and not at all for what lies in a missing folder.
    fn look(&self, folder: &str, name: &str) -> Entry;
}

/// What a name in a folder is.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Entry {
    /// A file or folder.
    Plain,
    /// Nothing by that name, and so nothing below it.
    Missing,
    /// A link to this path: absolute, or from the link's folder on.
    Link(String),
    /// It cannot be said.
    Unknown,
}

/// There are no links.
#[derive(Clone, Copy, Debug)]
pub struct NoLinks;

impl Links for NoLinks {
    fn look(&self, _folder: &str, _name: &str) -> Entry {
        Entry::Plain
    }
}

impl Surroundings<'_> {
    /// The root of a Linux file system without home and links: for what involves no path.
    pub const NOWHERE: Surroundings<'static> = Surroundings {
        cwd: "/",
        home: "",
        os: Os::Linux,
        naming: Naming::CASED,
        links: &NoLinks,
    };

    /// Whether a path, absolute or relative to the working folder, names the folder or something below it, both as
    /// written and with links resolved. Anything that cannot be told is no.
    #[must_use]
    pub fn is_under(&self, path: &str, folder: &str) -> bool {
        targets::is_under(self, path, folder)
    }
}
