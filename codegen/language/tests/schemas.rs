//! The committed schemas are those of the types.

use std::path::Path;

use expect_test::expect_file;
use knotrust_language::schema::generated;

#[test]
fn the_files_in_schemas_are_made_from_the_types() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas");
    for (name, text) in generated() {
        expect_file![folder.join(format!("{name}.schema.json"))].assert_eq(&text);
    }
}
