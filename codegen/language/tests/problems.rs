//! What an author sees, to the letter: each `problems/*.yaml` has its text beside it.

use std::path::Path;

use expect_test::expect_file;
use knotrust_language::{read_str, render};

#[test]
fn every_file_is_told_what_its_text_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/problems");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|kind| kind == "yaml"));
    files.sort();
    assert!(!files.is_empty());
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let (_, problems) = read_str("knotrust.yaml", &text);
        expect_file![path.with_extension("txt")]
            .assert_eq(&render::text(&problems, render::Colour::Never));
    }
}
