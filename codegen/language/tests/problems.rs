//! What an author sees, to the letter: each `problems/*.yaml` has its text beside it, and so has each folder with a `knotrust.yaml` in it.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use expect_test::expect_file;
use knotrust_language::{check, render, source::Files};

#[test]
fn every_file_is_told_what_its_text_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/problems");
    let mut paths: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.retain(|path| path.extension().is_none_or(|kind| kind == "yaml"));
    paths.sort();
    assert!(!paths.is_empty());
    for path in paths {
        let mut files = BTreeMap::new();
        if path.is_dir() {
            gather(&path, Path::new(""), &mut files).unwrap();
        } else {
            files.insert(
                PathBuf::from("knotrust.yaml"),
                std::fs::read(&path).unwrap(),
            );
        }
        let (checked, problems) = check(Files::Memory(files), Path::new("knotrust.yaml"));
        assert_eq!(
            checked.is_some(),
            problems.errors().next().is_none(),
            "{}",
            path.display()
        );
        expect_file![path.with_extension("txt")]
            .assert_eq(&render::text(&problems, render::Colour::Never));
    }
}

fn gather(
    folder: &Path,
    below: &Path,
    files: &mut BTreeMap<PathBuf, Vec<u8>>,
) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = below.join(entry.file_name());
        if entry.path().is_dir() {
            gather(&entry.path(), &name, files)?;
        } else {
            files.insert(name, std::fs::read(entry.path())?);
        }
    }
    Ok(())
}
