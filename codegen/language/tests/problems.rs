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

#[test]
fn programs_are_told_the_same_as_people() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let text = std::fs::read(folder.join("problems/own_tests_fail.yaml")).unwrap();
    let files = BTreeMap::from([(PathBuf::from("my policies/refunds.yaml"), text)]);
    let (_, problems) = check(Files::Memory(files), Path::new("my policies/refunds.yaml"));
    expect_file![folder.join("rendered/problems.json")].assert_eq(&render::json(&problems));
    let sarif = render::sarif(&problems);
    let mut log: serde_json::Value = serde_json::from_str(&sarif).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let rules = log["runs"][0]["tool"]["driver"]["rules"]
        .as_array()
        .unwrap();
    for result in log["runs"][0]["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
    // The index moves with every new code, and says nothing to a reader.
    for result in log["runs"][0]["results"].as_array_mut().unwrap() {
        result.as_object_mut().unwrap().remove("ruleIndex");
    }
    let results = serde_json::to_string_pretty(&log["runs"][0]["results"]).unwrap();
    expect_file![folder.join("rendered/results.sarif.json")].assert_eq(&results);
}
