//! Rulesets and the code they become: current, to the letter.

use std::fs;
use std::path::Path;

use expect_test::expect_file;
use knotrust_codegen::emit::emit;
use knotrust_language::check_file;

#[test]
fn generated_code_is_what_it_was() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rulesets");
    let mut count = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path
            .extension()
            .is_some_and(|extension| extension == "yaml")
        {
            let (checked, problems) = check_file(&path);
            let problems: Vec<_> = problems.errors().map(|problem| &problem.message).collect();
            let module = checked.unwrap_or_else(|| panic!("{problems:?}")).lend(emit);
            expect_file![path.with_extension("rs")].assert_eq(&module.text);
            count += 1;
        }
    }
    assert!(count > 0);
}
