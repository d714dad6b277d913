//! The folder that holds what knotrust must remember, and that nobody but its user may enter.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use crate::failure::{Cause, StoreError};
use crate::files;
use crate::keychain::Keychain;

/// A home that exists, belongs to this user and is closed to all others (`ruleset.md`, "State at run time").
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Home {
    path: PathBuf,
    keychain: Option<Keychain>,
}

impl Home {
    /// Opens the home, and makes it if it is missing.
    ///
    /// `chosen` is the value of `KNOTRUST_HOME`, `user` that of `HOME`, below which `.knotrust` is the default. A link
    /// to the home is followed, once, here: a person may keep it on another disk.
    ///
    /// # Errors
    ///
    /// The path is not absolute, is empty or holds control characters; the folder cannot be made; or it is no folder,
    /// somebody else's, or open to others.
    pub fn open(chosen: Option<&OsStr>, user: Option<&OsStr>) -> Result<Self, StoreError> {
        let path = locate(chosen, user)?;
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&path);
        made.map_err(|error| match fs::metadata(&path) {
            Ok(metadata) if !metadata.is_dir() => {
                StoreError::new("use the home", &path, Cause::NotAFolder)
            }
            Ok(_) | Err(_) => StoreError::new("make the home", &path, error),
        })?;
        let failed = |cause: Cause| StoreError::new("use the home", &path, cause);
        let real = fs::canonicalize(&path).map_err(|error| failed(error.into()))?;
        let metadata = fs::metadata(&real).map_err(|error| failed(error.into()))?;
        files::check_folder(&metadata)
            .map_err(|cause| StoreError::new("use the home", &real, cause))?;
        Ok(Self {
            path: real,
            keychain: None,
        })
    }

    /// The same home, whose secrets may lie in a keychain.
    #[must_use]
    pub fn with(self, keychain: Option<Keychain>) -> Self {
        Self { keychain, ..self }
    }

    /// The keychain that this home may use.
    #[must_use]
    pub const fn keychain(&self) -> Option<&Keychain> {
        self.keychain.as_ref()
    }

    /// Where the home is, with links resolved.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file of the home, `/` between its folders.
    #[must_use]
    pub fn at(&self, relative: &str) -> PathBuf {
        self.path.join(relative)
    }

    /// A folder of the home, made with those above it where they are missing.
    ///
    /// # Errors
    ///
    /// It cannot be made, or what is there is a link, somebody else's, or open to others.
    pub fn folder(&self, relative: &str) -> Result<PathBuf, StoreError> {
        let mut path = self.path.clone();
        for name in relative.split('/') {
            path.push(name);
            files::folder(&path)?;
        }
        Ok(path)
    }
}

fn locate(chosen: Option<&OsStr>, user: Option<&OsStr>) -> Result<PathBuf, StoreError> {
    let path = match (chosen, user) {
        (Some(chosen), _) => PathBuf::from(chosen),
        (None, Some(user)) if !user.is_empty() => Path::new(user).join(".knotrust"),
        (None, _) => {
            return Err(StoreError::new(
                "find the home",
                Path::new("~"),
                Cause::NoHome,
            ));
        }
    };
    // Relative, it would be another home in every folder an agent can start us in. Control characters would write
    // what they like into messages that name it.
    let plain = !path.as_os_str().as_bytes().iter().any(u8::is_ascii_control);
    if path.is_absolute() && plain {
        Ok(path)
    } else {
        let shown = PathBuf::from(path.to_string_lossy().escape_debug().to_string());
        Err(StoreError::new("use the home", &shown, Cause::NotAHome))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use expect_test::{Expect, expect};

    use super::*;

    /// `prepare` gets a scratch folder and says what KNOTRUST_HOME is.
    #[track_caller]
    fn check(prepare: impl Fn(&Path) -> PathBuf, expected: Expect) {
        let scratch = tempfile::tempdir().unwrap();
        let chosen = prepare(scratch.path());
        let seen = match Home::open(Some(chosen.as_os_str()), None) {
            Ok(home) => home.path().display().to_string(),
            Err(error) => format!(
                "{error}: {}; {}",
                error.source,
                error.help().unwrap_or_default()
            ),
        };
        let real = scratch.path().canonicalize().unwrap();
        let seen = seen.replace(&real.display().to_string(), "TMP");
        expected.assert_eq(&seen.replace(&scratch.path().display().to_string(), "TMP"));
    }

    fn made(path: PathBuf, mode: u32) -> PathBuf {
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn a_missing_home_is_made_private() {
        check(|tmp| tmp.join("a/b"), expect!["TMP/a/b"]);
        let scratch = tempfile::tempdir().unwrap();
        Home::open(None, Some(scratch.path().as_os_str())).unwrap();
        let mode = fs::metadata(scratch.path().join(".knotrust"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o700);
    }

    #[test]
    fn a_home_that_others_may_enter_is_refused() {
        check(
            |tmp| made(tmp.join("h"), 0o770),
            expect![
                "cannot use the home `TMP/h`: others may use it: its mode is 0770; run `chmod 700 'TMP/h'`"
            ],
        );
    }

    #[test]
    fn a_link_to_a_private_folder_is_a_home() {
        check(
            |tmp| {
                symlink(made(tmp.join("real"), 0o700), tmp.join("link")).unwrap();
                tmp.join("link")
            },
            expect!["TMP/real"],
        );
    }

    #[test]
    fn odd_values_are_refused_and_shown_escaped() {
        let odd = "set KNOTRUST_HOME to an absolute path";
        for (value, shown) in [("", ""), ("here", "here"), ("/a\nb", "/a\\nb")] {
            let error = Home::open(Some(OsStr::new(value)), None).unwrap_err();
            assert_eq!(error.to_string(), format!("cannot use the home `{shown}`"));
            assert_eq!(error.help().as_deref(), Some(odd));
        }
        assert!(Home::open(None, None).is_err());
        assert!(Home::open(None, Some(OsStr::new(""))).is_err());
    }

    #[test]
    fn a_file_in_place_of_the_home_is_refused() {
        check(
            |tmp| {
                fs::write(tmp.join("h"), "").unwrap();
                tmp.join("h")
            },
            expect![
                "cannot use the home `TMP/h`: it is not a folder; move it away; knotrust makes what it needs itself"
            ],
        );
    }

    #[test]
    fn folders_below_are_made_and_checked() {
        let scratch = tempfile::tempdir().unwrap();
        let home = Home::open(None, Some(scratch.path().as_os_str())).unwrap();
        let folder = home.folder("servers/notes").unwrap();
        assert!(folder.is_dir());
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        assert!(home.folder("servers/notes").is_err());
    }
}
