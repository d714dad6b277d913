//! The many spellings of one file on Windows.
//!
//! Only the text is judged, so that it can be judged anywhere: both separators, verbatim prefixes, drives, streams, and the
//! dots and blanks that the system drops from the end of a name. Shares, devices and short names are other names for files
//! that only the system itself can tell.

use super::path::Unclear;

/// The path with `/` as separator: absolute with a drive, rooted, or relative to the working folder.
pub(super) fn translate(raw: &str, drive_at_hand: Option<(&str, &str)>) -> Result<String, Unclear> {
    let slashed = raw.replace('\\', "/");
    let plain = ["//?/", "//./", "/??/"]
        .iter()
        .find_map(|prefix| slashed.strip_prefix(prefix));
    let (path, verbatim) = plain.map_or((slashed.as_str(), false), |path| (path, true));
    let drive = super::links::drive(path);
    if (verbatim && drive.is_none()) || path.starts_with("//") {
        return Err(Unclear);
    }
    let Some((drive, rest)) = drive else {
        return names(path);
    };
    let rest = names(rest)?;
    if rest.is_empty() || rest.starts_with('/') {
        return Ok(format!("{drive}{rest}"));
    }
    // `C:docs` starts at that drive's own working folder, which is known for one drive only.
    let same = drive_at_hand.is_some_and(|(at_hand, _)| at_hand.eq_ignore_ascii_case(drive));
    if same { Ok(rest) } else { Err(Unclear) }
}

fn names(path: &str) -> Result<String, Unclear> {
    let names: Result<Vec<_>, _> = path.split('/').map(name).collect();
    names.map(|names| names.join("/"))
}

/// A segment without its stream and without what the system drops from its end.
fn name(segment: &str) -> Result<&str, Unclear> {
    if segment == "." || segment == ".." {
        return Ok(segment);
    }
    let name = segment.split(':').next().unwrap_or(segment);
    let name = name.trim_end_matches(['.', ' ']);
    if is_short(name) {
        Err(Unclear)
    } else {
        Ok(name)
    }
}

/// Whether this may be the generated twin of a longer name, like `DOCUME~1.TXT`.
fn is_short(name: &str) -> bool {
    let (stem, extension) = name.split_once('.').unwrap_or((name, ""));
    let number = stem.rsplit_once('~').map(|(_, number)| number);
    stem.len() <= 8
        && extension.len() <= 3
        && number.is_some_and(|number| {
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(raw: &str, expected: Result<&str, Unclear>) {
        let found = translate(raw, Some(("C:", "/proj")));
        assert_eq!(found.as_deref(), expected.as_ref().copied(), "{raw}");
    }

    #[test]
    fn spellings_become_one() {
        check(r"docs\a.md", Ok("docs/a.md"));
        check(r"docs.\a.md:stream", Ok("docs/a.md"));
        check(r"docs \a.md::$DATA", Ok("docs/a.md"));
        check(r"\\?\C:\proj\docs", Ok("C:/proj/docs"));
        check(r"\\.\C:\proj\docs", Ok("C:/proj/docs"));
        check(r"C:docs\a", Ok("docs/a"));
        check(r"c:docs\a", Ok("docs/a"));
        check(r"\proj\docs", Ok("/proj/docs"));
        check(r"..\x", Ok("../x"));
    }

    #[test]
    fn some_only_the_system_can_tell() {
        check(r"\\localhost\C$\proj", Err(Unclear));
        check(r"\\?\UNC\server\share", Err(Unclear));
        check(r"\\.\GLOBALROOT\Device", Err(Unclear));
        check(r"DOCS~1\a.md", Err(Unclear));
        check(r"D:docs\a", Err(Unclear));
    }
}
