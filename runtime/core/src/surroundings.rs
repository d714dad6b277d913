//! Where a call happens: what relative paths, `~` and links stand for.

/// Where a call happens. Given by the caller, since this crate asks no operating system.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// The working folder of the server, absolute.
    pub cwd: &'a str,
    /// What `~` stands for, absolute; empty if unknown.
    pub home: &'a str,
    /// How the operating system reads paths.
    pub os: Os,
    /// Where a symbolic link leads: an absolute path to its target, if the (absolute, folded) path is a link.
    pub link: &'a dyn Fn(&str) -> Option<String>,
}

/// How an operating system reads paths.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Os {
    /// Names compare byte for byte.
    Linux,
    /// Names compare without regard to case and to composed or decomposed letters.
    Macos,
    /// Names compare without regard to case; both slashes separate; drive letters; trailing dots and blanks dropped.
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
}

impl Surroundings<'_> {
    /// The root of a Linux file system without home and links: for what involves no path.
    pub const NOWHERE: Surroundings<'static> = Surroundings {
        cwd: "/",
        home: "",
        os: Os::Linux,
        link: &|_| None,
    };

    /// Whether a path, absolute or relative to the working folder, names the folder or something below it, both as
    /// written and with links resolved. Anything that cannot be told is no.
    #[must_use]
    pub fn is_under(&self, path: &str, folder: &str) -> bool {
        fold(self.cwd, path)
            .zip(fold(self.cwd, folder))
            .is_some_and(|(path, folder)| path.starts_with(&folder))
    }
}

/// The segments of an absolute path, or of one that starts at the working folder; `None` if it climbs over the root.
fn fold<'p>(cwd: &'p str, path: &'p str) -> Option<Vec<&'p str>> {
    let start = if path.starts_with('/') { "" } else { cwd };
    let mut segments = Vec::new();
    for segment in start.split('/').chain(path.split('/')) {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop()?;
            }
            name => segments.push(name),
        }
    }
    Some(segments)
}
