//! The committed schemas are those of the types.

use std::path::Path;

use expect_test::expect_file;
use knotrust_language::schema::PUBLISHED;

#[test]
fn the_files_in_schemas_are_made_from_the_types() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas");
    for published in PUBLISHED {
        expect_file![folder.join(published.file)].assert_eq(&published.text());
    }
}
